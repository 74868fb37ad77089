"""Recordings repeat their answers byte for byte and reject a different question."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_llm.client import (
    Answer,
    Block,
    Image,
    Model,
    ModelFailure,
    Question,
    Recorder,
    ReplayClient,
    Turn,
)
from bt_exec_llm.testing.messages_replies import answer, cut_off, error

SCHEMA = {"type": "object", "properties": {"door": {"type": "string"}}, "required": ["door"]}
OPEN = {"door": "열림 \u2028 \U0001f6aa"}
QUESTIONS = [
    Question([Block("rules", cache=True)], [Turn.user("is it open?", Image("aGk="))], SCHEMA),
    Question([Block("rules", cache=True)], [Turn.user("again?")]),
    Question([], [Turn.user("one"), Turn.assistant("two"), Turn.user("three")]),
]


def _all(model: Model) -> list[Answer | ModelFailure]:
    came: list[Answer | ModelFailure] = []
    for question in QUESTIONS:
        try:
            came.append(model.ask(question))
        except ModelFailure as failure:
            came.append(failure)
    return came


@pytest.fixture
def recorded(serve: Any, connect: Any, tmp_path: Path) -> tuple[Path, list[Answer | ModelFailure]]:
    path = tmp_path / "record.jsonl"
    server = serve([answer(OPEN), "문을 열었습니다.\n", cut_off("root:")])
    return path, _all(connect(server, record=Recorder(path)))


def test_replay_gives_the_recorded_answers(recorded: Any) -> None:
    path, live = recorded
    client = ReplayClient(path)
    played = _all(client)
    assert played[:2] == live[:2]
    assert not any(client.has_answer_to(question) for question in QUESTIONS)
    then, now = live[2], played[2]
    assert isinstance(then, ModelFailure)
    assert isinstance(now, ModelFailure)
    assert vars(then) == vars(now)
    assert client.usage.requests == 3


def test_recording_is_json_lines(recorded: Any) -> None:
    path, live = recorded
    lines = path.read_bytes().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["digest"] for row in rows] == [each.request_digest for each in live]
    assert rows[0]["data"] == OPEN
    assert json.loads(rows[0]["raw"])["type"] == "message"
    image = rows[0]["request"]["messages"][0]["blocks"][1]
    assert image["media_type"] == "image/jpeg"
    assert len(image["image"]) == 64
    assert rows[2]["failure"]["code"] == "MODEL_CUT_OFF"
    assert rows[2]["text"] == "root:"


def test_replay_accepts_questions_in_another_order(recorded: Any) -> None:
    path, live = recorded
    client = ReplayClient(path)
    assert client.ask(QUESTIONS[1]) == live[1]
    assert client.ask(QUESTIONS[0]) == live[0]


def test_different_question_fails_on_replay(recorded: Any) -> None:
    path, live = recorded
    client = ReplayClient(path)
    asked = QUESTIONS[0]
    with pytest.raises(ModelFailure) as caught:
        client.ask(replace(asked, system=[Block("other rules", cache=True)]))
    assert caught.value.code == "MODEL_REPLAY_DIFFERS"
    assert caught.value.message.endswith("differs in system[0]/text")
    with pytest.raises(ModelFailure, match=r"messages: 1 then, 2 now"):
        client.ask(replace(asked, messages=[*asked.messages, Turn.user("more")]))
    relaxed = ReplayClient(path, ignore_digest=True)
    assert relaxed.ask(Question([], [Turn.user("whatever")])) == live[0]


def test_replay_fails_after_the_last_answer(recorded: Any) -> None:
    path, _ = recorded
    client = ReplayClient(path)
    _all(client)
    with pytest.raises(ModelFailure, match=r"record\.jsonl: all 3 answers have been used"):
        client.ask(QUESTIONS[0])


def test_replay_fails_when_cancelled(recorded: Any) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(ModelFailure, match="MODEL_CANCELLED"):
        ReplayClient(recorded[0]).ask(QUESTIONS[0], cancel)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "line 1 is not a recorded exchange: lacks 'version'"),
        ("\n[1]", "line 2 is not a recorded exchange"),
        ('{"version": 9}', "version 9, this program reads 1"),
        ("[" * 100_000, "line 1"),
        ("words", "line 1"),
    ],
)
def test_invalid_recording_is_rejected(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content)
    with pytest.raises(UsageError, match=message):
        ReplayClient(path)


def test_unreadable_recording_files_are_rejected(serve: Any, connect: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        ReplayClient(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="cannot be written"):
        Recorder(tmp_path)
    recorder = Recorder(tmp_path / "here.jsonl")
    recorder.path = tmp_path
    with pytest.raises(ModelFailure) as caught:
        connect(serve(["hello"]), record=recorder).ask(Question([], [Turn.user("hi")]))
    assert caught.value.code == "MODEL_NOT_RECORDED"


def test_failures_are_recorded_with_details(serve: Any, connect: Any, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    limit = error(429, "rate_limit_error", headers={"Retry-After": "99"})
    with pytest.raises(ModelFailure):
        connect(serve([limit]), record=Recorder(path)).ask(Question([], [Turn.user("hi")]))
    with pytest.raises(ModelFailure) as caught:
        ReplayClient(path).ask(Question([], [Turn.user("hi")]))
    assert (caught.value.http_status, caught.value.retry_after_s) == (429, 99.0)


def test_digest_depends_on_the_question_only() -> None:
    base = Question((Block("a"),), (Turn.user("b"),), SCHEMA)
    same = Question((Block("a"),), (Turn.user(Block("b")),), dict(reversed(SCHEMA.items())))
    assert base.digest() == same.digest()
    others = [
        Question((Block("a", cache=True),), base.messages, SCHEMA),
        Question(base.system, (Turn.user("c"),), SCHEMA),
        Question(base.system, base.messages),
        Question(base.system, base.messages, SCHEMA, "YAML"),
        Question(base.system, (Turn.user("b", Image("x")),), SCHEMA),
    ]
    assert len({base.digest(), *(other.digest() for other in others)}) == 6
