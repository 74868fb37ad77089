"""Meaning of Korean verb endings: ``열어 주십시오`` requests, ``열려 있으면`` is a condition.

The patterns are the table ``verb_endings`` of ``closed_ko.yaml``; the first match decides. A
pattern has a kind (see `Verb`), or ``=`` for the kind of a further verb in it, and attributes of
the verb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bt_exec.language.closed import words
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.korean_stems import Verb
from bt_exec_llm.offline.morph_patterns import ReadVerb, match_items, patterns_at

__all__ = ["kind_of_ending"]

_DOUBTFUL = words("ko", "asking_back")


def kind_of_ending(
    verb: Verb, every: Sequence[Morph], at: int, read_verb: ReadVerb
) -> tuple[str, int]:
    """Return the kind of the verb with the ending at `at`, and where the next word begins.

    Args:
        verb: The verb; the attributes of the ending are added to it.
        every: The morphemes.
        at: Position of the ending.
        read_verb: Function that reads the verb at a position.
    """
    for items, (kind, *notes) in patterns_at("verb_endings", *every[at][:2]):
        found = match_items(items, every, at, verb, read_verb)
        if found is not None:
            end, inner = found
            assert inner is not None
            for note in notes:
                _NOTES[note](verb, inner)
            return inner.kind if kind == "=" else kind, end
    raise AssertionError("the last pattern fits every ending")


def _mark_negative(verb: Verb, _: Verb) -> None:
    verb.negative = True


def _toggle_negative(verb: Verb, inner: Verb) -> None:
    verb.negative = verb.negative or inner.negative


def _mark_as_kept(verb: Verb, _: Verb) -> None:
    verb.helpers.append("두")


def _mark_permission(verb: Verb, inner: Verb) -> None:
    verb.helpers.append("좋" if inner.stems[0] == "좋" else "도 되")
    if inner.last in _DOUBTFUL:  # e.g. 열어도 되나
        verb.helpers.append("?")


def _mark_named_state(verb: Verb, inner: Verb) -> None:
    verb.state, verb.last = True, inner.last
    verb.negative = verb.negative != (inner.stems[0] == "아니")  # e.g. 닫힌 상태가 아니면


def _mark_as_statement(verb: Verb, _: Verb) -> None:
    verb.state = True


def _copy_ending(verb: Verb, inner: Verb) -> None:
    verb.last = inner.last


_NOTES: Mapping[str, Callable[[Verb, Verb], None]] = {
    "negative": _mark_negative,
    "negative_too": _toggle_negative,
    "kept": _mark_as_kept,
    "allowed": _mark_permission,
    "state": _mark_as_statement,
    "state_of": _mark_named_state,
    "last": _copy_ending,
}
