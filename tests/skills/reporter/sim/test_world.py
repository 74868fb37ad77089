"""Simulated building: chosen and random options; the same seed gives the same world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec.mission.rig_construction import make_rig
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.pack import PACK
from bt_exec_skills.reporter.sim.camera import SimCamera
from bt_exec_skills.reporter.sim.floor_plan import BARRIERS, LIGHTS, ROOMS, wall_pieces
from bt_exec_skills.reporter.sim.layout import draw_layout
from bt_exec_skills.reporter.sim.options import parse_world_options
from bt_exec_skills.reporter.sim.simulated_robot import map_static_geometry
from bt_exec_skills.reporter.sim.world import BEAMS, RANGE_M, BuildingWorld
from tests.cases import some

BASE = Pose(3.0, -1.4, math.pi / 2)


def world_of(**pairs):
    return BuildingWorld(
        parse_world_options({key: str(value) for key, value in pairs.items()}), BASE
    )


def test_same_seed_gives_the_same_world():
    first, second = (world_of(seed=5) for _ in range(2))
    assert first.layout == second.layout
    for _ in range(60):
        for world in (first, second):
            world.advance(0.5, 0.2)
    assert np.array_equal(first.data.qpos, second.data.qpos)
    assert np.array_equal(first.data.mocap_pos, second.data.mocap_pos)
    assert np.array_equal(first.ranges(), second.ranges())
    pictures = [SimCamera(world).view(SimCamera(world).capture()) for world in (first, second)]
    assert np.array_equal(pictures[0].frame, pictures[1].frame)
    assert world_of(seed=6).layout != first.layout


def test_worlds_of_different_seeds_differ_and_persons_stay_in_their_rooms():
    counts = set()
    for seed in range(12):
        world = world_of(seed=seed)
        before = {room: world.truth(room) for room in ROOMS}
        for _ in range(400):
            world.advance(0.0, 0.0)
        assert {room: world.truth(room) for room in ROOMS} == before
        counts.add(tuple(truth.people for truth in before.values()))
    assert len(counts) > 8


def test_simulated_persons_walk_and_give_way_to_the_robot():
    world = world_of(seed=1, people="crowd")
    least = math.inf
    start = [(one.x, one.y) for one in world.walkers]
    for _ in range(800):
        world.advance(0.0, 0.0)
        places = [(one.x, one.y) for one in world.walkers]
        pairs = [(a, b) for k, a in enumerate(places) for b in places[k + 1 :]]
        least = min(least, *(math.dist(a, b) for a, b in pairs))
    moved = sum(math.dist(a, (b.x, b.y)) > 0.2 for a, b in zip(start, world.walkers, strict=True))
    assert moved >= 2
    assert least > 0.3


def test_world_options_are_applied():
    world = world_of(
        people="lounge:3,corridor_center:0",
        lights="lounge:off,corridor_east:on",
        noise="noisy",
        unusual="lounge:spill",
        professor="absent",
    )
    assert world.truth("lounge")[:2] == (3, ("spill",))
    assert world.truth("corridor_center").people == 0
    assert (world.lights["lounge"], world.lights["corridor_east"]) == (False, True)
    assert all(world.truth(room).noise_db >= 66 for room in ROOMS)
    assert world.person_position("professor") is None
    assert world.person_position("user") is not None
    quiet = world_of(people="none", lights="on", noise="quiet", unusual="none")
    assert all(quiet.lights.values())
    assert [quiet.truth(room).people for room in ROOMS] == [1, 1, 0, 0, 0, 0]
    assert all(quiet.truth(room).noise_db <= 58 for room in ROOMS)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("seed", "x", "seed='x': allowed: whole numbers 0..2147483647"),
        ("people", "lots", "allowed: random, none, few, crowd, or PLACE:NUMBER,…; PLACE is"),
        ("people", "lounge:99", "people=lounge='99': allowed: whole numbers 0..12"),
        ("lights", "dim", "lights='dim': allowed: random, on, off, or PLACE:VALUE,…"),
        ("lights", "lounge:dim", "lights=lounge='dim': allowed: on, off"),
        ("noise", "attic:quiet", "PLACE is one of basecamp, professor_office, corridor_center"),
        ("unusual", "lounge:dog", "allowed: none, fallen_chair, spill, box"),
        ("professor", "maybe", "professor='maybe': allowed: present, absent"),
        ("blocked", "roof", "blocked='roof': allowed: none, corridor, corridor_center"),
        ("load", "yes", "load='yes': allowed: ready, none"),
        ("lens", "foggy", "lens='foggy': allowed: clear, dark, frozen"),
    ],
)
def test_invalid_value_lists_the_allowed_ones(settings, key, value, told):
    with pytest.raises(UsageError) as error:
        make_rig(PACK, settings, {key: value})
    assert told in str(error.value)


def section(**more: Any) -> dict[str, Any]:
    """Return the settings of places, one of which has a section."""
    area, poses = [0.0, 0.0, 9.0, 9.0], [[2.0, 2.0, 0.0]]
    part = {"name": {"en": "the west", "ko": "서쪽"}, "area": area, **more}
    place = {"name": {"en": "x", "ko": "x"}, "area": area, "poses": poses}
    return {"places": {"basecamp": place, "lounge": {**place, "sections": [part]}}}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"speaker": "radio"}, "speaker='radio': must be 'scripted' or 'terminal'"),
        ({"detector": "orakle"}, "detector='orakle': must be 'oracle'"),
        ({"wheels": 2}, "pack reporter has no setting 'wheels'"),
        ({"base": "attic"}, "base 'attic' is not one of the places"),
        ({"people": {"kim": {"name": {"en": "Kim", "ko": "김"}, "place": "lunge"}}}, "lounge"),
        (
            {"rounds": {"up": {"name": {"en": "up", "ko": "위"}, "places": ["lunge"]}}},
            "rounds.up.places: 'lunge' is not one of the places, nearest first: lounge",
        ),
        (
            {"rounds": {"lounge": {"name": {"en": "up", "ko": "위"}, "places": ["lounge"]}}},
            "rounds.lounge has an id that a place has already",
        ),
        ({"places": {"x": {"poses": []}}}, "places.x.name is missing"),
        (section(id="lounge", poses=[[1.0, 1.0, 0.0]]), "section 'lounge' needs a pose and an id"),
        (section(id="hall_west"), "section 'hall_west' needs a pose and an id that no other"),
    ],
)
def test_invalid_setting_lists_the_allowed_ones(settings, change, told):
    with pytest.raises((UsageError, UnknownName)) as error:
        make_rig(PACK, {**settings, **change}, {})
    assert told in str(error.value)


def test_every_world_key_is_documented_and_accepted():
    good = {
        "seed": "3",
        "people": "few",
        "lights": "on",
        "noise": "quiet",
        "unusual": "none",
        "professor": "present",
        "blocked": "lounge",
        "answer": "네, 좋습니다.",
        "load": "ready",
        "lens": "clear",
    }
    assert set(good) == set(PACK.world.model_fields)
    assert parse_world_options(good).answer == "네, 좋습니다."


def test_barriers_and_rooms_agree_with_the_floor_plan():
    assert set(BARRIERS) == {"none", "corridor", *ROOMS}
    assert {name for name in LIGHTS if not name.startswith("corridor")} < set(ROOMS)
    for piece in some(wall_pieces()):
        assert piece.x2 >= piece.x1
        assert piece.y2 >= piece.y1


def test_map_contains_walls_and_furniture_but_no_barriers():
    layout_of = draw_layout(parse_world_options({"blocked": "professor_office"}))
    grid = map_static_geometry(world_of(blocked="professor_office").model)
    assert layout_of.barriers
    assert not grid.solid[grid.cell_at(2.5, 2.4)]  # the closed door is not on the map
    assert grid.solid[grid.cell_at(1.0, 2.4)]
    assert grid.solid[grid.cell_at(2.5, 6.3)]  # the desk


def test_range_finder_measures_walls():
    ranges = world_of(people="none", unusual="none").ranges()
    assert ranges.shape == (BEAMS,)
    assert ranges[BEAMS // 4] == pytest.approx(3.0 - 0.06, abs=0.02)  # to the west
    assert ranges.max() <= RANGE_M


def test_lamp_lights_the_area_below():
    world = world_of(people="none", lights="basecamp:off", seed=2)
    camera = SimCamera(world)
    dark = camera.view(camera.capture()).frame.mean()
    world.lights["basecamp"] = True
    assert camera.view(camera.capture()).frame.mean() > 2.5 * dark


def test_frozen_and_dark_camera_affect_the_picture():
    world = world_of(lens="frozen")
    camera = SimCamera(world)
    first = camera.capture()
    world.advance(0.1, 0.0)
    assert camera.capture() is first
    camera.fault = "dark"
    assert camera.view(camera.capture()).frame.max() == 0
