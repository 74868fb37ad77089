"""Korean verb stems and the morphemes between stem and ending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bt_exec_llm.offline.kiwi import Morph

__all__ = ["Verb", "contract_stem", "is_verb", "morpheme_at", "skip_to_ending", "take_stem"]


@dataclass
class Verb:
    """A verb of a sentence.

    Attributes:
        stems: Its stem, and the stems of verbs joined with it (꺼내 오다).
        helpers: Stems of auxiliary verbs after it.
        kind: Its function: ``plain`` (열어), ``command``, ``request``, ``ask_to`` (열래?),
            ``question``, ``statement``, ``then``, ``but``, ``or``, ``if``, ``before``, ``embed``
            (여는지), ``quote`` (연다고), ``noun`` (여는 …), ``name`` (열기), ``wish``,
            ``may``, ``can``, ``must``, ``reported``, ``bare``.
        negative: Whether it is negated or forbidden.
        past: Whether it is in the past tense.
        state: Whether it describes a resulting state (열려 있다).
        progress: Whether it is progressive (열고 있다).
        gives: Whether it is done for a person (열어 주다).
        future: Whether it is in the future tense (열겠).
        adjective: Whether it is an adjective (춥다).
        start: Start of the verb.
        end: End of the verb.
    """

    stems: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    kind: str = "bare"
    negative: bool = False
    past: bool = False
    state: bool = False
    progress: bool = False
    gives: bool = False
    future: bool = False
    polite: bool = False
    adjective: bool = False
    last: str = ""
    start: int = 0
    end: int = 0

    @property
    def told(self) -> bool:
        """Whether the verb describes a present or past state."""
        return self.past or self.state or self.progress

    @property
    def long(self) -> bool:
        """Whether its last stem has more than one syllable."""
        return len(self.stems[-1]) > 1


def is_verb(every: Sequence[Morph], at: int) -> bool:
    """Return True if a verb begins at `at`."""
    one = every[at]
    if one.tag in ("VV", "VA", "VX", "VCN", "VCP"):
        return True
    following = every[at + 1] if at + 1 < len(every) else None
    if following is None:
        return False
    if one.tag in ("NNG", "NNP", "XR", "MAG", "SL", "NNB", "IC") and following.tag in (
        "XSV",
        "XSA",
    ):
        return True
    return (
        one.tag in ("SL", "NNG", "NNP")
        and following.form in ("하", "되")
        and following.tag in ("VV", "VX")
    )


def contract_stem(stem: str) -> str:
    """Return a stem contracted with 어 (켜, 꺼 of 끄, 밝아 of 밝)."""
    code = ord(stem[-1]) - 0xAC00
    if not 0 <= code < 11172:
        return stem + "어"
    first, vowel, last = code // 588, code % 588 // 28, code % 28
    if last:
        return stem + ("아" if vowel in (0, 8) else "어")
    drawn = {18: 4, 20: 6, 0: 0, 4: 4, 6: 6, 1: 1, 5: 5, 8: 9, 13: 14}.get(vowel)
    if drawn is None:
        return stem + "어"
    return stem[:-1] + chr(0xAC00 + first * 588 + drawn * 28)


def morpheme_at(every: Sequence[Morph], at: int) -> Morph | None:
    """Return the morpheme at a position; None after the last one."""
    return every[at] if at < len(every) else None


def take_stem(verb: Verb, every: Sequence[Morph], at: int) -> int:
    """Add the stem at `at` to `verb`; return its end."""
    one = every[at]
    if one.tag in ("VV", "VA", "VX", "VCN", "VCP"):
        verb.adjective = one.tag == "VA"
        verb.stems.append(one.form)
        return at + 1
    verb.adjective = every[at + 1].tag == "XSA"
    verb.stems.append(one.form.casefold() + every[at + 1].form)
    return at + 2


def skip_to_ending(verb: Verb, every: Sequence[Morph], at: int) -> int:
    """Add tense and politeness; return the start of the ending."""
    while (one := morpheme_at(every, at)) is not None and one.tag == "EP":
        verb.past = verb.past or one.form[0] in "었았였"
        verb.future = verb.future or one.form == "겠"
        verb.polite = verb.polite or one.form in ("시", "으시")
        at += 1
    return at
