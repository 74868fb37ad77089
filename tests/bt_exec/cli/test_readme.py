"""Snippets of the README run unchanged, and the links of the documentation resolve."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from bt_exec import testing

ROOT = Path(__file__).parents[3]
README = ROOT / "README.md"


def block(kind: str, start: str) -> str:
    """Return the first code block of a language that contains `start`."""
    text = README.read_text(encoding="utf-8")
    blocks: list[str] = re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)
    return next(one for one in blocks if start in one)


@pytest.mark.slow
def test_tree_of_the_readme_is_valid_and_has_the_described_effect(
    bt: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "get_material.yaml"
    file.write_text(block("yaml", "tree: get_material"), encoding="utf-8")
    checked = bt("check", str(file))
    assert (checked.code, checked.out) == (0, "1 file checked: no problems\n")
    ran = bt("run", "get it", "--plan", str(file), "--fast", "--no-journal")
    assert ran.code == 0, ran.out
    assert "The right hand holds the material." in " ".join((ran.out + ran.err).split())


class _Pull:
    done, progress, failure = False, 0.5, None

    def __init__(self, robot: _Robot) -> None:
        self.robot = robot
        robot.still = False

    def stop(self) -> None:
        self.robot.still = True


class _Robot:
    still = True

    def stop(self) -> None:
        self.still = True

    def pull_open(self, arm: str, label: str) -> _Pull:
        del arm, label
        return _Pull(self)


def test_skill_of_the_readme_passes_its_test() -> None:
    robot = _Robot()
    given: dict[str, Any] = {
        "Arm": Literal["left", "right"],
        "DoorLabel": Literal["door-handle"],
        "DoorRobot": _Robot,
        "my_robot": robot,
    }
    exec(block("python", "def pull_door("), given)
    exec(block("python", "check_skill("), given)
    assert robot.still
    assert given["run_skill"] is testing.run_skill


PAGES = sorted(
    [
        README,
        ROOT / "README.ko.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "ARCHITECTURE.md",
        *ROOT.glob("docs/*.md"),
    ]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_and_sections_resolve(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text(encoding="utf-8")):
        name, _, section = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if section:
            titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
            assert section in slugs, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_examples_exist(page: Path) -> None:
    for name in re.findall(r"examples/\d\d_\w+(?:\.py)?", page.read_text(encoding="utf-8")):
        assert (ROOT / name).exists() or list(ROOT.glob(name + "*")), name


def test_subcommands_in_documentation_exist(bt: Callable[..., Any]) -> None:
    known = set(re.findall(r"^│ ([a-z]+)", bt("--help").out, re.MULTILINE))
    for page in PAGES:
        shown = re.findall(r"^bt-exec ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(shown) <= known, page.name
