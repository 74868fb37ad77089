"""The words of questions, from ``words.yaml``, and what a phrase of them means.

Every word belongs to something: an attribute, a thing, nothing at all; or the phrase is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from bt_exec.spec.plain_yaml import parse_yaml
from bt_exec_skills.image.perception.attributes import AttributeName
from bt_exec_skills.image.perception.relations import RelationName
from bt_exec_skills.image.rules.question import Phrase, Unread

__all__ = ["Words", "names_of", "plain", "said_in", "words_in"]

_PARTICLES = (
    "들이랑", "들하고", "들이", "들은", "들을", "들의", "들도", "들과", "인가요", "이랑", "하고",
    "에서", "에는", "이야", "인", "들", "이", "가", "은", "는", "을", "를", "의", "도", "와", "과",
    "랑", "만", "야", "에",
)  # fmt: skip


_FRUIT = "orange"  # in English the fruit is called as its colour
_OPPOSITES = ("big small", "bright dark", "sharp blurred", "filled hollow")
_JOINED = re.compile(r"\S(?:와|과|하고|이랑|랑)\s+\S")  # two things in one phrase


def _kind_of(attribute: str) -> str:
    """Return what an attribute is one of: a thing has one colour and one shape."""
    for section in ("colours", "shapes"):
        if attribute in _file()[section]:
            return section
    return next((one for one in _OPPOSITES if attribute in one.split()), attribute)


@dataclass(frozen=True)
class Words:
    """The words of one language.

    Attributes:
        language: ``en`` or ``ko``.
        attributes: Attributes by word.
        things: Labels by word.
        relations: Relations by word, the longest first.
        anything: Words for anything.
        idle: Words that change nothing.
        unclear: Words that change what is asked, in a way that is not read.
    """

    language: str
    attributes: Mapping[str, AttributeName]
    things: Mapping[str, str]
    relations: Mapping[str, RelationName]
    anything: frozenset[str]
    idle: frozenset[str]
    unclear: frozenset[str]

    def phrase(self, text: str) -> Phrase:
        """Return what a noun phrase means.

        Raises:
            Unread: If a word belongs to nothing.
        """
        words = text.split()
        attributes: list[AttributeName] = []
        unknown: list[tuple[int, str]] = []
        said: list[str] = []
        thing, place = "", 0
        while place < len(words):
            two = self._known(" ".join(words[place : place + 2])) if place + 1 < len(words) else ""
            word = two or self._known(words[place])
            place += 2 if two else 1
            if word in self.attributes:
                attributes.append(self.attributes[word])
            elif word in self.things:
                if thing:
                    raise Unread("QUESTION_UNCLEAR", text)
                thing = self.things[word]
            elif not word:
                unknown.append((place, words[place - 1]))
                continue
            if word not in self.idle:
                said.append(word)
        if not thing and self._means_the_fruit(said):
            thing = attributes.pop()
        if len({_kind_of(one) for one in attributes}) < len(set(attributes)):
            raise Unread("QUESTION_UNCLEAR", text)  # no thing is red and blue
        if self.language == "ko" and _JOINED.search(text):
            raise Unread("QUESTION_UNCLEAR", text)
        if unknown:
            last, word = unknown[-1]
            if any(self.unclear.intersection(self._forms(one)) for _, one in unknown):
                raise Unread("QUESTION_UNCLEAR", " ".join(word for _, word in unknown))
            if thing or len(unknown) > 1 or last != len(words):
                raise Unread("NEEDS_MODEL", " ".join(word for _, word in unknown))
            thing = self.singular(word)
            said.append(thing)
        return Phrase(tuple(dict.fromkeys(attributes)), thing, " ".join(said))

    def _means_the_fruit(self, said: list[str]) -> bool:
        """Whether "orange" is what is asked for, and not the colour of it: "an orange"."""
        return said[-1:] == [_FRUIT] and not any(word in self.anything for word in said)

    def _known(self, word: str) -> str:
        return next((form for form in self._forms(word) if self._has(form)), "")

    def _has(self, word: str) -> bool:
        return any(
            word in some for some in (self.attributes, self.things, self.anything, self.idle)
        )

    def _forms(self, word: str) -> list[str]:
        if self.language == "en":
            forms = [word, *(word.removesuffix(end) for end in ("s", "es") if word.endswith(end))]
            return [*forms, word[:-3] + "y"] if word.endswith("ies") else forms
        return [word, *(word[: -len(end)] for end in _PARTICLES if word.endswith(end))]

    def singular(self, word: str) -> str:
        """Return a word that is not known in its plain form."""
        if self.language == "ko":
            ends = (end for end in _PARTICLES if word.endswith(end) and len(word) > len(end) + 1)
            end = next(ends, "")
            return word.removesuffix(end) if end else word
        if word.endswith("ies"):
            return word[:-3] + "y"
        return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=1)
def _file() -> Mapping[str, Any]:
    text = Path(__file__).with_name("words.yaml").read_text(encoding="utf-8")
    return cast(Mapping[str, Any], parse_yaml(text))


@lru_cache(maxsize=2)
def words_in(language: str) -> Words:
    """Return the words of a language, ``en`` or ``ko``."""
    data = _file()

    def by_word(*sections: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for section in sections:
            for name, said in data[section].items():
                found |= dict.fromkeys(said[language], name)
        return found

    relations = by_word("relations")
    return Words(
        language,
        by_word("colours", "shapes", "others"),
        by_word("things"),
        {word: relations[word] for word in sorted(relations, key=len, reverse=True)},
        frozenset(data["anything"][language]),
        frozenset(data["idle"][language]),
        frozenset(data["unclear"][language]),
    )


def names_of(thing: str) -> frozenset[str]:
    """Return every word for a thing in both languages, and the thing itself, in small letters."""
    said = _file()["things"].get(thing, {})
    return frozenset({thing.lower(), *(word for words in said.values() for word in words)})


def plain(text: str) -> str:
    """Return a question in small letters, without marks, single-spaced."""
    said = re.sub(r"\b(what|where|who|which|there|that|it)['’]s\b", r"\1 is", text.lower())
    said = " ".join(re.sub(r"[?!.,:;\"'“”‘’]+", " ", said).split())
    return re.sub(r"(빨간|파란|노란|하얀|까만|검은|흰|붉은) 색", r"\1색", said)


def said_in(name: str, language: str) -> str:
    """Return an attribute or a relation as people say it."""
    for section in ("colours", "shapes", "others", "relations"):
        if name in _file()[section]:
            words = _file()[section][name][language]
            return str(words[-1] if section == "colours" and language == "ko" else words[0])
    return name
