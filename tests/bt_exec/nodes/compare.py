"""Differential run of a case: built nodes against the reference, tick by tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from py_trees.common import Status

from bt_exec.events import Event
from bt_exec.failure import Failure
from bt_exec.journal import Journal
from bt_exec.journal.recorded_mission import EventRow
from bt_exec.nodes.build import Built, build
from bt_exec.nodes.fault_injection import Fault, Faults
from bt_exec.nodes.frontier import Frontier
from bt_exec.nodes.runtime import Runtime
from bt_exec.rig import Rig
from bt_exec.testing import FakeClock
from bt_exec.testing.tree_run import plan_without_verification
from tests.bt_exec.nodes.random_trees import Case
from tests.bt_exec.nodes.reference import Reference
from tests.bt_exec.nodes.stage import CATALOGUE, PACK, Player

__all__ = ["TICKS", "TICK_S", "compare", "journal_rows"]

TICK_S = 0.05
TICKS = 24
"""A case that still runs after this number of ticks is stopped, as by an abort."""

_WORDS = {Status.RUNNING: "running", Status.SUCCESS: "done", Status.FAILURE: "failed"}


def staged(
    case: Case, player: Player, clock: FakeClock, on: Callable[[Event], None]
) -> tuple[Runtime, Built]:
    """Return the runtime and the nodes of a case."""
    faults = Faults(
        Fault.parse(f"{skill}:{call}={code}") for (skill, call), code in case.faults.items()
    )
    runtime = Runtime(CATALOGUE, {PACK.name: Rig(player)}, {}, lambda: clock.time, on, faults)
    return runtime, build(plan_without_verification(case.spec), runtime)


def journal_rows(journal: Journal, case: Case, *, by_generator: bool) -> tuple[EventRow, ...]:
    """Run `case` with a journal and return its rows; `by_generator` as in `compare`."""
    clock = FakeClock()
    with journal.begin(command="test") as recorder:
        runtime, built = staged(case, Player(case.script.fresh()), clock, recorder.on)
        frontier = Frontier(built.root, runtime)
        for runtime.tick in range(1, (case.abort_at or TICKS) + 1):
            status = [*built.root.tick()][-1].status if by_generator else frontier.tick()
            if status is not Status.RUNNING:
                break
            clock.step(TICK_S)
        else:
            built.root.stop(Status.INVALID)
    return journal.rows(recorder.mission_id)


def compare(case: Case, *, by_generator: bool = False) -> tuple[Reference, int]:
    """Run `case` with both implementations.

    With `by_generator`, the nodes are ticked by the generator that py_trees uses.

    Returns:
        The reference and the number of ticks.

    Raises:
        AssertionError: At the first tick where the two differ.
    """
    reference = Reference(case.spec, case.script.fresh(), case.faults)
    events: list[Event] = []
    player, clock = Player(case.script.fresh()), FakeClock()
    runtime, built = staged(case, player, clock, events.append)
    frontier = Frontier(built.root, runtime)
    tick, last = 0, case.abort_at or TICKS
    while True:
        tick += 1
        runtime.tick = tick
        if by_generator:
            assert list(built.root.tick())[-1] is built.root
        else:
            frontier.tick()
        expected = reference.tick(clock.time)
        found = {path: _WORDS[n.status] for path, n in built.by_path.items() if n.status in _WORDS}
        assert [f"tick {tick}", *map(_plain, events)] == [f"tick {tick}", *reference.events]
        assert player.log == reference.log, f"tick {tick}"
        assert found == reference.status, f"tick {tick}"
        if expected != "running" or tick == last:
            break
        clock.step(TICK_S)
    if expected == "running":
        built.root.stop(Status.INVALID)
        reference.stop()
        assert [*map(_plain, events)] == reference.events
        assert player.log == reference.log
        assert all(node.status is Status.INVALID for node in built.by_path.values())
    finished = [
        (done.path, done.skill, done.args, done.skipped) for done in built.finished_leaves()
    ]
    assert finished == reference.finished
    assert runtime.results == reference.around.results
    return reference, tick


def _plain(event: Event) -> Event:
    """Return an event without tracebacks, so that the remaining text can be compared."""
    failure: Failure | None = getattr(event, "failure", None)
    if failure is None:
        return event
    # type: ignore[arg-type,call-arg]  # events with tracebacks have the field
    return replace(event, failure=_dotted(failure))


def _dotted(failure: Failure) -> Failure:
    evidence: Mapping[str, Any] = failure.evidence
    if "traceback" in evidence:
        evidence = {**evidence, "traceback": "…"}
    cause = _dotted(failure.cause) if failure.cause is not None else None
    return replace(failure, evidence=evidence, cause=cause)
