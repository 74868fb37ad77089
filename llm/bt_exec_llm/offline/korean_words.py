"""Korean words: morphemes grouped into phrases with particles and verbs with endings."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache

from bt_exec.language.closed import words
from bt_exec_llm.offline.kiwi import Morph, analyse_morphemes
from bt_exec_llm.offline.korean_items import Item, Stop, VerbWord
from bt_exec_llm.offline.korean_mending import correct_morphemes
from bt_exec_llm.offline.korean_names import KoreanNames, piece_kind
from bt_exec_llm.offline.korean_numbers import read_number
from bt_exec_llm.offline.korean_particles import end_of_particles, mark_particles
from bt_exec_llm.offline.korean_verbs import Verb, is_verb, read_verb
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.vocabulary import Entry, Vocabulary

__all__ = ["KoreanWords"]

_NOUN = words("ko", "noun_tags")
_LIGHT = words("ko", "light_verbs")


class KoreanWords:
    """Groups the morphemes of a text into phrases and verbs, with the words of one lexicon."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    @cached_property
    def _verbs_by_stems(self) -> dict[tuple[str, ...], list[Entry]]:
        found: dict[tuple[str, ...], list[Entry]] = {}
        for text, entry in self._vocabulary.verbs_ko:
            keys: set[tuple[str, ...]] = set()
            every = analyse_morphemes(text)
            at = next((i for i in range(len(every)) if is_verb(every, i)), None)
            if at == 0:
                verb, _ = read_verb(every, at, lambda _: True)
                keys.add((*verb.stems, *verb.helpers))
            if " " not in text:
                keys.add((text[:-1],))
            for key in keys:
                known = found.setdefault(key, [])
                if entry not in known:
                    known.append(entry)
        return found

    @cached_property
    def _adverbs(self) -> dict[tuple[str, tuple[str, ...]], list[Entry]]:
        """Verbs with an adverb, by both (활짝 열다)."""
        found: dict[tuple[str, tuple[str, ...]], list[Entry]] = {}
        for text, entry in self._vocabulary.verbs_ko:
            adverb, _, last = text.rpartition(" ")
            before, after = analyse_morphemes(adverb), analyse_morphemes(last)
            if entry.kind != "verb" or not adverb or not is_verb(after, 0):
                continue
            if not any(is_verb(before, at) for at in range(len(before))):
                verb, _ = read_verb(after, 0, lambda _: True)
                found.setdefault((adverb, tuple(verb.stems)), []).append(entry)
        return found

    @cached_property
    def _names(self) -> KoreanNames:
        return KoreanNames(self._vocabulary, self._verbs_by_stems)

    @cached_property
    def _verb_prefixes(self) -> frozenset[tuple[str, ...]]:
        return frozenset(key[:n] for key in self._verbs_by_stems for n in range(2, len(key) + 1))

    def find_noun_verbs(self, noun: str) -> list[Entry]:
        """Return the lexicon verbs of `noun` with 하다 (순찰, 확인)."""
        return self._verbs_by_stems.get((f"{noun}하",), [])

    def read(self, text: str) -> list[Item]:
        """Return the phrases, verbs and separators of a cleaned command."""
        every = correct_morphemes(
            self._morphemes_with_names(text), text, self._verbs_by_stems, self._vocabulary.english
        )
        items: list[Item] = []
        at = 0
        denied: Morph | None = None
        while at < len(every):
            one = every[at]
            if (quote := self._read_quotation(text, every, at)) is not None:
                piece, at = quote
                items.append(piece)
                continue
            if one.form in ("안", "못") and one.tag == "MAG" and at + 1 < len(every):
                if denied is not None:
                    items.append(_make_unclear_negation(denied))
                denied, at = one, at + 1
                continue
            if (
                one.tag == "SL"
                and (foreign := self._read_english_word(text, every, at)) is not None
            ):
                if isinstance(foreign, VerbWord) and denied is not None:
                    foreign, denied = replace(foreign, denied=True), None
                items.append(foreign)
                at += 1
                if isinstance(foreign, Piece):
                    items[-1:] = mark_particles([foreign], every, at)
                    at = end_of_particles(every, at)
                continue
            found = self._names.find_longest_name(text, every, at)
            small = found is not None and found[0][0].name in ("COUNT", "filler")
            if found is not None and small and found[1] == at + 1:  # 네 번 ("four times")
                counted = read_number(text, every, at)
                found = counted if counted is not None and counted[1] > found[1] else found
            if found is not None:
                pieces, at = found
                items.extend(mark_particles(pieces, every, at))
                at = end_of_particles(every, at)
                continue
            if one.tag in ("SF", "SP", "SE", "SS", "SSO", "SSC", "SO", "SW", "SB"):
                stop = self._make_separator(one, text)
                if stop is not None:
                    items.append(stop)
                elif any(char.isalnum() for char in one.form):
                    items.append(
                        Piece("unknown", "sign", one.form, "", "", one.start, one.end, one.form)
                    )
                at += 1
                continue
            if is_verb(every, at):
                verb, after = read_verb(every, at, self._verb_prefixes.__contains__)
                items.append(self._make_verb_word(verb, text, denied is not None))
                denied = None
                at = end_of_particles(every, after)
                continue
            pieces, at = self._read_other_morpheme(text, every, at)
            items.extend(mark_particles(pieces, every, at) if pieces else [])
            at = end_of_particles(every, at)
        if denied is not None:
            items.append(_make_unclear_negation(denied))
        return self._merge_adverbs(self._merge_noun_verbs(items))

    def _merge_adverbs(self, items: list[Item]) -> list[Item]:
        """Merge verbs and adverbs that together are a lexicon verb (문을 활짝 열다)."""
        found: list[Item] = []
        for item in items:
            if isinstance(item, VerbWord) and self._adverbs:
                for back in range(len(found) - 1, -1, -1):
                    piece = found[back]
                    if not isinstance(piece, Piece):
                        break
                    entries = self._adverbs.get((piece.text, tuple(item.verb.stems)))
                    if entries:
                        item = replace(item, entries=list(entries))
                        found.pop(back)
                        break
            found.append(item)
        return found

    def _merge_noun_verbs(self, items: list[Item]) -> list[Item]:
        """Merge verbs and their nouns (말씀 좀 드리다, 순찰을 하다, 확인 바라다)."""
        found: list[Item] = []
        for item in items:
            if isinstance(item, VerbWord) and item.verb.stems[-1] in _LIGHT:
                for back in range(len(found) - 1, max(-1, len(found) - 4), -1):
                    piece = found[back]
                    if not isinstance(piece, Piece) or piece.kind not in ("unknown", "filler"):
                        break
                    noun = (
                        piece.value.split()[-1] if piece.kind == "unknown" and piece.value else ""
                    )
                    if not noun or piece.name != "noun":
                        continue
                    entries = self._verbs_by_stems.get(
                        (noun + item.verb.stems[-1],), []
                    ) or self.find_noun_verbs(noun)
                    if entries:
                        rest = piece.value[: -len(noun)].strip()
                        item = VerbWord(
                            item.verb, list(entries), f"{noun} {item.text}", item.denied
                        )
                        pleads = any(
                            isinstance(p, Piece) and p.text == "부탁" for p in found[back + 1 :]
                        )
                        if pleads and item.verb.kind == "may":
                            item.verb.kind = "request"  # e.g. 순찰 한 번 부탁드려도 될까요
                        if item.verb.stems[-1] in (
                            "바라",
                            "부탁드리",
                            "부탁하",
                        ) and item.verb.kind in ("statement", "may", "ask_to"):
                            item.verb.kind = "request"
                        if rest:
                            found[back] = replace(
                                piece, value=rest, end=piece.start + len(rest), text=rest
                            )
                        else:
                            found.pop(back)
                    break
            found.append(item)
        return found

    def _morphemes_with_names(self, text: str) -> list[Morph]:
        """Return the morphemes, with lexicon names that the analyser split merged into one noun."""
        every = analyse_morphemes(text)
        bounds = {one.start for one in every if one.tag in _NOUN}
        ends = {one.end for one in every if one.tag in _NOUN}
        torn = [
            span
            for span in self._names.find_spans(text)
            if span[0] not in bounds or span[1] not in ends
        ]
        return self._restore_split_verbs(analyse_morphemes(text, torn) if torn else every, text)

    def _restore_split_verbs(self, every: list[Morph], text: str) -> list[Morph]:
        """Return morphemes with lexicon verbs that the analyser took for nouns (열어라 문을)."""
        found: list[Morph] = []
        for one in every:
            word = text[one.start : one.end]
            whole = (one.start == 0 or text[one.start - 1].isspace()) and (
                one.end == len(text) or not text[one.end].isalnum()
            )
            if one.tag in ("NNG", "NNP") and whole and len(word) > 1 and word not in self._names:
                alone = _morphs_without_context(word)
                if (
                    is_verb(alone, 0)
                    and alone[-1].tag in ("EF", "EC")
                    and ((alone[0].form,) in self._verbs_by_stems)
                ):
                    found += [
                        m._replace(start=m.start + one.start, end=m.end + one.start) for m in alone
                    ]
                    continue
            found.append(one)
        return found

    def _make_verb_word(self, verb: Verb, text: str, denied: bool) -> VerbWord:
        full = (*verb.stems, *verb.helpers)
        entries: list[Entry] = []
        least = len(verb.stems)
        while least > 1 and full[least - 1] in ("두", "놓", "보", "버리", "주", "드리"):
            least -= 1
        if (
            len(verb.stems) == 1
            and verb.stems[0].isascii() is False
            and (base := verb.stems[0][:-1]).isascii()
            and base
        ):
            entries += [
                e for e in self._vocabulary.english.find((base.casefold(),)) if e.kind == "verb"
            ]
        for size in range(len(full), least - 1, -1):  # 열어 두다 before 열다
            for entry in self._verbs_by_stems.get(full[:size], []):
                if entry not in entries:
                    entries.append(entry)
            verbs = self._vocabulary.lexicon.verbs
            if any(e.kind != "verb" or not verbs[e.name].pairs for e in entries):
                break
        light = verb.stems[0][:-1] if len(verb.stems) == 1 and verb.stems[0].endswith("하") else ""
        return VerbWord(verb, entries, text[verb.start : verb.end], denied, light)

    def _read_english_word(self, text: str, every: list[Morph], at: int) -> Item | None:
        """Return the lexicon entry of an English word in a Korean sentence."""
        one = every[at]
        nxt = every[at + 1] if at + 1 < len(every) else None
        if is_verb(every, at) or self._names.find_longest_name(text, every, at) is not None:
            return None
        entries = self._vocabulary.english.find((one.form.casefold(),))
        kinds = {e.kind for e in entries}
        typed = text[one.start : one.end]
        if kinds & {"filler", "courtesy", "determiner"}:
            return Piece("filler", start=one.start, end=one.end, text=typed)
        content = next((e for e in entries if e.kind in ("noun", "value")), None)
        if content is not None:
            return Piece(
                piece_kind(content), content.name, content.value, "", "", one.start, one.end, typed
            )
        if "verb" in kinds and not (nxt is not None and nxt.tag[0] == "J"):
            verb = Verb([one.form], kind="plain", start=one.start, end=one.end)
            return VerbWord(verb, [e for e in entries if e.kind == "verb"], typed)
        return None

    def _read_quotation(self, text: str, every: list[Morph], at: int) -> tuple[Piece, int] | None:
        """Return the text in quotation marks as one item."""
        opening = every[at].form
        closing = {'"': '"', "'": "'", "“": "”", "‘": "’"}.get(opening)
        if closing is None or every[at].tag not in ("SSO", "SS", "SSC", "SW"):
            return None
        for end in range(at + 1, len(every)):
            if every[end].form == closing and every[end].tag in ("SSC", "SS", "SSO", "SW"):
                inner = " ".join(text[every[at].end : every[end].start].split()).rstrip(".")
                piece = Piece(
                    "text", "quote", inner, "quote", "", every[at].start, every[end].end, inner
                )
                after = end + 1
                while after < len(every) and (
                    every[after].tag in ("JKQ", "VCP")
                    or every[after].form in ("라고", "이라고", "고")
                ):
                    after += 1
                return piece, after
        return None

    @staticmethod
    def _make_separator(one: Morph, text: str) -> Stop | None:
        char = text[one.start : one.end]
        if set(char) & set(".!?…"):
            return Stop("question" if "?" in char else "end", one.start, one.end)
        if set(char) & set(",;:→·&、>/"):
            return Stop("stop", one.start, one.end)
        return None

    def _read_other_morpheme(
        self, text: str, every: list[Morph], at: int
    ) -> tuple[list[Piece], int]:
        """Return the item of a morpheme outside the lexicon: a number, adverb or unknown word."""
        one = every[at]
        if one.tag in ("SN", "NR", "MM") and (found := read_number(text, every, at)) is not None:
            return found
        typed = text[one.start : one.end]
        if one.form == "요" and one.tag[0] in "JE":  # e.g. 빨리요
            return [], at + 1
        if one.form.startswith("아니") or one.form == "아냐":
            return [Piece("filler", "no", start=one.start, end=one.end, text=one.form)], at + 1
        if one.tag not in _NOUN or one.tag in ("MAJ", "MAG", "IC"):
            return [Piece("unknown", one.tag, one.form, "", "", one.start, one.end, typed)], at + 1
        end = at + 1
        while end < len(every) and every[end].tag in _NOUN and not is_verb(every, end):
            if (
                self._names.find_longest_name(text, every, end) is not None
                and every[end].start > every[end - 1].end
            ):
                break
            if every[end].tag in ("SN", "MM") and every[end].start > every[end - 1].end:
                break
            if every[end].start > every[end - 1].end and (
                self.find_noun_verbs(every[end].form)
                or (
                    every[end].tag == "SL" and self._read_english_word(text, every, end) is not None
                )
            ):
                break
            end += 1
        if (
            end > at + 1
            and self.find_noun_verbs(every[end - 1].form)
            and every[end - 1].start > every[end - 2].end
        ):
            end -= 1
        start, stop = one.start, every[end - 1].end
        return [
            Piece("unknown", "noun", text[start:stop], "", "", start, stop, text[start:stop])
        ], end


@lru_cache(maxsize=1024)
def _morphs_without_context(word: str) -> tuple[Morph, ...]:
    """Return the morphemes of a word analysed without context."""
    return tuple(analyse_morphemes(word))


def _make_unclear_negation(denial: Morph) -> Piece:
    """Return the piece for a 안 or 못 without a verb, whose scope is unclear."""
    start, end = denial.start, denial.end
    return Piece("unknown", "verb", denial.form, "", "", start, end, denial.form)
