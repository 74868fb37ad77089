"""Rigs of a pack: settings, worlds and required parts, with the messages for invalid ones."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Protocol

import pytest
from pydantic import Field

from bt_exec.failure import RegistrationError, UnknownName, UsageError
from bt_exec.mission.rig_construction import check_world, make_rig
from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import PackSettings, Rig, WorldSettings
from bt_exec.skill import Service, Steps, skill
from bt_exec.testing.tree_run import scripted_site


class Arms(PackSettings):
    """Settings of the pack."""

    force_n: float = Field(default=2.0, gt=0)


class Lid(WorldSettings):
    """World of the pack."""

    lid: Literal["open", "shut"] = "shut"


@pytest.fixture
def made() -> list[tuple[Any, Any]]:
    """Return a list that collects the arguments of each rig."""
    return []


@pytest.fixture
def pack(made: list[tuple[Any, Any]]) -> Pack:
    def rig(settings: Any, world: Any) -> Rig:
        made.append((settings, world))
        return Rig()

    return Pack("p", settings=Arms, world=Lid, robots={"one": rig, "two": rig})


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (
            {"forse_n": 1.0},
            UnknownName,
            "pack p has no setting 'forse_n'; known, nearest first: force_n, called, pack, robot",
        ),
        ({"force_n": -1.0}, UsageError, "pack p: force_n=-1.0: must be greater than 0"),
        (
            {"robot": "three"},
            UnknownName,
            "pack p has no robot 'three'; known, nearest first: one, two",
        ),
    ],
)
def test_invalid_setting_of_a_pack_is_refused(
    pack: Pack, made: list[Any], given: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as told:
        make_rig(pack, given, {})
    assert str(told.value) == said
    assert made == []


def test_raw_and_validated_settings_make_the_same_rig(pack: Pack, made: list[Any]) -> None:
    make_rig(pack, {"force_n": 3.0, "robot": "two"}, {"lid": "open", "other": "1"})
    make_rig(pack, Arms(force_n=3.0, robot="two"), {"lid": "open"})
    assert made == [(Arms(force_n=3.0, robot="two"), Lid(lid="open"))] * 2


def test_invalid_world_is_refused_with_the_allowed_values(pack: Pack, made: list[Any]) -> None:
    site = dataclasses.replace(scripted_site([]), catalogue=Catalogue([pack]))
    said = "world setting lid='ajar': must be 'open' or 'shut'"
    for refuse in (check_world, lambda _, world: make_rig(pack, {}, world)):
        with pytest.raises(UsageError) as told:
            refuse(site, {"lid": "ajar"})
        assert str(told.value) == said
    check_world(site, {"lid": "open"})
    assert made == []


class Voice:
    """A service."""


class Speaks(Protocol):
    """Protocol of services that speak."""

    def say(self) -> None: ...


@skill
def greet(voice: Service[Voice]) -> Steps:
    """Greet."""
    yield


@pytest.mark.parametrize(
    ("kind", "services", "wanted", "said"),
    [
        (Voice, {}, True, "robot 'one' of pack p offers no service 'voice' (required by greet)"),
        (Voice, {}, False, "robot 'one' of pack p offers no service 'voice'"),
        (
            Voice,
            {"voice": 7},
            True,
            "service 'voice' of robot 'one' of pack p must be a Voice, not a int "
            "(required by greet)",
        ),
        (Speaks, {}, False, "robot 'one' of pack p offers no service 'voice'"),
        (Voice, {"voice": Voice(), "more": 1}, True, ""),
        (Speaks, {"voice": 7}, False, ""),  # any object satisfies a protocol type
    ],
)
def test_rig_provides_the_services_of_its_pack(
    kind: Any, services: Any, wanted: bool, said: str
) -> None:
    made = Rig(services=services)
    pack = Pack(
        "p",
        skills=(greet,) if wanted else (),
        robots={"one": lambda settings, world: made},
        services={"voice": kind},
    )
    if not said:
        assert make_rig(pack, {}, {}) is made
        return
    with pytest.raises(RegistrationError) as told:
        make_rig(pack, {}, {})
    assert str(told.value) == said


class Moves:
    """Robot whose `stop` and `still` are replaced."""

    still: Any = True

    def stop(self) -> None:
        """Stop."""


class NoCall(Moves):
    stop: Any = 3


class StillAsked(Moves):
    def still(self) -> bool:
        """Whether it is still, as a method instead of a property."""
        return True


class World:
    """Simulation."""

    time = 0.0

    def step(self, seconds: float) -> None:
        """Advance."""


class Stands(World):
    step: Any = 3


ROBOT = "robot 'one' of pack p"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"robot": NoCall()}, f"{ROBOT}: stop of NoCall is not a method; found 3"),
        ({"robot": StillAsked()}, f"{ROBOT}: still of StillAsked is a method; write @property"),
        ({"simulation": 3}, f"{ROBOT}: simulation must have time, and step or start_step; found 3"),
        (
            {"simulation": Stands()},
            f"{ROBOT}: simulation must have time, and step or start_step; found",
        ),
        (
            {"facts": {"hand": "empty"}},
            f"{ROBOT}: facts must be a function without arguments; found {{",
        ),
        ({"close": 1}, f"{ROBOT}: close must be a function without arguments; found 1"),
        ({"frame": "a.png"}, f"{ROBOT}: frame must be a function without arguments; found 'a.png'"),
        ({"services": [1]}, f"{ROBOT}: services must map names to objects; found [1]"),
        ({"robot": Moves(), "simulation": World(), "facts": dict, "close": list}, ""),
    ],
)
def test_rig_with_an_invalid_part_is_refused(parts: dict[str, Any], said: str) -> None:
    made = Rig(**parts)
    pack = Pack("p", robots={"one": lambda settings, world: made})
    if not said:
        assert make_rig(pack, {}, {}) is made
        return
    with pytest.raises(RegistrationError) as told:
        make_rig(pack, {}, {})
    assert str(told.value).startswith(said)


def test_unknown_field_of_a_rig_is_reported_with_the_nearest_name() -> None:
    unknown: Any = {"simulatoin": World()}
    pack = Pack("p", robots={"one": lambda settings, world: Rig(**unknown)})
    with pytest.raises(UsageError) as told:
        make_rig(pack, {}, {})
    assert "unexpected keyword argument 'simulatoin'; did you mean 'simulation'? (" in str(
        told.value
    )
    assert "test_rig_construction.py, line " in str(told.value)


def test_unavailable_robot_is_reported_without_a_source_line() -> None:
    def off(settings: Any, world: Any) -> Rig:
        raise OSError("no answer from 10.0.0.7")

    with pytest.raises(UsageError) as told:
        make_rig(Pack("p", robots={"one": off}), {}, {})
    said = "robot 'one' of pack p is unavailable: OSError: no answer from 10.0.0.7"
    assert str(told.value) == said
