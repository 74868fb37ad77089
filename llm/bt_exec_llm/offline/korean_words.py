"""Korean words: morphemes as phrases with their particles, and verbs with their endings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from bt_exec_llm.offline.kiwi import Morph, morphs
from bt_exec_llm.offline.korean_verbs import Verb, is_verb, read_verb
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.vocabulary import Entry, Vocabulary

__all__ = ["Item", "KoreanWords", "Stop", "VerbWord"]

_WORD = re.compile(r"[^\s.,;:!?…\"'“”()\[\]]+")
_PARTICLES = (
    *(
        "을",
        "를",
        "이",
        "가",
        "은",
        "는",
        "도",
        "만",
        "에",
        "의",
        "로",
        "으로",
        "와",
        "과",
        "랑",
        "이랑",
        "하고",
    ),
    *(
        "께",
        "한테",
        "에게",
        "에서",
        "부터",
        "까지",
        "쪽",
        "들",
        "야",
        "아",
        "및",
        "이나",
        "나",
        "보다",
        "좀",
        "앞",
        "안",
        "뒤",
        "님",
    ),
)
_ONE = ("을", "를", "이", "가", "은", "는", "도", "만", "에", "으로", "로", "의", "좀", "안")
_NOUN = (
    "NNG",
    "NNP",
    "NNB",
    "NR",
    "NP",
    "SN",
    "SL",
    "SH",
    "XPN",
    "XSN",
    "XR",
    "MM",
    "SW",
    "W_SERIAL",
    "UN",
)
_LIGHT = (
    "하",
    "드리",
    "부탁드리",
    "부탁하",
    "바라",
    "되",
    "가",
    "돌",
    "다니",
    "다녀오",
    "시작하",
    "좀하",
    "올리",
    "부탁드",
)
_NUMBERS = {
    "한": 1,
    "하나": 1,
    "두": 2,
    "둘": 2,
    "세": 3,
    "셋": 3,
    "네": 4,
    "넷": 4,
    "다섯": 5,
    "여섯": 6,
    "일곱": 7,
    "여덟": 8,
    "아홉": 9,
    "열": 10,
    "스무": 20,
    "백": 100,
    "천": 1000,
    "일": 1,
    "이": 2,
    "삼": 3,
}
_TIMES = ("번", "회", "차례", "바퀴")
_CLOCK = ("분", "초", "시", "시간", "일", "주", "달", "개월", "년", "시쯤")
_MARKS = {
    **dict.fromkeys(("께", "한테", "에게", "더러", "보고", "한테로"), "to"),
    **dict.fromkeys(("에",), "at"),
    **dict.fromkeys(("로", "으로"), "by"),
    **dict.fromkeys(("에서", "에게서", "한테서", "서", "께서", "부터"), "from"),
    **dict.fromkeys(("이", "가"), "subject"),
    **dict.fromkeys(("와", "과", "랑", "이랑", "하고", "및"), "and"),
    **dict.fromkeys(("이나", "나", "든지", "이든"), "or"),
    "까지": "until",
    "만": "only",
    "의": "of",
    "야": "call",
    "아": "call",
    "마다": "every",
}


@dataclass
class Stop:
    """A mark between parts: ``stop`` (, .), ``end`` (. ! ?), ``then``, ``or``, ``no`` (아니)."""

    kind: str
    start: int = 0
    end: int = 0


@dataclass
class VerbWord:
    """A verb and what its stem is in the lexicon."""

    verb: Verb
    entries: list[Entry] = field(default_factory=list)
    text: str = ""
    denied: bool = False
    light: str = ""
    """The noun of a verb made of a noun: 순찰 of 순찰하다; the noun may stand apart."""

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.verb.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.verb.end


Item: TypeAlias = Piece | VerbWord | Stop


class KoreanWords:
    """Reads a text as phrases and verbs, with the words of one lexicon."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._names = vocabulary.korean

    @cached_property
    def _verbs(self) -> dict[tuple[str, ...], list[Entry]]:
        found: dict[tuple[str, ...], list[Entry]] = {}
        for text, entry in self._vocabulary.verbs_ko:
            keys: set[tuple[str, ...]] = set()
            every = morphs(text)
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
    def _beginnings(self) -> frozenset[tuple[str, ...]]:
        return frozenset(key[:n] for key in self._verbs for n in range(2, len(key) + 1))

    def is_verbal(self, noun: str) -> list[Entry]:
        """Return what `noun` with 하다 is: 순찰, 확인."""
        return self._verbs.get((f"{noun}하",), [])

    def read(self, text: str) -> list[Item]:
        """Return the phrases, verbs and stops of a cleaned command."""
        every = self._mended(self._morphs(text), text)
        items: list[Item] = []
        at = 0
        denied: Morph | None = None
        while at < len(every):
            one = every[at]
            if (quote := self._quote(text, every, at)) is not None:
                piece, at = quote
                items.append(piece)
                continue
            if one.form in ("안", "못") and one.tag == "MAG" and at + 1 < len(every):
                if denied is not None:
                    items.append(_lost(denied))
                denied, at = one, at + 1
                continue
            if one.tag == "SL" and (foreign := self._english(text, every, at)) is not None:
                if isinstance(foreign, VerbWord) and denied is not None:
                    foreign, denied = replace(foreign, denied=True), None
                items.append(foreign)
                at += 1
                if isinstance(foreign, Piece):
                    items[-1:] = self._with_particles([foreign], every, at)
                    at = self._after_particles(every, at)
                continue
            found = self._name(text, every, at)
            if found is not None and found[0][0].name == "COUNT" and found[1] == at + 1:
                counted = self._number(text, every, at)
                found = counted if counted is not None and counted[1] > found[1] else found
            if found is not None:
                pieces, at = found
                items.extend(self._with_particles(pieces, every, at))
                at = self._after_particles(every, at)
                continue
            if one.tag in ("SF", "SP", "SE", "SS", "SSO", "SSC", "SO", "SW", "SB"):
                stop = self._stop(one, text)
                if stop is not None:
                    items.append(stop)
                elif any(char.isalnum() for char in one.form):
                    items.append(
                        Piece("unknown", "sign", one.form, "", "", one.start, one.end, one.form)
                    )
                at += 1
                continue
            if is_verb(every, at):
                verb, after = read_verb(every, at, self._beginnings.__contains__)
                items.append(self._verb_word(verb, text, denied is not None))
                denied = None
                at = self._after_particles(every, after)
                continue
            pieces, at = self._other(text, every, at)
            items.extend(self._with_particles(pieces, every, at) if pieces else [])
            at = self._after_particles(every, at)
        if denied is not None:
            items.append(_lost(denied))
        return self._with_noun_verbs(items)

    def _with_noun_verbs(self, items: list[Item]) -> list[Item]:
        """Join verbs with the nouns they are made of: 말씀 좀 드리다, 순찰을 하다, 확인 바라다."""
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
                    entries = self._verbs.get((noun + item.verb.stems[-1],), []) or self.is_verbal(
                        noun
                    )
                    if entries:
                        rest = piece.value[: -len(noun)].strip()
                        item = VerbWord(
                            item.verb, list(entries), f"{noun} {item.text}", item.denied
                        )
                        if (
                            item.verb.stems[-1] in ("바라", "부탁드리", "부탁하")
                            and item.verb.kind == "statement"
                        ):
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

    def _morphs(self, text: str) -> list[Morph]:
        """Return the morphemes; names of the lexicon that were torn apart are one noun."""
        every = morphs(text)
        bounds = {one.start for one in every if one.tag in _NOUN}
        ends = {one.end for one in every if one.tag in _NOUN}
        torn = [span for span in self._spans(text) if span[0] not in bounds or span[1] not in ends]
        return morphs(text, torn) if torn else every

    def _verb_word(self, verb: Verb, text: str, denied: bool) -> VerbWord:
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
            for entry in self._verbs.get(full[:size], []):
                if entry not in entries:
                    entries.append(entry)
            verbs = self._vocabulary.lexicon.verbs
            if any(e.kind != "verb" or not verbs[e.name].pairs for e in entries):
                break
        light = verb.stems[0][:-1] if len(verb.stems) == 1 and verb.stems[0].endswith("하") else ""
        return VerbWord(verb, entries, text[verb.start : verb.end], denied, light)

    def _mended(self, every: list[Morph], text: str) -> list[Morph]:
        """Return morphemes with some that are split again as one: 보고/하다, 잠/갔."""
        found: list[Morph] = []
        at = 0
        while at < len(every):
            one = every[at]
            nxt = every[at + 1] if at + 1 < len(every) else None
            third = every[at + 2] if at + 2 < len(every) else None
            if (
                one.form == "보"
                and nxt is not None
                and nxt.form == "고"
                and nxt.end - one.start == 2
                and third is not None
                and (
                    third.form in ("하", "드리", "부탁", "바라", "올리", "는", "서")
                    or third.tag in ("SF", "JKO", "JX")
                )
                and third.start <= nxt.end + 1
            ):  # 보고해, 보고 부탁드립니다
                found.append(Morph("보고", "NNG", one.start, nxt.end))
                at += 2
                continue
            if one.form == "계" and nxt is not None and nxt.tag == "VCP":
                found.append(Morph("계시", "VV", one.start, one.end))
                at += 2
                if at < len(every) and every[at].form == "세요":
                    found.append(Morph("어요", "EF", every[at].start, every[at].end))
                    at += 1
                continue
            if one.tag[0] == "J" and one.form == "가" and found and one.start > found[-1].end:
                found += [
                    Morph("가", "VV", one.start, one.end),
                    Morph("어", "EF", one.end, one.end),
                ]
                at += 1
                continue
            if text[one.start : one.start + 3] == "보고서" and one.form in ("보고", "보고서", "보"):
                rest = at
                while rest < len(every) and every[rest].end <= one.start + 3:
                    rest += 1
                after = every[rest] if rest < len(every) else None
                if after is not None and after.form in (
                    "알리",
                    "말",
                    "말하",
                    "말씀",
                    "돌아오",
                    "보고",
                ):
                    found += [
                        Morph("보", "VV", one.start, one.start + 1),
                        Morph("고서", "EC", one.start + 1, one.start + 3),
                    ]
                else:
                    found.append(Morph("보고서", "NNG", one.start, one.start + 3))
                at = rest
                continue
            if one.tag == "MAG" and one.form == "안" and nxt is not None and nxt.tag[0] == "J":
                one = one._replace(tag="NNG")
            if (
                one.form in ("보고", "보고와")
                and one.tag in ("NNG", "NNP")
                and self._is_looking(every, at, one)
            ):
                found += [
                    Morph("보", "VV", one.start, one.start + 1),
                    Morph("고", "EC", one.start + 1, one.start + 2),
                ]
                if one.form == "보고와":
                    found += [
                        Morph("오", "VV", one.end - 1, one.end),
                        Morph("어", "EF", one.end - 1, one.end),
                    ]
                elif nxt is not None and nxt.form == "와" and nxt.tag[0] == "J":
                    found += [
                        Morph("오", "VV", nxt.start, nxt.end),
                        Morph("어", "EF", nxt.start, nxt.end),
                    ]
                    at += 1
                at += 1
                continue
            if (
                one.tag in ("NNG", "NR", "NNP", "MM")
                and nxt is not None
                and nxt.form == "고"
                and nxt.start == one.end
                and nxt.tag[0] != "J"
                and (one.form,) in self._verbs
            ):  # 열고
                found += [
                    Morph(one.form, "VV", one.start, one.end),
                    Morph("고", "EC", nxt.start, nxt.end),
                ]
                at += 2
                continue
            if (
                one.tag == "SL"
                and nxt is not None
                and nxt.form == "하고"
                and nxt.start == one.end
                and any(
                    e.kind == "verb" for e in self._vocabulary.english.find((one.form.casefold(),))
                )
            ):
                found += [
                    one,
                    Morph("하", "XSV", nxt.start, nxt.start + 1),
                    Morph("고", "EC", nxt.start + 1, nxt.end),
                ]
                at += 2
                continue
            if one.tag == "XSN" and one.form in _MARKS:
                one = one._replace(tag="JKB")
            if (
                one.form in ("확인", "점검", "순찰", "체크")
                and nxt is not None
                and nxt.form in ("후", "뒤")
                and nxt.tag in ("NNG", "NNB")
            ):
                found += [
                    Morph(one.form, "NNG", one.start, one.end),
                    Morph("하", "XSV", nxt.start, nxt.start),
                    Morph("고", "EC", nxt.start, nxt.end),
                ]
                at += 2
                if at < len(every) and every[at].tag[0] == "J":
                    at += 1
                continue
            found.append(one)
            at += 1
        return found

    @staticmethod
    def _is_looking(every: list[Morph], at: int, one: Morph) -> bool:
        """Whether 보고 is 보다 and not the noun *report*: something to look at stands before it."""
        if at == 0 or every[at - 1].tag in ("SF", "SP"):
            return one.form == "보고와"
        if one.form == "보고와":
            return True
        nxt = every[at + 1] if at + 1 < len(every) else None
        if (
            nxt is None
            or nxt.form in ("하", "드리", "부탁", "바라", "올리", "서", "요망", "바람", "시작")
            or nxt.tag in ("SF", "JKO", "JX", "JKS", "XSV")
        ):
            return False
        if nxt.tag[0] == "J" and nxt.form != "와":
            return False
        return every[at - 1].tag[0] in "NJ" or every[at - 1].tag in ("EC", "MAG", "XSN", "SL")

    def _english(self, text: str, every: list[Morph], at: int) -> Item | None:
        """Return an English word in a Korean sentence, if the lexicon has it."""
        one = every[at]
        nxt = every[at + 1] if at + 1 < len(every) else None
        if is_verb(every, at) or self._name(text, every, at) is not None:
            return None
        entries = self._vocabulary.english.find((one.form.casefold(),))
        kinds = {e.kind for e in entries}
        typed = text[one.start : one.end]
        if kinds & {"filler", "courtesy", "determiner"}:
            return Piece("filler", start=one.start, end=one.end, text=typed)
        content = next((e for e in entries if e.kind in ("noun", "value")), None)
        if content is not None:
            return Piece(
                _kind(content), content.name, content.value, "", "", one.start, one.end, typed
            )
        if "verb" in kinds and not (nxt is not None and nxt.tag[0] == "J"):
            verb = Verb([one.form], kind="plain", start=one.start, end=one.end)
            return VerbWord(verb, [e for e in entries if e.kind == "verb"], typed)
        return None

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return where names of the lexicon begin a word: one noun each."""
        found: list[tuple[int, int]] = []
        for match in _WORD.finditer(text):
            word = match[0].casefold()
            for size in range(min(len(word), self._vocabulary.longest_ko), 0, -1):
                name, rest = word[:size], word[size:]
                entries = self._names.get(name)
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

    def _name(self, text: str, every: list[Morph], at: int) -> tuple[list[Piece], int] | None:
        """Return the longest name of the lexicon that begins here, and where it ends."""
        letters = ""
        best: tuple[list[Entry], int] | None = None
        for end in range(at, min(len(every), at + 12)):
            begin = every[end].start if end == at else max(every[end - 1].end, every[at].start)
            letters += "".join(text[begin : every[end].end].split()).casefold()
            if len(letters) > self._vocabulary.longest_ko:
                break
            if (
                end > at
                and every[end].start < every[end - 1].end
                and every[end].end == every[end - 1].end
            ):
                pass
            cut = end + 1 < len(every) and every[end + 1].start < every[end].end
            entries = self._names.get(letters)
            if entries and not cut:
                best = entries, end + 1
        if best is None:
            return None
        entries, after = best
        if after == at + 1 and every[at].tag in ("VV", "VA", "VX", "EC", "EF", "EP", "ETM", "VCP"):
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
            if (
                every[at].tag in ("NNG", "NNP")
                and following is not None
                and following.tag in ("NNG", "NNP", "SL")
                and not text[end : following.start].strip()
                and "determiner" not in kinds
                and len(typed) > 1
                and self._name(text, every, after) is None
                and not self.is_verbal(following.form)
            ):
                return None  # 결과 보고서
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
            Piece(_kind(e), e.name, e.value, "", "", start, end, typed)
            for e in entries
            if e.kind not in ("filler", "courtesy", "determiner")
        ]
        return self._chosen(pieces), after

    @staticmethod
    def _chosen(pieces: list[Piece]) -> list[Piece]:
        """Return one piece; other things it can mean (a place for a person) stay with it."""
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
            )
        return [first]

    def _quote(self, text: str, every: list[Morph], at: int) -> tuple[Piece, int] | None:
        """Return what stands in quotation marks as one text."""
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
    def _stop(one: Morph, text: str) -> Stop | None:
        char = text[one.start : one.end]
        if set(char) & set(".!?…"):
            return Stop("question" if "?" in char else "end", one.start, one.end)
        if set(char) & set(",;:→·&、>/"):
            return Stop("stop", one.start, one.end)
        return None

    def _other(self, text: str, every: list[Morph], at: int) -> tuple[list[Piece], int]:
        """Return what is no name of the lexicon: numbers, unknown words, adverbs."""
        one = every[at]
        if one.tag in ("SN", "NR", "MM") and (found := self._number(text, every, at)) is not None:
            return found
        if one.tag in ("MAJ", "MAG", "IC") or one.form in ("아니",):
            if one.form.startswith("아니") or one.form in ("아냐",):
                return [Piece("filler", "no", start=one.start, end=one.end, text=one.form)], at + 1
            return [
                Piece(
                    "unknown",
                    one.tag,
                    one.form,
                    "",
                    "",
                    one.start,
                    one.end,
                    text[one.start : one.end],
                )
            ], at + 1
        if one.tag not in _NOUN:
            if one.tag[0] in "EJX" or one.tag in ("VCP",):
                return [
                    Piece(
                        "unknown",
                        one.tag,
                        one.form,
                        "",
                        "",
                        one.start,
                        one.end,
                        text[one.start : one.end],
                    )
                ], at + 1
            return [
                Piece(
                    "unknown",
                    one.tag,
                    one.form,
                    "",
                    "",
                    one.start,
                    one.end,
                    text[one.start : one.end],
                )
            ], at + 1
        end = at + 1
        while end < len(every) and every[end].tag in _NOUN and not is_verb(every, end):
            if self._name(text, every, end) is not None and every[end].start > every[end - 1].end:
                break
            if every[end].tag in ("SN", "MM") and every[end].start > every[end - 1].end:
                break
            if every[end].start > every[end - 1].end and self.is_verbal(every[end].form):
                break
            end += 1
        if (
            end > at + 1
            and self.is_verbal(every[end - 1].form)
            and every[end - 1].start > every[end - 2].end
        ):
            end -= 1
        start, stop = one.start, every[end - 1].end
        return [
            Piece("unknown", "noun", text[start:stop], "", "", start, stop, text[start:stop])
        ], end

    def _number(self, text: str, every: list[Morph], at: int) -> tuple[list[Piece], int] | None:
        one = every[at]
        unit = every[at + 1] if at + 1 < len(every) else None
        number = _NUMBERS.get(one.form) if one.tag != "SN" else None
        if number is None and one.tag == "SN":
            digits = re.sub(r"[^0-9].*", "", one.form)
            number = int(digits[:6]) if digits else 0
        if number is None:
            return None
        start = one.start
        if unit is not None and unit.form in _TIMES and unit.tag in ("NNB", "NNG"):
            typed = text[start : unit.end]
            return [Piece("limit", "TIMES", str(number), "", "", start, unit.end, typed)], at + 2
        if unit is not None and unit.form in _CLOCK and unit.tag in ("NNB", "NNG", "NR", "MM"):
            end = at + 2
            while (
                end < len(every)
                and every[end].form
                in (
                    "뒤",
                    "후",
                    "전",
                    "있다가",
                    "에",
                    "마다",
                    "동안",
                    "간",
                    "쯤",
                    "정도",
                    "안",
                    "이내",
                    "까지",
                    "반",
                    "되",
                )
            ) or (
                end < len(every)
                and every[end].tag in ("SN",)
                and every[end].start == every[end - 1].end
            ):
                end += 1
            stop = every[end - 1].end
            return [Piece("limit", "TIME", "", "", "", start, stop, text[start:stop])], end
        if one.tag == "MM" or one.tag == "NR" or one.tag == "SN":
            end = at + 1
            if (unit is not None and unit.tag in ("NNB", "SW")) or (
                unit is not None
                and unit.form in ("개", "명", "도", "부", "장", "권", "잔", "층", "호")
            ):
                end = at + 2
            stop = every[end - 1].end
            return [
                Piece("limit", "COUNT", str(number), "", "", start, stop, text[start:stop])
            ], end
        return None

    def _with_particles(self, pieces: list[Piece], every: list[Morph], at: int) -> list[Piece]:
        """Mark the last piece with the particles that follow it."""
        mark = ""
        if self._is_and(every, at):
            mark = "and"
        while at < len(every) and every[at].tag[0] == "J":
            form = every[at].form
            if form == "보다":
                mark = "than"
            mark = _MARKS.get(form, mark)
            at += 1
        if not mark or not pieces:
            return pieces
        return [*pieces[:-1], pieces[-1].marked(mark)]

    @staticmethod
    def _is_and(every: list[Morph], at: int) -> bool:
        """Whether 하고 joins a name to the next."""
        if at + 1 >= len(every) or not at:
            return False
        one, two = every[at], every[at + 1]
        joined = one.start == every[at - 1].end and every[at - 1].tag[0] == "N"
        return joined and one.form == "하" and two.form == "고" and two.tag == "EC"

    @staticmethod
    def _after_particles(every: list[Morph], at: int) -> int:
        if KoreanWords._is_and(every, at):
            at += 2
        while at < len(every) and every[at].tag[0] == "J":
            at += 1
        return at


def _kind(entry: Entry) -> Any:
    """Return the kind of a piece that an entry makes."""
    return "person" if entry.kind == "proxy" else entry.kind


def _lost(denial: Morph) -> Piece:
    """Return the piece of a 안 or 못 that stands before no verb: nobody knows what it denies."""
    start, end = denial.start, denial.end
    return Piece("unknown", "verb", denial.form, "", "", start, end, denial.form)
