"""Robots after a skill has ended: motions are stopped and do not resume by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.failure import Failed, PartBroken, SimulationLost
from bt_exec.language.messages import AFTER_STOP, Messages
from bt_exec.mission.clock import Clock
from bt_exec.mission.motion_stop_and_endings import come_to_rest
from bt_exec.nodes.runtime import Unwatched
from bt_exec.rig import Rig
from bt_exec.site.site import Limits, load_site
from bt_exec.skill import Running, Steps, skill
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill


class Arm(ScriptedRobot):
    """Arm that records when it was stopped, in mission time."""

    def __init__(self, simulation: FakeClock | None = None) -> None:
        super().__init__()
        self.simulation = simulation
        self.stopped: list[float] = []

    def stop(self) -> None:
        super().stop()
        self.stopped.append(self.simulation.time if self.simulation else 0.0)


def careless(error: BaseException | None, name: str = "a", timeout_s: float = 1.0) -> Any:
    """Return a skill that starts a motion and leaves it running."""

    @skill(name=name, fails={"SLIPPED", "STOPPED"}, timeout_s=timeout_s)
    def part(robot: Arm) -> Steps:
        """Start a motion."""
        robot.still = False
        yield Running()
        while error is None:
            yield Running()
        raise error

    return part


def run(stage, part, tree="tree: t\nroot: {do: a}", **more):
    on = stage([part, scripted_skill("b")], tree, robot=Arm(), limits=Limits(replans=0), **more)
    on.robot.simulation = on.simulation
    return on, on.run()


@pytest.mark.parametrize(
    ("error", "stopped_at"),
    [
        (ValueError("boom"), 10.1),
        (Failed("SLIPPED", "lost"), 10.1),
        (Failed("UNDECLARED", "lost"), 10.1),
        (None, 11.0),  # ended by its timeout
    ],
)
def test_motion_left_by_a_failed_skill_is_stopped_in_the_same_tick(stage, error, stopped_at):
    on, outcome = run(stage, careless(error))
    assert not outcome.ok
    assert on.robot.stopped == [stopped_at]


def test_robot_is_stopped_before_the_skill_is_retried(stage):
    tree = "tree: t\nroot: {do: a, timeout: 500ms, retry: 2}"
    on, _ = run(stage, careless(None), tree)
    assert len(on.robot.stopped) == 2
    assert on.robot.stopped[0] == 10.5


def test_stop_is_carried_out_before_the_next_skill_starts_in_the_same_tick(stage):
    """A simulation executes a stop when it is stepped, so it is stepped by 0 s at once."""
    passed: list[float] = []
    tree = "tree: t\nroot: {fallback: [{do: a}, {do: b}]}"
    on = stage([careless(Failed("SLIPPED")), scripted_skill("b")], tree, robot=Arm())
    step = on.simulation.step

    def noted(seconds: float) -> None:
        passed.append(seconds)
        step(seconds)

    on.simulation.step = noted
    assert on.run().ok
    assert passed == [0.0, 0.0, 0.1, 0.0]  # two initial steps, one tick, the stop


def test_motionless_robot_is_not_stopped(stage):
    on = stage([scripted_skill("a", ["SLIPPED"])], limits=Limits(replans=0))
    assert not on.run().ok
    assert on.robot.stops == 0


def test_robot_shared_with_a_running_skill_is_stopped_at_once_only_after_a_crash(stage):
    tree = "tree: t\nroot: {parallel: [{do: a}, {do: c}], succeed_when: 1}"
    on = stage(
        [careless(Failed("SLIPPED")), scripted_skill("c", [("5", "done")])], tree, robot=Arm()
    )
    on.robot.simulation = on.simulation
    assert on.run().ok
    assert on.robot.stopped == [12.5]  # still moving 2 s after the end of the mission
    on = stage(
        [careless(ValueError("boom")), scripted_skill("c", [("5", "done")])], tree, robot=Arm()
    )
    on.robot.simulation = on.simulation
    assert on.run().ok
    assert on.robot.stopped == [10.1]


@pytest.mark.parametrize(
    "tree",
    [
        "tree: t\nroot: {do: a}",
        "tree: t\nroot: {do: a, retry: 3}",
        "tree: t\nroot: {fallback: [{do: a}, {do: b}]}",
        "tree: t\nroot: {parallel: [{do: a}, {sequence: [{do: b}, {do: b}]}], succeed_when: any}",
    ],
)
def test_stopped_robot_does_not_resume_by_itself(stage, tree):
    parts = [careless(Failed("STOPPED", "by hand")), scripted_skill("b", [("3", "done")])]
    on = stage(parts, tree, robot=Arm())
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("blocked", "STOPPED")
    assert outcome.failures[-1]["message"] == "by hand"
    assert (outcome.replans, outcome.planner_calls) == (0, 1)
    # begins together with the other branch or not at all
    assert on.robot.log.count("b start") == tree.count("parallel")


def test_message_after_a_stop_names_the_next_action(stage, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "AFTER_STOP: {en: Bring the arms home., ko: 팔을 제자리로.}\n"
        "ABORTED: {en: Stopped., ko: 멈췄습니다.}\n"
    )
    said = []
    for part in (careless(Failed("STOPPED", "by hand")), careless(None)):
        on = stage([part, scripted_skill("b")], robot=Arm())
        messages = Messages.load([tmp_path / "m.yaml"])
        object.__setattr__(on.executive.site, "messages", messages)
        step = on.simulation.step

        def then_abort(seconds: float, on=on, step=step) -> None:
            step(seconds)
            if seconds and on.executive.runtime.tick == 2:
                on.executive.abort()

        on.simulation.step = then_abort
        said.append(on.run().message)
    assert said == ["by hand Bring the arms home.", "Stopped. Bring the arms home."]


def test_message_names_no_next_action_when_nothing_was_started(stage):
    on = stage([scripted_skill("a")])
    on.executive.abort()
    assert "AFTER_STOP" not in on.run().message


@pytest.mark.parametrize("time", [lambda seconds: None, None])
def test_wait_for_standstill_ends_when_no_time_passes(time):
    simulation = FakeClock()
    if time is not None:
        simulation.step = time  # type: ignore[method-assign]
    robot = ScriptedRobot(still=False)
    robot.stop = lambda: None  # type: ignore[method-assign]
    told: list[str] = []
    failure = come_to_rest(
        {"test": Rig(robot)},
        Clock([simulation], 0.1, fast=True),
        0.5,
        Unwatched(),
        lambda: told.append("stopping"),
    )
    assert failure is not None
    assert (failure.code, told) == ("STOP_FAILED", ["stopping"])


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        (False, "the robot of real: it still moves; the robot of world: it still moves"),
        (True, "the robot of real: it still moves"),  # a paused simulation cannot move
    ],
)
def test_robot_of_a_lost_simulation_counts_as_still_and_a_real_robot_does_not(lost, said, caplog):
    simulation = FakeClock()
    rigs = {
        "real": Rig(ScriptedRobot(still=False)),
        "world": Rig(ScriptedRobot(still=False), simulation=simulation),
        "still": Rig(ScriptedRobot()),
    }
    for rig in rigs.values():
        rig.robot.stop = lambda: None  # type: ignore[method-assign, union-attr]
    clock = Clock([simulation], 0.1, fast=True)
    if lost:
        clock.lost = SimulationLost("gone")
    failure = come_to_rest(rigs, clock, 0.2, Unwatched(), lambda: None)
    assert failure is not None
    assert (failure.message, failure.kind, failure.retryable) == (said, "robot", False)
    assert failure.evidence == dict(part[13:].split(": ", 1) for part in said.split("; "))
    if lost:
        del rigs["real"]
        assert come_to_rest(rigs, clock, 0.2, Unwatched(), lambda: None) is None
        assert caplog.messages[-1] == "the time does not advance"


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (PartBroken("its driver", "hangs", "STEP_HUNG"), "its driver hangs"),
        (KeyboardInterrupt(), "its state cannot be read"),
    ],
)
def test_robot_without_a_readable_state_is_reported_with_its_error(why, said):
    class Silent(ScriptedRobot):
        @property
        def still(self) -> bool:
            raise why

        @still.setter
        def still(self, value: bool) -> None:
            pass

    clock = Clock([FakeClock()], 0.1, fast=True)
    failure = come_to_rest({"test": Rig(Silent())}, clock, 0.2, Unwatched(), lambda: None)
    assert failure is not None
    assert failure.message == f"the robot of test: {said}"


class Standing:
    """Clock whose time does not advance and that counts the attempts to advance it."""

    part, step_s, period_s, lost = "the simulation", 10.0, 0.1, None

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.advanced = 0

    def now(self) -> float:
        return 5.0

    def advance(self) -> None:
        self.advanced += 1
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize(
    ("error", "advanced"),
    [(None, 14), (KeyboardInterrupt(), 2), (PartBroken("it", "hangs"), 2), (OSError("gone"), 2)],
)
def test_stuck_clock_is_stepped_a_few_times_before_and_after_the_stop(error, advanced):
    limits: list[float] = []

    class Noting(Unwatched):
        def call_within(self, limit_s: float, part: str, function: Any, /) -> Any:
            limits.append(limit_s)
            return function()

    clock, robot = Standing(error), ScriptedRobot(still=False)
    robot.stop = lambda: None  # type: ignore[method-assign]
    failure = come_to_rest({"test": Rig(robot)}, clock, 0.5, Noting(), lambda: None)  # type: ignore[arg-type]
    assert failure is not None
    assert (clock.advanced, set(limits)) == (advanced, {40.0})


@pytest.mark.parametrize("site", ["door", "building", "tabletop"])
@pytest.mark.parametrize(("language", "resume"), [("en", "“go on”"), ("ko", "“하던 거 마저 해”")])
def test_every_advice_after_a_stop_explains_how_to_resume(site, language, resume):
    loaded = load_site(site)
    packs = (loaded.messages.of_pack(pack.name) for pack in loaded.catalogue.packs)
    advice = {
        own.say(code, language)
        for own in packs
        for code in own.codes()
        if code.split()[0] == AFTER_STOP
    }
    assert advice
    assert all(resume in text for text in advice)
