"""A fallback is shown by what it tries first."""

from bt_exec.spec.load import load_text
from bt_exec.tui.nodes import Forest


def rows(text):
    root = load_text(f"tree: t\nroot: {text}").document.root
    return [(row.label, row.about) for row in Forest(root)]


def test_a_fallback_is_called_after_what_it_tries_first():
    found = rows("{fallback: [{do: look, with: {target: lounge}}, {do: note}, {do: give_up}]}")
    assert found[0] == ("look", "lounge or note or give_up")
    assert [label for label, _ in found] == ["look", "look", "note", "give_up"]


def test_a_named_fallback_keeps_its_name():
    assert rows("{fallback: [{do: a}, {do: b}], name: somehow}")[0][0] == "somehow"
