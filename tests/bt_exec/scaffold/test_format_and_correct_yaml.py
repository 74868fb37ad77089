"""Formatting of YAML: data and comments are kept, and it is idempotent."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bt_exec.failure import Problem, SpecError
from bt_exec.scaffold.format_and_correct_yaml import (
    correct_misspellings,
    format_source,
    only_correction,
)
from bt_exec.site.shipped_data import data_folder
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.yaml_source import read_text
from tests.bt_exec.cli.test_mutations import CLASSES, Case, cases, correct, problems_of, shown
from tests.bt_exec.spec.strategies import documents
from tests.cases import examples


def format_text(text: str) -> str:
    return format_source(read_text(text))


MESSY = """\
# What this file is for.
tree:   tea     # its name
root:
    sequence:
    -   retry: 2
        do:   boil     # the kettle
        with: {degrees:   95}
    # before the check
    - check: "water_hot"
      else: STILL_COLD\x20


    - {do: pour,   name: 'no'}
# the end
"""
TIDY = """\
# What this file is for.
tree: tea               # its name
root:
  sequence:
    - do: boil                 # the kettle
      with: {degrees: 95}
      retry: 2
    # before the check
    - check: "water_hot"
      else: STILL_COLD


    - {do: pour, name: 'no'}
# the end
"""


def squeezed(text):
    """Return lines with the runs of spaces before comments collapsed."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_layout_changes_and_comments_are_kept():
    formatted = format_text(MESSY)
    assert squeezed(formatted) == squeezed(TIDY)
    assert read_text(formatted).data == read_text(MESSY).data
    assert format_text(formatted) == formatted


@pytest.mark.parametrize(
    "text",
    [
        "tree: a\nroot: {do: x, with: {a: 007, b: 0x1F, c: 1_0, d: 1e5, e: ~, f: no, g: on}}\n",
        "tree: a\nroot:\n  do: x\n  with:\n    text: |\n      # no\n        deep\n    b: 1\n",
        "tree: a\nroot:\n  do: x\n  with:\n    text: >-\n      one\n      two\n",
        "tree: a\nsummary: 'a # b'\nroot: {do: x}\n",
        'tree: a\nsummary: "a\\u2028b"\nroot: {do: x}\n',
        "tree: a\nutterances:\n- 문을 열어.\n-   '2026-11-21'\nroot: {do: x}\n",
        "tree: a\r\nroot: {do: x}\r\n",
        "\ufefftree: a\nroot: {do: x}\n",
        "tree: a\nroot: {do: x}",
        '{"tree": "a", "root": {"do": "x"}}\n',
        "# only first\n\n# second\ntree: a\n\n# third\nroot: {do: x}\n# last\n\n\n",
        "tree: a\nroot:\n  sequence:\n    # above\n    - do: x # by\n      # in\n      retry: 2\n",
        "site: a\npacks:\n    door: {robot: sim}   # here\n",
        "tree: a\nparams:\nroot: {do: x}\n",
    ],
)
def test_formatting_preserves_the_data_of_unusual_files(text):
    formatted = format_text(text)
    assert read_text(formatted).data == read_text(text).data
    assert format_text(formatted) == formatted


@pytest.mark.parametrize(
    "text",
    [
        "tree: a\nroot:\n  retry: 2\n  # the work\n  do: x\n",
        "tree: a\nroot:\n  # twice\n  retry: 2\n  do: x\n",
        "# what it is for\nroot: {do: x}\ntree: a\n",
    ],
)
def test_fields_with_comments_keep_their_order(text):
    assert format_text(text) == text


def test_file_that_cannot_be_read_is_refused():
    with pytest.raises(SpecError, match="DUPLICATE_KEY"):
        format_text("tree: a\ntree: b\nroot: {do: x}\n")
    with pytest.raises(SpecError, match="ANCHOR"):
        format_text("tree: &a b\nroot: {do: *a}\n")


@pytest.mark.parametrize("folder", ["trees", "configs/sites"])
def test_shipped_files_can_be_formatted(folder):
    for path in sorted((data_folder() / folder).rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        formatted = format_text(text)
        assert read_text(formatted).data == read_text(text).data
        assert format_text(formatted) == formatted


comments = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["# one", "  # two", "# 셋"])))


@given(documents, comments)
@settings(max_examples=examples(30))
def test_formatting_preserves_any_document_with_comments(document, extra):
    lines = dump_yaml(document).split("\n")
    for number, comment in extra:
        lines.insert(number % len(lines), comment)
    text = "\n".join(lines)
    try:
        data = read_text(text).data
    except SpecError:
        assume(False)  # a comment within a multi-line text
    try:
        formatted = format_text(text)
    except SpecError:
        return  # not formatted
    assert read_text(formatted).data == data
    assert formatted.count("#") == text.count("#")
    assert format_text(formatted) == formatted


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
def test_only_an_unambiguous_correction_is_returned(found, allowed, meant):
    assert only_correction(found, allowed) == meant


def test_problems_with_other_codes_are_not_corrected():
    not_seen = problem("open_dor", ["open_door"], code="LABEL_NOT_SEEN")
    assert correct_misspellings("open_dor", [not_seen]) == "open_dor"


def test_correction_changes_only_the_name():
    text = "a: {do: 'graps'}  # graps\nb: graps  # do graps\r\nc: grapses\n"
    spots = [(1, 9), (2, 4), (3, 4), (9, 1)]
    problems = [problem("graps", ["grasp"], line=line, column=at) for line, at in spots]
    fixed = "a: {do: 'grasp'}  # graps\nb: grasp  # do graps\r\nc: grapses\n"
    assert correct_misspellings(text, problems) == fixed


@given(st.text(alphabet="open_dr.#' \n", max_size=60), st.integers(1, 9), st.integers(1, 20))
def test_correction_changes_only_the_misspelt_name(text, line, column):
    fixed = correct_misspellings(
        text, [problem("open_dor", ["open_door"], line=line, column=column)]
    )
    assert fixed == text or fixed.replace("open_door", "open_dor") == text.replace(
        "open_door", "open_dor"
    )


def assert_restored(found: list[Case], folder: Path) -> int:
    """Check that each corrected text equals a correct one, and return the number of corrections."""
    restored = 0
    for number, case in enumerate(found):
        file = folder / f"f{number}.{shown(case.kind)}"
        problems = problems_of(case.text, case.check, file)
        fixed = correct_misspellings(case.text, problems)
        if fixed != case.text:
            restored += 1
            assert fixed in {text for text, _ in correct(case.kind)}
            again = problems_of(fixed, case.check, file.with_stem(f"again{number}"))
            assert correct_misspellings(fixed, again) == fixed
    return restored


NAMES = [(kind, name) for kind in CLASSES if kind != "packs" for name in CLASSES[kind]]


@pytest.mark.slow
def test_corrected_files_match_the_original_ones(tmp_path: Path) -> None:
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
def test_every_corrected_file_matches_its_original(kind: str, name: str, tmp_path: Path) -> None:
    assert_restored([case for case in cases(kind) if case.name == name], tmp_path)
