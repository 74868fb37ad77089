"""Korean texts that are taken verbatim: questions and messages.

The text precedes its verb. It begins after the addressee or with the clause.
"""

from __future__ import annotations

import re
from typing import Any

from bt_exec.language.closed import words
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Piece

__all__ = ["merge_quoted_texts"]

_CLOSES = ("then", "but", "plain", "command", "request", "if", "before")
_ASKING = words("ko", "asking")
_OUTSIDE = ("꼭", "좀", *words("ko", "if_so"), *words("ko", "before_that"))
_TAIL = re.compile(
    r"(에 대해서?|에 대하여|에 관해서?|에 관하여)(도)?$"
    r"|\s(좀|꼭|한번|한 번|직접|지금|먼저|빨리|얼른|바로|다시|도)$"
    r"|[\s,.!…]+$|[\"'“”]$"
)
_HEAD = re.compile(r"^(혹시|좀|꼭|먼저|우선|다시|빨리|얼른|바로|직접|한번|한 번)\s+|^[\s,:\"'“”]+")
_SPOKEN = (
    ("니다라고", "니다"),
    ("요라고", "요"),
    ("니까라고", "니까"),
    ("다고", "다"),
    ("자고", "자"),
)


def merge_quoted_texts(items: list[Any], lexicon: Lexicon, text: str) -> list[Any]:
    """Return `items` with the words of each message or question merged into one text."""
    takers = {
        verb: name
        for name, slot in lexicon.texts.items()
        for verb in slot.verbs
        if slot.shape == "clause"
    }
    taking = {verb for slot in lexicon.texts.values() for verb in slot.verbs}
    people = {kind for slot in lexicon.texts.values() for kind in slot.to}
    found = list(items)
    at = 0
    while at < len(found):
        item = found[at]
        if isinstance(item, Piece) or not hasattr(item, "verb"):
            at += 1
            continue
        slots = [takers[e.name] for e in item.entries if e.kind == "verb" and e.name in takers]
        if not slots or item.verb.kind in ("noun", "embed", "quote"):
            at += 1
            continue
        needs_quote = not any(e.name in _question_verbs(lexicon) for e in item.entries)
        at = _fold_text(found, at, slots[0], people, taking, text, needs_quote=needs_quote) + 1
    return found


def _question_verbs(lexicon: Lexicon) -> set[str]:
    """Return the verbs of questions, whose text may be any words."""
    return {
        verb for name, slot in lexicon.texts.items() if name == "Question" for verb in slot.verbs
    }


def _fold_text(
    items: list[Any],
    at: int,
    slot: str,
    people: set[str],
    taking: set[str],
    text: str,
    *,
    needs_quote: bool,
) -> int:
    """Replace the words before the verb at `at` by one text; return the verb's position."""
    end = at
    while (
        end and isinstance(items[end - 1], Piece) and items[end - 1].kind in ("filler", "speaker")
    ):
        end -= 1
    if end and isinstance(items[end - 1], Piece) and items[end - 1].mark == "quote":
        quote = items[end - 1]
        said = _to_direct_speech(quote.value.rstrip("?？"))
        items[end - 1] = Piece("text", slot, said, "", "", quote.start, quote.end, quote.text)
        return at
    quoted = (
        end > 0
        and not isinstance(items[end - 1], Piece)
        and hasattr(items[end - 1], "verb")
        and items[end - 1].verb.kind == "quote"
    )
    begin = 0
    for index in range(end - 1, -1, -1):
        one = items[index]
        if hasattr(one, "verb"):
            if quoted and not _belongs_to_person(items, index, people, taking):
                continue
            known = one.verb.kind == "if" or any(
                e.kind == "verb" and e.name not in ("be", "be_there") for e in one.entries
            )
            goes_on = one.verb.kind == "if" and _asks_permission(items, index + 1)
            if one.verb.kind in _CLOSES and known and not goes_on:
                begin = index + 1
                break
        elif not isinstance(one, Piece) and getattr(one, "kind", "") in ("end", "question"):
            begin = index + 1
            break
    whom = [
        index
        for index in range(begin, end)
        if isinstance(items[index], Piece)
        and _is_person(items[index], people)
        and items[index].mark in ("to", "and", "at", "", "from")
    ]
    dative = [index for index in whom if items[index].mark == "to"] or whom
    if dative:
        person = dative[0]
        after = (person + 1, end)
        before = (begin, person)
        region = after if _has_content(items, *after) else before
    else:
        region = (begin, end)
    first, last = region
    said_so = (
        last > first and hasattr(items[last - 1], "verb") and items[last - 1].verb.kind == "quote"
    )
    while (
        first < last
        and isinstance(items[first], Piece)
        and items[first].kind in ("filler", "speaker")
        and (not said_so or items[first].text in _OUTSIDE)
        and not items[first].text.startswith(_ASKING)
        and text[items[first].end : items[first].end + 1].isspace()
    ):
        first += 1
    while last > first and (
        not isinstance(items[last - 1], Piece)
        and getattr(items[last - 1], "kind", "") in ("stop", "then")
        and not hasattr(items[last - 1], "verb")
    ):
        last -= 1
    if (
        first >= last
        and at + 1 < len(items)
        and not needs_quote
        and hasattr(items[-1], "verb")
        and items[-1].verb.kind == "embed"
    ):
        first, last = at + 1, len(items)  # e.g. 여쭤봐 줄래 점심 같이 하실 수 있는지
        start, stop = items[first].start, items[-1].end
        items[first:last] = []
        items.insert(
            at,
            Piece(
                "text",
                slot,
                _trim_message(text[start:stop], quoted=False),
                "",
                "",
                start,
                stop,
                text[start:stop],
            ),
        )
        return at + 1
    if first >= last:
        return at
    quoted = hasattr(items[last - 1], "verb") and items[last - 1].verb.kind == "quote"
    greeting = isinstance(items[last - 1], Piece) and items[last - 1].value in (
        "안부",
        "인사",
        "감사 인사",
        "축하",
        "사과",
    )
    if needs_quote and not quoted and not greeting:
        return at
    start, stop = items[first].start, items[last - 1].end
    said = _trim_message(_text_with_particle(text, start, stop), quoted=quoted)
    if not said:
        return at
    piece = Piece("text", slot, said, "", "", start, stop, text[start:stop])
    items[first:last] = [piece]
    return at - (last - first) + 1


