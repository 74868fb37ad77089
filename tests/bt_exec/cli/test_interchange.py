"""``bt-exec export`` and ``bt-exec import``."""

from __future__ import annotations

from pathlib import Path

from bt_exec.site.site import load_site
from bt_exec.spec.load import load_file
from tests.bt_exec.cli.conftest import Run

DATA = Path(__file__).parents[2] / "data" / "btcpp"


def test_tree_is_unchanged_by_export_and_import(bt: Run, tmp_path: Path) -> None:
    file, folder = tmp_path / "tree.xml", tmp_path / "trees"
    ran = bt("export", "get_material", "--site", "door", "-o", str(file))
    assert (ran.code, ran.out) == (0, "")
    assert "FAILURE_CODE (kept): BehaviorTree.CPP has no failure codes" in ran.err
    ran = bt("import", str(file), "--site", "door", "--to", str(folder))
    assert (ran.code, ran.err) == (0, "")
    library = load_site("door").library
    for path in folder.iterdir():
        assert load_file(path).document == library.get(path.stem)
    assert (folder / "get_material.yaml").is_file()


def test_import_does_not_overwrite_files(bt: Run, tmp_path: Path) -> None:
    (tmp_path / "Door_Closed.yaml").write_text("mine")
    ran = bt("import", str(DATA / "tutorial_door.xml"), "--to", str(tmp_path))
    assert ran.code == 2
    assert "not overwritten" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["Door_Closed.yaml"]


def test_import_prints_trees_to_stdout_and_its_report_to_stderr(bt: Run) -> None:
    ran = bt("import", str(DATA / "tutorial_door.xml"))
    assert ran.code == 0
    assert ran.out.startswith("tree: MainTree\n")
    assert "---\ntree: Door_Closed\n" in ran.out
    assert "SAME_TICK (changed)" in ran.err


def test_files_that_are_not_trees_are_refused(bt: Run, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<root>")
    for path in (tmp_path / "a.xml", tmp_path / "none.xml", Path("x" * 300)):
        ran = bt("import", str(path))
        assert ran.code == 2
        assert ran.out == ""
    ran = bt("export", "get_materail", "--site", "door")
    assert ran.code == 2
    assert "nearest first: get_material" in ran.err
    assert bt("export", "get_material", "-o", str(tmp_path / "no" / "a.xml")).code == 2
