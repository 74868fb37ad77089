"""Rows of fallbacks, named after their first branch."""

from bt_exec.spec.load import load_text
from bt_exec.tui.plan_rows import Forest


def rows(text):
    root = load_text(f"tree: t\nroot: {text}").document.root
    return [(row.label, row.about) for row in Forest(root)]


def test_fallback_row_is_named_after_its_first_branch():
    found = rows("{fallback: [{do: look, with: {target: lounge}}, {do: note}, {do: give_up}]}")
    assert found[0] == ("look", "lounge or note or give_up")
    assert [label for label, _ in found] == ["look", "look", "note", "give_up"]


def test_named_fallback_keeps_its_name():
    assert rows("{fallback: [{do: a}, {do: b}], name: somehow}")[0][0] == "somehow"
