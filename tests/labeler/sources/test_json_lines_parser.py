"""Actions from JSON Lines: order, repetition and messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bt_exec_labeler.episode import Action, Flaw
from bt_exec_labeler.sources.json_lines_parser import read_actions


def read(folder: Path, *lines: Any) -> tuple[tuple[Action, ...], tuple[Flaw, ...]]:
    path = folder / "actions.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return read_actions(path)


def test_every_field_of_an_action_is_read(tmp_path: Path) -> None:
    whole = {"t": 1, "end": 2, "op": "GO", "args": {"to": "문"}, "state": "failed"}
    whole |= {"code": "STUCK", "facts": {"at": "gate"}}
    assert read(tmp_path, whole, {"t": 3, "op": "REST"}) == (
        (
            Action(1.0, 2.0, "GO", {"to": "문"}, "failed", "STUCK", {"at": "gate"}),
            Action(3.0, None, "REST", {}, "unknown", "", {}),
        ),
        (),
    )


def test_action_must_not_end_before_its_start(tmp_path: Path) -> None:
    (action,), flaws = read(tmp_path, {"t": 2, "end": 2, "op": "GO"})
    assert (action.end, flaws) == (2.0, ())
    actions, flaws = read(tmp_path, {"t": 2, "end": 1.5, "op": "GO"}, {"t": 0, "op": "GO"})
    assert [action.t for action in actions] == [0.0]
    said = "ends at 1.5 s, before it begins at 2 s; the line is left out"
    assert flaws == (Flaw("action", "actions.jsonl:1", said),)


def test_only_a_repetition_of_the_previous_line_is_dropped(tmp_path: Path) -> None:
    go, rest = {"t": 1, "op": "GO"}, {"t": 1, "op": "REST"}
    actions, flaws = read(tmp_path, go, go, rest, go)
    assert [action.op for action in actions] == ["GO", "REST", "GO"]
    said = "repeats the line before it; it is left out"
    assert flaws == (Flaw("double_time", "actions.jsonl:2", said),)


def test_actions_out_of_order_are_reported_and_sorted(tmp_path: Path) -> None:
    lines = [{"t": t, "op": op} for t, op in ((1, "A"), (1, "B"), (0.5, "C"), (2, "D"), (0, "E"))]
    actions, flaws = read(tmp_path, *lines)
    assert [action.op for action in actions] == ["E", "C", "A", "B", "D"]
    assert flaws == (
        Flaw("out_of_order", "actions.jsonl: C", "at 0.5 s after 1 s"),
        Flaw("out_of_order", "actions.jsonl: E", "at 0 s after 2 s"),
    )


def test_file_without_actions_is_reported(tmp_path: Path) -> None:
    said = "has no actions; nothing can be labelled"
    assert read(tmp_path) == ((), (Flaw("no_actions", "actions.jsonl", said),))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"op": ""}, "op: string should have at least 1 character; the line is left out"),
        ({"args": []}, "args: input should be a valid dictionary; the line is left out"),
        ({"facts": {"at": 1}}, "facts.at: input should be a valid string; the line is left out"),
        (
            {"t": 2e12},
            "t: input should be less than or equal to 1000000000000; the line is left out",
        ),
    ],
)
def test_unusable_line_is_left_out(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    good = {"t": 1, "op": "GO"}
    actions, flaws = read(tmp_path, good, {**good, **change})
    assert len(actions) == 1
    assert flaws == (Flaw("action", "actions.jsonl:2", said),)


def test_unknown_keys_are_reported_in_order_and_ignored(tmp_path: Path) -> None:
    actions, flaws = read(tmp_path, {"t": 1, "op": "GO", "zzzz": 1, "cod": "X"})
    assert actions == (Action(1.0, None, "GO"),)
    assert flaws == (
        Flaw(
            "unknown_key",
            "actions.jsonl:1",
            "has an unknown key 'cod', ignored; did you mean code?",
        ),
        Flaw("unknown_key", "actions.jsonl:1", "has an unknown key 'zzzz', ignored"),
    )
