"""Exported missions contain the data of the journal in standard formats."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bt_exec.events import Observed, SkillStarting
from bt_exec.export import FORMS, find_exporter
from bt_exec.export.json_lines import moments
from bt_exec.export.page import page_data
from bt_exec.failure import UnknownName, UsageError
from bt_exec.journal import Journal, MissionRecord
from tests.bt_exec.journal.conftest import events_of


class Robotic:
    """Observation with a pose, objects, and a frame."""

    t = 0.6
    frame = np.zeros((8, 8, 3), np.uint8)

    def labels(self) -> tuple[str, ...]:
        return ("cup",)

    def facts(self) -> dict[str, str]:
        return {"at": "table"}

    def describe(self, language: str) -> str:
        return "</script><b>컵"

    def record(self) -> dict[str, object]:
        return {"pose": [1.0, 2.0, 0.0], "objects": {"cup": [0.1, 0.2, 0.3], "bad": [1]}}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal.open(tmp_path / "journal.sqlite")


@pytest.fixture
def record(journal: Journal) -> MissionRecord:
    with journal.begin(command="문 안의 자재를 가져와", language="ko", frames=True) as recorder:
        for event in events_of(recorder.mission_id):
            recorder.on(event)
            if isinstance(event, SkillStarting) and event.t == 0.4:
                recorder.on(Observed(0.6, 3, "cart", Robotic()))
    return journal.mission("last")


def write(form: str, journal: Journal, record: MissionRecord, folder: Path) -> Path:
    path = folder / f"mission{FORMS[form]}"
    find_exporter(form)(journal, record, path)
    return path


def test_lines_contain_every_event_and_plan(
    journal: Journal, record: MissionRecord, tmp_path: Path
) -> None:
    text = write("jsonl", journal, record, tmp_path).read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["line"] for line in lines[:3]] == ["mission", "plan", "plan"]
    assert lines[0]["outcome"]["status"] == "satisfied"
    events = lines[3:]
    rows = journal.rows(record.id)
    assert [(line["seq"], line["kind"], line["t"]) for line in events] == [
        (row.seq, row.kind, row.t) for row in rows
    ]
    assert [line["data"] for line in events] == [json.loads(row.data) for row in rows]


def test_mcap_file_contains_the_same_events(
    journal: Journal, record: MissionRecord, tmp_path: Path
) -> None:
    reading = pytest.importorskip("mcap.reader")
    by_topic: dict[str, list[Any]] = {}
    times: dict[str, list[int]] = {}
    with write("mcap", journal, record, tmp_path).open("rb") as file:
        reader = reading.make_reader(file)
        for schema, channel, message in reader.iter_messages():
            by_topic.setdefault(channel.topic, []).append(json.loads(message.data))
            times.setdefault(channel.topic, []).append(message.log_time)
            assert schema.encoding == "jsonschema"
            assert set(json.loads(message.data)) <= set(json.loads(schema.data)["properties"])
        metadata = {one.name: one.metadata for one in reader.iter_metadata()}
    rows = journal.rows(record.id)
    assert [(one["seq"], one["kind"]) for one in by_topic["/events"]] == [
        (row.seq, row.kind) for row in rows
    ]
    assert times["/events"] == sorted(times["/events"])
    assert (times["/events"][-1] - times["/events"][0]) / 1e9 == pytest.approx(2.0, abs=1e-3)
    last = {node["path"]: node["state"] for node in by_topic["/tree"][-1]["nodes"]}
    assert last["fetch"] == "done"
    assert {"/door/observed", "/door/camera", "/cart/camera", "/cart/pose"} <= set(by_topic)
    (pose,) = by_topic["/cart/pose"]
    assert pose["pose"]["position"] == {"x": 1.0, "y": 2.0, "z": 0.0}
    (objects,) = by_topic["/cart/objects"]
    assert [one["child_frame_id"] for one in objects["transforms"]] == ["cup"]
    assert metadata["mission"]["command"] == record.command
    assert metadata["plan 1"]["yaml"] == record.plans[0].text


def test_last_exported_moment_has_the_recorded_states(record: MissionRecord) -> None:
    found = list(moments(record))
    assert [one.plan for one in found] == sorted(one.plan for one in found)
    last = next(one.nodes for one in reversed(found) if one.nodes)
    states = record.node_states()
    assert {row["path"]: row["state"] for row in last if row["path"] in states} == {
        path: state for path, state in states.items() if path in {row["path"] for row in last}
    }
    sentences = [text for one in found for _, text in one.sentences]
    assert sentences[-1] == "다 했습니다."
    assert not [text for text in sentences if re.match(r"\d+\.\d (s|초)\b", text)]


def test_page_is_self_contained_and_escapes_its_data(
    journal: Journal, record: MissionRecord, tmp_path: Path
) -> None:
    text = write("html", journal, record, tmp_path).read_text(encoding="utf-8")
    assert text.count("</script>") == 1
    assert "http://" not in text
    assert "https://" not in text
    data = page_data(record)
    assert data["seconds"] == 2.0
    assert [bar["state"] for bar in data["skills"]] == ["failed", "done"]
    assert sum(one["frame"] is not None for one in data["seen"]) == 2


def test_unfinished_mission_is_exported_in_every_form(journal: Journal, tmp_path: Path) -> None:
    with journal.begin(command="go") as recorder:
        for event in events_of(recorder.mission_id)[:8]:
            recorder.on(event)
    record = journal.mission("last")
    for form in FORMS:
        assert write(form, journal, record, tmp_path).stat().st_size > 0


def test_existing_file_is_not_overwritten(
    journal: Journal, record: MissionRecord, tmp_path: Path
) -> None:
    for form in FORMS:
        path = tmp_path / f"mission{FORMS[form]}"
        path.write_text("mine")
        with pytest.raises(FileExistsError):
            find_exporter(form)(journal, record, path)
        assert path.read_text() == "mine"


def test_unknown_format_error_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="html"):
        find_exporter("htm")


def test_missing_package_is_reported(
    journal: Journal, record: MissionRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mcap.writer", None)
    with pytest.raises(UsageError, match=r"pip install 'bt-exec\[mcap\]'"):
        write("mcap", journal, record, tmp_path)
    assert not (tmp_path / "mission.mcap").exists()