def _asks_permission(items: list[Any], at: int) -> bool:
    """Return True if a verb asks for permission (언제 가면 *되는지*)."""
    verb = getattr(items[at], "verb", None) if at < len(items) else None
    return verb is not None and verb.kind == "embed" and verb.stems[0] in ("되", "좋", "괜찮")


def _belongs_to_person(items: list[Any], index: int, people: set[str], taking: set[str]) -> bool:
    """Return True if a verb before a quoted message belongs to the person."""
    verb = items[index]
    if any(e.name in taking for e in verb.entries):
        return True
    before = items[index - 1] if index else None
    if isinstance(before, Piece) and _is_person(before, people):
        return True
    return not any(
        isinstance(item, Piece) and _is_person(item, people) and item.mark == "to"
        for item in items[:index]
    )


def _is_person(piece: Piece, people: set[str]) -> bool:
    return (piece.kind in ("value", "person") and piece.name in people) or any(
        f"{kind}=" in piece.relation for kind in people
    )


def _has_content(items: list[Any], first: int, last: int) -> bool:
    return any(
        (not isinstance(item, Piece) and hasattr(item, "verb"))
        or (isinstance(item, Piece) and item.kind not in ("filler", "speaker"))
        for item in items[first:last]
    )


def _text_with_particle(text: str, start: int, stop: int) -> str:
    """Return words with the particle of the last one."""
    end = stop
    while end < len(text) and not text[end].isspace() and text[end] not in "\"'”’.,!?":
        end += 1
    return text[start : max(end, stop)]


def _trim_message(said: str, *, quoted: bool) -> str:
    before = ""
    said = " ".join(said.split())
    while said != before:
        before = said
        said = _TAIL.sub("", said)
        said = said.lstrip(" ,:\"'“”") if quoted else _HEAD.sub("", said)
        if not quoted and len(said) > 2 and said[-1] in "을를":
            final = (ord(said[-2]) - 0xAC00) % 28 != 0 if "가" <= said[-2] <= "힣" else None
            if final is None or final == (said[-1] == "을"):
                said = said[:-1]
        if (
            not quoted
            and said.endswith("도")
            and " " in said
            and len(said.split()[-1]) > 2
            and said.split()[-1]
            not in (
                "난이도",
                "만족도",
                "중요도",
                "이해도",
                "완성도",
                "정확도",
                "설계도",
                "평면도",
                "안내도",
            )
        ):
            said = said[:-1]
    return _to_direct_speech(said)


def _to_direct_speech(said: str) -> str:
    for reported, spoken in _SPOKEN:
        if said.endswith(reported):
            return said.removesuffix(reported) + spoken
    return said
