"""Top view of an observation."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import Observed
from bt_exec.serve.maps import map_of, maps_of
from bt_exec.testing import FakeObservation
from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.tabletop.environment import Environment, Placed, Point
from bt_exec_skills.tabletop.perception.observation import TableObservation

TABLE = TableObservation(
    0.0,
    Environment(0.0, {"object_red_0": Placed(0, Point(1.0, 2.0, 0.5))}, Pose(0.0, 0.5, 1.0)),
)


def word(name: str, language: str) -> str:
    return f"{language}:{name}"


def test_table_is_drawn_with_its_objects_and_the_robot():
    map_data = map_of(TABLE.record(), word)
    assert map_data is not None
    assert map_data["robot"] == [0.0, 0.5, 1.0]
    said = {"en": "en:object_red_0", "ko": "ko:object_red_0"}
    assert map_data["objects"] == [{"name": "object_red_0", "said": said, "at": [1.0, 2.0]}]
    (table,) = map_data["areas"]
    left, bottom, right, top = table["at"]
    assert left < 1.0 < right
    assert bottom < 2.0 < top


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"objects": 3, "areas": [1], "base": "here", "detections": {"a": 1}},
        {"objects": {"a": [1]}, "base": [1.0, float("nan"), 0.0]},
        {"detections": [{"type": "cup", "at": None}, 7]},
    ],
)
def test_record_without_places_cannot_be_drawn(record: dict[str, Any]):
    assert map_of(record, word) is None


def test_long_missions_are_thinned_and_keep_both_ends():
    events = [Observed(float(t), t, "p", TABLE) for t in range(1000)]
    maps = maps_of([*events, Observed(0.0, 0, "p", FakeObservation(0.0))], word)
    assert len(maps) <= 301
    assert (maps[0]["t"], maps[-1]["t"]) == (0.0, 999.0)
