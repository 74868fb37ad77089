"""API key: read from the environment, sent to its server only, and never shown."""

from __future__ import annotations

import base64
import json
import logging
import re
import traceback
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bt_exec_llm.client import (
    Block,
    ModelClient,
    ModelFailure,
    ModelSettings,
    Question,
    Recorder,
    Turn,
)
from bt_exec_llm.testing.messages_replies import error, hang, raw, refusal, text

KEY = "sk-ant-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OTHER_KEY", KEY + "-other")


def _parts(*texts: str) -> Any:
    content = [{"type": "text", "text": part} for part in texts]
    message = {"type": "message", "content": content, "stop_reason": "end_turn"}
    return raw(json.dumps(message).encode())


_ESCAPED = KEY.replace("-", "\\u002d").replace("s", "\\u0073")
_TWICE = KEY.replace("-", "\\\\x2D")
REPLIES = [
    "hello",
    text(f"Your key is {KEY}, is it not?"),
    error(401, "authentication_error", f"invalid key {KEY}"),
    error(500, "api_error", f"{KEY}"),
    raw(f"<html>{KEY}</html>".encode()),
    raw(f'{{"type": "message", "content": [], "key": "{KEY}"}}'.encode()),
    refusal(f"I do not like {KEY}."),
    raw(f"data: {{{KEY}\n\n".encode(), content_type="text/event-stream"),
    raw(f'{{"type": "message", "content": "{_ESCAPED}"}}'.encode()),
    raw(json.dumps({"content": json.dumps({"why": "#"})}).replace("#", _TWICE).encode()),
    raw(f'{{"type": "error", "error": "{_ESCAPED}"}}'.encode(), status=400),
    error(500, "api_error", "x" * 284 + KEY),  # the message is truncated within the key
    text(f"spelt out: {' '.join(KEY)}, and {'-'.join(KEY)}"),
    text(f"turned round: {KEY[::-1]}"),
    text(f"in percent: {''.join(f'%{ord(char):02X}' for char in KEY)}"),
    _parts(KEY[:9], KEY[9:]),
    _parts("so: " + KEY[:1], KEY[1:-1], KEY[-1:] + "."),
]


@pytest.mark.parametrize("before", ["", "x", "xy", "Bearer "])
def test_base64_encoded_key_is_hidden(before: str) -> None:
    from bt_exec_llm.client.api_key import Key

    key = Key(ModelSettings())
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        shown = key.hide(f"<{encode((before + KEY + ' and more').encode()).decode()}>")
        assert "[key]" in shown
        assert len(shown) < 60
    assert key.hide(KEY.encode().hex()) == "[key]"


