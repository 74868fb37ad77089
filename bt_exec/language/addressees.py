"""Division of a command into parts by the robots that it addresses by name.

"Cart A, open the door, and cart B, get the material." Names are those of the site file; forms of
address are in ``addressees.yaml``. Other uses of a name in a sentence are left to the parser.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["Addressed", "RobotNames", "parts_by_addressee"]

RobotNames: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Names of robots in commands, by robot and language."""

_FILE = Path(__file__).with_name("addressees.yaml")
_PAUSE = re.compile(r"(?:^|[.,;:!?])\s*$")
_SPACE = re.compile(r"\s+")


class Addressed(NamedTuple):
    """A part of a command with its addressees.

    Attributes:
        robots: Names of the addressed robots; all robots of the site if everyone is addressed.
        text: The command for them; empty if only a name was given.
        then: Whether this part begins only when the previous one has ended.
    """

    robots: tuple[str, ...]
    text: str
    then: bool = False


def parts_by_addressee(command: str, language: str, robots: RobotNames) -> tuple[Addressed, ...]:
    """Return the parts of a command by addressee; empty if it names none.

    Args:
        command: The command as typed.
        language: ``en`` or ``ko``.
        robots: The names of the robots.
    """
    if not robots:
        return ()
    text = _SPACE.sub(" ", unicodedata.normalize("NFC", command)).strip()
    words: Mapping[str, Any] = _words()[language]
    marks = list(_addressed_positions(text, words, robots))
    if not marks:
        return ()
    before = text[: marks[0].start].rstrip(" ,;")
    if before:  # "open the door, cart A."
        alone = len(marks) == 1 and not text[marks[0].end :].strip(" .,;!?")
        return (Addressed(marks[0].robots, before + text[marks[0].end :].strip()),) if alone else ()
    parts = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        said = text[mark.end : following.start if following else len(text)].strip(" ,;:")
        if following and following.ending and not following.link:
            said = said.removesuffix(following.ending) + words["ends"][following.ending]["finish"]
        parts.append(Addressed(mark.robots, said, mark.then))
    return tuple(parts)


class _Mark(NamedTuple):
    start: int
    end: int
    robots: tuple[str, ...]
    then: bool
    link: str
    ending: str  # ending of the word before the name


def _addressed_positions(
    text: str, words: Mapping[str, Any], robots: RobotNames
) -> Iterator[_Mark]:
    """Yield each position in the text at which robots are addressed."""
    known = {name: robot for robot, own in robots.items() for some in own.values() for name in some}
    by_key: dict[str, tuple[str, ...]] = {_key(name): (robot,) for name, robot in known.items()}
    by_key |= {_key(phrase): tuple(robots) for phrase in words["everyone"]}
    links = (*words["then"], *words["together"], *words["openers"])
    pattern = _addressee_pattern(
        tuple(known), tuple(words["address"]), tuple(words["everyone"]), links
    )
    for found in pattern.finditer(text):
        link, *names = found.groups()
        before, after = text[: found.start()].rstrip(), text[found.end() :].strip(" .,;!?")
        end = next((one for one in words["ends"] if before.endswith(one)), "")
        if not (link or end or _PAUSE.search(before)):
            continue  # "go to cart B": a place, not an addressee
        if before and not after and not before.endswith((".", "!", "?", ",")):
            continue  # "bring the cup and cart B": an object, not an addressee
        follows = link is not None and _key(link) in map(_key, words["then"])
        then = follows or words["ends"].get(end, {}).get("then", False)
        name = next(filter(None, names))
        yield _Mark(found.start(), found.end(), by_key[_key(name)], then, link or "", end)


@lru_cache(maxsize=16)
def _addressee_pattern(
    names: tuple[str, ...],
    forms: tuple[str, ...],
    everyone: tuple[str, ...],
    links: tuple[str, ...],
) -> re.Pattern[str]:
    """Return the pattern of an addressee; its groups are the preceding link word and the name."""
    ways = []
    for form in forms:
        before, _, after = form.partition("{robot}")
        end = r"(?!\w)" if not after or after[-1].isalnum() else ""
        ways.append(f"{re.escape(before)}({_pattern_of_any(names)}){re.escape(after)}{end}")
    link = rf"(?:({_pattern_of_any(links)})[,\s]+)?"
    return re.compile(
        rf"(?<!\w){link}(?:{'|'.join(ways)}|({_pattern_of_any(everyone)}))", re.IGNORECASE
    )


def _pattern_of_any(texts: Iterable[str]) -> str:
    """Return a pattern that matches any of `texts`, longest first; spaces are optional."""
    ordered = sorted(texts, key=len, reverse=True)
    return "|".join(re.escape(text).replace(r"\ ", r"\s*") for text in ordered)


def _key(name: str) -> str:
    return _SPACE.sub("", unicodedata.normalize("NFC", name)).casefold()


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Any]:
    words: Mapping[str, Any] = read_yaml(_FILE)
    return words
