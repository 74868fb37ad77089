"""Test harness of a single skill: every end, and errors of the skill itself."""

import pytest
from pydantic import ValidationError

from bt_exec import Failed, Service, Verdict
from bt_exec.skill import Running, Steps, condition, skill
from bt_exec.testing import FakeClock, ScriptedRobot, run_skill, run_tree


@skill(fails={"STUCK"})
def walk(robot: ScriptedRobot, steps: int, then: str = "arrive") -> Steps:
    """Walk some steps."""
    try:
        for step in range(steps):
            yield Running(step / steps, "walking")
        if then != "arrive":
            raise Failed(then, "a wall")
    finally:
        robot.log.append("clean")


def test_run_skill_reports_success():
    robot = ScriptedRobot()
    run = run_skill(walk, robot, steps=2).finish()
    assert (run.outcome, run.ticks, run.code) == ("done", 2, None)
    assert [step.progress for step in run.steps] == [0.0, 0.5]
    assert robot.log == ["clean"]


def test_run_skill_reports_the_failure_code():
    run = run_skill(walk, ScriptedRobot(), steps=1, then="STUCK").finish()
    assert (run.outcome, run.code) == ("failed", "STUCK")
    assert run.tick() is False


def test_run_skill_cancels_a_skill():
    robot = ScriptedRobot()
    run = run_skill(walk, robot, steps=9)
    assert run.tick() is True
    assert run.cancel().cancel().outcome == "cancelled"
    assert robot.log == ["clean"]


def test_finished_skill_is_not_cancelled():
    run = run_skill(walk, ScriptedRobot(), steps=1).finish()
    assert run.cancel().outcome == "done", "a cancel that comes too late is no cancel"


def test_time_advances_in_the_simulation_of_the_skill():
    clock, looks = FakeClock(), []
    run = run_skill(
        walk,
        ScriptedRobot(),
        simulation=clock,
        period_s=0.5,
        before_tick=lambda: looks.append(clock.time),
        steps=3,
    )
    run.finish()
    assert clock.time == 1.5
    assert looks == [0.0, 0.5, 1.0, 1.5]


def test_arguments_are_validated_as_in_a_tree():
    with pytest.raises(ValidationError, match="2 validation errors for walk"):
        run_skill(walk, ScriptedRobot(), stepps=3)


def test_undeclared_code_is_detected():
    run = run_skill(walk, ScriptedRobot(), steps=0, then="LOST")
    with pytest.raises(AssertionError, match=r"LOST is not declared: \['STUCK'\]"):
        run.finish()


def test_endless_skill_is_detected():
    with pytest.raises(AssertionError, match="walk is still running after 5 ticks"):
        run_skill(walk, ScriptedRobot(), steps=9).finish(limit=5)


def test_invalid_step_is_detected():
    @skill()
    def mumble() -> Steps:
        """Yield an invalid step."""
        yield "soon"

    with pytest.raises(AssertionError, match="mumble yielded 'soon', not Running"):
        run_skill(mumble).tick()


class Shelf:
    """Service with books."""

    def __init__(self, *books: str) -> None:
        self.books = list(books)


@skill
def lend(shelf: Service[Shelf], title: str) -> Steps:
    """Take a book from the shelf."""
    yield Running(None, "looking")
    shelf.books.remove(title)


@condition
def on_shelf(shelf: Service[Shelf], title: str) -> Verdict:
    """Return True if a book is on the shelf."""
    return Verdict.yes() if title in shelf.books else Verdict.no(f"{title} is lent")


LEND = "{sequence: [{check: {on_shelf: {title: Emma}}}, {do: lend, with: {title: Emma}}]}"


def test_services_are_passed_by_name():
    shelf = Shelf("Emma", "Ulysses")
    assert run_skill(lend, shelf=shelf, title="Emma").finish().outcome == "done"
    assert shelf.books == ["Ulysses"]


def test_missing_service_is_reported_by_name():
    with pytest.raises(TypeError, match="lend needs the service 'shelf': shelf="):
        run_skill(lend, title="Emma")  # type: ignore[call-arg]  # reported by mypy, too


def test_tree_runs_with_services():
    shelf = Shelf("Emma")
    run = run_tree(f"tree: t\nroot: {LEND}", [lend, on_shelf], services={"shelf": shelf})
    assert run.outcome is not None
    assert run.outcome.ok
    assert shelf.books == []
    with pytest.raises(TypeError, match="the tree needs the service 'shelf'"):
        run_tree(f"tree: t\nroot: {LEND}", [lend, on_shelf])
