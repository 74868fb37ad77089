"""Options of a simulated building (``--world KEY=VALUE``); unset options are drawn at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bt_exec_skills.reporter.reporting.speech_interface import Reply
from bt_exec_skills.reporter.sim.floor_plan import BARRIERS, LIGHTS, ROOMS

__all__ = ["LENSES", "STOCK", "THINGS", "WorldOptions", "parse_world_options", "scripted_replies"]

THINGS = ("fallen_chair", "spill", "box")
LENSES = ("clear", "dark", "frozen")
_CROWDS = ("random", "none", "few", "crowd")
_MAX_SEED = 2**31 - 1
_MOST = 12


@dataclass(frozen=True)
class WorldOptions:
    """Chosen options of a building. Places missing from a mapping get a random value.

    Attributes:
        seed: Seed for the random values of all options that are not chosen.
        crowd: Number of people: "random", "none", "few" or "crowd".
        people: Number of people by place, besides the user and the professor.
        lights: Whether a lamp is on, by lamp.
        noisy: Whether a place is loud, by place.
        unusual: Kind of the unusual object, by place; "none" for no object.
        professor: Whether the professor is present.
        blocked: Barrier on the route; see `bt_exec_skills.reporter.sim.floor_plan.BARRIERS`.
        answer: Replies of people: "random", "none", "refuse", or a literal text.
        load: Whether people load the tray when the robot asks.
        lens: State of the camera: "clear", "dark" (black pictures) or "frozen".
    """

    seed: int = 0
    crowd: str = "random"
    people: Mapping[str, int] = field(default_factory=dict)
    lights: Mapping[str, bool] = field(default_factory=dict)
    noisy: Mapping[str, bool] = field(default_factory=dict)
    unusual: Mapping[str, str] = field(default_factory=dict)
    professor: bool = True
    blocked: str = "none"
    answer: str = "random"
    load: bool = True
    lens: str = "clear"


def parse_world_options(world: Mapping[str, str]) -> WorldOptions:  # noqa: C901 - one case an option
    """Return the options given as ``--world`` pairs.

    Raises:
        ValueError: If a value is invalid; the message lists the allowed values.
    """
    values: dict[str, Any] = {}
    for key, text in world.items():
        match key:
            case "seed":
                values["seed"] = _number("seed", text, _MAX_SEED)
            case "people" if text in _CROWDS:
                values["crowd"] = text
            case "people":
                pairs = _parse_pairs(key, text, ROOMS, f"{', '.join(_CROWDS)}, or PLACE:NUMBER,…")
                values["people"] = {p: _number(f"people={p}", n, _MOST) for p, n in pairs.items()}
            case "lights":
                values["lights"] = _parse_by_place(key, text, LIGHTS, {"on": True, "off": False})
            case "noise":
                values["noisy"] = _parse_by_place(key, text, ROOMS, {"noisy": True, "quiet": False})
            case "unusual":
                allowed = {name: name for name in ("none", *THINGS)}
                values["unusual"] = _parse_by_place(key, text, ROOMS, allowed)
            case "professor":
                values["professor"] = _one_of(key, text, ("present", "absent")) == "present"
            case "load":
                values["load"] = _one_of(key, text, ("ready", "none")) == "ready"
            case "blocked":
                values["blocked"] = _one_of(key, text, BARRIERS)
            case "lens":
                values["lens"] = _one_of(key, text, LENSES)
            case "answer":
                values["answer"] = text
            case _:
                raise ValueError(f"{key}={text}: unknown key")
    return WorldOptions(**values)


def _number(name: str, text: str, most: int) -> int:
    if not text.isdecimal() or int(text) > most:
        raise ValueError(f"{name}={text!r}: allowed: whole numbers 0..{most}")
    return int(text)


def _one_of(key: str, text: str, allowed: Iterable[str]) -> str:
    names = tuple(allowed)
    if text not in names:
        raise ValueError(f"{key}={text!r}: allowed: {', '.join(names)}")
    return text


def _parse_pairs(key: str, text: str, places: Iterable[str], simple: str) -> dict[str, str]:
    """Parse ``PLACE:VALUE,PLACE:VALUE``."""
    names = tuple(places)
    found: dict[str, str] = {}
    for part in text.split(","):
        place, colon, value = part.strip().partition(":")
        if not colon or place not in names:
            raise ValueError(
                f"{key}={text!r}: allowed: {simple}; PLACE is one of {', '.join(names)}"
            )
        found[place] = value
    return found


def _parse_by_place(
    key: str, text: str, places: Iterable[str], values: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Parse ``random`` (nothing is set), one value for all places, or ``PLACE:VALUE`` pairs."""
    names = tuple(places)
    if text == "random":
        return {}
    if text in values:
        return dict.fromkeys(names, values[text])
    words = ", ".join(values)
    simple = f"random, {words}, or PLACE:VALUE,…"
    pairs = _parse_pairs(key, text, names, simple)
    for place, value in pairs.items():
        _one_of(f"{key}={place}", value, values)
    return MappingProxyType({place: values[value] for place, value in pairs.items()})


STOCK: tuple[Mapping[str, str], ...] = (
    {"en": "Next Tuesday at three.", "ko": "다음 주 화요일 3시에 합시다."},
    {"en": "Let us do it tomorrow morning.", "ko": "내일 오전에 하죠."},
    {"en": "Yes, that is fine.", "ko": "네, 그렇게 하세요."},
    {"en": "I will look at it this week.", "ko": "이번 주 안에 확인해 보겠습니다."},
    {"en": "Please ask me again on Friday.", "ko": "금요일에 다시 물어봐 주세요."},
)
"""Predefined answers."""
_REFUSAL = {"en": "I have no time now.", "ko": "지금은 시간이 없습니다."}


def scripted_replies(answer: str, drawn: int) -> Mapping[str, Mapping[str, Reply] | None]:
    """Return the answers of all people for a `ScriptedSpeaker`.

    Args:
        answer: "random", "none", "refuse", or the text of the answer.
        drawn: Number that selects among the predefined answers.
    """
    if answer == "none":
        return {"*": None}
    if answer == "refuse":
        return {"*": {language: Reply(text, refused=True) for language, text in _REFUSAL.items()}}
    words = STOCK[drawn % len(STOCK)] if answer == "random" else {"en": answer, "ko": answer}
    return {"*": {language: Reply(text) for language, text in words.items()}}
