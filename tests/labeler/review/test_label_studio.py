"""Label Studio: exported tasks and imported annotations, in the documented formats."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.review.label_studio import (
    _decision_of_result,
    _reviewer,
    read_annotations,
    write_tasks,
)
from bt_exec_labeler.review.review_cards import Card
from bt_exec_labeler.vocabulary import Vocabulary

pytestmark = pytest.mark.sampled

Tasks = list[dict[str, Any]]


@pytest.fixture
def tasks(cards: Sequence[Card], vocabulary: Vocabulary, tmp_path: Path) -> Tasks:
    assert write_tasks(tmp_path / "out", cards, vocabulary) == []
    found: Tasks = json.loads((tmp_path / "out" / "tasks.json").read_text())
    return found


def annotated(task: dict[str, Any], who: Any, choice: str, text: str = "", **more: Any) -> Any:
    """Return an exported task with an annotation."""
    result: list[dict[str, Any]] = [
        {
            "id": "Dx_aB91",
            "from_name": "decision",
            "to_name": "about",
            "type": "choices",
            "origin": "manual",
            "value": {"choices": [choice]},
        }
    ]
    if text:
        value = {"text": [text]}
        result.append(
            {"id": "q1", "from_name": "record", "to_name": "about", "type": "textarea"}
            | {"value": value}
        )
    annotation = {
        "id": 1001,
        "completed_by": who,
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-11-22T01:00:00.000000Z",
        "lead_time": 8.2,
    }
    return {"id": 1, "data": task["data"], "annotations": [{**annotation, **more}], "project": 1}


def test_task_contains_the_fields_of_its_interface(
    tasks: Tasks, cards: Sequence[Card], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    assert len(tasks) == len(cards)
    root = ElementTree.fromstring((tmp_path / "out" / "interface.xml").read_text())
    shown = {part.get("value", "").removeprefix("$") for part in root if "value" in part.attrib}
    names = {part.get("name") for part in root}
    for task in tasks:
        assert shown <= set(task["data"])
        assert {one["from_name"] for one in task["predictions"][0]["result"]} <= names
        head, _, coded = task["data"]["recent"].partition(",")
        assert head == "data:image/jpeg;base64"
        data = np.frombuffer(base64.b64decode(coded), np.uint8)
        assert cv2.imdecode(data, cv2.IMREAD_COLOR) is not None
    with pytest.raises(UsageError, match="exists already"):
        write_tasks(tmp_path / "out", cards, vocabulary)


def test_decisions_survive_a_round_trip_through_label_studio(
    tasks: Tasks, cards: Sequence[Card], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    better = {**json.loads(tasks[2]["data"]["record"]), "uncertainty": "high"}
    export = [
        annotated(tasks[0], 1, "accept"),
        annotated(tasks[1], {"id": 2, "email": "bo@example.com"}, "reject"),
        annotated(tasks[2], 1, "correct", json.dumps(better)),
        annotated(tasks[3], 1, "accept", was_cancelled=True),
        {"id": 5, "data": tasks[4]["data"], "annotations": []},
    ]
    only = export[2]["annotations"][0]["result"][1]["value"]
    only["text"] = only["text"][0]  # some versions export one text, others a list
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export))
    found, refused = read_annotations(path, cards, vocabulary)
    items = [card.line["item"] for card in cards]
    assert refused == []
    assert found == {
        "studio-1": [
            {"item": items[0], "decision": "accept"},
            {"item": items[2], "decision": "correct", "record": better},
        ],
        "studio-bo-example-com": [{"item": items[1], "decision": "reject"}],
    }


def test_only_damaged_frames_are_missing_from_a_task(
    cards: Sequence[Card], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    card = max(cards, key=lambda one: len(one.episode.frames))
    frames = [replace(frame, path=tmp_path / frame.name) for frame in card.clips["recent"].frames]  # type: ignore[type-var]
    for frame, whole in zip(frames, card.clips["recent"].frames, strict=True):
        frame.path.write_bytes(whole.path.read_bytes())  # type: ignore[attr-defined]
    clip = replace(card.clips["recent"], frames=tuple(frames))
    pictures = []
    for count in (0, 1, len(frames)):  # damaged frames
        for frame in frames[:count]:
            frame.path.write_bytes(b"")  # type: ignore[attr-defined]
        made = Card(card.line, card.episode)
        made.__dict__["clips"] = {"recent": clip}
        damaged = write_tasks(tmp_path / str(count), [made], vocabulary)
        assert len(damaged) == count
        assert all(card.line["item"] in why for why in damaged)
        (task,) = json.loads((tmp_path / str(count) / "tasks.json").read_text())
        pictures.append(task["data"]["recent"])
        assert "$summary" not in (tmp_path / str(count) / "interface.xml").read_text()
    assert len(set(pictures)) == 3
    assert [text.partition(";")[0] for text in pictures] == [
        "data:image/jpeg", "data:image/jpeg", "data:image/svg+xml"
    ]  # fmt: skip


def test_invalid_annotations_are_reported(
    tasks: Tasks, cards: Sequence[Card], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    good = json.loads(tasks[0]["data"]["record"])
    other = {"data": {"item": "elsewhere"}}
    nothing = annotated(tasks[0], 1, "accept")
    nothing["annotations"][0]["result"] = None
    export = [
        annotated(other, 1, "accept"),
        annotated(tasks[0], 1, "perhaps"),
        annotated(tasks[0], 1, "correct"),
        annotated(tasks[0], 1, "correct", "{"),
        annotated(tasks[0], 1, "correct", json.dumps({**good, "horizon_steps": 0})),
        nothing,
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export))
    found, refused = read_annotations(path, cards, vocabulary)
    assert found == {}
    said = [
        "not part of",
        "must be one of",
        "has one record",
        "not JSON",
        "HORIZON_RANGE",
        "must be",
    ]
    assert len(refused) == len(said)
    for number, (problem, words) in enumerate(zip(refused, said, strict=True), start=1):
        assert f"task {number}: " in problem
        assert words in problem


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '[{"data": {}}]', "[[[", '[{"annotations": []}]']
)
def test_file_of_another_format_is_refused(
    text: str, cards: Sequence[Card], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    path = tmp_path / "export.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="export"):
        read_annotations(path, cards, vocabulary)


def test_task_shows_the_record_and_predicts_its_acceptance(
    tasks: Tasks, cards: Sequence[Card], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    for task, card in zip(tasks, cards, strict=True):
        about = card.data(vocabulary)
        text = json.dumps(about["record"], ensure_ascii=False, indent=2)
        data = dict(task["data"])
        pictures = [data.pop("recent"), data.pop("summary")]
        assert all(picture.startswith("data:image/jpeg;base64,") for picture in pictures)
        step = card.line["mid_step_id"]
        assert data == {
            "item": card.line["item"],
            "mid_step_text": vocabulary.mid_steps[step].text["en"],
            "about": f"{card.line['episode']}, {card.line['t']:g} s, {step}\n{text}",
            "record": text,
        }
        (said,) = task["predictions"]
        assert said == {
            "model_version": "plan_v1.0",
            "result": [
                {
                    "from_name": "decision",
                    "to_name": "about",
                    "type": "choices",
                    "value": {"choices": ["accept"]},
                }
            ],
        }
    text = (tmp_path / "out" / "tasks.json").read_text("utf-8")
    assert text == json.dumps(tasks, ensure_ascii=False, indent=1)
    assert "$summary" in (tmp_path / "out" / "interface.xml").read_text("utf-8")


def test_task_folder_is_created_with_its_parents_and_must_not_exist(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    deep = tmp_path / "a" / "b"
    assert write_tasks(deep, [], vocabulary) == []
    assert (deep / "tasks.json").read_text("utf-8") == "[]"
    with pytest.raises(UsageError, match=r"b exists already; name another folder with --out$"):
        write_tasks(deep, [], vocabulary)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file/out cannot be written: Not a directory$"):
        write_tasks(tmp_path / "file" / "out", [], vocabulary)


@pytest.mark.parametrize(
    ("who", "name"),
    [
        (3, "studio-3"),
        (None, "studio-unknown"),
        ({"id": 4}, "studio-4"),
        ({"id": 4, "email": ""}, "studio-4"),
        ({"id": 4, "email": "a.b@c.kr"}, "studio-a-b-c-kr"),
        ("민지", "studio-민지"),
        ("x" * 60, "studio-" + "x" * 33),
    ],
)
def test_annotator_of_label_studio_becomes_the_reviewer(who: Any, name: str) -> None:
    assert _reviewer(who) == name


def region(name: str, **value: Any) -> dict[str, Any]:
    return {"from_name": name, "value": value}


ACCEPT, CORRECT = (region("decision", choices=[one]) for one in ("accept", "correct"))


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ([ACCEPT], {"decision": "accept"}),
        ([7, {"from_name": "x"}, ACCEPT], {"decision": "accept"}),
        ([ACCEPT, region("record", text="{")], {"decision": "accept"}),
        ([CORRECT, region("record", text="{}")], {"decision": "correct", "record": {}}),
        ([CORRECT, region("record", text=["[1]"])], {"decision": "correct", "record": [1]}),
        ([], "decision must be one of accept, correct, reject; found []"),
        (
            [ACCEPT, ACCEPT],
            "decision must be one of accept, correct, reject; found ['accept', 'accept']",
        ),
        ([CORRECT], "a correction has one record; found 0"),
        ([CORRECT, region("record", text=["1", "2"])], "a correction has one record; found 2"),
        ([CORRECT, region("record", text=[3])], "a correction has one record; found 1"),
    ],
)
def test_decision_is_read_from_the_result_of_an_annotation(result: Any, found: Any) -> None:
    assert _decision_of_result(result) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[[", "export.json is not JSON; export as JSON from Label Studio"),
        ("[" * 100_000, "export.json is not JSON; export as JSON from Label Studio"),
        ("{}", "export.json is not JSON export of Label Studio: it must be a list of tasks"),
        (
            '[{"data": {}, "annotations": []}, {"data": {}}]',
            "it must be a list of tasks, each with data and annotations; task 2 lacks them",
        ),
        ('[{"data": {}, "annotations": [7]}]', "task 1: an annotation must be an object"),
    ],
)
def test_damaged_export_is_described(
    text: str, said: str, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    path = tmp_path / "export.json"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        read_annotations(path, [], vocabulary)
    assert str(refused.value).endswith(said)
    with pytest.raises(UsageError, match=r"nowhere cannot be read: No such file or directory$"):
        read_annotations(tmp_path / "nowhere", [], vocabulary)
