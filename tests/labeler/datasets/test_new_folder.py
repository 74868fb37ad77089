"""Output folders that appear only when they are complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.batch.output_folder import atomic_new_folder
from bt_exec.failure import UsageError


@pytest.mark.parametrize("exists", [False, True])
def test_folder_appears_when_it_is_complete(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "deep" / "set"
    if exists:
        folder.mkdir(parents=True)
    with atomic_new_folder(folder) as part:
        assert part != folder
        (part / "a.txt").write_text("one")
        assert not (folder / "a.txt").exists()
    assert (folder / "a.txt").read_text() == "one"
    assert [path.name for path in folder.parent.iterdir()] == ["set"]


def test_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="set cannot be written: Is a directory"),
        atomic_new_folder(tmp_path / "set") as part,
    ):
        part.write_text("one")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_folder_in_use_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "set"
    if kind == "file":
        path.write_text("mine")
    else:
        path.mkdir()
        (path / "mine").write_text("")
    with pytest.raises(UsageError, match="set"), atomic_new_folder(path):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["set"]
