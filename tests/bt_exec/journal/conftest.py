"""Fixtures: a journal in a temporary folder, and the events of a small mission."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bt_exec.events import (
    Asked,
    Event,
    Finished,
    MissionStarted,
    NodeChanged,
    Observed,
    Planned,
    Planning,
    Progress,
    SkillEnded,
    SkillStarting,
    Turn,
)
from bt_exec.failure import Failure
from bt_exec.journal import Journal, RecordedObservation
from bt_exec.mission_outcome import Outcome
from bt_exec.skill import Verdict
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec

COMMAND = "문 안의 자재를 가져와"
SPEC = """
mission:
  command: 문 안의 자재를 가져와
  language: ko
  plan_version: {version}
  compiler: offline
  parent: {parent}
  kept: [fetch/open_door]
  notes: [the arm is chosen by the door]
root:
  name: fetch
  sequence:
    - do: open_door
      with: {{arm: right, object_label: door-handle}}
      skip_if: {{door_is: {{state: open}}}}
    - tree: home
      with: {{arm: right}}
      body:
        do: return_home
        timeout: 20s
"""


def spec(version: int = 1) -> MissionSpec:
    text = SPEC.format(version=version, parent="null" if version == 1 else version - 1)
    document = load_text(text).document
    assert isinstance(document, MissionSpec)
    return document


class Scene:
    """Observation of a pack, with a frame."""

    t = 0.25
    frame = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)

    def labels(self) -> tuple[str, ...]:
        return ("door", "handle")

    def facts(self) -> dict[str, str]:
        return {"door": "open"}

    def describe(self, language: str) -> str:
        return "문 열림" if language == "ko" else "door open"

    def record(self) -> dict[str, object]:
        return {"t": self.t, "score": np.float32(0.5), "box": (1, 2)}


def events_of(mission_id: str) -> list[Event]:
    """Return the events of a mission with a failure and a second plan."""
    failure = Failure("DOOR_STUCK", "stopped at 12 deg", "fetch/open_door", node="open_door")
    above = NodeChanged(1.2, 24, "fetch", "failed", failure=failure)
    return [
        MissionStarted(
            0.0, 0, mission_id, "문 안의 자재를 가져와", "ko", "sim", {"door": {"a": 1}}
        ),
        Observed(0.3, 0, "door", Scene()),
        Planning(0.3, 0, "offline"),
        Planned(0.4, 1, spec(1), 1, {"seconds": 0.01}),
        NodeChanged(0.4, 1, "fetch", "running"),
        Asked(0.4, 1, "fetch/open_door", "skip_if", "door_is", Verdict.no("door closed", ["a"])),
        NodeChanged(0.4, 1, "fetch/open_door", "running"),
        SkillStarting(0.4, 1, "fetch/open_door", "open_door", {"arm": "right"}, 1),
        Progress(0.8, 9, "fetch/open_door", 0.5, "pulling"),
        SkillEnded(1.2, 24, "fetch/open_door", "open_door", 1, "failed", 0.8, failure=failure),
        NodeChanged(1.2, 24, "fetch/open_door", "failed", "DOOR_STUCK", failure),
        above,
        Planning(1.2, 24, "offline", failure),
        Planned(1.4, 28, spec(2), 1),
        NodeChanged(1.4, 28, "fetch/open_door", "kept"),
        SkillStarting(1.4, 28, "fetch/home/return_home", "return_home", {}, 1),
        SkillEnded(2.0, 40, "fetch/home/return_home", "return_home", 1, "done", 0.6, {"at": 1}),
        NodeChanged(2.0, 40, "fetch", "done"),
        Turn(2.0, 40, {"say": "자재를 가져왔습니다."}),
        Finished(
            2.0,
            40,
            Outcome(
                mission_id, "문 안의 자재를 가져와", "satisfied", "OK", "다 했습니다.", ticks=40
            ),
        ),
    ]


def as_kept(event: Event) -> Event:
    """Return an event as it is expected to be read: an observation becomes a recorded one."""
    if isinstance(event, Observed) and isinstance(event.observation, Scene):
        data = {"t": 0.25, "score": 0.5, "box": [1, 2]}
        kept = RecordedObservation(0.25, data, ("door", "handle"), {"door": "open"}, "문 열림")
        return Observed(event.t, event.tick, event.pack, kept)
    return event


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal.open(tmp_path / "data" / "journal.sqlite")


@pytest.fixture
def script() -> Callable[[str], list[Event]]:
    return events_of


@pytest.fixture
def kept() -> Callable[[Event], Event]:
    return as_kept


@pytest.fixture
def make_spec() -> Callable[[int], MissionSpec]:
    return spec
