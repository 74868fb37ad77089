"""One skill in the hands of its test: every ending, and what is wrong with the skill itself."""

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


def test_it_arrives():
    robot = ScriptedRobot()
    run = run_skill(walk, robot, steps=2).finish()
    assert (run.outcome, run.ticks, run.code) == ("done", 2, None)
    assert [step.progress for step in run.steps] == [0.0, 0.5]
    assert robot.log == ["clean"]


def test_it_fails():
    run = run_skill(walk, ScriptedRobot(), steps=1, then="STUCK").finish()
    assert (run.outcome, run.code) == ("failed", "STUCK")
    assert run.tick() is False


def test_it_is_cancelled():
    robot = ScriptedRobot()
    run = run_skill(walk, robot, steps=9)
    assert run.tick() is True
    assert run.cancel().cancel().outcome == "cancelled"
    assert robot.log == ["clean"]


def test_what_has_ended_is_not_cancelled_any_more():
    run = run_skill(walk, ScriptedRobot(), steps=1).finish()
    assert run.cancel().outcome == "done", "a cancel that comes too late is no cancel"


def test_time_passes_in_its_simulation():
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


def test_arguments_are_checked_as_in_a_tree():
    with pytest.raises(ValidationError, match="2 validation errors for walk"):
        run_skill(walk, ScriptedRobot(), stepps=3)


def test_a_code_that_is_not_declared_is_found():
    run = run_skill(walk, ScriptedRobot(), steps=0, then="LOST")
    with pytest.raises(AssertionError, match=r"LOST is not declared: \['STUCK'\]"):
        run.finish()


def test_one_that_never_ends_is_found():
    with pytest.raises(AssertionError, match="walk is still running after 5 ticks"):
        run_skill(walk, ScriptedRobot(), steps=9).finish(limit=5)


def test_a_step_that_is_none_is_found():
    @skill()
    def mumble() -> Steps:
        """Yield nonsense."""
        yield "soon"

    with pytest.raises(AssertionError, match="mumble yielded 'soon', not Running"):
        run_skill(mumble).tick()


class Shelf:
    """Where books stand."""

    def __init__(self, *books: str) -> None:
        self.books = list(books)


@skill
def lend(shelf: Service[Shelf], title: str) -> Steps:
    """Take a book from the shelf."""
    yield Running(None, "looking")
    shelf.books.remove(title)


@condition
def on_shelf(shelf: Service[Shelf], title: str) -> Verdict:
    """Whether a book stands on the shelf."""
    return Verdict.yes() if title in shelf.books else Verdict.no(f"{title} is lent")


LEND = "{sequence: [{check: {on_shelf: {title: Emma}}}, {do: lend, with: {title: Emma}}]}"


def test_services_are_given_by_name():
    shelf = Shelf("Emma", "Ulysses")
    assert run_skill(lend, shelf=shelf, title="Emma").finish().outcome == "done"
    assert shelf.books == ["Ulysses"]


def test_a_service_that_is_missing_is_named():
    with pytest.raises(TypeError, match="lend needs the service 'shelf': shelf="):
        run_skill(lend, title="Emma")  # type: ignore[call-arg]  # which mypy finds, too


def test_a_tree_is_run_with_services():
    shelf = Shelf("Emma")
    run = run_tree(f"tree: t\nroot: {LEND}", [lend, on_shelf], services={"shelf": shelf})
    assert run.outcome is not None
    assert run.outcome.ok
    assert shelf.books == []
    with pytest.raises(TypeError, match="the tree needs the service 'shelf'"):
        run_tree(f"tree: t\nroot: {LEND}", [lend, on_shelf])
