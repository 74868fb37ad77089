"""Fault plans in files."""

from __future__ import annotations

import pytest

from bt_exec.failure import SpecError
from bt_exec.nodes.fault_injection import Fault
from bt_exec.nodes.fault_plan import FaultPlan, load_fault_plan


def test_plan_is_read_from_a_file(tmp_path):
    faults = (
        Fault(part="skill", name="grasp", does="fail", code="GRASP_SLIPPED", call=1, after=3),
        Fault(part="camera", does="freeze", since=2, until=4, times=2),
    )
    plan = FaultPlan(
        summary="문이 걸림", site="door", command="open", world={"seed": 3}, faults=faults
    )
    file = tmp_path / "plan.yaml"
    file.write_text(plan.to_yaml(), encoding="utf-8")
    assert load_fault_plan(file) == plan


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{part: skill, does: lose}", "a skill cannot lose; allowed: fail, crash, hang, slow"),
        (
            "{part: skill, does: fail}",
            "'code' is required for a skill that fails, and not allowed otherwise",
        ),
        ("{part: camera, does: crash, code: X}", "'code' is required for a skill that fails"),
        ("{part: camera, does: lose, since: 3, until: 2}", "until must be later than since"),
        ("{part: arm, does: crash}", "must be 'skill', 'camera', 'planner', 'journal'"),
        ("{part: skill, does: crash, call: 0}", "must be greater than or equal to 1"),
        ("{part: skill, does: crash, cal: 1}", "unknown field 'cal'"),
    ],
)
def test_invalid_fault_is_reported_with_its_line(tmp_path, line, message):
    file = tmp_path / "plan.yaml"
    file.write_text(f"command: go\nfaults:\n  - {line}\n", encoding="utf-8")
    with pytest.raises(SpecError) as told:
        load_fault_plan(file)
    assert message in str(told.value)
    assert told.value.problems[0].line == 3


def test_world_of_the_command_line_takes_precedence():
    plan = FaultPlan(world={"seed": 3, "door": "ajar"})
    assert plan.world_with(["seed=5"]) == ["door=ajar", "seed=5"]
