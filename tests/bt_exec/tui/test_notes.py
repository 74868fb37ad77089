"""Notes about changes made by passes, shown when the plan starts."""

from __future__ import annotations

from bt_exec.site.site import load_site
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.node_text import pass_notes_text
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.terminal_text import without_styles
from bt_exec.tui.view_drawing import draw, tree_lines
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.tui.scripted import ENGLISH, Script, get_material, mission

NOTES = (
    "arm_policy: move_arm: material is handled by the right arm",
    "arm_policy: grasp: material is handled by the right arm",
    "planned without the language model: no answer",
)
SAID = "move_arm, grasp: material is handled by the right arm"


def noted(version: int = 1) -> MissionSpec:
    spec = get_material(ENGLISH, version)
    return spec.model_copy(update={"mission": spec.mission.model_copy(update={"notes": NOTES})})


def test_nodes_of_the_same_change_share_a_line() -> None:
    assert pass_notes_text(NOTES) == (SAID, "planned without the language model: no answer")


def test_live_view_shows_notes_above_the_tree() -> None:
    model = Script().start(ENGLISH).plan(noted()).model
    rows = without_styles(draw(model, 80, 24)).splitlines()
    place = rows.index(f" note · {SAID}")
    assert rows[place + 2].startswith(" · get_material")
    assert f" note · {SAID}" in without_styles(tree_lines(model, 80))


def test_note_names_every_node_that_it_is_about() -> None:
    spec = mission(
        "mission: {command: open it, notes: ['both: open_door: the door is heavy']}\n"
        "root:\n  sequence:\n"
        "    - {do: open_door, with: {arm: left, object_label: door-handle}}\n"
        "    - {do: open_door, with: {arm: right, object_label: door-handle}}\n"
    )
    script = Script(ViewModel(messages=load_site("door").messages)).start(ENGLISH).plan(spec)
    assert script.model.pass_notes() == (
        "open the door with the left arm, open the door with the right arm: the door is heavy",
    )


def test_notes_are_dropped_first_when_space_is_short() -> None:
    script = Script().start(ENGLISH).plan(noted())
    bare = Script().start(ENGLISH).plan(get_material(ENGLISH))
    for height in range(6, 15):
        assert draw(script.model, 80, height) == draw(bare.model, 80, height)


def test_plain_view_prints_each_note_once_per_mission() -> None:
    written: list[str] = []
    view = PlainView(ViewModel(wall=lambda: 1.0), written.append)
    script = Script()
    script.model = view  # type: ignore[assignment]
    view.failure = None  # type: ignore[attr-defined]
    script.start(ENGLISH).plan(noted()).plan(noted(2)).start(ENGLISH).plan(noted())
    said = [line.partition("s  ")[2] for line in written if "  note  " in line]
    first = [f"note      {text}" for text in pass_notes_text(NOTES)]
    assert said == [*first, *first], "a second plan says nothing new, a second mission does"


def test_plan_without_a_compiler_has_no_compiler_name() -> None:
    written: list[str] = []
    view = PlainView(ViewModel(wall=lambda: 1.0), written.append)
    spec = get_material(ENGLISH)
    header = spec.mission.model_copy(update={"compiler": ""})
    script = Script()
    script.model = view  # type: ignore[assignment]
    view.failure = None  # type: ignore[attr-defined]
    script.start(ENGLISH).plan(spec.model_copy(update={"mission": header}))
    assert written[-1].endswith("plan 1    6 steps")
