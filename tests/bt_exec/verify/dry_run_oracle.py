"""Brute-force oracle of the dry run: a plan is executed in every possible way.

Plans are plain data, as in `tests.bt_exec.planning.repair_oracle`, and `bt_exec` is not used. A
step may have ``"skip_if"``, ``"while"``, ``"retry"``, ``"repeat"`` and ``"timeout"``. The key
``"needed"`` of a ``"parallel"`` is the required number of successes. Skills have their declared
effects. After a failure or a stop, the facts that they change are unknown.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Literal

Step = dict[str, Any]
End = Literal["done", "again", "over"]  # succeeded, failed, failed permanently
Moments = Generator[None, None, End]  # time passes at every yield


class Hit(Exception):  # noqa: N818 - an answer, not an error
    """Raised if a skill starts although one of its needs is known not to hold."""


class Choices:
    """Enumerates all sequences of choices, one per run."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, int]] = []
        self._at = 0

    def choose(self, count: int) -> int:
        if self._at == len(self._taken):
            self._taken.append((0, count))
        self._at += 1
        return self._taken[self._at - 1][0]

    def turn(self) -> bool:
        """Start the next run; return False after the last one."""
        self._at = 0
        while self._taken:
            chosen, count = self._taken.pop()
            if chosen + 1 < count:
                self._taken.append((chosen + 1, count))
                return True
        return False


def hits(plan: Step, facts: dict[str, str], runs: int) -> bool | None:
    """Return True if a run of `plan` violates a need; None if `runs` were too few to decide."""
    choices = Choices()
    for _ in range(runs):
        try:
            for _ in _run(plan, dict(facts), choices):
                pass
        except Hit:
            return True
        if not choices.turn():
            return False
    return None


def _run(step: Step, facts: dict[str, str], choices: Choices) -> Moments:
    if "skip_if" in step:
        answer = _ask(step["skip_if"], facts, choices)
        if answer is not False:
            return "done" if answer else "over"
    for _ in range(step.get("repeat", 1)):
        end = yield from _retried(step, facts, choices)
        if end != "done":
            return end
    return "done"


def _retried(step: Step, facts: dict[str, str], choices: Choices) -> Moments:
    end: End = "again"
    for attempt in range(step.get("retry", 1)):
        if attempt:
            yield  # one attempt per tick
        end = yield from _attempt(step, facts, choices)
        if end != "again":
            break
    return end


def _attempt(step: Step, facts: dict[str, str], choices: Choices) -> Moments:
    if "while" in step:
        answer = _ask(step["while"], facts, choices)
        if not answer:
            return "over" if answer is None else "again"
    inner = _once(step, facts, choices)
    while True:
        try:
            next(inner)
        except StopIteration as stop:
            return stop.value
        try:
            yield
        except GeneratorExit:
            inner.close()
            raise
        broken = "while" in step and _ask(step["while"], facts, choices) is not True
        if broken or ("timeout" in step and choices.choose(2)):
            inner.close()
            return "again"


def _ask(wanted: tuple[str, str], facts: dict[str, str], choices: Choices) -> bool | None:
    """Evaluate a condition: a known fact decides, otherwise every verdict is possible."""
    fact, word = wanted
    if fact in facts:
        return facts[fact] == word
    answer = (True, False, None)[choices.choose(3)]
    if answer:
        facts[fact] = word
    return answer


def _once(step: Step, facts: dict[str, str], choices: Choices) -> Moments:
    if "do" in step:
        return (yield from _do(step, facts, choices))
    if "check" in step:
        answer = _ask(step["check"], facts, choices)
        if answer is None:
            return "over"
        return "done" if answer else "again"
    if "sequence" in step:
        for child in step["sequence"]:
            end = yield from _run(child, facts, choices)
            if end != "done":
                return end
        return "done"
    if "fallback" in step:
        end = "over"
        for child in step["fallback"]:
            end = yield from _run(child, facts, choices)
            if end == "done":
                break
        return end
    return (yield from _parallel(step, facts, choices))


def _do(step: Step, facts: dict[str, str], choices: Choices) -> Moments:
    for fact, allowed in step["needs"].items():
        if facts.get(fact, allowed[0]) not in allowed:
            raise Hit
    succeeded = False
    try:
        takes_time = choices.choose(2) == 1
        if takes_time:
            yield
        succeeded = choices.choose(2) == 0
    finally:
        for fact, word in step["effects"].items():
            facts.pop(fact, None)
            if succeeded and word != "?":
                facts[fact] = word
    return "done" if succeeded else "again"


def _parallel(step: Step, facts: dict[str, str], choices: Choices) -> Moments:
    running = {n: _run(child, facts, choices) for n, child in enumerate(step["parallel"])}
    total, done, failed = len(running), 0, []
    try:
        while done < step["needed"] <= total - len(failed):
            number = list(running)[choices.choose(len(running))]
            try:
                next(running[number])
            except StopIteration as stop:
                del running[number]
                done += stop.value == "done"
                failed += [stop.value] if stop.value != "done" else []
            else:
                yield
    finally:
        for other in running.values():
            other.close()
    return "done" if done >= step["needed"] else failed[0]
