"""A command cut into words that the table knows; a word that it does not know is named.

English words are matched whole, the longest entry first. Korean is matched whatever the spacing:
`빨간건빨간그릇에담아줘` and `빨간 건 빨간 그릇에 담아 줘` are the same words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.lexicon import lexicon
from bt_exec_skills.tabletop.names import looks_of

__all__ = ["MOST_WORDS", "Token", "tokens_of"]

MOST_WORDS = 120
_NUMBERED = re.compile(r"[A-Za-z]+(?:[_\-][A-Za-z0-9]+)+")
_TAIL = (
    r"(?:고\s*나서|고\s*난\s*(?:다음|뒤|후)에?|은\s*(?:다음|뒤|후)에?|줘요?|줄래요?|주라|주세요|주십시오|주시겠어요|주시겠습니까|줄\s*수\s*(?:있어|있나|있니|있을까|있어요|있나요)"
    r"|줬으면\s*(?:해|해요|좋겠어|좋겠어요)|달라고?\s*해?|드려요?|라|아라|어라|요|자|세요|십시오|시오|고|서|봐|봐라|보자"
    r"|도록\s*(?:해|해줘|하세요)?|놔|놓아|놓고|둬|두고|야\s*(?:해|돼|해요|돼요)"
    r"|지\s*(?:마|마요|마라|마세요|말고|말아|말아요|말아\s*줘|말아\s*주세요|말아줘|않고)"
    r"|ㄹ래|을래|할래|기|는\s*거야|고\s*싶어|려고\s*해)"
)
_INDEX = re.compile(r"[0-9]{1,9}")
_KOREAN_INDEX = re.compile(r"[0-9]{1,9}(?![0-9]|\s*개)")
_BARE = "아어여해려워와줘둬놔눠꿔춰라겨"

Names: TypeAlias = dict[str, tuple[str, str]]
"""Names as they may be typed: kind of word and whole name."""


@dataclass(frozen=True)
class Token:
    """A word of the command. Digits may be the number in a name: "cube 1" (``index``).

    Attributes:
        text: As it was typed.
        uses: What it can be: kinds of word with their values.
        plural: Whether it stands in the plural (English).
        negative: Whether it forbids (Korean verbs).
        start: Where it begins in the cleaned command [characters].
        end: Where it ends.
    """

    text: str
    uses: frozenset[tuple[str, str]]
    plural: bool = False
    negative: bool = False
    start: int = 0
    end: int = 0

    def of(self, kind: str) -> str | None:
        """Return the value of this word as `kind`; None if it can be none."""
        return next((value for name, value in sorted(self.uses) if name == kind), None)

    def all_of(self, kind: str) -> frozenset[str]:
        """Return every value of this word as `kind`."""
        return frozenset(value for name, value in self.uses if name == kind)


def tokens_of(
    text: str,
    language: str,
    objects: Iterable[str],
    tables: Iterable[str] = (),
    *,
    asking: bool = False,
) -> list[Token]:
    """Return the words of a command.

    Args:
        text: What the person typed.
        language: ``en`` or ``ko``.
        objects: Names of objects; they may stand in the command as they are.
        tables: Names of tables, likewise.
        asking: Whether the words of questions are known, too.

    Raises:
        Trouble: UNKNOWN_WORD, NO_SUCH_OBJECT, NOTHING_SAID or TOO_LONG.
    """
    text = unicodedata.normalize("NFC", text).replace("’", "'").strip().casefold()
    things = {name.casefold(): name for name in objects}
    kinds = frozenset(looks_of(name).kind for name in things)
    short = {name.removeprefix("object_"): whole for name, whole in things.items()}
    numbered = {name: whole for name, whole in short.items() if name[-1:].isdigit()}
    known = {name: ("name", whole) for name, whole in (numbered | things).items()}
    known |= {name.casefold(): ("table_name", name) for name in tables}
    cut = _korean if language == "ko" else _english
    found = cut(text, known, kinds, asking)
    if not found:
        raise Trouble("NOTHING_SAID")
    if len(found) > MOST_WORDS:
        raise Trouble("TOO_LONG")
    return found


def _whole(names: Names) -> tuple[str, ...]:
    return tuple(name for _, name in names.values())


def _entries(language: str, *, asking: bool) -> Iterator[tuple[str, str, str]]:
    """Yield surface, kind and value of every word."""
    lists = ("words", "question_words") if asking else ("words",)
    for kind, values in (entry for name in lists for entry in lexicon(name).items()):
        if kind == "stems":
            continue
        for value, forms in values.items():
            for surface in forms.get(language, ()):
                yield str(surface), kind, str(value)
            for surface in forms.get("plural", ()) if language == "en" else ():
                yield surface + "\0", kind, str(value)


# -- English


@lru_cache(maxsize=64)
def _english_words(
    kinds: frozenset[str], asking: bool
) -> dict[tuple[str, ...], tuple[frozenset[tuple[str, str]], bool]]:
    found: dict[tuple[str, ...], tuple[set[tuple[str, str]], bool]] = {}

    def add(surface: str, kind: str, value: str, *, plural: bool) -> None:
        words = tuple(_split(surface))
        uses, many = found.setdefault(words, (set(), plural))
        uses.add((kind, value))
        found[words] = uses, many or plural

    for own in kinds:  # what this table has and no word list knows
        add(own.replace("_", " "), "noun", own, plural=False)
        add(own.replace("_", " ") + "s", "noun", own, plural=True)
    for surface, kind, value in _entries("en", asking=asking):
        plural = surface.endswith("\0")
        add(
            surface.rstrip("\0"), kind, value, plural=plural or (kind, value) == ("thing", "plural")
        )
        if kind in ("noun", "thing", "colour") and not plural and value != "plural":
            add(surface + "s", kind, value, plural=True)
    return {words: (frozenset(uses), many) for words, (uses, many) in found.items()}


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:[_\-'][^\W_]+)*|[^\w\s]", text)


def _english(text: str, names: Names, kinds: frozenset[str], asking: bool) -> list[Token]:
    lexicon = _english_words(kinds, asking)
    longest = max(map(len, lexicon))
    spans = [
        (m[0], m.start(), m.end()) for m in re.finditer(r"[^\W_]+(?:[_\-'][^\W_]+)*|[^\w\s]", text)
    ]
    if len(spans) > MOST_WORDS:
        raise Trouble("TOO_LONG")
    found: list[Token] = []
    place = 0
    while place < len(spans):
        word, start, end = spans[place]
        if word in names:
            found.append(Token(word, frozenset({names[word]}), start=start, end=end))
            place += 1
            continue
        if "_" in word and _NUMBERED.fullmatch(word):
            raise Trouble("NO_SUCH_OBJECT", _whole(names), name=word)
        for count in range(min(longest, len(spans) - place), 0, -1):
            words = tuple(span[0] for span in spans[place : place + count])
            if words in lexicon or (count == 1 and _INDEX.fullmatch(word)):
                uses, plural = lexicon.get(words, (frozenset(), False))
                if _INDEX.fullmatch(word):
                    uses |= {("index", word)}
                last = spans[place + count - 1][2]
                found.append(Token(text[start:last], uses, plural, start=start, end=last))
                place += count
                break
        else:
            raise Trouble("UNKNOWN_WORD", word=word)
    return found


# -- Korean


@cache
def _korean_words(asking: bool) -> list[tuple[re.Pattern[str], str, str]]:
    found = []
    for surface, kind, value in _entries("ko", asking=asking):
        spaced = r"\s*".join(re.escape(part) for part in surface.split())
        found.append((re.compile(spaced), kind, value))
    for verb, stems in lexicon()["stems"].items():
        for stem in stems:
            spaced = r"\s*".join(re.escape(part) for part in stem.split())
            bare = stem[-1] in _BARE and stem not in ("와",)
            ending = rf"(?:아|어|여)?(?:\s*{_TAIL})" + ("*" if bare else "+")
            pattern = rf"{spaced}(?:{ending}|(?:아|어|여))" if not bare else rf"{spaced}{ending}"
            found.append((re.compile(pattern), "verb", verb))
    return found


def _korean(text: str, names: Names, kinds: frozenset[str], asking: bool) -> list[Token]:
    failed: dict[int, None] = {}

    def options(at: int) -> list[Token]:
        ends: dict[int, set[tuple[str, str]]] = {}
        for name, whole in names.items():
            if text.startswith(name, at):
                ends.setdefault(at + len(name), set()).add(whole)
        if not ends and (named := _NUMBERED.match(text, at)):
            raise Trouble("NO_SUCH_OBJECT", _whole(names), name=named[0])
        for own in kinds:
            if text.startswith(own.replace("_", " "), at):
                ends.setdefault(at + len(own), set()).add(("noun", own))
        if number := _KOREAN_INDEX.match(text, at):
            ends.setdefault(number.end(), set()).add(("index", number[0]))
        for pattern, kind, value in _korean_words(asking):
            if match := pattern.match(text, at):
                ends.setdefault(match.end(), set()).add((kind, value))
        made = []
        for end in sorted(ends, reverse=True):
            word = text[at:end]
            negative = bool(re.search(r"지\s*(?:마|말|않)", word))
            made.append(Token(word, frozenset(ends[end]), False, negative, at, end))
        return made

    def cut(at: int) -> list[Token] | None:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return []
        if at in failed:
            return None
        for token in options(at):
            rest = cut(token.end)
            if rest is not None:
                return [token, *rest]
        failed[at] = None
        return None

    if len(text) > 4 * MOST_WORDS:
        raise Trouble("TOO_LONG")
    found = cut(0)
    if found is not None:
        return found
    at = max(failed)
    word = re.match(r"\S+", text[at:])
    raise Trouble("UNKNOWN_WORD", word=word[0] if word else text[at:])
