"""Sections of places, their names and lexicon entries; the phrases are in ``sections.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from bt_exec.language.messages import LANGUAGES, language_of
from bt_exec.spec.shipped_yaml import read_yaml
from bt_exec.spec.user_data_validation import UserData
from bt_exec_skills.navigation.plane_geometry import Area, Pose

__all__ = [
    "Names",
    "Section",
    "fill_names",
    "name_section",
    "section_ids",
    "section_words",
    "without_article",
]


class Names(UserData):
    """Names of a place, a person or a round."""

    en: str
    ko: str

    def name_in(self, language: str) -> str:
        """Return the Korean name for ``ko``, else the English one."""
        return self.ko if language == "ko" else self.en


class Section(UserData):
    """Part of a place with separate lights. A section with an id is also a place.

    Attributes:
        name: Display name within the place.
        area: Area of the section.
        id: Id of the section as a place; empty if robots are not sent to it.
        aliases: Further names within the place, in any language.
        poses: Viewpoints of the robot; the first is the target of a drive.
    """

    name: Names
    area: Area
    id: str = ""
    aliases: tuple[str, ...] = ()
    poses: tuple[Pose, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names within the place in both languages, with the aliases."""
        return (self.name.en, self.name.ko, *self.aliases)


class Named(Protocol):
    """Object with a display name and aliases: a place or a section."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in both languages, with the aliases."""


class Divided(Named, Protocol):
    """Place with sections."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """Sections in order, from one end of the place to the other."""


@cache
def _phrases() -> Any:
    return read_yaml(Path(__file__).with_name("sections.yaml"))


def _filled_phrases(key: str, language: str, **names: str) -> list[str]:
    """Return the phrases under `key` of ``sections.yaml``, with the names inserted."""
    return [phrase.format(**names) for phrase in _phrases()[key][language]]


def name_section(section: Names, place: Names) -> Names:
    """Return the display names of a section, such as "the west end of the corridor"."""
    named = {
        language: _filled_phrases(
            "name", language, part=section.name_in(language), place=place.name_in(language)
        )[0]
        for language in LANGUAGES
    }
    return Names(**named)


def fill_names(key: str, place: Named, **sections: Named) -> Iterator[str]:
    """Yield the phrases under `key` of ``sections.yaml`` with every combination of the names."""
    for language in LANGUAGES:
        every = [_names_in(language, one) for one in (place, *sections.values())]
        for outer, *inner in product(*every):
            yield from _filled_phrases(
                key, language, place=outer, **dict(zip(sections, inner, strict=True))
            )


def _names_in(language: str, named: Named) -> list[str]:
    found = (without_article(one) for one in named.names if language_of(one) == language)
    return [*dict.fromkeys(found)]


def without_article(name: str) -> str:
    """Return an English name without its article."""
    return name.removeprefix("the ")


def section_ids(place: Divided) -> list[str]:
    """Return the ids of the sections of a place that are separate places."""
    return [section.id for section in place.sections if section.id]


def section_words(places: Mapping[str, Divided]) -> dict[str, dict[str, Any]]:
    """Return lexicon entries for groups of sections, and for sections of the last named place."""
    found: dict[str, dict[str, Any]] = {}
    divided = {name: [one for one in place.sections if one.id] for name, place in places.items()}
    divided = {name: sections for name, sections in divided.items() if len(sections) > 1}
    for name, sections in divided.items():
        found |= _words_for_several(name, places[name], sections)
        found |= _words_after_another(name, sections, alone=len(divided) == 1)
    return found


def _words_for_several(
    name: str, place: Divided, sections: Sequence[Section]
) -> Iterator[tuple[str, dict[str, Any]]]:
    first, last, ids = sections[0], sections[-1], [one.id for one in sections]
    yield f"{name}_sections", _lexicon_entry(fill_names("every", place), each=ids)
    yield f"{name}_ends", _lexicon_entry(fill_names("ends", place), each=[first.id, last.id])
    for start, end, order in ((first, last, ids), (last, first, ids[::-1])):
        phrases = fill_names("along", place, first=start, last=end)
        yield f"{name}_from_{start.id}", _lexicon_entry(phrases, each=order)


def _words_after_another(
    name: str, sections: Sequence[Section], *, alone: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield lexicon entries for sections of the last named place, such as "the other end".

    If no other place has sections (`alone`), an earlier mention of the place is not required.
    """
    places = [name, *(one.id for one in sections), *([""] if alone else ())]
    for one in sections:
        yield f"part_{one.id}", _lexicon_entry(one.names, after=dict.fromkeys(places, one.id))
    first, last = sections[0].id, sections[-1].id
    others = [phrase for language in LANGUAGES for phrase in _filled_phrases("other", language)]
    yield f"{name}_other", _lexicon_entry(others, after={first: last, last: first})


def _lexicon_entry(phrases: Iterable[str], **more: Any) -> dict[str, Any]:
    """Return a lexicon entry with the phrases sorted by language, and further fields."""
    every = [*dict.fromkeys(map(without_article, phrases))]
    own = {one: [text for text in every if language_of(text) == one] for one in LANGUAGES}
    return {**own, **more}
