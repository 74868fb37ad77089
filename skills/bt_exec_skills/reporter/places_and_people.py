"""Map of a site: places and people with their names, from the site file.

::

    places:
      lounge:
        name: {en: the lounge, ko: 라운지}
        aliases: [lounge, 라운지]
        poses: [[7.0, 4.6, 0.0], [11.0, 5.2, 3.1]]   # x, y [m], yaw [rad]; target first
        area: [5.0, 2.4, 13.0, 7.4]                    # left, bottom, right, top [m]
    people:
      professor: {name: {en: the professor, ko: 교수님}, place: professor_office}
    rounds:
      upstairs: {name: {en: upstairs, ko: 위층}, places: [lounge, gallery]}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Protocol

from pydantic import Field

from bt_exec.failure import UsageError, nearest_names
from bt_exec.spec.user_data_validation import UserData
from bt_exec_skills.navigation.plane_geometry import Area, Pose
from bt_exec_skills.reporter.place_sections import Names, Section, fill_names, name_section

__all__ = ["Names", "Person", "Place", "Round", "Section", "SiteMap", "make_map"]

NEAR_M = 1.2
"""Maximum distance from one of a place's poses at which the robot is at that place [m]."""


class Place(UserData):
    """Place to which a robot can be sent.

    Attributes:
        name: Display name.
        aliases: Further names, in any language.
        poses: Viewpoints of the robot; the first is the target of a drive.
        area: Area of the place.
        sections: Parts with separate lights, in order from one end of the place to the other.
    """

    name: Names
    aliases: tuple[str, ...] = ()
    poses: Annotated[tuple[Pose, ...], Field(min_length=1)]
    area: Area
    sections: tuple[Section, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the place in both languages, with the aliases."""
        return (self.name.en, self.name.ko, *self.aliases)

    def distance_to(self, x: float, y: float) -> float:
        """Return the distance between a point and the nearest pose [m]."""
        return min(pose.distance_to(x, y) for pose in self.poses)

    @property
    def sections_or_whole(self) -> tuple[Section, ...]:
        """Sections of the place, or the whole place if it has none."""
        return self.sections or (Section(name=self.name, area=self.area),)


class Person(UserData):
    """Person with a name.

    Attributes:
        name: Display name.
        aliases: Further names, in any language.
        place: Usual place.
        remote: Whether the person hears the robot from everywhere, like the user at the terminal.
    """

    name: Names
    aliases: tuple[str, ...] = ()
    place: str
    remote: bool = False


class Round(UserData):
    """Named group of places that are visited together, such as "upstairs".

    Attributes:
        name: Display name of the round.
        aliases: Further names, in any language.
        places: Ids of the places, in the order of the visits.
    """

    name: Names
    aliases: tuple[str, ...] = ()
    places: Annotated[tuple[str, ...], Field(min_length=1)]


class SiteMap(UserData):
    """Places and people of a site, by id.

    Attributes:
        base: Id of the place where missions start, loads are picked up and reports are given.
        places: Places by id.
        people: People by id.
        rounds: Named groups of places, by id; ``everywhere`` is the route of a patrol.
    """

    base: str = "basecamp"
    places: Annotated[Mapping[str, Place], Field(min_length=1)]
    people: Mapping[str, Person] = {}
    rounds: Mapping[str, Round] = {}

    def place_at(self, x: float, y: float) -> str | None:
        """Return the id of the place whose poses are nearest to a point; None between places."""
        name = min(self.places, key=lambda name: self.places[name].distance_to(x, y))
        return name if self.places[name].distance_to(x, y) <= NEAR_M else None

    def area_at(self, x: float, y: float) -> str | None:
        """Return the id of the place whose area contains a point, or None outside all areas."""
        return next(
            (name for name, place in self.places.items() if place.area.contains(x, y)), None
        )

    def display_name(self, name: str, language: str) -> str:
        """Return the display name of a place or person, or `name` if it is unknown."""
        known = self.places.get(name) or self.people.get(name)
        return known.name.name_in(language) if known is not None else name

    def people_in(self, question: str) -> tuple[str, ...]:
        """Return the ids of the people named in a question."""
        text = _normalized(question)
        for place in self.places.values():  # "the professor's office" does not name a person
            for name in (place.name.en, place.name.ko):
                text = text.replace(_normalized(name), " ")
        return tuple(
            name
            for name, person in self.people.items()
            if not person.remote
            and any(_normalized(one) in text for one in (person.name.en, person.name.ko))
        )

    def find_id(self, word: str) -> str | None:
        """Return the id of the place or person with the name or alias `word`, or None."""
        asked = _normalized(word)
        everything: dict[str, Place | Person] = {**self.places, **self.people}
        for name, known in everything.items():
            words = (name, known.name.en, known.name.ko, *known.aliases)
            if any(_normalized(one) == asked for one in words):
                return name
        return None

    def nearest_place(self, word: str) -> tuple[str, ...]:
        """Return the ids of all places, the most similar to `word` first."""
        near = nearest_names(word, self.places)
        return (*near, *(name for name in self.places if name not in near))


def _normalized(word: str) -> str:
    return "".join(word.casefold().split()).removeprefix("the")


def _with_sections(places: Mapping[str, Place]) -> dict[str, Place]:
    """Return the places, including each section with an id as a separate place.

    Raises:
        UsageError: If a section has the id of another place, or has an id but no pose.
    """
    found = dict(places)
    for place in places.values():
        for section in place.sections:
            if section.id in found or (section.id and not section.poses):
                raise UsageError(
                    f"settings of pack reporter: section {section.id!r} needs a pose and an id "
                    "that no other place has"
                )
            if section.id:
                found[section.id] = _place_of_section(section, place)
    return found


def _place_of_section(section: Section, place: Place) -> Place:
    """Return a section as a separate place."""
    return Place(
        name=name_section(section.name, place.name),
        aliases=tuple(fill_names("part", place, part=section)),
        poses=section.poses,
        area=section.area,
    )


class Mapped(Protocol):
    """Settings with a map; implemented by `bt_exec_skills.reporter.rigs.ReporterSettings`."""

    base: str
    places: Mapping[str, Place]
    people: Mapping[str, Person]
    rounds: Mapping[str, Round]


def make_map(settings: Mapped) -> SiteMap:
    """Return the map from the pack settings of a site.

    Raises:
        UsageError: If the map is invalid; the message names the place and the reason.
    """
    if not settings.places:
        raise UsageError("settings of pack reporter: places: the map needs at least one")
    site = SiteMap(
        base=settings.base,
        places=_with_sections(settings.places),
        people=settings.people,
        rounds=settings.rounds,
    )
    if site.base not in site.places:
        raise UsageError(f"settings of pack reporter: base {site.base!r} is not one of the places")
    gone_to = [(f"people.{name}.place", person.place) for name, person in site.people.items()]
    for name, each in site.rounds.items():
        gone_to += [(f"rounds.{name}.places", place) for place in each.places]
        if name in site.places:
            raise UsageError(
                f"settings of pack reporter: rounds.{name} has an id that a place has already"
            )
    for where, place in gone_to:
        if place not in site.places:
            known = ", ".join(site.nearest_place(place))
            raise UsageError(
                f"settings of pack reporter: {where}: {place!r} is not one of the places, nearest "
                f"first: {known}"
            )
    return site
