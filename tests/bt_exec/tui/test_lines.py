from __future__ import annotations

from bt_exec import events as ev
from bt_exec.tui.lines import PlainView
from bt_exec.tui.model import ViewModel
from tests.bt_exec.tui.scripted import ENGLISH, SLIPPED, Script, get_material

TOP, TAKE = "get_material", "get_material/take_material"

EXPECTED = """\
     0.0 s  command   Get the material inside the door.
     0.2 s  sees      door open 0.9 · handle yes · material yes
     0.2 s  plan 1    6 steps
     0.4 s  skipped   open_door  right → door-handle  already open
     0.4 s  running   grasp  right → material
     2.5 s  failed    grasp  right → material  GRASP_SLIPPED: the box moved 31 mm while the \
fingers closed (limit 10 mm)  (2.1 s)
     2.5 s  planning  again
     2.5 s  plan 2    keeps: open_door · changes: grasp → material_visible, move_arm, grasp
     2.5 s  kept      open_door  right → door-handle  from plan 1
     3.0 s  stop      stopping: operator
     3.0 s  stopped   return_home"""


def test_each_change_is_one_line() -> None:
    written: list[str] = []
    view = PlainView(ViewModel(wall=lambda: 1.0), written.append)
    script = Script()
    script.model = view  # type: ignore[assignment]
    view.failure = None  # type: ignore[attr-defined]
    script.start(ENGLISH).at(0.2).look().plan(get_material(ENGLISH))
    script.at(0.4).node(TOP, "running").node(
        f"{TOP}/open_door/open_door", "skipped", "already open"
    )
    script.node(f"{TOP}/open_door", "done")
    script.node(f"{TAKE}/grasp", "running").node(f"{TAKE}/grasp", "running")
    script.at(2.5).node(f"{TAKE}/grasp", "failed", SLIPPED.message, SLIPPED)
    view.failure = SLIPPED  # type: ignore[attr-defined]
    script.plan(get_material(ENGLISH, 2, (f"{TOP}/open_door",)))
    script.node(f"{TOP}/open_door", "kept")
    script.at(3.0).send(ev.Aborting(3.0, 60, "clean", "operator"))
    script.node(f"{TOP}/shut_and_go_home/return_home", "stopped")
    assert "\n".join(written) == EXPECTED
