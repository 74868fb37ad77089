"""Newest pictures and their boxes, in the formats that packs use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from bt_exec.events import Observed
from bt_exec.journal import read_png
from bt_exec.serve.pictures_and_maps import Pictures, map_of, maps_of
from bt_exec.testing import FakeObservation
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation

FRAME = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)


@dataclass(frozen=True)
class Recorded(FakeObservation):
    told: dict[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        return self.told


def kept(told: dict[str, Any], frame: Any = FRAME) -> Any:
    pictures = Pictures()
    pictures.add("p", Recorded(frame=frame, told=told))
    return pictures.newest()


def test_picture_round_trip_is_exact(tmp_path) -> None:
    pictures = Pictures()
    pictures.add("p", Recorded(frame=FRAME))
    (picture,) = pictures.newest()
    assert (picture.width, picture.height) == (6, 4)
    file = tmp_path / "x.png"
    file.write_bytes(pictures.png(picture.number) or b"")
    assert (read_png(file) == FRAME).all()


@pytest.mark.parametrize(
    ("told", "boxes"),
    [
        ({}, []),
        (
            {"detections": [{"type": "cup", "bbox": [1, 2, 3, 4], "score": 0.5}]},
            [{"label": "cup", "score": 0.5, "box": [1.0, 2.0, 3.0, 4.0]}],
        ),
        (
            {"boxes": {"cup": (1, 2, 3, 4)}},
            [{"label": "cup", "score": None, "box": [1.0, 2.0, 3.0, 4.0]}],
        ),
        ({"detections": [{"type": "cup"}, 3, None, {"bbox": [1, 2]}]}, []),
        ({"detections": "none", "boxes": 7}, []),
    ],
)
def test_box_formats_of_packs_are_accepted(told: dict[str, Any], boxes: list) -> None:
    (picture,) = kept(told)
    assert [{key: box[key] for key in ("label", "score", "box")} for box in picture.boxes] == boxes


@pytest.mark.parametrize("frame", [None, "a picture", np.zeros(3)])
def test_invalid_picture_is_not_kept(frame: Any) -> None:
    assert kept({}, frame) == []


def test_only_the_newest_pictures_of_each_pack_are_kept() -> None:
    pictures = Pictures()
    for pack in ("p", "q"):
        for _ in range(20):
            pictures.add(pack, Recorded(frame=FRAME))
    newest = pictures.newest()
    assert [one.pack for one in newest] == ["p", "q"]
    assert pictures.png(1) is None
    assert pictures.png(newest[0].number) is not None


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
def test_observation_record_without_positions_cannot_be_drawn(record: dict[str, Any]):
    assert map_of(record, word) is None


def test_maps_of_a_long_mission_are_thinned_and_keep_the_first_and_last():
    events = [Observed(float(t), t, "p", TABLE) for t in range(1000)]
    maps = maps_of([*events, Observed(0.0, 0, "p", FakeObservation(0.0))], word)
    assert len(maps) <= 301
    assert (maps[0]["t"], maps[-1]["t"]) == (0.0, 999.0)
