"""Longest-match lookup of lexicon phrases in English text; verbs match by lemma."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_llm.offline.english_words import Token, possible_base_forms
from bt_exec_llm.offline.vocabulary import Entry, Vocabulary

__all__ = ["Phrases", "phrase_starts_at"]

_FILLERS = ("filler", "courtesy")
_CONTENT = ("noun", "value", "state", "relation", "limit", "speaker", "pronoun", "proxy")


def phrase_starts_at(tokens: Sequence[Token], at: int, phrase: tuple[str, ...]) -> bool:
    """Return True if the words of a phrase begin at `at`."""
    return tuple(t.text for t in tokens[at : at + len(phrase)]) == phrase


class Phrases:
    """Finds the phrases of one lexicon among tokens."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._table = vocabulary.english
        self._heads: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for words, entries in self._table.entries.items():
            for entry in entries:
                noun = any(one.kind == "noun" for one in self._table.find(words[:1]))
                if entry.kind == "verb" and len(words) > 1 and not noun:  # e.g. arms up and down
                    self._heads.setdefault(words[0], []).append((words[1:], entry.name))
        for rests in self._heads.values():
            rests.sort(key=lambda pair: -len(pair[0]))

    def _longest_match(
        self, tokens: Sequence[Token], at: int, kinds: tuple[str, ...], first: str = ""
    ) -> tuple[list[Entry], int] | None:
        if at >= len(tokens):
            return None
        head = first or tokens[at].text
        for size in range(min(self._table.longest_phrase_length(head), len(tokens) - at), 0, -1):
            words = (head, *(t.text for t in tokens[at + 1 : at + size]))
            entries = [e for e in self._table.find(words) if e.kind in kinds]
            if entries:
                return entries, size
        return None

    def end_of_fillers(self, tokens: Sequence[Token], at: int) -> int:
        """Return the end of the fillers at `at`; `at` if there are none."""
        found = self._longest_match(tokens, at, _FILLERS) or self._find_addressee(tokens, at)
        if found is None:
            return at
        other = self._longest_match(tokens, at, (*_CONTENT, "verb"))
        return at if other is not None and other[1] > found[1] else at + found[1]

    def _find_addressee(self, tokens: Sequence[Token], at: int) -> tuple[list[Entry], int] | None:
        """Return the addressee at either edge of a sentence ("hey robot, …", "… my friend")."""
        found = self._longest_match(tokens, at, ("vocative",))
        if found is None:
            return None
        before, end = at - 1, at + found[1]
        while before >= 0 and self._longest_match(tokens, before, _FILLERS) is not None:
            before -= 1
        first = before < 0 or not tokens[before].is_word
        last = end >= len(tokens) or not tokens[end].is_word
        told = at > 0 and (
            tokens[at - 1].text in _AFTER or self.starts_with_determiner(tokens, at - 1)
        )
        return found if first or (last and not told) else None

    def read_polite_phrase(self, tokens: Sequence[Token], at: int) -> tuple[str, int]:
        """Return the verb form that the polite phrase at `at` needs, and the end of the phrase."""
        found = self._longest_match(tokens, at, ("lead",))
        return ("", at) if found is None else (found[0][0].name, at + found[1])

    def find_verb(
        self, tokens: Sequence[Token], at: int, form: str = "base"
    ) -> tuple[int, tuple[str, ...]]:
        """Return length and names of the longest verb here; `form` is base, ing or any."""
        if at >= len(tokens) or not tokens[at].is_word:
            return 0, ()
        word = tokens[at].text
        firsts: tuple[str, ...] = (word,)
        if form != "base":
            firsts = (
                (word, *possible_base_forms(word)) if form == "any" or word.endswith("ing") else ()
            )
        found = next(
            (one for first in firsts if (one := self._longest_match(tokens, at, ("verb",), first))),
            None,
        )
        if found is None:
            end = at + 1
            while end < len(tokens) and end < at + 9 and tokens[end].is_word:
                end += 1
            names, _ = self.find_separated_particle(tokens, at, end, form)
            return (1, names) if names else (0, ())
        entries, size = found
        return size, tuple(dict.fromkeys(e.name for e in entries))

    def find_separated_particle(
        self, tokens: Sequence[Token], at: int, end: int, form: str = "base"
    ) -> tuple[tuple[str, ...], frozenset[int]]:
        """Return a verb with a separated particle ("take the material *out*")."""
        heads = (
            (tokens[at].text,)
            if form == "base"
            else (tokens[at].text, *possible_base_forms(tokens[at].text))
        )
        head = next((one for one in heads if one in self._heads), "")
        best: tuple[tuple[str, ...], frozenset[int]] = ((), frozenset())
        size = 0
        for rest, name in self._heads.get(head, ()):
            for k in range(at + 2, end - len(rest) + 1):
                if tokens[k].text != rest[0] or not phrase_starts_at(tokens, k, rest):
                    continue
                if any(self.end_of_fillers(tokens, one) > k for one in range(at + 1, k)):
                    continue  # part of another phrase: get it right away
                after = k + len(rest)
                free = (
                    after >= end
                    or tokens[after].text in _AFTER
                    or self.end_of_fillers(tokens, after) > after
                    or not tokens[after].is_word
                )
                if free and len(rest) >= size:
                    names = (
                        (*best[0], name)
                        if len(rest) == size and best[1] == frozenset(range(k, after))
                        else (name,)
                    )
                    best, size = (
                        (tuple(dict.fromkeys(names)), frozenset(range(k, after))),
                        len(rest),
                    )
        return best

    def find_entry(
        self, tokens: Sequence[Token], at: int, prefer: str = ""
    ) -> tuple[Entry, int] | None:
        """Return the longest entry here that is not a verb, and its length."""
        found = self._longest_match(tokens, at, _CONTENT)
        if found is None:
            return None
        entries, size = found
        return next((e for e in entries if e.kind == prefer), entries[0]), size

    def find_entries(self, tokens: Sequence[Token], at: int) -> tuple[list[Entry], int] | None:
        """Return all meanings of the longest phrase here."""
        return self._longest_match(tokens, at, _CONTENT)

    def starts_with_determiner(self, tokens: Sequence[Token], at: int) -> bool:
        """Return True if an article or demonstrative begins here."""
        return at < len(tokens) and any(
            e.kind == "determiner" for e in self._table.find((tokens[at].text,))
        )


_AFTER = frozenset(["to", "with", "from", "in", "at", "for", "using", "inside", "behind", "again"])
