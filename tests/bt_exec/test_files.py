"""Paths and files of users: expansion of ``~``, atomic writing."""

import subprocess
from pathlib import Path

import pytest

from bt_exec.failure import UsageError
from bt_exec.files import atomic_replacement, expand_home, write_text_atomically, write_user_file


def test_known_home_is_expanded_and_an_unknown_one_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    assert expand_home("~/a.yaml") == Path("/home/anna/a.yaml")
    assert expand_home(Path("~no-such-user/a.yaml")) == Path("~no-such-user/a.yaml")
    assert expand_home("a/~b") == Path("a/~b")


def test_home_folders_are_expanded_in_one_module_only() -> None:
    root = Path(__file__).parents[2]
    folders = ["bt_exec", "skills", "llm", "labeler"]
    found = subprocess.run(
        ["grep", "-rl", "--include=*.py", "expanduser", *folders],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    assert found == ["bt_exec/files.py"]


def test_files_with_the_same_stem_can_be_written_at_the_same_time(tmp_path: Path) -> None:
    with (
        atomic_replacement(tmp_path / "a.json") as one,
        atomic_replacement(tmp_path / "a.yaml") as other,
    ):
        one.write_text("1")
        other.write_text("2")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a.json": "1",
        "a.yaml": "2",
    }


def test_interrupted_write_leaves_the_old_file_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text_atomically(path, "old\r\n")

    def interrupted(path: Path) -> None:
        with atomic_replacement(path) as part:
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [
        ("a.txt", b"old\r\n")
    ]


def test_replaced_link_stays_a_link_with_the_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    (tmp_path / "link").symlink_to("a.txt")
    write_user_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


def test_file_that_cannot_be_written_is_reported_by_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    write_user_file(Path("/dev/null"), "gone")
    with pytest.raises(UsageError, match="/a: cannot be written: file exists"):
        write_user_file(tmp_path / "a" / "b.yaml", "x", folders=True)
    with pytest.raises(UsageError, match=r"/n{300}: cannot be written: file name too long"):
        write_user_file(tmp_path / ("n" * 300), "x")
