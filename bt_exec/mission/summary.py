"""Final sentences of a mission, in the language of the command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bt_exec.events import Asked
from bt_exec.failure import Failure
from bt_exec.language.messages import Messages
from bt_exec.mission.known_state import Known, asked_about, moment, state_of
from bt_exec.mission.progress import MissionProgress
from bt_exec.outcome import NOTHING_DONE, PARTLY_DONE, STOPS, UNMET, Ending
from bt_exec.pack import Catalogue
from bt_exec.planning.effects import DoneAction, first_cause
from bt_exec.spec.expression import Is, Not
from bt_exec.spec.model import Check, walk
from bt_exec.spec.paths import paths
from bt_exec.verify.facts import established

__all__ = ["AFTER_STOP", "summarise"]

AFTER_STOP = "AFTER_STOP"
"""Prefix of message codes with advice after a stop: where things are, and what to say next."""

_TRIED = 2
"""Number of failures after the first cause that are reported: the latest ones."""


def summarise(
    ending: Ending,
    progress: MissionProgress,
    messages: Messages,
    catalogue: Catalogue,
    known: Known,
    told: str = "",
) -> str:
    """Return the final sentences: answers, reason, and current state of the objects.

    Args:
        ending: The ending.
        progress: Account of the mission.
        messages: The sentences.
        catalogue: Declarations of skills and conditions.
        known: Known facts.
        told: The robot's messages to the operator.
    """
    language = progress.language
    if ending.refusal is not None:
        return ending.refusal.message
    if ending.status == "satisfied" and ending.said:  # a reply without a plan
        return ending.said
    said = list(_answers(progress, messages, catalogue, known))
    if ending.reason_code in (PARTLY_DONE, NOTHING_DONE):
        said += _left_undone(ending, progress, messages) if not told else []
    elif ending.failure is not None:
        said += _why(ending, ending.failure, progress, messages, catalogue)
    elif ending.why:
        said.append(messages.say(ending.why, language))
    elif ending.reason_code not in ("OK", "ABORTED"):  # no action was needed
        then = list(_no_longer(progress, messages, catalogue, known))
        needless = dict.fromkeys(_needless(progress, messages, catalogue, known))
        if not then:
            return " ".join(needless)
        said += then
    elif ending.status == "aborted":
        code = "STOPPED_BY_SIGNAL" if ending.said else "ABORTED"
        said.append(messages.say(code, language, signal=ending.said))
    said.append(told)
    if progress.started and ending.reason_code in STOPS:
        said.append(_after_stop(progress, messages, catalogue, known))
    state = state_of(progress, messages, catalogue, known, well=ending.status == "satisfied")
    text = " ".join(said)  # avoid repeating "The door is open" after "The door is open, but …"
    said = [sentence for sentence in said if sentence]
    said.extend(sentence for sentence in state if sentence.rstrip(".") not in text)
    if not said:
        said.append(messages.say("OK", language))
    return " ".join(said)


def _answers(
    progress: MissionProgress, messages: Messages, catalogue: Catalogue, known: Known
) -> Iterator[str]:
    """Yield the answers to questions; with several or outdated answers, each names its question.

    An answer that may be outdated is given in the past tense, with its time.
    """
    language = progress.language
    for asked in progress.told.values():
        answer = _answer(asked, progress, messages)
        several = len(progress.told) > 1 or known.old(asked.t)
        if several and (question := _question(asked, progress, messages)):
            answer = f"{question[:1].upper()}{question[1:]}: {answer[:1].lower()}{answer[1:]}"
        if not known.old(asked.t):
            yield answer
            continue
        when = moment(known.now - asked.t)
        seen = progress.seen.get(asked.question, {})
        about = [
            f"was {fact}={seen[fact]}"
            for fact in asked_about(asked.question, progress, catalogue)
            if fact in seen
        ]
        told = [messages.say(key, language, when=when) for key in about if key in messages]
        yield " ".join(told or [messages.say("ANSWERED_THEN", language, answer=answer, when=when)])


def _needless(
    progress: MissionProgress, messages: Messages, catalogue: Catalogue, known: Known
) -> Iterator[str]:
    """Yield why each skipped action was not needed; for an unmet condition, its result."""
    assert progress.spec is not None
    nodes = dict(paths(progress.spec.root))
    for skip in progress.skipped:
        if skip.reason == UNMET:
            asked = getattr(nodes.get(skip.path), "skip_if", None)
            yield from _unmet(asked, progress.language, messages, catalogue, known)
        else:
            yield messages.say(skip.reason, progress.language)


def _unmet(
    asked: Any, language: str, messages: Messages, catalogue: Catalogue, known: Known
) -> Iterator[str]:
    """Yield that a condition did not hold, in its pack's words, and the facts it concerns."""
    needed = isinstance(asked, Not)
    inner = asked.of if isinstance(asked, Not) else asked
    if not isinstance(inner, Is):
        yield messages.say("UNMET", language)
        return
    own, key = messages.of(catalogue.owner(inner.name)), "unmet" if needed else "met"
    if f"{key} {inner.name}" in own:
        yield own.say(f"{key} {inner.name}", language, **inner.args)
    else:
        phrase = messages.phrase(inner.name, language, inner.args)
        yield messages.say("UNMET_ONE" if needed else "MET_ONE", language, condition=phrase)
    for fact in established(inner, catalogue):
        if fact in known.facts and (found := f"{fact}={known.facts[fact]}") in messages:
            yield messages.say(found, language)


