"""Lexicon entries of a site for the offline compiler: names of its places and people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bt_exec_skills.reporter.place_sections import section_ids, section_words, without_article
from bt_exec_skills.reporter.places_and_people import Person, Place, Round, SiteMap, make_map
from bt_exec_skills.reporter.rigs import ReporterSettings
from bt_exec_skills.reporter.rules.keywords import is_english, names_professor

__all__ = ["PROFESSOR", "PROFESSOR_OFFICE", "USER", "display_names", "lexicon_values"]

USER, PROFESSOR, PROFESSOR_OFFICE = "user", "professor", "professor_office"


def lexicon_values(settings: ReporterSettings) -> dict[str, Any]:
    """Return the values ``Place`` and ``Person`` of a site, as lexicon entries.

    A place may stand for the person found there, as in "교수님 방에 가서 여쭤봐" ("go to the
    professor's office and ask"). Of the names of the professor's office, only those that mention
    the professor are included.
    """
    site = make_map(settings)
    people = {name: person for name, person in site.people.items() if name != USER}
    return {
        "values": {
            "Place": _place_words(site),
            "Person": {
                name: {**_person(name, person, site.places), "brings": {"place": person.place}}
                for name, person in people.items()
            },
        },
    }


def display_names(settings: ReporterSettings) -> dict[str, dict[str, str]]:
    """Return the display names of the places and people of a site."""
    site = make_map(settings)
    called = {name: place.name for name, place in site.places.items()}
    called |= {name: person.name for name, person in site.people.items()}
    return {name: {"en": known.en, "ko": known.ko} for name, known in called.items()}


def _place_words(site: SiteMap) -> dict[str, dict[str, Any]]:
    """Return the lexicon entry of every place and of every round."""
    alone: dict[str, dict[str, Any]] = {
        name: {**_place(_plain_names(name, place)), "parts": section_ids(place)}
        for name, place in site.places.items()
    }
    alone[site.base]["home"] = True
    alone |= section_words(site.places)
    rounds = {
        name: {**_place(_plain_names(name, each)), "each": [*each.places]}
        for name, each in site.rounds.items()
    }
    return {**alone, **rounds}


def _plain_names(name: str, known: Place | Person | Round) -> tuple[str, ...]:
    """Return the names of a place or person, without articles and lexicon markup."""
    every = (known.name.en, known.name.ko, *known.aliases)
    plain = [re.sub(r"[()\[\]|]", " ", text).strip().casefold() for text in every]
    plain = [*map(without_article, plain)]
    if name == PROFESSOR_OFFICE:
        plain = [text for text in plain if names_professor(text)]
    return tuple(dict.fromkeys(text for text in plain if text))


def _place(names: Iterable[str]) -> dict[str, list[str]]:
    english, korean = _by_language(names)
    # Korean commands may use English names: "lounge 확인해 줘" ("check the lounge")
    return {"en": english, "ko": [*korean, *english]}


def _person(name: str, person: Person, places: Mapping[str, Place]) -> dict[str, Any]:
    english, korean = _by_language(_plain_names(name, person))
    at = _place(_plain_names(person.place, places[person.place]))
    return {"en": english, "ko": [*korean, *english], "proxies": at}


def _by_language(names: Iterable[str]) -> tuple[list[str], list[str]]:
    every = list(names)
    return [one for one in every if is_english(one)], [one for one in every if not is_english(one)]
