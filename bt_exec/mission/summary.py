"""What is said at the end of a mission, in the language of the command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.failure import STOPPED, Failure
from bt_exec.language.messages import Messages
from bt_exec.mission.progress import MissionProgress
from bt_exec.outcome import Ending
from bt_exec.pack import Catalogue
from bt_exec.planning.first_cause import DoneAction, first_cause
from bt_exec.spec.model import Check, Do, walk
from bt_exec.verify.facts import established
from bt_exec.verify.templates import fill

__all__ = ["AFTER_STOP", "state_of", "summarise"]

AFTER_STOP = "AFTER_STOP"
"""What a pack's messages say of going on after a stop: where things are, what to say next."""

_TRIED = 2
"""How many of the failures after the first cause are told: the latest."""


def summarise(
    ending: Ending,
    progress: MissionProgress,
    messages: Messages,
    catalogue: Catalogue,
    facts: Mapping[str, str],
) -> str:
    """Return the final sentences: the answer, the reason, and what state things are in now."""
    language = progress.language
    if ending.refusal is not None:
        return ending.refusal.message
    if ending.status == "satisfied" and ending.said:  # words were answered with words
        return ending.said
    said = [
        messages.say("yes" if asked.verdict.holds else "no", language)
        for asked in progress.told.values()
    ]
    if ending.failure is not None:
        root, *tried = _told_failures(ending.failure, progress, catalogue)
        if ending.reason_code == "SKILL_FAILED":
            said.append(f"{messages.say('SKILL_FAILED', language)} {root.code}:")
        said.append(messages.explain(root, language))
        others = dict.fromkeys(
            messages.explain(failure, language)
            for failure in tried
            if (failure.code, failure.node, failure.args) != (root.code, root.node, root.args)
        )
        others.pop(said[-1], None)
        if others:
            said += [messages.say("TRIED_INSTEAD", language), *list(others)[-_TRIED:]]
        if ending.said:
            said.append(ending.said)
        elif ending.why:
            said.append(messages.say(ending.why, language, replans=len(progress.failures) - 1))
    elif ending.reason_code not in ("OK", "ABORTED"):  # nothing was needed
        reasons = dict.fromkeys(skip.reason for skip in progress.skipped)
        return " ".join(messages.say(reason, language) for reason in reasons)
    elif ending.status == "aborted":
        said.append(messages.say("ABORTED", language))
    if progress.started and ending.reason_code in ("ABORTED", STOPPED, "STOP_FAILED", "STEP_HUNG"):
        said.append(_after_stop(progress, messages, catalogue))
    state = state_of(progress, messages, catalogue, facts, well=ending.status == "satisfied")
    told = " ".join(said)  # "The door is open, but …" has said that the door is open
    said = [sentence for sentence in said if sentence]
    said.extend(sentence for sentence in state if sentence.rstrip(".") not in told)
    if not said:
        said.append(messages.say("OK", language))
    return " ".join(said)


def _after_stop(progress: MissionProgress, messages: Messages, catalogue: Catalogue) -> str:
    """Return what to do after a stop, as the pack says it whose skill ran last; perhaps nothing."""
    own = messages.of(catalogue.owner(progress.latest))
    return own.say(AFTER_STOP, progress.language) if AFTER_STOP in own else ""


def _told_failures(
    last: Failure, progress: MissionProgress, catalogue: Catalogue
) -> tuple[Failure, ...]:
    """Return the first cause of the end and what failed after it, each as it is told.

    What is not a failure of a plan (the simulation is gone) is its own cause.
    """
    if last not in progress.failures:
        return (last,)
    after = [
        (failure, [DoneAction(one.name, one.args) for one in progress.done_after(number)])
        for number, failure in enumerate(progress.failures)
    ]
    found = first_cause(after, catalogue)
    assert found is not None  # there is at least the last one
    number, root = found
    return (root, *progress.failures[number:])


def state_of(
    progress: MissionProgress,
    messages: Messages,
    catalogue: Catalogue,
    facts: Mapping[str, str],
    *,
    well: bool = True,
) -> tuple[str, ...]:
    """Return one sentence for each known fact that this mission is about.

    A fact is the mission's business if one of its skills changes it, or one of its questions is
    about it. So a command about the door says nothing of what a hand happens to hold. Where the
    mission did not end `well`, what its skills need is told as well: a hand that was stopped half
    way may still hold the handle.
    """
    if progress.spec is None:
        return ()
    about: dict[str, None] = {}
    for node in walk(progress.spec.root):
        if isinstance(node, Do):
            about.update(dict.fromkeys(_touched(node, catalogue, well=well)))
    for asked in progress.told.values():
        about.update(dict.fromkeys(_asked(asked.question, progress, catalogue)))
    keys = [f"{fact}={facts[fact]}" for fact in about if fact in facts]
    return tuple(messages.say(key, progress.language) for key in keys if key in messages)


def _touched(node: Do, catalogue: Catalogue, *, well: bool) -> tuple[str, ...]:
    skill = catalogue.skill(node.do)
    args: dict[str, Any] = dict(node.args)
    try:
        keys = skill.effects if well else {**skill.effects, **skill.needs}
        return tuple(fill(key, args) for key in keys)
    except (KeyError, IndexError):
        return ()  # an argument by default or by result: the state is told by the others


def _asked(question: str, progress: MissionProgress, catalogue: Catalogue) -> tuple[str, ...]:
    assert progress.spec is not None
    return tuple(
        fact
        for node in walk(progress.spec.root)
        if isinstance(node, Check) and str(node.check) == question
        for fact in established(node.check, catalogue)
    )