def _no_longer(
    progress: MissionProgress, messages: Messages, catalogue: Catalogue, known: Known
) -> Iterator[str]:
    """Yield the reasons of skips that no longer hold, in the past tense, with their time."""
    assert progress.spec is not None
    nodes = dict(paths(progress.spec.root))
    for skip in progress.skipped:
        node = nodes.get(skip.path)
        for fact, value in established(getattr(node, "skip_if", None), catalogue).items():
            if known.facts.get(fact, value) == value:
                continue
            when, before = moment(known.now - skip.t), f"was {fact}={value}"
            if before in messages:
                yield messages.say(before, progress.language, when=when)
            else:
                state = messages.say(skip.reason, progress.language)
                yield messages.say("AS_OF", progress.language, when=when, state=state)


def _answer(asked: Asked, progress: MissionProgress, messages: Messages) -> str:
    """Return yes or no, or the result of the condition if its pack reports that instead."""
    asks, language, verdict = _condition(asked, progress), progress.language, asked.verdict
    own = messages.answer(asks.name, language, verdict.why, asks.args) if asks is not None else None
    return own or messages.say("yes" if verdict.holds else "no", language)


def _question(asked: Asked, progress: MissionProgress, messages: Messages) -> str:
    """Return a question in words, if it is a single condition with a phrase."""
    asks = _condition(asked, progress)
    if asks is not None and messages.has_phrase(asks.name):
        return messages.phrase(asks.name, progress.language, asks.args)
    return ""


def _condition(asked: Asked, progress: MissionProgress) -> Is | None:
    """Return the single condition of a question; None if several are combined."""
    assert progress.spec is not None
    for node in walk(progress.spec.root, Check):
        if str(node.check) == asked.question:
            return node.check if isinstance(node.check, Is) else None
    return None


def _left_undone(ending: Ending, progress: MissionProgress, messages: Messages) -> list[str]:
    """Return sentences about missing parts that the robot has not reported itself."""
    language = progress.language
    parts = [part.to_dict(messages, language) for part in progress.undone]
    return [
        messages.say(ending.reason_code, language),
        *(messages.say("NOT_DONE", language, **part) for part in parts),
    ]


def _why(
    ending: Ending,
    failure: Failure,
    progress: MissionProgress,
    messages: Messages,
    catalogue: Catalogue,
) -> list[str]:
    """Return sentences about the cause of a failure: the first cause, then further attempts."""
    language = progress.language
    root, *tried = _told_failures(failure, progress, catalogue)
    said: list[str] = []
    if ending.reason_code == "SKILL_FAILED":
        stopped = messages.say("SKILL_FAILED", language)
        said.append(stopped if root.code in messages else f"{stopped} {root.code}:")
    said.append(messages.explain(root, language))
    others = dict.fromkeys(
        messages.explain(one, language)
        for one in tried
        if (one.code, one.node, one.args) != (root.code, root.node, root.args)
    )
    others.pop(said[-1], None)
    if others:
        said += [messages.say("TRIED_INSTEAD", language), *list(others)[-_TRIED:]]
    if ending.said:
        said.append(ending.said)
    elif ending.why:
        said.append(messages.say(ending.why, language, replans=len(progress.failures) - 1))
    return said


def _after_stop(
    progress: MissionProgress, messages: Messages, catalogue: Catalogue, known: Known
) -> str:
    """Return advice after a stop from the pack of the last skill; may be empty.

    The message ``AFTER_STOP at=dock`` takes precedence if these facts, joined by `` + ``, are
    known.
    """
    own = messages.of(catalogue.owner(progress.latest))
    now = set(known.names(known.facts).values())
    prefix = f"{AFTER_STOP} "
    special = (code for code in sorted(own.codes()) if code.startswith(prefix))
    code = next(
        (code for code in special if now.issuperset(code.removeprefix(prefix).split(" + "))),
        AFTER_STOP,
    )
    return own.say(code, progress.language) if code in own else ""


def _told_failures(
    last: Failure, progress: MissionProgress, catalogue: Catalogue
) -> tuple[Failure, ...]:
    """Return the first cause of the end and the later failures that are reported.

    An ending that is not a plan's failure, such as a lost simulation, is its own cause.
    """
    if last not in progress.failures:
        return (last,)
    after = [
        (failure, [DoneAction(one.name, one.args) for one in progress.done_after(number)])
        for number, failure in enumerate(progress.failures)
    ]
    found = first_cause(after, catalogue)
    assert found is not None  # `last` is always included
    number, root = found
    return (root, *progress.failures[number:])
