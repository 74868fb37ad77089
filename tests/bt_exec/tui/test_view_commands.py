"""Keys and typed commands of the live view: cursor, folds, filter, pages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from bt_exec.tui.live import LiveView
from bt_exec.tui.paint import Painter
from bt_exec.tui.terminal_text import ASCII, UNICODE, without_styles
from bt_exec.tui.view_commands import actions, perform_key
from bt_exec.tui.view_drawing import draw
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.view_pages import help_lines
from bt_exec.tui.view_state import Display
from bt_exec.tui.visible_rows import all_rows
from tests.bt_exec.tui.scripted import ENGLISH, KOREAN, Script, slipped, spoken
from tests.cases import examples

MESSAGES = spoken()
KEYS = [*(key for action in actions() for key in action.keys), "x", "backspace", "자", "space"]


def press_all(model: ViewModel, *keys: str, width: int = 80) -> Display:
    """Return the display after some keys; a longer text is typed letter by letter."""
    display = Display()
    for key in keys:
        for one in (key,) if key in KEYS or len(key) == 1 else key:
            perform_key(display, model, one, width)
    return display


def screen(script: Script, display: Display, width: int = 80, height: int = 23) -> list[str]:
    shown = draw(script.model, width, height, now=script.t, display=display, keys=True)
    return without_styles(shown).split("\n")


def english() -> Script:
    return slipped(ENGLISH, MESSAGES)


@given(keys=st.lists(st.sampled_from(KEYS), max_size=12), width=st.sampled_from([40, 80, 200]))
@settings(max_examples=examples(60))
def test_screen_fits_and_its_cursor_is_visible_after_any_keys(keys, width):
    for script in (english(), slipped(KOREAN, MESSAGES)):
        display = press_all(script.model, *keys, width=width)
        lines = screen(script, display, width)
        assert len(lines) <= 23
        assert all(cell_len(line) < width for line in lines)
        if display.cursor is not None and display.page != "help":
            rows = all_rows(script.model, width, display=display)
            there = any(row.node is not None and row.node.path == display.cursor for row in rows)
            assert sum(line.startswith("❯") for line in lines) == there


@given(keys=st.lists(st.sampled_from(KEYS), max_size=12))
@settings(max_examples=examples(30))
def test_escape_returns_to_following_the_running_step(keys):
    script = english()
    before = screen(script, Display())
    display = press_all(script.model, *keys)
    for _ in range(4):
        perform_key(display, script.model, "escape", 80)
    display.folds.clear()
    display.unfolded = display.paused = script.model.verbose = False
    assert screen(script, display) == before


def test_cursor_moves_step_by_step_and_stops_at_the_ends():
    script = english()
    paths = [row.node.path for row in all_rows(script.model, 80) if row.node is not None][1:]
    for key, expected in (("down", paths), ("up", paths[::-1])):
        display = press_all(script.model, "home" if key == "down" else "end")
        reached = [display.cursor]
        for _ in paths:
            perform_key(display, script.model, key, 80)
            reached.append(display.cursor)
        assert reached == [*expected, expected[-1]]


def test_node_can_be_folded_and_unfolded():
    script = english()
    whole = all_rows(script.model, 80)
    for keys in (("left", "right"), ("tab", "tab")):
        display = press_all(script.model, "home", keys[0])
        assert "8 steps" in "\n".join(screen(script, display))
        assert len(all_rows(script.model, 80, display=display)) < len(whole)
        perform_key(display, script.model, keys[1], 80)
        assert all_rows(script.model, 80, display=display) == whole


def test_left_key_selects_the_parent_of_a_leaf_and_right_key_the_first_child():
    script = english()
    last = press_all(script.model, "end")
    assert last.cursor == "get_material/shut_and_go_home/return_home"
    perform_key(last, script.model, "left", 80)
    assert last.cursor == "get_material/shut_and_go_home"
    perform_key(last, script.model, "right", 80)
    assert last.cursor == "get_material/shut_and_go_home/close_door/close_door"


def test_cursor_stays_at_the_nearest_step_when_the_plan_changes():
    script = english()
    display = press_all(script.model, "end")
    del script.model.forest.roots[0].children[-1].children[:]
    perform_key(display, script.model, "tab", 80)
    assert display.cursor == "get_material/shut_and_go_home"


def test_only_running_steps_are_shown_on_request():
    script = english()
    rows = all_rows(script.model, 80, display=press_all(script.model, "o"))
    assert [row.node.state for row in rows if row.node is not None] == ["running", "running"]


@pytest.mark.parametrize("keys", [("/", "door"), (":filter door", "enter"), ("/", "OPEN THE")])
def test_filter_shows_matching_steps_with_their_parents(keys):
    script = english()
    display = press_all(script.model, *keys)
    shown = "\n".join(screen(script, display)[3:])
    assert "get the material" in shown
    assert "open the door" in shown
    assert "material is in view" not in shown


def test_filter_without_a_match_shows_a_message():
    script = english()
    assert "no step matches" in "\n".join(screen(script, press_all(script.model, "/", "zebra")))


@pytest.mark.parametrize(("command", "word"), [(ENGLISH, "step"), (KOREAN, "단계")])
def test_typed_command_has_the_effect_of_its_key_in_either_language(command, word):
    script = slipped(command, MESSAGES)
    assert press_all(script.model, f":{word}", "enter") == press_all(script.model, "enter")


@pytest.mark.parametrize("action", actions(), ids=lambda one: one.name)
def test_every_action_is_documented_in_both_languages(action):
    assert action.does["en"]
    assert re.search("[가-힣]", action.does["ko"])
    assert bool(action.words["en"]) == bool(action.words["ko"])


def test_keys_and_words_of_actions_are_unique():
    for own in (
        [key for action in actions() for key in action.keys],
        [word.strip() for action in actions() for word in action.words.values() if word],
    ):
        assert len(own) == len(set(own))


def test_unknown_command_is_shown_until_the_next_key():
    script = english()
    display = press_all(script.model, ":fly", "enter")
    assert screen(script, display)[-1].startswith(" no such command: fly")
    perform_key(display, script.model, "f", 80)
    assert "fly" not in screen(script, display)[-1]


def test_typed_command_is_shown_and_can_be_cancelled():
    script = english()
    display = press_all(script.model, ":", "all", "backspace")
    assert screen(script, display)[-1] == " :al_"
    perform_key(display, script.model, "escape", 80)
    assert display == Display()


def test_help_lists_every_available_key():
    model = english().model
    text = without_styles(help_lines(model, 200, UNICODE))
    assert all(action.does["en"] in text for action in actions())
    assert "fold the step" in without_styles(help_lines(model, 200, UNICODE, frozenset({"left"})))
    assert "←" not in without_styles(help_lines(model, 200, UNICODE, frozenset({"left"})))
    assert without_styles(help_lines(model, 200, ASCII)).isascii()


def test_paused_view_is_redrawn_once_per_key(monkeypatch, capsys):
    view = LiveView(english().model, Painter())
    view.handle_key("p")
    frames = view.frames
    view.handle_key("t")
    assert view.frames == frames + 1
