"""Missions made of events without an executive, for tests of the views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bt_exec import events as ev
from bt_exec.failure import Failure
from bt_exec.language.messages import Messages
from bt_exec.mission_outcome import Outcome
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import load_site
from bt_exec.skill import Verdict
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.view_model import ViewModel

KOREAN = "문 안의 자재를 가져와"
ENGLISH = "Get the material inside the door."


@dataclass(frozen=True)
class FakeObservation:
    t: float
    text: str = "door open 0.9 · handle yes · material yes"
    frame: Any = None

    def labels(self) -> tuple[str, ...]:
        return ("door", "door-handle", "material")

    def facts(self) -> dict[str, str]:
        return {"door": "open"}

    def describe(self, language: str) -> str:
        return self.text

    def record(self) -> dict[str, Any]:
        return {"t": self.t}


def mission(text: str) -> MissionSpec:
    """Return the mission spec in `text`, with subtrees of the door pack."""
    document = load_text(text).document
    assert isinstance(document, MissionSpec)
    return expand(document, Library.load([data_path("trees", "door")]))


def get_material(
    command: str = KOREAN, version: int = 1, kept: tuple[str, ...] = ()
) -> MissionSpec:
    keep = "".join(f"\n    - {path}" for path in kept)
    return mission(
        f"mission:\n  command: {command}\n  plan_version: {version}\n  compiler: offline\n"
        + (f"  kept:{keep}\n" if kept else "")
        + "root:\n  tree: get_material\n"
    )


@dataclass
class Script:
    """Feeds a model with events at scripted times."""

    model: ViewModel = field(default_factory=lambda: ViewModel(wall=lambda: 1.0))
    t: float = 0.0

    def at(self, t: float) -> Script:
        self.t = t
        return self

    @property
    def _at(self) -> tuple[float, int]:
        return self.t, round(self.t * 20)

    def start(self, command: str = KOREAN) -> Script:
        language = "ko" if command == KOREAN else "en"
        self.model.on(ev.MissionStarted(*self._at, "2026-11-20-0007", command, language, "door"))
        return self

    def look(self, text: str = FakeObservation.text) -> Script:
        self.model.on(ev.Observed(*self._at, "door", FakeObservation(self.t, text)))
        return self

    def plan(self, spec: MissionSpec) -> Script:
        self.model.on(ev.Planning(*self._at, "offline", self.model.failure))
        self.model.on(ev.Planned(*self._at, spec, 1))
        return self

    def node(self, path: str, state: Any, detail: str = "", failure: Any = None) -> Script:
        self.model.on(ev.NodeChanged(*self._at, path, state, detail, failure))
        return self

    def skill(self, path: str) -> Script:
        name = path.rpartition("/")[2]
        self.model.on(ev.SkillStarting(*self._at, path, name, {}, 1))
        return self

    def progress(self, path: str, share: float | None, doing: str = "") -> Script:
        self.model.on(ev.Progress(*self._at, path, share, doing))
        return self

    def guard(self, path: str, holds: bool | None = True, why: str = "door open 0.9") -> Script:
        verdict = Verdict(holds, why)
        self.model.on(ev.Asked(*self._at, path, "while", "door_is open", verdict))
        return self

    def check(self, path: str, holds: bool | None, why: str) -> Script:
        self.model.on(ev.Asked(*self._at, path, "check", "door_is open", Verdict(holds, why)))
        return self

    def send(self, event: ev.Event) -> Script:
        self.model.on(event)
        return self


def spoken() -> Messages:
    """Return the messages of the door site."""
    return load_site("door").messages


SLIPPED = Failure(
    "GRASP_SLIPPED",
    "the box moved 31 mm while the fingers closed (limit 10 mm)",
    "get_material/take_material/grasp",
    "skill",
    "grasp",
    {"arm": "right", "object_label": "material"},
)


def running(command: str = KOREAN, messages: Messages | None = None) -> Script:
    """Return a mission at 8.2 s: the door was open, and the arm moves to the material."""
    script = Script()
    script.model.messages = messages or Messages()
    script.start(command).at(0.1).look().at(0.2).plan(get_material(command))
    top, take = "get_material", "get_material/take_material"
    script.at(0.3).node(top, "running").node(f"{top}/open_door", "running")
    script.at(6.0).node(f"{top}/open_door/open_door", "skipped", "already open")
    script.node(f"{top}/open_door", "done").node(f"{top}/material_visible", "running")
    script.at(6.3).node(f"{top}/material_visible", "done")
    script.at(6.4).node(take, "running").node(f"{take}/move_arm", "running")
    script.skill(f"{take}/move_arm").guard(f"{take}/move_arm")
    return script.at(8.16).look().at(8.2).progress(f"{take}/move_arm", 0.61, "reaching")


def slipped(command: str = KOREAN, messages: Messages | None = None) -> Script:
    """Return a mission with a failed grasp and a second plan."""
    script = running(command, messages)
    top, take = "get_material", "get_material/take_material"
    script.at(9.0).node(f"{take}/move_arm", "done").node(f"{take}/grasp", "running")
    script.skill(f"{take}/grasp").at(11.1)
    script.node(f"{take}/grasp", "failed", SLIPPED.code, SLIPPED)
    script.node(take, "failed", SLIPPED.code, SLIPPED).node(top, "failed", "", SLIPPED)
    script.at(11.5).plan(get_material(command, 2, (f"{top}/open_door",)))
    return script.node(top, "running").node(f"{top}/material_visible", "running")


def outcome(status: Any = "satisfied", **facts: Any) -> Outcome:
    given = {
        "mission_id": "2026-11-20-0007",
        "command": ENGLISH,
        "reason_code": "OK",
        "message": "The material is in the right hand, the door is closed.",
        "planner_calls": 1,
        "plan_version": 1,
        "ticks": 628,
        "sim_seconds": 31.4,
        "wall_seconds": 31.5,
    }
    return Outcome(status=status, **{**given, **facts})


def wide(count: int = 200) -> Iterator[str]:
    """Yield the lines of a mission of `count` steps in groups of ten."""
    yield "mission: {command: work, plan_version: 1}"
    yield "root:"
    yield "  sequence:"
    for group in range(count // 10):
        yield f"    - name: group {group}"
        yield "      sequence:"
        for step in range(9):
            yield f"        - do: step_{group}_{step}"
            yield f"          with: {{arm: right, object_label: thing-{step}}}"
