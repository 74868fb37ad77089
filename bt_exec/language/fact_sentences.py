"""Sentences about known facts, with the age of those that are not current."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from bt_exec.language.messages import Messages

__all__ = ["OLD_S", "UNKNOWN", "Known", "age_phrase", "fact_sentences", "sentences_by_robot"]

OLD_S = 5.0
"""Age above which a known state is reported with its time [s]."""


_NO_AGES: Mapping[str, float] = MappingProxyType({})

UNKNOWN = "?"
"""Value that stands for an unknown value. Sentences for any value (``door=*``) do not cover it."""


@dataclass(frozen=True)
class Known:
    """Known facts at the end of a mission.

    Attributes:
        facts: Known facts with their newest values.
        now: Current time [s, mission clock].
        since: Observation times of the facts that are not current [s].
        acted: Time at which the last action ended [s].
    """

    facts: Mapping[str, str]
    now: float = 0.0
    since: Mapping[str, float] = field(default_factory=dict)
    acted: float = float("-inf")

    def is_old(self, t: float) -> bool:
        """Return True if a fact observed at `t` [s] may have changed since."""
        return t < self.acted or self.now - t > OLD_S

    @property
    def ages(self) -> dict[str, float]:
        """Ages of the facts that are not current [s]."""
        return {fact: self.now - t for fact, t in self.since.items() if fact in self.facts}

    def message_codes(self, facts: Mapping[str, str]) -> dict[str, str]:
        """Return message codes by fact: ``door=open``, or ``was door=open`` if not current."""
        return {
            fact: f"was {fact}={value}" if fact in self.since else f"{fact}={value}"
            for fact, value in facts.items()
        }


def age_phrase(seconds: float) -> str:
    """Return the age of an observation as a phrase that the messages translate."""
    return "a moment ago" if seconds < 1.0 else f"{seconds:.0f} s ago"


def fact_sentences(
    facts: Mapping[str, str],
    messages: Messages,
    language: str,
    ages: Mapping[str, float] = _NO_AGES,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the sentences of known facts, and the facts without a sentence.

    Args:
        facts: The facts with their values.
        messages: The sentences.
        language: Language of the sentences.
        ages: Ages of the facts that are not current [s].
    """
    known = Known(facts, since={fact: -age for fact, age in ages.items()})
    sentences = list(sentences_by_robot(facts, messages, language, known))
    parts = {part for code, _ in sentences for part in code.split(" + ")}
    rest = {fact: value for fact, value in facts.items() if f"{fact}={value}" not in parts}
    return tuple(sentence for _, sentence in sentences), rest


def sentences_by_robot(
    facts: Mapping[str, str], messages: Messages, language: str, known: Known
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of message code and sentence from `_sentences`, robot by robot."""
    robots: dict[str, dict[str, str]] = {}
    for fact, value in facts.items():
        space, slash, name = fact.rpartition("/")
        robots.setdefault(space + slash, {})[name] = value
    for space, own in robots.items():
        since = {fact.removeprefix(space): t for fact, t in known.since.items()}
        robot = space.removesuffix("/")
        for code, sentence in _sentences(
            own, messages.of_pack(robot), language, replace(known, since=since)
        ):
            parts = " + ".join(f"{space}{part}" for part in code.split(" + "))
            yield parts, messages.sentence_for_robot(robot, sentence, language)


def _sentences(
    facts: Mapping[str, str], messages: Messages, language: str, known: Known
) -> Iterator[tuple[str, str]]:
    """Yield pairs of message code and sentence.

    A code is one fact, such as ``door=open``, or several facts joined by `` + ``.
    """
    names = known.message_codes(facts)
    present = set(names.values())
    together = {
        part: code
        for code in sorted(messages.codes())
        for part in code.split(" + ")
        if " + " in code and present.issuperset(code.split(" + "))
    }
    used_codes: set[str] = set()
    for fact, value in facts.items():
        joined = names[fact] in together
        code = together.get(names[fact], f"{fact}={value}")
        if code in used_codes:
            continue
        used_codes.add(code)
        sentence = messages.say(code, language) if code in messages else ""
        if not sentence and value != UNKNOWN and f"{fact}=*" in messages:
            sentence = messages.say(f"{fact}=*", language, value=value)
        if sentence and fact in known.since and not joined:
            when = age_phrase(known.now - known.since[fact])
            before = names[fact]
            sentence = (
                messages.say(before, language, when=when)
                if before in messages
                else messages.say("AS_OF", language, when=when, state=sentence)
            )
        if sentence:
            yield code, sentence
