"""Findings at a place, accumulated over several pictures. Each person is counted once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.reporter.perception.floor_hidden_by_people import Occlusion
from bt_exec_skills.reporter.perception.observation import (
    LIT_LEVEL,
    PERSON,
    PlacedDetection,
    ReporterObservation,
)
from bt_exec_skills.reporter.places_and_people import Place

__all__ = [
    "ANSWERED_BY_MODEL",
    "LOUD_DB",
    "FindingsAccumulator",
    "LightState",
    "NoiseState",
    "PlaceFindings",
    "noise_state",
]

LightState: TypeAlias = Literal["on", "off", "partly", "unknown"]
NoiseState: TypeAlias = Literal["quiet", "normal", "loud"]

QUIET_DB = 47.0
"""Upper limit of the class "quiet", as in a library [dB]."""
LOUD_DB = 63.0
"""Lower limit of the class "loud": conversation needs a raised voice [dB]."""
ANSWERED_BY_MODEL = "answer:model"
"""Evidence entry that marks an answer phrased by a vision model."""
_SAME_M = 0.9  # unidentified detections closer than this count as one person
_THING_SAME_M = 0.8


class PlaceFindings(NamedTuple):
    """Result of `observe_scene`, as plain data; every field can be saved.

    Attributes:
        place: Observed place.
        query: The question.
        people: Number of people; -1 without a picture.
        complete: Whether the whole place was in view. If not, there may be more people.
        light: State of the light: ``on``, ``off``, ``partly`` or ``unknown``.
        dark_parts: Numbers of the sections of the place that were dark.
        noise: Class of the sound level.
        noise_db: Sound level [dB].
        unusual: Kinds of unusual objects that were found.
        answer: Answer to the question, in its language.
        evidence: Facts that support the answer, such as "person:user at (1.7,-3.0)".
        looks: Number of pictures used.
        brightness: Mean luminance of the place, 0..255; -1 if unknown.
        who: Identity of each person; ``somebody-N`` for an unidentified person.
    """

    place: str
    query: str
    people: int
    complete: bool
    light: LightState
    dark_parts: tuple[int, ...]
    noise: NoiseState
    noise_db: float
    unusual: tuple[str, ...]
    answer: str
    evidence: tuple[str, ...]
    looks: int
    brightness: float = -1.0
    who: tuple[str, ...] = ()


def noise_state(level_db: float) -> NoiseState:
    """Return the class of a sound level."""
    return "quiet" if level_db < QUIET_DB else "loud" if level_db >= LOUD_DB else "normal"


class FindingsAccumulator:
    """Findings at a place, accumulated over pictures.

    Args:
        name: Id of the place.
        place: The place.

    Attributes:
        people: Last detection of each person, by identity; ``somebody-N`` for an unidentified
            person.
        things: Unusual objects.
        looks: Number of pictures added.
        frame: Picture with the most objects, then the most sections of the place; None without
            a picture.
        unseen: Floor of the place that no picture has shown yet.
    """

    def __init__(self, name: str, place: Place) -> None:
        self.name, self.place = name, place
        self.people: dict[str, PlacedDetection] = {}
        self.things: list[PlacedDetection] = []
        self.looks = 0
        self.frame: Frame | None = None
        self.unseen = Occlusion(place.area)
        self._best = (-1, -1)
        self._light: dict[int, list[float]] = {}

    def add(self, observation: ReporterObservation) -> None:
        """Add the findings of one picture."""
        self.looks += 1
        self.unseen.add(observation.pose, (one.at for one in observation.people if one.at))
        here = [
            one for one in observation.detections if one.at and self.place.area.contains(*one.at)
        ]
        for found in here:
            if found.label == PERSON:
                self._person(found)
            elif not _is_duplicate(found, self.things, _THING_SAME_M):
                self.things.append(found)
        seen = 0
        for (name, part), level in observation.light.items():
            if name == self.name:
                self._light.setdefault(part, []).append(level)
                seen += 1
        rank = (len(here), seen)
        if observation.frame is not None and rank > self._best:
            self._best, self.frame = rank, observation.frame

    def _person(self, found: PlacedDetection) -> None:
        if found.who is not None:
            self.people[found.who] = found
        elif not _is_duplicate(found, self.people.values(), _SAME_M):
            self.people[f"somebody-{len(self.people) + 1}"] = found

    @property
    def complete(self) -> bool:
        """Whether every floor spot of the place was in view at least once."""
        return not len(self.unseen.spots)

    @property
    def _luminance_by_part(self) -> dict[int, float]:
        """Median luminance of each section over the pictures."""
        return {
            part: sorted(levels)[len(levels) // 2] for part, levels in sorted(self._light.items())
        }

    @property
    def brightness(self) -> float:
        """Mean luminance of the sections, 0..255; -1 if unknown."""
        levels = self._luminance_by_part.values()
        return round(sum(levels) / len(levels), 1) if levels else -1.0

    @property
    def dark_parts(self) -> tuple[int, ...]:
        """Numbers of the dark sections."""
        return tuple(part for part, level in self._luminance_by_part.items() if level < LIT_LEVEL)

    @property
    def light_state(self) -> LightState:
        """State of the light: ``on``, ``off``, ``partly`` or ``unknown``."""
        if not self._light:
            return "unknown"
        dark = len(self.dark_parts)
        return "on" if dark == 0 else "off" if dark == len(self._light) else "partly"

    def observation(self, query: str, noise_db: float) -> PlaceFindings:
        """Return the findings as an observation whose answer is still empty.

        Args:
            query: The question to answer.
            noise_db: Sound level [dB].
        """
        return PlaceFindings(
            place=self.name,
            query=query,
            people=len(self.people) if self.looks else -1,
            complete=self.complete,
            light=self.light_state,
            dark_parts=self.dark_parts,
            noise=noise_state(noise_db),
            noise_db=round(noise_db, 1),
            unusual=tuple(dict.fromkeys(sorted(one.label for one in self.things))),
            answer="",
            evidence=(*self.evidence(), f"noise:{noise_db:.0f} dB"),
            looks=self.looks,
            brightness=self.brightness,
            who=tuple(self.people),
        )

    def evidence(self) -> tuple[str, ...]:
        """Return the position of each person and object and the luminance of each section."""
        lines = [
            f"person:{who} at {_position_key(one)}" for who, one in sorted(self.people.items())
        ]
        lines += [f"thing:{one.label} at {_position_key(one)}" for one in self.things]
        lines += [
            f"light:{part} mean {sum(levels) / len(levels):.0f}/255"
            for part, levels in sorted(self._light.items())
        ]
        return tuple(lines)


def _is_duplicate(
    found: PlacedDetection, others: Iterable[PlacedDetection], reach_m: float
) -> bool:
    """Return True if one of `others` is of the same kind at about the same position."""
    assert found.at is not None
    x, y = found.at
    return any(
        other.label == found.label
        and other.at is not None
        and (other.at[0] - x) ** 2 + (other.at[1] - y) ** 2 < reach_m**2
        for other in others
    )


def _position_key(one: PlacedDetection) -> str:
    assert one.at is not None
    return f"({one.at[0]:.1f},{one.at[1]:.1f})"
