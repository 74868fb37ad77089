"""Replay of missions: plans, faults and comparison, with a stand-in for the session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.events import Observed, SkillEnded, SkillStarting
from bt_exec.failure import Failure, UsageError
from bt_exec.journal.recorded_mission import SkillRun
from bt_exec.nodes.fault_injection import Faults
from bt_exec.site.site import load_site
from bt_exec_labeler import short_goal_replay as module
from bt_exec_labeler.short_goal_replay import Replayed, open_journal, replay, replay_line

HOME: tuple[str, dict[str, Any]] = ("return_home", {})
OPEN: tuple[str, dict[str, Any]] = ("open_door", {"arm": "left"})


def ended(skill: str, call: int, code: str = "", t: float = 0.0) -> SkillEnded:
    failure = Failure(code, "it slipped", "root") if code else None
    return SkillEnded(t, 0, "root", skill, call, "failed" if code else "done", 1.0, {}, failure)


def ran(skill: str, args: Mapping[str, Any], t: float, code: str = "") -> SkillRun:
    """Return a run of a skill that took one second and ended at `t`."""
    start = SkillStarting(t - 1.0, 0, "root", skill, args, 1)
    return SkillRun(1, start, ended(skill, 1, code, t))


def mission(*runs: SkillRun, **settings: Any) -> Any:
    line = SimpleNamespace(site="door")
    return SimpleNamespace(
        id="m1", line=line, skills=runs, settings={"fast": True, "world": {"seed": "3"}, **settings}
    )


class StandIn:
    """Session that ends every step of a plan as its faults specify."""

    made: Sequence[StandIn] = ()

    def __init__(self, site: Any, *, world: Any, fast: bool, listeners: Sequence[Any]) -> None:
        self.site, self.world, self.fast, self._listeners = site, world, fast, listeners
        self.faults = Faults([])
        self.plans: list[Any] = []
        self.texts: list[list[Any]] = []
        StandIn.made = (*StandIn.made, self)

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, command: str, plan: Any) -> Any:
        assert command == ""
        self.plans.append(plan.root.model_dump(exclude_defaults=True))
        self.texts.append(self.faults.to_source())
        steps = getattr(plan.root, "sequence", None) or [plan.root]
        calls = Counter[str]()
        for step in steps:
            calls[step.do] += 1
            fault = self.faults.for_call(step.do, calls[step.do])
            code = fault.code if fault is not None else ""
            start = SkillStarting(0.0, 0, "root", step.do, step.args, calls[step.do])
            for event in (start, ended(step.do, calls[step.do], code or "")):
                for listener in self._listeners:
                    listener.on(event)
            if code:
                return SimpleNamespace(reason_code=code)
        return SimpleNamespace(reason_code="OK")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    StandIn.made = ()
    monkeypatch.setattr(module, "Session", StandIn)
    return StandIn


def test_actions_up_to_a_failure_form_one_plan() -> None:
    acts = [HOME, OPEN, HOME, HOME]
    rows = list(module._action_sequences(acts, ["done", "failed X", "", "done", "done"]))
    assert rows == [
        [(HOME, "done"), (OPEN, "failed X")],
        [(HOME, ""), (HOME, "done")],
    ]
    assert list(module._action_sequences([HOME], ["unknown"])) == [[(HOME, "unknown")]]
    assert list(module._action_sequences([], [])) == []


def test_calls_in_faults_are_numbered_from_the_start_of_each_plan() -> None:
    skills = load_site("door").catalogue.skills
    faults = Faults.parse(["open_door:2=GRASP_SLIPPED", "grasp:1=GRASP_SLIPPED"], skills)
    calls = Counter[str]()
    assert module._faults_to_repeat(faults, [(OPEN, "done"), (HOME, "done")], calls) == []
    assert calls == {"open_door": 1, "return_home": 1}
    found = module._faults_to_repeat(
        faults, [(HOME, "done"), (OPEN, ""), (("grasp", {}), "")], calls
    )
    assert found == ["open_door:1=GRASP_SLIPPED", "grasp:1=GRASP_SLIPPED"]
    assert module._faults_to_repeat(faults, [(OPEN, "done"), (("grasp", {}), "")], calls) == []
    assert calls == {"open_door": 3, "return_home": 2, "grasp": 2}


def test_each_recorded_outcome_is_used_once_in_order() -> None:
    ends = module._Ends()
    for number, (skill, args) in enumerate([OPEN, HOME, OPEN, HOME], start=1):
        ends.on(SkillStarting(0.0, 0, "root", skill, args, number))
        ends.on(Observed.__new__(Observed))
        ends.on(ended(skill, number, "X" if number == 3 else ""))
    assert [args for _, args, _ in ends.found] == [OPEN[1], {}, OPEN[1], {}]
    assert ends.take_outcome("return_home", {"slowly": True}) == ""
    assert len(ends.found) == 4
    assert ends.take_outcome(*HOME) == "done"  # skips the recorded end of an earlier action
    assert [end for *_, end in ends.found] == ["failed X", "done"]
    assert [ends.take_outcome(*OPEN), ends.take_outcome(*OPEN), ends.take_outcome(*HOME)] == [
        "failed X",
        "",
        "done",
    ]
    assert ends.found == []
    assert ends._started == {}


def test_recorded_outcome_contains_the_failure_code() -> None:
    whole = ran(*OPEN, t=2.0, code="GRASP_SLIPPED")
    assert module._recorded_end(whole) == "failed GRASP_SLIPPED"
    assert module._recorded_end(ran(*OPEN, t=2.0)) == "done"
    assert module._recorded_end(SkillRun(1, whole.start, None)) == "unknown"
    assert Replayed(*OPEN, "done", "done").has_same_outcome is True
    assert Replayed(*OPEN, "done", "failed X").has_same_outcome is False


def test_plan_of_one_action_is_the_action_itself() -> None:
    def root(*acts: Any) -> Any:
        return module._plan(acts).root.model_dump(exclude_defaults=True)

    one, other = {"do": "open_door", "args": {"arm": "left"}}, {"do": "return_home"}
    assert root(OPEN) == one
    assert root(HOME) == other
    assert root(OPEN, HOME) == {"sequence": (one, other)}


def test_mission_is_repeated_with_its_world_and_faults(session: type[StandIn]) -> None:
    runs = [ran(*HOME, 1.0), ran(*OPEN, 2.0, "GRASP_SLIPPED"), ran(*OPEN, 3.0), ran(*HOME, 4.0)]
    found = list(replay(mission(*runs, faults=["open_door:1=GRASP_SLIPPED"])))
    assert [(one.op, one.recorded, one.now) for one in found] == [
        ("return_home", "done", "done"),
        ("open_door", "failed GRASP_SLIPPED", "failed GRASP_SLIPPED"),
        ("open_door", "done", "done"),
        ("return_home", "done", "done"),
    ]
    assert all(one.has_same_outcome for one in found)
    (made,) = session.made
    assert (made.world, made.fast) == ({"seed": "3"}, True)
    assert made.site.limits.replans == 0
    assert made.texts == [["open_door:1=GRASP_SLIPPED"], []]
    assert [len(plan["sequence"]) for plan in made.plans] == [2, 2]


def test_action_that_is_not_reached_is_reported(session: type[StandIn]) -> None:
    """The first action fails now, but was recorded as done."""
    found = list(
        replay(
            mission(ran(*OPEN, 1.0), ran(*HOME, 2.0), faults=["open_door:1=GRASP_SLIPPED"]),
            [OPEN, HOME, HOME],
        )
    )
    assert [(one.recorded, one.now) for one in found] == [
        ("done", "failed GRASP_SLIPPED"),
        ("done", "not done: GRASP_SLIPPED"),
        ("", "not done: GRASP_SLIPPED"),
    ]
    assert not any(one.has_same_outcome for one in found)


def test_replay_uses_the_pack_settings_of_the_mission(session: type[StandIn]) -> None:
    list(replay(mission(ran(*HOME, 1.0), packs={"door": {"detector": "oracle"}})))
    assert session.made[0].site.packs["door"].detector == "oracle"


def test_only_simulated_missions_of_installed_sites_are_repeated(session: type[StandIn]) -> None:
    with pytest.raises(UsageError, match=r"^mission m1 ran in real time; only simulated missions"):
        list(replay(mission(fast=False)))
    away = mission()
    away.line.site = "nowhere"
    with pytest.raises(UsageError, match=r"^mission m1 cannot be run again: .*nowhere"):
        list(replay(away))
    assert session.made == ()


@pytest.mark.parametrize(("t", "before"), [(0.5, 0), (1.0, 1), (2.5, 2), (9.0, 2)])
def test_actions_that_ended_before_a_record_are_repeated_first(
    t: float, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = SkillRun(1, SkillStarting(2.0, 0, "root", "grasp", {}, 1), None)
    record = mission(ran(*HOME, 1.0), ran(*OPEN, 2.0), killed)
    asked: list[Any] = []

    def again(of: Any, wanted: Sequence[Any]) -> Iterator[int]:
        assert of is record
        asked.extend(wanted)
        return iter(range(len(wanted)))

    monkeypatch.setattr(module, "replay", again)
    goals = [{"op": "grasp", "args": {"what": "box"}}, {"op": "return_home", "args": {}}]
    line = {"episode": "m1", "t": t, "record": {"short_goal_dsl": goals}}
    journal: Any = SimpleNamespace(mission={"m1": record}.__getitem__)
    found: Any = replay_line(line, journal)
    assert asked == [*[HOME, OPEN][:before], ("grasp", {"what": "box"}), HOME]
    assert found == [before, before + 1]


def test_recording_that_is_not_a_journal_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"only missions of a journal can be run again$"):
        open_journal(tmp_path)
    with pytest.raises(UsageError, match=r"nowhere: only missions of a journal"):
        open_journal(tmp_path / "nowhere")
