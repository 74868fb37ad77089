"""Corrections of Korean morphemes that the analyser reads wrongly (보고/하다, 잠/갔).

A correction depends on the neighbouring morphemes (the table ``mended`` of ``closed_ko.yaml``) and
on the verbs of the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from bt_exec.language.closed import marks, words
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.morph_patterns import match_items, patterns_at
from bt_exec_llm.offline.vocabulary import Table

__all__ = ["correct_morphemes"]

_MARKS = marks("ko")
_PLACED = re.compile(r"(.+)/(\w+)(?::(.+))?")
_REPORT, _LOOK_AND = words("ko", "report_or_look")
_TOLD_AFTER = words("ko", "told_after_a_look")
_AND, _DO_AND = words("ko", "and_of_verbs")


def correct_morphemes(
    every: list[Morph], text: str, verbs: Container[tuple[str, ...]], english: Table
) -> list[Morph]:
    """Return morphemes with wrong analyses and splits corrected (보고/하다, 잠/갔)."""
    found: list[Morph] = []
    at = 0
    while at < len(every):
        one = every[at]
        new, end = (
            _match_correction_table(every, at)
            or _resolve_report_noun(every, at, text)
            or _match_lexicon_verb(every, at, verbs, english)
            or (
                [one._replace(tag="JKB") if one.tag == "XSN" and one.form in _MARKS else one],
                at + 1,
            )
        )
        found += new
        at = end
    return found


def _match_correction_table(every: Sequence[Morph], at: int) -> tuple[list[Morph], int] | None:
    """Return the replacement and the end of the morphemes that match a pattern of the table."""
    for items, instead in patterns_at("mended", *every[at][:2]):
        found = match_items(items, every, at)
        if found is not None:
            return [_place_morpheme(text, every, at) for text in instead], found[0]
    return None


def _place_morpheme(text: str, every: Sequence[Morph], at: int) -> Morph:
    """Return a morpheme of the table with its position (보고/NNG:1-2)."""
    parsed = _PLACED.fullmatch(text)
    assert parsed is not None, text
    form, tag, span = parsed[1], parsed[2], parsed[3] or "1"
    if span[0] == ".":
        start = every[at].start + int(span[1])
        return Morph(form, tag, start, start + 1)
    first, _, last = span.rstrip("$^").partition("-")
    one, other = every[at + int(first) - 1], every[at + int(last or first) - 1]
    start = one.end if span.endswith("$") else one.start
    end = one.start if span.endswith("^") else other.end
    return Morph(one.form if form == "*" else form, tag, start, end)


def _resolve_report_noun(
    every: Sequence[Morph], at: int, text: str
) -> tuple[list[Morph], int] | None:
    """Return 보고서 as the noun "report", or as the verb "look" if a message follows."""
    start = every[at].start
    if text[start : start + 3] != _REPORT or not _REPORT.startswith(every[at].form):
        return None
    end = at
    while end < len(every) and every[end].end <= start + 3:
        end += 1
    if end < len(every) and every[end].form in _TOLD_AFTER:
        look, after = _LOOK_AND.split("/")
        return [Morph(look, "VV", start, start + 1), Morph(after, "EC", start + 1, start + 3)], end
    return [Morph(_REPORT, "NNG", start, start + 3)], end


def _match_lexicon_verb(
    every: Sequence[Morph], at: int, verbs: Container[tuple[str, ...]], english: Table
) -> tuple[list[Morph], int] | None:
    """Return a lexicon verb and its ending for morphemes tagged as noun and particle (열고)."""
    one, nxt = every[at], every[at + 1] if at + 1 < len(every) else None
    if nxt is None or nxt.start != one.end or nxt.form not in (_AND, _DO_AND):
        return None
    noun = one.tag in ("NNG", "NR", "NNP", "MM") and nxt.form == _AND and nxt.tag[0] != "J"
    if noun and (one.form,) in verbs:
        return [Morph(one.form, "VV", *one[2:]), Morph(_AND, "EC", *nxt[2:])], at + 2
    known = any(e.kind == "verb" for e in english.find((one.form.casefold(),)))
    if one.tag == "SL" and nxt.form == _DO_AND and known:
        do = Morph(nxt.form[0], "XSV", nxt.start, nxt.start + 1)
        return [one, do, Morph(_AND, "EC", nxt.start + 1, nxt.end)], at + 2
    return None
