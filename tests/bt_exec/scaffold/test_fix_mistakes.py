"""Automatic correction of misspelt names, only if it is certain."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.failure import Problem
from bt_exec.scaffold.fix_mistakes import correction, fixed_text
from tests.bt_exec.cli.test_mutations import CLASSES, Case, cases, correct, problems_of, shown


def problem(found, allowed, code="UNKNOWN_SKILL", line=1, column=1):
    return Problem(code, "m", found=found, allowed=tuple(allowed), line=line, column=column)


@pytest.mark.parametrize(
    ("found", "allowed", "meant"),
    [
        ("open_dor", ["open_door", "close_door"], "open_door"),
        ("opne_door", ["open_door"], "open_door"),
        ("opens_door", ["open_door"], "open_door"),
        ("robot_a.graps", ["robot_a.grasp", "robot_b.grasp"], "robot_a.grasp"),
        ("grasp", ["grasps", "graspy"], ""),
        ("tray_2", ["tray_1"], ""),
        ("arm_c", ["arm_a"], ""),
        ("robot_c.grasp", ["robot_a.grasp"], ""),
        ("on", ["one"], ""),
        ("open_the_door", ["open_door"], ""),
        ("grasp", ["grasp"], ""),
        ("왼쪼", ["왼쪽"], ""),
    ],
)
def test_certain_correction_is_found(found, allowed, meant):
    assert correction(found, allowed) == meant


def test_other_codes_are_not_corrected():
    not_seen = problem("open_dor", ["open_door"], code="LABEL_NOT_SEEN")
    assert fixed_text("open_dor", [not_seen]) == "open_dor"


def test_only_the_name_changes():
    text = "a: {do: 'graps'}  # graps\nb: graps  # do graps\r\nc: grapses\n"
    spots = [(1, 9), (2, 4), (3, 4), (9, 1)]
    problems = [problem("graps", ["grasp"], line=line, column=at) for line, at in spots]
    fixed = "a: {do: 'grasp'}  # graps\nb: grasp  # do graps\r\nc: grapses\n"
    assert fixed_text(text, problems) == fixed


@given(st.text(alphabet="open_dr.#' \n", max_size=60), st.integers(1, 9), st.integers(1, 20))
def test_at_most_one_letter_differs_at_the_position(text, line, column):
    fixed = fixed_text(text, [problem("open_dor", ["open_door"], line=line, column=column)])
    assert fixed == text or fixed.replace("open_door", "open_dor") == text.replace(
        "open_door", "open_dor"
    )


def assert_restored(found: list[Case], folder: Path) -> int:
    """Check that each corrected text equals a correct one, and return the number of corrections."""
    restored = 0
    for number, case in enumerate(found):
        file = folder / f"f{number}.{shown(case.kind)}"
        problems = problems_of(case.text, case.check, file)
        fixed = fixed_text(case.text, problems)
        if fixed != case.text:
            restored += 1
            assert fixed in {text for text, _ in correct(case.kind)}
            again = problems_of(fixed, case.check, file.with_stem(f"again{number}"))
            assert fixed_text(fixed, again) == fixed
    return restored


NAMES = [(kind, name) for kind in CLASSES if kind != "packs" for name in CLASSES[kind]]


@pytest.mark.slow
def test_corrected_files_equal_the_original_ones(tmp_path: Path) -> None:
    """The last mutation of each class is either reverted or not changed."""
    last = [[one for one in cases(kind) if one.name == name][-1] for kind, name in NAMES]
    misspelt = [case for case in last if case.near]
    others = [case for case in last if not case.near]
    for folder in (tmp_path / "misspelt", tmp_path / "others"):
        folder.mkdir()
    assert assert_restored(misspelt, tmp_path / "misspelt") >= 0.65 * len(misspelt)
    assert_restored(others, tmp_path / "others")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_every_corrected_file_equals_its_original(kind: str, name: str, tmp_path: Path) -> None:
    assert_restored([case for case in cases(kind) if case.name == name], tmp_path)
