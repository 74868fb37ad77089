"""Home directories in paths: known users are expanded, other paths stay unchanged."""

import subprocess
from pathlib import Path

import pytest

from bt_exec.files import expand_home


def test_known_home_is_expanded_and_an_unknown_one_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    assert expand_home("~/a.yaml") == Path("/home/anna/a.yaml")
    assert expand_home(Path("~no-such-user/a.yaml")) == Path("~no-such-user/a.yaml")
    assert expand_home("a/~b") == Path("a/~b")


def test_paths_of_users_are_expanded() -> None:
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
