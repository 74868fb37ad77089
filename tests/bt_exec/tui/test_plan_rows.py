from __future__ import annotations

from typing import Any

import pytest

from bt_exec import events as ev
from bt_exec.failure import Failure
from bt_exec.tui.node_text import arguments_text, duration_text
from bt_exec.tui.plan_rows import Forest
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.tui.scripted import get_material, mission


def test_tree_that_only_runs_its_skill_is_one_row() -> None:
    forest = Forest(get_material().root)
    (root,) = forest.roots
    assert [child.label for child in root.children] == [
        "open_door",
        "material_visible",
        "take_material",
        "shut_and_go_home",
    ]
    inner, outer = "get_material/open_door/open_door", "get_material/open_door"
    assert forest.by_path[inner] is forest.by_path[outer]
    forest.set_state(outer, "running", 0.0, "", None)
    forest.set_state(inner, "skipped", 0.1, "already open", None)
    forest.set_state(outer, "done", 0.1, "", None)
    assert forest.by_path[inner].state == "skipped"
    timeout = Failure("TIMEOUT", path=outer)
    forest.set_state(outer, "failed", 0.2, "", timeout)
    assert forest.by_path[inner].failure is timeout


def test_sequence_with_a_name_or_a_guard_keeps_its_row() -> None:
    spec = mission(
        "mission: {command: x}\nroot:\n  sequence:\n"
        "    - {name: first, sequence: [{do: a}]}\n"
        "    - {timeout: 5s, sequence: [{do: b}]}\n"
        "    - {sequence: [{do: c}]}\n"
    )
    assert [row.label for row in Forest(spec.root).roots] == ["first", "sequence", "c"]


def test_arguments_are_shown_by_display_names() -> None:
    assert arguments_text({"arm": "right", "object_label": "material"}) == "right → material"
    assert arguments_text({"text": "a", "speed": 0.5, "fast": True, "gentle": False}) == (
        "a, speed 0.5, fast, no gentle"
    )
    assert arguments_text({"labels": ["a", "b"], "count": 2}) == "a + b, count 2"
    assert arguments_text({"target": "a", "spot": ()}) == "a"


def test_durations_are_formatted() -> None:
    said = [duration_text(value) for value in (0, 0.26, 99.9, 99.96, 125, 3725)]
    assert said == ["0.0 s", "0.3 s", "99.9 s", "1 min 40 s", "2 min 05 s", "1 h 02 min"]
    assert duration_text(3.1500000000000004) == duration_text(3.15), "a step and its mission"


@pytest.mark.parametrize("state", ["done", "failed", "stopped"])
def test_skill_that_ends_again_within_one_tick_is_not_shown_as_running(state: Any) -> None:
    model = ViewModel()
    model.on(ev.MissionStarted(0.0, 0, "m", "x", "en", "site"))
    model.on(ev.Planned(0.0, 0, mission("mission: {command: x}\nroot: {do: a}\n"), 1))
    model.on(ev.NodeChanged(1.0, 1, "a", state))
    model.on(ev.SkillStarting(2.0, 2, "a", "a", {}, 2))
    model.on(ev.SkillEnded(2.0, 2, "a", "a", 2, state, 0.0))
    assert [row.state for row in model.forest] == [state]


def test_progress_of_a_skill_stays_until_it_changes() -> None:
    """The start of a skill, its first step and its row change arrive in this order in one tick."""
    model = ViewModel()
    model.on(ev.MissionStarted(0.0, 0, "m", "x", "en", "site"))
    model.on(ev.Planned(0.0, 0, mission("mission: {command: x}\nroot: {do: a}\n"), 1))
    for attempt in (1, 2):
        model.on(ev.SkillStarting(0.0, 1, "a", "a", {}, attempt))
        (row,) = model.forest
        assert (row.progress, row.doing) == (None, "")
        model.on(ev.Progress(0.0, 1, "a", 0.5, "waiting"))
        model.on(ev.NodeChanged(0.0, 1, "a", "running"))
        assert (row.progress, row.doing) == (0.5, "waiting")


@pytest.mark.parametrize(
    ("states", "state"),
    [(("kept", "kept"), "kept"), (("kept", "done"), "done"), (("skipped", "skipped"), "done")],
)
def test_part_is_marked_as_kept_only_if_all_its_steps_are_kept(
    states: tuple[str, ...], state: str
) -> None:
    spec = mission(
        "mission: {command: x}\nroot:\n  sequence:\n"
        "    - {name: part, sequence: [{do: a}, {do: b}]}\n    - {do: c}\n"
    )
    forest = Forest(spec.root)
    part = forest.roots[0]
    paths = {id(row): path for path, row in forest.by_path.items()}
    for step, one in zip(part.children, states, strict=True):
        forest.set_state(paths[id(step)], one, 0.1, "from plan 1", None)  # type: ignore[arg-type]
    forest.set_state(paths[id(part)], "running", 0.1, "", None)
    forest.set_state(paths[id(part)], "done", 0.1, "", None)
    assert part.state == state
    assert part.detail == ("from plan 1" if state == "kept" else "")


def test_subgoal_with_a_single_child_is_counted_like_others() -> None:
    spec = mission(
        "mission: {command: x}\nroot:\n  name: subgoals\n  sequence:\n"
        "    - {name: first, sequence: [{do: a}, {do: b}]}\n"
        "    - {name: second, sequence: [{sequence: [{do: a}, {do: b}], retry: 2}]}\n"
        "    - {check: door_known}\n"
    )
    model = ViewModel()
    model.on(ev.MissionStarted(0.0, 0, "m", "x", "en", "site"))
    model.on(ev.Planned(0.0, 0, spec, 1))
    model.on(ev.NodeChanged(1.0, 1, "subgoals/first", "done"))
    assert model.detail_beside_label(model.forest.roots[0]) == "1/2"
