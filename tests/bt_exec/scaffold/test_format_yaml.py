"""Formatting of YAML: data and comments are kept, and it is idempotent."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bt_exec.failure import SpecError
from bt_exec.scaffold.format_yaml import format_source
from bt_exec.site.data import data_folder
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.source import read_text
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
    """Return lines with runs of spaces collapsed, which precede comments."""
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
def test_unusual_files_keep_their_data(text):
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
def test_any_document_with_comments_survives(document, extra):
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
