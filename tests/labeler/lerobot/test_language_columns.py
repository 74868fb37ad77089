"""Language columns of LeRobot data sets: subtasks, tool calls, schemas and types."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from bt_exec.failure import UnknownName
from bt_exec_labeler.episode import Action, Episode, FileFrame
from bt_exec_labeler.lerobot import language_columns as module
from bt_exec_labeler.lerobot.language_columns import (
    FORMS,
    NONE,
    feature_of,
    form_for_version,
    language_event,
    language_features,
    language_types,
    persistent_rows,
    stored_rows,
    subtask_at,
    subtasks_of,
    tools_of,
)
from bt_exec_labeler.lerobot.layout import EVENTS, PERSISTENT, SUBTASK
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Vocabulary

TEXT, ROWS = FORMS["0.4"], FORMS["0.6"]


def said(style: str, content: str, t: float) -> dict[str, Any]:
    row = {"role": "assistant", "content": content, "style": style, "timestamp": t}
    return {**row, "camera": None, "tool_calls": None}


def row(t: float, step: str, plan: str, **more: Any) -> dict[str, Any]:
    return {"t": t, "mid_step_id": step, "mid_step_text": f"{step}.", "plan_json": plan, **more}


def test_persistent_language_contains_each_mid_step_once() -> None:
    rows = [
        row(0.5, "a", "p1", retrieved_memory="[]"),
        row(2.0, "a", "p2", retrieved_memory='["m"]'),
        row(3.0, "b", "p3"),
        row(4.0, "a", "p4"),
    ]
    assert persistent_rows(rows, 1.0) == [
        said("plan", "p1", 0.0),
        said("subtask", "a.", 0.0),
        said("memory", '["m"]', 1.0),
        said("plan", "p2", 1.0),
        said("plan", "p3", 2.0),
        said("subtask", "b.", 2.0),
        said("plan", "p4", 3.0),
        said("subtask", "a.", 3.0),
    ]
    assert persistent_rows([], 0.0) == []


def test_subtask_ends_with_its_span(vocabulary: Vocabulary) -> None:
    actions = (
        Action(0, 2, "REST", {}, "done"),
        Action(2, 3, "OPEN", {"what": "gate"}, "failed"),
        Action(4, 6, "REST", {}, "done"),
    )
    episode = Episode("e", (FileFrame(0.0, Path("a")),), actions)
    rows = [
        row(4.5, "rest", ""),
        row(0.5, "rest", ""),
        row(1.0, "rest", ""),
        row(2.0, "open_gate", ""),
    ]
    assert subtasks_of(rows, episode, vocabulary) == [
        (0.5, "rest."), (1.0, "rest."), (2.0, "open_gate."), (3, NONE), (4.5, "rest."), (6, NONE)
    ]  # fmt: skip
    assert subtasks_of([row(9.0, "rest", "")], episode, vocabulary) == [(9.0, "rest.")]


def test_subtask_of_a_frame_is_the_last_one_started() -> None:
    steps = [(1.0, "a"), (2.0, "b"), (3.0, NONE)]
    found = {t: subtask_at(steps, t) for t in (0.0, 0.99, 0.99995, 1.0, 1.9, 2.0, 2.9, 3.5)}
    assert list(found.values()) == [NONE, NONE, "a", "a", "a", "b", "b", NONE]
    assert subtask_at([], 1.0) == NONE


def test_action_is_a_tool_call() -> None:
    call = '{"type": "function", "function": {"name": "GO", "arguments": {"to": "문"}}}'
    nothing = dict.fromkeys(("content", "style", "camera"))
    found = language_event(Action(1.0, None, "GO", {"to": "문"}))
    assert found == {"role": "assistant", **nothing, "tool_calls": [call]}


def test_operation_is_a_tool_with_the_bounds_of_its_arguments() -> None:
    args = {
        "s": {"type": "number", "minimum": 0, "maximum": 9},
        "n": {"type": "integer", "minimum": 1, "required": False},
        "loud": {"type": "boolean", "required": False},
        "by": {"values": ["bus"]},
    }
    ops = {**VOCABULARY["ops"], "WAIT": {"text": "Wait.", "args": args}}
    tools = tools_of(Vocabulary.model_validate({**VOCABULARY, "ops": ops}))
    assert [tool["function"]["name"] for tool in tools] == list(ops)
    assert tools[-1] == {
        "type": "function",
        "function": {
            "name": "WAIT",
            "description": "Wait.",
            "parameters": {
                "type": "object",
                "properties": {
                    "s": {"type": "number", "minimum": 0, "maximum": 9},
                    "n": {"type": "integer", "minimum": 1},
                    "loud": {"type": "boolean"},
                    "by": {"type": "string", "enum": ["bus"]},
                },
                "required": ["s", "by"],
            },
        },
    }


@pytest.mark.parametrize(
    ("installed", "version"),
    [("0.4.2", "0.4"), ("0.5.9", "0.4"), ("0.6.0", "0.6"), ("1.0", "0.6"), (None, "0.6")],
)
def test_format_follows_the_installed_version(
    installed: str | None, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(name: str) -> str:
        assert name == "lerobot"
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(module.metadata, "version", find)
    assert form_for_version("") is FORMS[version]
    assert [form_for_version(name) for name in ("0.4", "0.6")] == [TEXT, ROWS]
    with pytest.raises(UnknownName, match=r"0\.5"):
        form_for_version("0.5")


def test_language_column_contains_json_text_or_rows() -> None:
    rows = ({"content": "문"},)
    assert stored_rows(rows, TEXT) == '[{"content": "문"}]'
    assert stored_rows(rows, ROWS) == [{"content": "문"}]
    assert feature_of(TEXT) == {"dtype": "string", "shape": [1], "names": None}
    assert feature_of(ROWS) == {"dtype": "language", "shape": [1], "names": None}
    assert "; JSON text.\n" in TEXT.card
    assert TEXT.card.endswith("\n\nLeRobot 0.4 (Python 3.10 to 3.13) opens this set.\n")
    assert "; lists of rows.\n" in ROWS.card
    assert ROWS.card.endswith("\n\nLeRobot 0.6 (Python 3.12 on) opens this set.\n")


def test_types_of_the_columns_agree_with_their_description() -> None:
    text = pyarrow.string()
    assert language_types(pyarrow, TEXT) == {PERSISTENT: text, EVENTS: text}
    number = {"dtype": "int64", "_type": "Value"}
    word = {"dtype": "string", "_type": "Value"}
    assert language_features(TEXT) == {PERSISTENT: word, EVENTS: word, SUBTASK: number}
    types, about = language_types(pyarrow, ROWS), language_features(ROWS)
    assert about[SUBTASK] == number
    for column in (PERSISTENT, EVENTS):
        inner = types[column].value_type
        features = about[column]["feature"]
        assert about[column]["_type"] == "List"
        assert [inner.field(at).name for at in range(inner.num_fields)] == list(features)
        for name, feature in features.items():
            kind = inner.field(name).type
            listed = feature["_type"] == "List"
            assert pyarrow.types.is_list(kind) is listed
            assert (
                str(kind.value_type if listed else kind).replace("float", "float32")
                == (feature["feature"] if listed else feature)["dtype"]
            )
    assert set(about[PERSISTENT]["feature"]) - set(about[EVENTS]["feature"]) == {"timestamp"}
