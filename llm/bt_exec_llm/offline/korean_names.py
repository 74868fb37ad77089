"""Longest-match lookup of lexicon names in Korean text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bt_exec.language.closed import marks, words
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.vocabulary import Entry, Vocabulary

__all__ = ["KoreanNames", "piece_kind"]

_WORD = re.compile(r"[^\s.,;:!?…\"'“”()\[\]]+")
_PARTICLES = words("ko", "particles")
_MARKS = marks("ko")
_ONE = words("ko", "particles_after_one_letter")


class KoreanNames:
    """Finds the names of one lexicon.

    Args:
        vocabulary: The lexicon.
        verbs: Its verbs by stem; a noun that forms one of them with 하다 is not a name there.
    """

    def __init__(
        self, vocabulary: Vocabulary, verbs: Mapping[tuple[str, ...], list[Entry]]
    ) -> None:
        self._vocabulary = vocabulary
        self._table = vocabulary.korean
        self._verbs = verbs

    def __contains__(self, word: str) -> bool:
        return word.casefold() in self._table

    def find_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of lexicon names at the beginning of words, each one noun."""
        found: list[tuple[int, int]] = []
        for match in _WORD.finditer(text):
            word = match[0].casefold()
            for size in range(min(len(word), self._vocabulary.longest_ko), 0, -1):
                name, rest = word[:size], word[size:]
                entries = self._table.get(name)
                if not entries or not any(e.kind in ("noun", "value", "proxy") for e in entries):
                    continue
                if not re.search("[가-힣]", name):
                    continue
                fits = not rest or (
                    rest in _ONE if size == 1 else rest.startswith(_PARTICLES) or len(rest) > 3
                )
                if fits:
                    found.append((match.start(), match.start() + size))
                    break
        return found

    def find_longest_name(
        self, text: str, every: list[Morph], at: int
    ) -> tuple[list[Piece], int] | None:
        """Return the longest lexicon name that begins here, and its end."""
        letters = ""
        best: tuple[list[Entry], int] | None = None
        for end in range(at, min(len(every), at + 12)):
            begin = every[end].start if end == at else max(every[end - 1].end, every[at].start)
            letters += "".join(text[begin : every[end].end].split()).casefold()
            if len(letters) > self._vocabulary.longest_ko:
                break
            cut = end + 1 < len(every) and every[end + 1].start < every[end].end
            entries = self._table.get(letters)
            new = every[end].tag != "VCP" or end == at  # excludes the 이 of 상태야
            if entries and not cut and new:
                best = entries, end + 1
        if best is None:
            return None
        entries, after = best
        alone = every[after - 1].start <= every[at].start  # 내놔 is split into 내 and 어
        if alone and every[at].tag in ("VV", "VA", "VX", "EC", "EF", "EP", "ETM", "VCP"):
            return None
        if after == at + 1 and every[at].tag[0] == "J":
            return None
        start, end = every[at].start, every[after - 1].end
        typed = text[start:end]
        kinds = {entry.kind for entry in entries}
        following = every[after] if after < len(every) else None
        verbal = (
            following is not None
            and following.tag in ("XSV", "XSA")
            and following.start == end
            and self._verbs.get((f"{typed}{following.form}",))
        )
        if verbal:
            return None
        if kinds <= {"filler", "courtesy", "determiner"}:
            particle = following is not None and following.tag[0] == "J"
            if particle and following is not None and _MARKS.get(following.form) == "to":
                return None  # e.g. 친구한테 줘
            if following is not None and following.tag == "XSV" and following.start == end:
                return None  # e.g. 시작한다고
            if (
                every[at].tag in ("NNG", "NNP")
                and following is not None
                and following.tag in ("NNG", "NNP", "SL")
                and not text[end : following.start].strip()
                and "determiner" not in kinds
                and len(typed) > 1
                and self.find_longest_name(text, every, after) is None
                and (f"{following.form}하",) not in self._verbs
            ):
                return None  # e.g. 결과 보고서
            if (
                "determiner" in kinds
                and len(kinds) == 1
                and following is not None
                and following.tag[0] == "J"
            ):
                return None
            return [
                Piece("filler", next(iter(sorted(kinds))), start=start, end=end, text=typed)
            ], after
        pieces = [
            Piece(piece_kind(e), e.name, e.value, "", "", start, end, typed, e.sense)
            for e in entries
            if e.kind not in ("filler", "courtesy", "determiner")
        ]
        return self._merge_meanings(pieces), after

    @staticmethod
    def _merge_meanings(pieces: list[Piece]) -> list[Piece]:
        """Return one piece with its other meanings, such as a place for a person."""
        pieces = sorted(pieces, key=lambda p: p.kind == "person")
        first = pieces[0]
        others = [p for p in pieces[1:] if p.kind == "value" or p.kind == "person"]
        if others:
            first = Piece(
                first.kind,
                first.name,
                first.value,
                first.mark,
                "|".join(f"{p.name}={p.value}" for p in others),
                first.start,
                first.end,
                first.text,
                first.sense,
            )
        return [first]


def piece_kind(entry: Entry) -> Any:
    """Return the kind of piece for an entry."""
    return "person" if entry.kind == "proxy" else entry.kind
