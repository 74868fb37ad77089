"""Random missions with random faults: selection, invariants and reports."""

from __future__ import annotations

import multiprocessing
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from bt_exec.events import Aborting, Asked, Planned, SkillStarting
from bt_exec.failure import UsageError
from bt_exec.nodes.fault_injection import Fault, Faults
from bt_exec.nodes.fault_plan import FaultPlan
from bt_exec.site.site import load_site
from bt_exec.skill import Verdict
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.testing.random_fault_missions import (
    STALE_S,
    Invariants,
    Report,
    Torture,
    random_fault_plan,
)
from tests.cases import cases

SPEC = MissionSpec.model_validate(
    {"mission": Mission(command="x"), "root": {"sequence": [{"do": "go"}, {"do": "grasp"}]}}
)
_, PATH, _ = (path for path, _ in nodes_with_paths(SPEC.root))
COMMANDS = {
    "tabletop": ("sort everything by colour", "빨간 큐브를 빨간 그릇에 넣어", "what is on table 1?")
}
"""Commands for sites whose trees have no utterances."""
PLANNED = Planned(0.0, 0, SPEC, 1)
GO = SkillStarting(0.1, 1, PATH, "go", {}, 1)
STOP = Aborting(0.2, 2, "clean", "operator")


def asked(age_s: float, *, holds: bool | None = True) -> Asked:
    verdict = Verdict(holds, "seen", (), age_s)
    return Asked(0.1, 1, PATH, "while", "door_open", verdict)


@pytest.mark.parametrize(
    ("events", "broken"),
    [
        ([PLANNED, GO, STOP], []),
        ([PLANNED, STOP, GO], ["go started after a stop"]),
        ([GO], ["go started outside a verified plan"]),
        ([PLANNED, SkillStarting(0, 1, PATH, "grasp", {}, 1)], ["grasp started outside"]),
        ([asked(STALE_S)], []),
        ([asked(9.0, holds=False), asked(9.0, holds=None)], []),
        ([asked(9.0)], ["door_open held on evidence that was 9.0 s old"]),
    ],
)
def test_violated_invariants_are_reported(events, broken):
    invariants = Invariants()
    for event in events:
        invariants.on(event)
    assert len(invariants.broken) == len(broken)
    assert all(one.startswith(said) for one, said in zip(invariants.broken, broken, strict=True))


@pytest.mark.parametrize("name", ["door", "building", "tabletop"])
def test_random_fault_plans_are_valid_for_their_site(name):
    site, rng = load_site(name), random.Random(1)
    plans = [random_fault_plan(site, rng, COMMANDS.get(name, ())) for _ in range(200)]
    for plan in plans:
        Faults.parse([fault.to_source() for fault in plan.faults], site.catalogue.skills)
        for pack in site.catalogue.packs:
            own = {
                k: v for k, v in plan.initial_world_texts().items() if k in pack.world.model_fields
            }
            pack.world.model_validate(own)
    parts = {fault.part for plan in plans for fault in plan.faults}
    assert parts == {"skill", "camera", "planner", "journal", "operator", "process"}


@pytest.mark.parametrize(
    ("mib", "flat"),
    [
        ([], True),
        ([250.0], True),
        ([250.0] * 30 + [470.0] * 70, True),  # a model was loaded
        ([250.0 + mission for mission in range(100)], False),
    ],
)
def test_memory_growth_is_reported_only_if_it_is_steady(mib, flat):
    assert Report(mib=mib).is_memory_flat is flat


def test_site_without_utterances_needs_commands():
    with pytest.raises(UsageError, match="give --commands FILE"):
        random_fault_plan(load_site("tabletop"), random.Random(1))


@pytest.mark.slow
def test_missions_are_repeated_and_counted(door_site, tmp_path):
    fault = Fault(part="skill", name="open_door", does="crash", after=5)
    plans = [
        FaultPlan(command="open the door", faults=(fault,)),
        FaultPlan(command="open the door"),
    ]
    report = Torture(door_site, tmp_path, again=True).run(plans)
    assert report.failing == []
    assert report.statuses.total() == report.verified == 2
    assert report.fired == {"skill crash": 1}


def test_internal_error_is_a_failing_case(door_site, tmp_path, monkeypatch):
    def broken(*args):
        raise KeyError("7")

    monkeypatch.setattr(Torture, "_violations_of", broken)
    plan = FaultPlan(command="open the door")
    report = Torture(door_site, tmp_path).run([plan])
    assert report.failing == [(plan, ("KeyError: '7'",))]


def test_mission_stopped_by_the_operator_is_not_a_failing_case(door_site, tmp_path, monkeypatch):
    def stopped(number, command):
        raise KeyboardInterrupt

    monkeypatch.setattr(Torture, "_violations_of", lambda *_: iter(["run again, it differs"]))
    torture = Torture(door_site, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        torture.run([FaultPlan(command="open the door")], stopped)
    assert torture.report.failing == []


@pytest.mark.slow
def test_killed_mission_is_restored_and_resumed(tmp_path):
    fault = Fault(part="process", does="kill", since=3)
    plan = FaultPlan(site="building", command="go to the lounge", faults=(fault,))
    report = Torture(load_site("building"), tmp_path).run([plan])
    assert report.failing == []
    assert report.statuses == {"killed": 1}


def _run_random_missions(file: str, folder: Path) -> Report:
    site, rng = load_site(file), random.Random(11)
    commands = COMMANDS.get(site.name, ())
    plans = [random_fault_plan(site, rng, commands, kills=False) for _ in range(cases(4, 2))]
    return Torture(site, folder, again=True).run(plans * 2)  # the second run loads nothing new


@pytest.mark.slow
@pytest.mark.parametrize("name", ["door", "building", "tabletop"])
def test_invariants_hold_in_random_missions(name, door_site, tmp_path):
    file = str(door_site.file) if name == "door" else name
    spawn = multiprocessing.get_context("spawn")  # this process has the memory of many tests
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        report = pool.submit(_run_random_missions, file, tmp_path).result()
    assert report.failing == []
    assert report.is_memory_flat


@pytest.fixture
def door_site(tmp_path):
    """Return a door site with cheap perception."""
    file = tmp_path / "door.yaml"
    file.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
    return load_site(str(file))
