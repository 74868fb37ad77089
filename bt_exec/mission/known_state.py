"""Known state of objects at the end of a mission, with the age of the knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bt_exec.language.messages import Messages
from bt_exec.mission.progress import MissionProgress
from bt_exec.pack import Catalogue
from bt_exec.spec.model import Check, Do, walk
from bt_exec.verify.facts import established
from bt_exec.verify.templates import fill

__all__ = ["OLD_S", "Known", "asked_about", "moment", "state_of"]

OLD_S = 5.0
"""What was found longer ago than this is told with its moment [s]."""


@dataclass(frozen=True)
class Known:
    """Known facts at the end of a mission.

    Attributes:
        facts: What is known, newest.
        now: The time [s, mission clock].
        since: Since when a fact is known that is not of this moment [s].
        acted: When an action ended last [s].
    """

    facts: Mapping[str, str]
    now: float = 0.0
    since: Mapping[str, float] = field(default_factory=dict)
    acted: float = float("-inf")

    def old(self, t: float) -> bool:
        """Return whether what was found at `t` may have changed since."""
        return t < self.acted or self.now - t > OLD_S

    def names(self, facts: Mapping[str, str]) -> dict[str, str]:
        """Return each fact as messages name it: ``door=open``, ``was door=open`` if it is old."""
        return {
            fact: f"was {fact}={value}" if fact in self.since else f"{fact}={value}"
            for fact, value in facts.items()
        }


def moment(seconds: float) -> str:
    """Return how long ago something was, in words that the messages translate."""
    return "a moment ago" if seconds < 1.0 else f"{seconds:.0f} s ago"


def state_of(
    progress: MissionProgress,
    messages: Messages,
    catalogue: Catalogue,
    known: Known,
    *,
    well: bool = True,
) -> tuple[str, ...]:
    """Return one sentence for each known fact that this mission is about.

    A fact is the mission's business if one of its skills changes it, or one of its questions is
    about it. So a command about the door says nothing of what a hand happens to hold. Where the
    mission did not end `well`, what its skills need is told as well: a hand that was stopped half
    way may still hold the handle. What is not known of this moment is told with its own.

    Messages say a fact (``door=open``), facts of any value (``at=*``, with ``{value}``), several
    at once (``at.left=home + at.right=home``), and one of before (``was door=open``), also joined
    with others.
    """
    if progress.spec is None:
        return ()
    about: dict[str, None] = {}
    for node in walk(progress.spec.root):
        if isinstance(node, Do):
            about.update(dict.fromkeys(_touched(node, catalogue, well=well)))
    for asked in progress.told.values():
        about.update(dict.fromkeys(asked_about(asked.question, progress, catalogue)))
    facts = {fact: known.facts[fact] for fact in about if fact in known.facts}
    return tuple(told for _, told in _by_robot(facts, messages, progress.language, known))


def told_facts(
    facts: Mapping[str, str], messages: Messages, language: str
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return a sentence for each known fact that has one, and the facts that have none."""
    said = list(_by_robot(facts, messages, language, Known(facts)))
    parts = {part for code, _ in said for part in code.split(" + ")}
    rest = {fact: value for fact, value in facts.items() if f"{fact}={value}" not in parts}
    return tuple(told for _, told in said), rest


def _by_robot(
    facts: Mapping[str, str], messages: Messages, language: str, known: Known
) -> Iterator[tuple[str, str]]:
    """Yield codes and sentences, as `_sentences`; facts of several robots are told by robot."""
    robots: dict[str, dict[str, str]] = {}
    for fact, value in facts.items():
        space, slash, name = fact.rpartition("/")
        robots.setdefault(space + slash, {})[name] = value
    for space, own in robots.items():
        since = {fact.removeprefix(space): t for fact, t in known.since.items()}
        robot = space.removesuffix("/")
        for code, told in _sentences(
            own, messages.of(robot), language, replace(known, since=since)
        ):
            parts = " + ".join(f"{space}{part}" for part in code.split(" + "))
            yield parts, messages.said_of(robot, told, language)


def _sentences(
    facts: Mapping[str, str], messages: Messages, language: str, known: Known
) -> Iterator[tuple[str, str]]:
    """Yield what is told of facts: ``door=open``, or several joined by `` + ``, and a sentence."""
    names = known.names(facts)
    present = set(names.values())
    together = {
        part: code
        for code in sorted(messages.codes())
        for part in code.split(" + ")
        if " + " in code and present.issuperset(code.split(" + "))
    }
    said: set[str] = set()
    for fact, value in facts.items():
        joined = names[fact] in together
        code = together.get(names[fact], f"{fact}={value}")
        if code in said:
            continue
        said.add(code)
        told = messages.say(code, language) if code in messages else ""
        if not told and f"{fact}=*" in messages:
            told = messages.say(f"{fact}=*", language, value=value)
        if told and fact in known.since and not joined:
            when = moment(known.now - known.since[fact])
            before = names[fact]
            told = (
                messages.say(before, language, when=when)
                if before in messages
                else messages.say("AS_OF", language, when=when, state=told)
            )
        if told:
            yield code, told


def _touched(node: Do, catalogue: Catalogue, *, well: bool) -> tuple[str, ...]:
    skill = catalogue.skill(node.do)
    args: dict[str, Any] = dict(node.args)
    try:
        keys = skill.effects if well else {**skill.effects, **skill.needs}
        return tuple(fill(key, args) for key in keys)
    except (KeyError, IndexError):
        return ()  # an argument by default or by result: the state is told by the others


def asked_about(question: str, progress: MissionProgress, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the facts that a question of the plan is about."""
    assert progress.spec is not None
    return tuple(
        fact
        for node in walk(progress.spec.root)
        if isinstance(node, Check) and str(node.check) == question
        for fact in established(node.check, catalogue)
    )
