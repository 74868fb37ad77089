"""Exact contents of the rows, because other programs read them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bt_exec.events import (
    Asked,
    NodeChanged,
    Observed,
    PerceptionFailed,
    Planned,
    Rejected,
    SkillEnded,
    SkillStarting,
    Turn,
)
from bt_exec.failure import Failure, Problem
from bt_exec.journal import RecordedObservation
from bt_exec.journal.event_row_codec import (
    digest_of,
    event_from_row,
    extra_event_data,
    observation_data,
)
from bt_exec.skill import Verdict
from bt_exec.spec.dump import dump_yaml
from bt_exec.testing import FakeObservation

FAILURE = Failure("STUCK", "it is stuck", "part/go", node="go")


def rows_of(journal, *events):
    with journal.begin(command="x", language="ko") as recorder:
        for event in events:
            recorder.on(event)
    with closing(sqlite3.connect(journal.path)) as connection:
        return connection.execute(
            "SELECT seq, t, tick, plan, kind, path, call, data FROM events ORDER BY seq"
        ).fetchall()


def test_row_data_contains_neither_columns_nor_empty_values(journal, make_spec):
    spec = make_spec(3)
    digest = digest_of(dump_yaml(spec))
    rows = rows_of(
        journal,
        NodeChanged(0.5, 1, "part", "running"),
        Planned(1.0, 2, spec, 2),
        SkillStarting(1.5, 3, "part/go", "go", {"to": "dock"}, 4),
        SkillEnded(2.0, 4, "part/go", "go", 4, "failed", 0.5, failure=FAILURE),
        Turn(2.5, 5, {"mode": "idle"}),
        PerceptionFailed(3.0, 6, "door", "no picture"),
        Observed(3.5, 7, "door", FakeObservation(3.25, ("cup",), {"hand": "empty"})),
    )
    assert [row[:7] for row in rows] == [
        (1, 0.5, 1, 0, "NodeChanged", "part", None),
        (2, 1.0, 2, 3, "Planned", None, None),
        (3, 1.5, 3, 3, "SkillStarting", "part/go", 4),
        (4, 2.0, 4, 3, "SkillEnded", "part/go", 4),
        (5, 2.5, 5, 3, "Turn", None, None),
        (6, 3.0, 6, 3, "PerceptionFailed", None, None),
        (7, 3.5, 7, 3, "Observed", None, None),
    ]
    assert [json.loads(row[7]) for row in rows] == [
        {"state": "running"},
        {"spec": digest, "calls": 2},
        {"skill": "go", "args": {"to": "dock"}},
        {"skill": "go", "state": "failed", "seconds": 0.5, "failure": FAILURE.to_dict()},
        {"report": {"mode": "idle"}},
        {"pack": "door", "message": "no picture"},
        {
            "pack": "door",
            "observation": {
                "t": 3.25,
                "data": {"t": 3.25, "seen": ["cup"], "known": {"hand": "empty"}},
                "seen": ["cup"],
                "established": {"hand": "empty"},
                "text": "cup",
                "frame": None,
            },
        },
    ]


def test_spec_is_stored_once_under_the_digest_of_its_text(journal, make_spec):
    problem = Problem("X", "a mistake", "root", allowed=("y",))
    spec = make_spec(1)
    rows_of(journal, Planned(0.0, 0, spec, 1), Rejected(0.0, 0, spec, (problem,)))
    with closing(sqlite3.connect(journal.path)) as connection:
        kept = connection.execute("SELECT digest, yaml FROM specs").fetchall()
    text = dump_yaml(spec)
    assert kept == [(hashlib.sha256(text.encode()).hexdigest(), text)]
    assert digest_of("\ud800") == digest_of("?")


def test_event_is_read_as_it_was_written():
    asked = Asked(1.0, 2, "x", "check", "near", Verdict(None, "dark", ("a", "b"), 0.5), True)
    columns = {"t": 1.0, "tick": 2, "path": "x", "call": None}
    data = extra_event_data(asked, {})
    assert data["verdict"] == {"holds": None, "why": "dark", "evidence": ("a", "b"), "age_s": 0.5}
    back = json.loads(json.dumps(data))
    assert event_from_row("Asked", columns, back, {}.__getitem__, Path()) == asked


def test_reading_an_unwritable_event_raises_the_recorded_reason():
    with pytest.raises(ValueError, match=r"^RuntimeError: broken$"):
        event_from_row("Turn", {}, {"unwritable": "RuntimeError: broken"}, {}.__getitem__, Path())


def test_reference_to_a_stored_value_is_written_unchanged():
    failed = NodeChanged(0.0, 1, "x", "failed", "why", FAILURE)
    assert extra_event_data(failed, {"failure": "elsewhere", "detail": ""}) == {
        "state": "failed",
        "failure": "elsewhere",
    }


def test_recorded_observation_has_the_interface_of_an_observation(tmp_path):
    observation = RecordedObservation(1.5, {"a": 1}, ("cup",), {"hand": "empty"}, "a cup")
    assert (observation.labels(), observation.facts()) == (("cup",), {"hand": "empty"})
    assert (observation.describe("en"), observation.record(), observation.frame) == (
        "a cup",
        {"a": 1},
        None,
    )
    record = observation.record()
    record["a"] = 2
    assert observation.record() == {"a": 1}
    elsewhere = RecordedObservation(
        1.5, {"a": 1}, ("cup",), {"hand": "empty"}, "a cup", tmp_path / "x"
    )
    assert elsewhere == observation  # the path of its frame does not affect equality
    assert observation_data(observation, "ko", "000001.png")["frame"] == "000001.png"
    both = RecordedObservation(1.5, text="컵", texts={"en": "a cup"})
    assert [both.describe(language) for language in ("ko", "en")] == ["컵", "a cup"]
    assert observation_data(both, "ko", None)["texts"] == {"en": "a cup"}
    bare = RecordedObservation(0.0)
    assert (bare.data, bare.seen, bare.established, bare.text) == ({}, (), {}, "")
