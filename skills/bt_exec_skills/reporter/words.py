"""Lexicon entries of a site for the offline compiler: names of its places and people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bt_exec_skills.reporter.rules.keywords import is_english, names_professor
from bt_exec_skills.reporter.settings import ReporterSettings
from bt_exec_skills.reporter.sitemap import Person, Place, Round, SiteMap, make_map

__all__ = ["PROFESSOR", "PROFESSOR_OFFICE", "USER", "words"]

USER, PROFESSOR, PROFESSOR_OFFICE = "user", "professor", "professor_office"

_KO_PLACE = (
    "[쪽](|에|에서|에는|에서는|에도|로|으로|을|를|의|이|가|은|는|도|만"
    "|랑|이랑|하고|와|과|및|까지|부터) [둘 다|모두|전부|다]"
)
_KO_PERSON = "(|께|께는|께도|께서|한테|에게|한테도|에게도|을|를|이|가|은|는|도)"
_KO_TO, _KO_COME = "(로|으로|에|까지)", "(돌아오다|오다|복귀하다|돌아가다|가다)"
_EN_COME = "(come|go|head|return|drive|move) [back]"
_EN_PLACE = "[to|in|at|into|of|from|on|inside|around|through|over to|by|near] [both] [the]"
_EN_PERSON = "[to|with|for|from|of|see] [the]"
_EN_IS_IN = (
    "(is|'s) [still] (in|there|here|around|available|free|in the office|in (his|her) office)"
)


def words(settings: ReporterSettings) -> dict[str, Any]:
    """Return the values ``Place`` and ``Person`` of a site, in the form of a lexicon.

    A place may stand for the person found there: 교수님 방에 가서 여쭤봐. The professor's office
    goes only by names that name the professor.
    """
    site = make_map(settings)
    base = _by_language(_names(site.base, site.places[site.base]))
    people = {name: person for name, person in site.people.items() if name != USER}
    return {
        "verbs": {
            "come": {
                "en": [f"{_EN_COME} [to] [the|your|our|my] {name}" for name in base[0]],
                "ko": [f"{name}{_KO_TO} {_KO_COME}" for name in base[1]],
            }
        },
        "values": {
            "Place": _places(site),
            "Person": {
                name: {**_person(name, person, site.places), "brings": {"place": person.place}}
                for name, person in people.items()
            },
        },
    }


def _places(site: SiteMap) -> dict[str, dict[str, Any]]:
    """Return the words of every place, and of every round with the places it stands for."""
    alone = {name: _place(_names(name, place)) for name, place in site.places.items()}
    rounds = {
        name: {**_place(_names(name, each)), "each": [*each.places]}
        for name, each in site.rounds.items()
    }
    return {**alone, **rounds}


def _names(name: str, known: Place | Person | Round) -> tuple[str, ...]:
    """Return what a place or person is called, without articles and without marks of a lexicon."""
    every = (known.name.en, known.name.ko, *known.aliases)
    plain = [re.sub(r"[()\[\]|]", " ", text).strip().casefold() for text in every]
    plain = [text.removeprefix("the ") for text in plain]
    if name == PROFESSOR_OFFICE:
        plain = [text for text in plain if names_professor(text)]
    return tuple(dict.fromkeys(text for text in plain if text))


def _place(names: Iterable[str]) -> dict[str, list[str]]:
    english, korean = _by_language(names)
    return {
        "en": [f"{_EN_PLACE} {name} [area]" for name in english],
        "ko": [f"{name}{_KO_PLACE}" for name in (*korean, *english)],  # lounge 확인해 줘
    }


def _person(name: str, person: Person, places: Mapping[str, Place]) -> dict[str, Any]:
    english, korean = _by_language(_names(name, person))
    at = _place(_names(person.place, places[person.place]))
    return {
        "en": [
            *(f"{_EN_PERSON} {one}" for one in english),
            *(f"(whether|if) [the] {one} {_EN_IS_IN}" for one in english),
        ],
        "ko": [f"{one}{_KO_PERSON}" for one in korean],
        "proxies": at,
    }


def _by_language(names: Iterable[str]) -> tuple[list[str], list[str]]:
    every = list(names)
    return [one for one in every if is_english(one)], [one for one in every if not is_english(one)]
