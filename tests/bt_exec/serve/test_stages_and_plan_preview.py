"""A record in four stages, with the actual result of each task."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec import events as ev
from bt_exec.failure import Failure, UnknownName
from bt_exec.journal import Journal
from bt_exec.mission_outcome import Outcome
from bt_exec.serve import stages_and_plan_preview
from bt_exec.serve.stages_and_plan_preview import RecordReader, pascal_case_name, stages_of
from bt_exec.testing import FakeObservation
from tests.bt_exec.serve.test_page_rows import spec_of


def recorded(folder: Path, *events: ev.Event) -> Journal:
    """Return a journal with one mission of these events."""
    journal = Journal.open(folder / "journal.sqlite")
    with journal.begin(command="x", site="test", settings={"packs": {}}) as recorder:
        for event in events:
            recorder.on(event)
    return journal


SPEC = spec_of(
    "",
    "{sequence: [{do: a, with: {target: cup, side: in}}, {do: b},"
    " {name: all, sequence: [{do: c}]}]}",
)
FAILURE = Failure("SLIPPED", "by 3 mm", "b")
START = (
    ev.MissionStarted(0.0, 0, "m", "x", "en", "test"),
    ev.Observed(0.0, 0, "p", FakeObservation(0.0, ("cup", "bowl"))),
    ev.Planned(0.0, 0, SPEC, 1),
    ev.Observed(0.0, 0, "p", FakeObservation(0.0, ("ghost",))),
)


def results(folder: Path, *events: ev.Event) -> list[str]:
    tasks = stages_of(recorded(folder, *START, *events).mission("last"))["results"]["tasks"]
    assert [task["skill"] for task in tasks] == ["a", "b", "c"]
    return [task["result"] for task in tasks]


def test_objects_and_plan_are_listed(tmp_path: Path) -> None:
    found = stages_of(recorded(tmp_path, *START).mission("last"))
    assert found["state"]["objects"] == ["cup", "bowl"]
    assert found["plan"]["subgoals"] == ["a", "b", "all"]
    tasks = found["plan"]["tasks"]
    assert tasks[0]["tasks"] == [
        {"skill": "a", "target": "cup", "args": {"target": "cup", "side": "in"}}
    ]
    assert found["results"]["outcome"] is None
    assert found["run"]["state"] == "running"


def test_only_completed_tasks_have_the_result_ok(tmp_path: Path) -> None:
    assert results(
        tmp_path,
        ev.NodeChanged(0.1, 1, "a", "done"),
        ev.NodeChanged(0.2, 2, "b", "failed", "", FAILURE),
    ) == ["Ok", "Failed: SLIPPED: by 3 mm", "Not done"]


def test_stopped_and_skipped_tasks_are_reported_as_such(tmp_path: Path) -> None:
    assert results(
        tmp_path,
        ev.NodeChanged(0.1, 1, "a", "skipped", "already there"),
        ev.NodeChanged(0.2, 2, "b", "stopped"),
        ev.NodeChanged(0.2, 2, "all", "skipped", "nothing left"),
    ) == ["Skipped: already there", "Stopped", "Skipped: nothing left"]


def test_running_task_is_not_finished(tmp_path: Path) -> None:
    assert results(tmp_path, ev.NodeChanged(0.1, 1, "a", "running"))[0] == "Not finished"


def test_task_kept_by_a_later_plan_retains_its_result(tmp_path: Path) -> None:
    """Only done or skipped tasks are kept, never failed ones."""
    mission = SPEC.mission.model_copy(update={"plan_version": 2, "kept": ("a", "b")})
    again = SPEC.model_copy(update={"mission": mission})
    assert results(
        tmp_path,
        ev.NodeChanged(0.1, 1, "a", "done"),
        ev.NodeChanged(0.1, 1, "b", "skipped", "already open"),
        ev.Planned(0.3, 3, again, 2),
        ev.NodeChanged(0.3, 3, "a", "kept"),
        ev.NodeChanged(0.3, 3, "b", "kept"),
    ) == ["Ok", "Skipped: already open", "Not done"]


@pytest.mark.parametrize(
    ("skill", "name"),
    [("go_to_object", "GoToObject"), ("wave", "Wave"), ("table.pick_object", "PickObject")],
)
def test_skill_name_is_converted_to_camel_case(skill: str, name: str) -> None:
    assert pascal_case_name(skill) == name


def test_ended_record_is_read_once(tmp_path: Path, monkeypatch) -> None:
    outcome = Outcome("m", "x", "satisfied", "OK", "Done.")
    journal = recorded(tmp_path, *START, ev.Finished(1.0, 5, outcome))
    reader, name = RecordReader(journal), journal.missions(1)[0].id
    reads = []
    read = stages_and_plan_preview.stages_of
    monkeypatch.setattr(
        stages_and_plan_preview, "stages_of", lambda record: reads.append(1) or read(record)
    )
    assert reader.read(name) == reader.read(name)
    assert len(reads) == 1


def test_unknown_mission_has_no_stages(tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        RecordReader(recorded(tmp_path, *START)).read("2020-01-01-0001")
