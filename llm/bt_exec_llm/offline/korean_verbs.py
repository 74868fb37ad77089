"""Korean verbs: stem, auxiliaries and ending, read as one function in the sentence.

``열어 주시겠습니까`` is the stem 열 with a request, ``열지 마`` a prohibition, ``열고 나서`` a
sequence and ``열려 있으면`` a condition. Auxiliary verbs (주다, 보다, 두다 …) change the mood and
not the verb.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bt_exec.language.closed import words
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.korean_endings import kind_of_ending
from bt_exec_llm.offline.korean_stems import (
    Verb,
    contract_stem,
    is_verb,
    morpheme_at,
    skip_to_ending,
    take_stem,
)

__all__ = ["Verb", "is_verb", "read_verb"]

_AUX_GIVE = words("ko", "giving")
_AUX = words("ko", "helping")
_LINKS = words("ko", "linking")


def read_verb(
    every: Sequence[Morph], at: int, joins: Callable[[tuple[str, ...]], bool]
) -> tuple[Verb, int]:
    """Return the verb that begins at `at`, and where the next word begins.

    Args:
        every: The morphemes.
        at: Start of the verb, a position for which `is_verb` holds.
        joins: Returns True if stems begin a verb of the lexicon (꺼내, 오).
    """
    verb = Verb(start=every[at].start)
    at = take_stem(verb, every, at)
    while True:
        at = skip_to_ending(verb, every, at)
        one = morpheme_at(every, at)
        if one is None or one.tag not in ("EC", "EF", "ETM", "ETN"):
            verb.kind = "then" if every[at - 1].form == "나서" else "bare"
            break
        at += 1
        verb.last, verb.end = one.form, one.end
        again = _add_auxiliary(verb, every, at, one, joins)
        if again is None:
            verb.gives = verb.gives or verb.stems[-1] in _AUX_GIVE
            verb.kind, at = kind_of_ending(verb, every, at - 1, _read_alone)
            break
        at = again
    verb.end = every[at - 1].end
    if len(verb.stems) > 1 and verb.stems[-1] in _AUX_GIVE:
        verb.gives = True
        if verb.kind == "ask_to":
            verb.kind = "request"
    return verb, at


def _add_auxiliary(
    verb: Verb,
    every: Sequence[Morph],
    at: int,
    ending: Morph,
    joins: Callable[[tuple[str, ...]], bool],
) -> int | None:
    """Add an auxiliary or joined verb; return the start of its endings, or None without one."""
    one = morpheme_at(every, at)
    if one is None or ending.tag != "EC":
        return None
    form = ending.form
    if form == "지" and one.tag == "JX":
        at, one = at + 1, morpheme_at(every, at + 1)
        if one is None:
            return None
    if form == "지" and one.form in ("말", "않", "못하", "마"):
        verb.negative = True
        verb.helpers.append(one.form)
        return at + 1
    verbal = one.tag in ("VV", "VX", "VA") or is_verb(every, at)
    if form in ("고", "구") and one.form == "있":
        verb.progress = True
        return at + 1
    if form in ("고", "구") and one.form in ("나", "나서") and one.tag in ("VX", "VV"):
        return at + 1
    if form in ("어", "아") and one.form == "있" and one.tag in ("VX", "VA", "VV"):
        verb.state = True
        return at + 1
    if form in ("어", "아") and one.form == "지" and one.tag == "VX":
        verb.stems[-1] = contract_stem(verb.stems[-1]) + "지"
        return at + 1
    if verbal and form in _LINKS and (not verb.past or form == "다") and not verb.helpers:
        stem = one.form if one.tag in ("VV", "VX", "VA") else ""
        if stem and joins((*verb.stems, stem)):
            verb.stems.append(stem)
            verb.past = False
            return at + 1
    gives = form in ("다", "어다", "다가") and one.form in _AUX_GIVE  # e.g. 따다 줘
    gives = gives or (one.tag == "VX" and one.form == "주" and form == "오")  # e.g. 열오줘
    if (form in ("어", "아") and one.tag in ("VX", "VV") and one.form in _AUX) or gives:
        verb.helpers.append(one.form)
        verb.gives = verb.gives or one.form in _AUX_GIVE
        return at + 1
    return None


def _read_alone(every: Sequence[Morph], at: int) -> tuple[Verb, int]:
    """Return the single verb that begins at `at`."""
    return read_verb(every, at, lambda _: False)