@pytest.mark.parametrize("reply", REPLIES, ids=range(len(REPLIES)))
def test_key_is_never_shown(
    serve: Any, connect: Any, reply: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = serve([reply], key=KEY)
    record = Recorder(tmp_path / "record.jsonl")
    client = connect(server, api_key_env="ANTHROPIC_API_KEY", record=record, retries=0)
    shown = [repr(client), repr(client.settings), client.settings.model_dump_json()]
    try:
        found = client.ask(Question([Block("rules")], [Turn.user("hi")]))
        shown += [repr(found), found.raw, found.text]
    except ModelFailure as failure:
        shown += [repr(failure), failure.say("ko"), failure.raw, failure.text]
        shown += [str(failure), *traceback.format_exception(failure)]
        shown += [str(vars(failure))]
    shown += [record.path.read_text(), caplog.text]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert all(KEY not in each for each in shown)
    assert not re.search("very|secret|yrev|terces|v e r y|v-e-r-y|%76%65", "".join(shown))


@pytest.mark.parametrize("start", [0, 8, 16])
def test_key_split_over_stream_events_is_hidden(
    serve: Any, connect: Any, start: int, tmp_path: Path
) -> None:
    said = f"cannot: my key is {KEY}, I think"
    server = serve([text(" " * start + said)], key=KEY)  # streamed in small pieces
    record = Recorder(tmp_path / "record.jsonl")
    client = connect(server, api_key_env="ANTHROPIC_API_KEY", stream=True, record=record)
    found = client.ask(Question([], [Turn.user("hi")]))
    assert found.text.strip() == "cannot: my key is [key], I think"
    assert "very" not in found.raw + record.path.read_text()


def test_escaped_key_is_hidden() -> None:
    from bt_exec_llm.client.api_key import Key

    key = Key(ModelSettings())
    for dash in ("\\u002d", "\\u002D", "\\x2d", "\\U0000002d", "\\\\u002d"):
        assert key.hide(f"<{KEY.replace('-', dash)}>") == "<[key]>"
    assert key.hide("\\" * 1_000_000) == "\\" * 1_000_000  # linear time


def test_timeout_message_hides_the_key_in_an_earlier_failure(serve: Any, connect: Any) -> None:
    server = serve(["hello", error(500, "api_error", f"{KEY} is odd"), hang()], key=KEY)
    asked = Question([], [Turn.user("hi")])
    connect(server, api_key_env="ANTHROPIC_API_KEY").ask(asked)  # imports the SDK
    client = connect(server, api_key_env="ANTHROPIC_API_KEY", timeout_s=4.0)
    with pytest.raises(ModelFailure, match=r"before that: status 500, \[key\] is odd"):
        client.ask(Question([], [Turn.user("hi")]))


def test_default_key_is_sent_to_anthropic_only(serve: Any, connect: Any) -> None:
    assert ModelSettings().key_variable == "ANTHROPIC_API_KEY"
    assert ModelSettings(base_url="https://eu.api.anthropic.com").key_variable is not None
    assert ModelSettings(base_url="https://api.anthropic.com.evil.org").key_variable is None
    server = serve(["hello"])
    connect(server).ask(Question([], [Turn.user("hi")]))
    assert KEY not in str(server.requests[0].headers.values())
    connect(server, api_key_env="OTHER_KEY").ask(Question([], [Turn.user("hi")]))
    assert server.requests[1].headers["authorization"] == f"Bearer {KEY}-other"


def test_redirect_is_not_followed(serve: Any, connect: Any) -> None:
    elsewhere = serve(["hello"])
    server = serve([error(307, headers={"Location": elsewhere.url + "/v1/messages"})])
    with pytest.raises(ModelFailure, match="MODEL_REDIRECTED"):
        connect(server, api_key_env="OTHER_KEY").ask(Question([], [Turn.user("hi")]))
    assert not elsewhere.requests


@pytest.mark.parametrize("value", ["", "  ", "schlüssel", "two\nlines"])
def test_missing_key_fails(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", value)
    client = ModelClient(ModelSettings())
    with pytest.raises(ModelFailure, match="ANTHROPIC_API_KEY") as caught:
        client.ask(Question([], [Turn.user("hi")]))
    assert caught.value.code == "MODEL_NO_KEY"
    assert caught.value.usage.requests == 0
    assert ModelSettings().has_key() == bool(value.strip())


def test_address_with_a_secret_is_rejected() -> None:
    for url in (
        "https://me:secret@host",
        "http://host?key=secret",
        "ftp://host",
        "host",
        "http://",
    ):
        with pytest.raises(ValidationError) as caught:
            ModelSettings(base_url=url)
        assert "very" not in str(caught.value)
    assert ModelSettings(base_url="http://host:1/v1/messages/").base_url == "http://host:1"


def test_key_object_does_not_reveal_the_key() -> None:
    from bt_exec_llm.client.api_key import Key

    key = Key(ModelSettings())
    assert KEY not in repr(key) + str(key)
    assert key.hide(f"<{KEY}>") == "<[key]>"


def test_environment_proxy_is_not_used_for_localhost(
    serve: Any, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert connect(serve(["hello"])).ask(Question([], [Turn.user("hi")])).text == "hello"
