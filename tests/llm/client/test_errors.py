"""Failed requests: code, sentences and number of attempts of each."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from email.utils import format_datetime
from typing import Any

import pytest

from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_llm.client import ModelClient, ModelFailure, ModelSettings, Question, Turn
from bt_exec_llm.client import errors as errors_module
from bt_exec_llm.client.errors import CODES, PASSING, SENTENCES, retry_after
from bt_exec_llm.testing.messages_replies import (
    Reply,
    cut_off,
    error,
    html,
    huge,
    not_http,
    raw,
    refusal,
    reset,
    text,
)

Fail = Callable[..., ModelFailure]


def _invalid(message: str, status: int = 400) -> Reply:
    return error(status, "invalid_request_error", message)


def _json(data: Any) -> Reply:
    return raw(json.dumps(data).encode())


REPLIES = [
    (error(401, "authentication_error", "invalid x-api-key"), "MODEL_AUTH"),
    (error(403, "permission_error"), "MODEL_AUTH"),
    (error(402, "billing_error"), "MODEL_QUOTA"),
    (_invalid("Your credit balance is too low to access the API"), "MODEL_QUOTA"),
    (error(429, "rate_limit_error"), "MODEL_RATE_LIMITED"),
    (error(529, "overloaded_error"), "MODEL_OVERLOADED"),
    (error(503), "MODEL_OVERLOADED"),
    (error(500), "MODEL_SERVER_ERROR"),
    (error(504, "timeout_error"), "MODEL_SERVER_ERROR"),
    (error(408), "MODEL_SERVER_ERROR"),
    (html(502), "MODEL_SERVER_ERROR"),
    (error(404, "not_found_error", "model: m"), "MODEL_NOT_FOUND"),
    (_invalid("model 'm' not found, try pulling it first"), "MODEL_NOT_FOUND"),
    (error(301, headers={"Location": "http://127.0.0.1:1/"}), "MODEL_REDIRECTED"),
    (error(302, headers={"Location": "//me:pw@elsewhere/"}), "MODEL_REDIRECTED"),
    (error(308), "MODEL_REDIRECTED"),
    (_invalid("messages: something is odd"), "MODEL_BAD_REQUEST"),
    (_invalid("odd", 422), "MODEL_BAD_REQUEST"),
    (_invalid("prompt is too long: 250000 tokens > 200000 maximum"), "MODEL_CONTEXT_FULL"),
    (_invalid("This model's maximum context length is 4096 tokens"), "MODEL_CONTEXT_FULL"),
    (error(413, "request_too_large"), "MODEL_CONTEXT_FULL"),
    (text("so long", stop="model_context_window_exceeded"), "MODEL_CONTEXT_FULL"),
    (html(), "MODEL_NOT_JSON"),
    (raw(b""), "MODEL_NOT_JSON"),
    (raw(b'{"type": "message", "content": [{"te'), "MODEL_NOT_JSON"),
    (raw(b"[" * 200_000), "MODEL_TOO_DEEP"),
    (raw(b'{"content": ' + b"[" * 300 + b"]" * 300 + b"}"), "MODEL_TOO_DEEP"),
    (raw(b'{"content": "no", "content": "yes"}'), "MODEL_BAD_ANSWER"),
    (raw(b"\x1f\x8b00", headers={"Content-Encoding": "gzip"}), "MODEL_COMPRESSED"),
    (not_http(), "MODEL_NOT_JSON"),
    (_json({"choices": [{"message": {"content": "hi"}}]}), "MODEL_BAD_ANSWER"),
    (_json([1, 2]), "MODEL_BAD_ANSWER"),
    (_json({"content": 7}), "MODEL_BAD_ANSWER"),
    (_json({"content": ["x", None, {"type": "text", "text": 3}]}), "MODEL_BAD_ANSWER"),
    (text("  \n"), "MODEL_BAD_ANSWER"),
    (_json({"type": "error", "error": {"type": "overloaded_error"}}), "MODEL_OVERLOADED"),
    (_json({"error": "model m does not exist"}), "MODEL_NOT_FOUND"),
    (huge(1_100_000), "MODEL_TOO_BIG"),
    (refusal(), "MODEL_REFUSED"),
    (cut_off("root:\n  sequ"), "MODEL_CUT_OFF"),
    (reset(), "MODEL_BROKEN_OFF"),
    (reset(50), "MODEL_BROKEN_OFF"),
]


@pytest.mark.parametrize(
    ("reply", "code"), REPLIES, ids=lambda value: getattr(value, "name", value)
)
def test_server_reply_maps_to_failure_code(fail: Fail, reply: Reply, code: str) -> None:
    failure = fail(reply, retries=1, backoff_s=0.0)
    assert failure.code == code
    assert failure.usage.requests == (2 if code in PASSING else 1)
    assert failure.retryable == (code in PASSING)
    assert failure.__cause__ is None
    assert failure.__context__ is None
    assert _foreign(failure.say("ko")) <= _foreign(THEIRS)


THEIRS = (
    "type: error, overloaded_error, scripted, invalid x-api-key, JSON, HTTP, max_tokens, gzip, "
    "I cannot help with that, base_url, elsewhere, "
    "Your credit balance is too low to access the API, model not found, "
    "try pulling it first, does not exist; messages: something is odd, "
    "prompt is too long: tokens maximum; This model's maximum context length is"
)
"""Server texts of `REPLIES` and technical names, which are not translated."""


def _foreign(text: str) -> set[str]:
    return set(re.findall("[A-Za-z]{2,}", text))


def test_failure_contains_details_of_the_reply(fail: Fail) -> None:
    failure = fail(error(401, "authentication_error", "invalid x-api-key."))
    assert str(failure) == "MODEL_AUTH: status 401, invalid x-api-key"
    assert failure.http_status == 401
    assert failure.say("en") == (
        "The language model does not accept the API key: status 401, invalid x-api-key."
    )
    assert failure.say("ko").startswith("언어 모델이 API 키를 받아들이지 않습니다")
    assert (failure.code, failure.retryable) == ("MODEL_AUTH", False)


def test_partial_text_is_kept_when_answer_is_cut_off_or_refused(fail: Fail) -> None:
    cut = fail(cut_off("root:\n  sequ"))
    assert cut.text == "root:\n  sequ"
    assert cut.stop_reason == "max_tokens"
    assert cut.usage.output_tokens > 0
    assert fail(refusal("No, thanks.")).message == "No, thanks"


def test_html_response_is_reported_as_web_page(fail: Fail) -> None:
    assert fail(html()).message == "the answer is a web page"
    assert fail(html(404)).message == "status 404, it answers with a web page"


def test_closed_port_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    client = ModelClient(ModelSettings(base_url=url, retries=1, backoff_s=0.0))
    with pytest.raises(ModelFailure) as caught:
        client.ask(Question([], [Turn.user("hello")]))
    assert caught.value.code == "MODEL_UNREACHABLE"
    assert (
        caught.value.say("en")
        == f"The language model cannot be reached: {url}: connection refused."
    )
    assert caught.value.say("ko") == f"언어 모델에 연결할 수 없습니다: {url}: 연결을 거부했습니다."
    assert "refused" in caught.value.message
    assert client.usage.requests == 2


def test_unknown_host_is_unreachable() -> None:
    client = ModelClient(ModelSettings(base_url="http://nobody.invalid", retries=0, timeout_s=5))
    with pytest.raises(ModelFailure) as caught:
        client.ask(Question([], [Turn.user("hello")]))
    assert caught.value.code == "MODEL_UNREACHABLE"


def test_server_without_tls_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings = ModelSettings(
            base_url=f"https://127.0.0.1:{listener.getsockname()[1]}", retries=0, timeout_s=5
        )
        import threading

        def greet() -> None:
            with listener.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(b"I speak no TLS")

        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(ModelFailure) as caught:
            ModelClient(settings).ask(Question([], [Turn.user("hello")]))
        thread.join()
    assert caught.value.code == "MODEL_UNREACHABLE"


def test_retries_end_with_the_answer(serve: Any, connect: Any) -> None:
    server = serve([error(529), reset(), error(500), "hello"])
    answer = connect(server, retries=3).ask(Question([], [Turn.user("hi")]))
    assert answer.text == "hello"
    assert answer.usage.requests == 4
    assert len(server.requests) == 4


@pytest.mark.timeout(120)
def test_retry_after_is_honoured_up_to_a_limit(serve: Any, connect: Any) -> None:
    server = serve([error(429, "rate_limit_error", headers={"Retry-After": "0.3"}), "hello"])
    answer = connect(server).ask(Question([], [Turn.user("hi")]))
    assert answer.seconds >= 0.3
    server.script([error(429, "rate_limit_error", headers={"Retry-After": "86400"})])
    with pytest.raises(ModelFailure, match="it asks to wait 86400 s") as caught:
        connect(server).ask(Question([], [Turn.user("hi")]))
    assert caught.value.retry_after_s == 86400
    assert caught.value.usage.requests == 1


def test_retry_is_skipped_when_it_would_miss_the_deadline(serve: Any, connect: Any) -> None:
    server = serve([error(429, "rate_limit_error", headers={"Retry-After": "5"})])
    with pytest.raises(ModelFailure) as failure:
        connect(server, timeout_s=1.0).ask(Question([], [Turn.user("hi")]))
    assert failure.value.code == "MODEL_RATE_LIMITED"
    assert failure.value.usage.requests == 1


def test_retry_after_is_parsed_as_seconds_and_as_date() -> None:
    from datetime import UTC, datetime, timedelta

    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    waited = retry_after({"retry-after": later})
    assert waited is not None
    assert 85 < waited <= 90
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    for nonsense in ("", "soon", "nan", "inf", "-3", "9" * 500, "Mon, 99 Foo 2020"):
        assert retry_after({"retry-after": nonsense}) in (None, float("9" * 64))


SAID_IN_KOREAN = [
    (
        "MODEL_TIMEOUT",
        "no answer within 3 s; before that: status 500, slow down",
        "언어 모델이 제시간에 답하지 않았습니다: 3초 안에 답이 없었습니다; "
        "그 전에는: 상태 코드 500, slow down.",
    ),
    (
        "MODEL_RATE_LIMITED",
        "status 429, slow down; it asks to wait 86400 s",
        "언어 모델에 요청을 너무 많이 보냈습니다: 상태 코드 429, slow down; "
        "86400초 동안 기다려야 합니다.",
    ),
    (
        "MODEL_NO_KEY",
        "ANTHROPIC_API_KEY: set this environment variable",
        "언어 모델의 API 키가 없습니다: ANTHROPIC_API_KEY: 이 환경 변수를 설정하십시오.",
    ),
    (
        "MODEL_NOT_JSON",
        "the answer is a web page",
        "이 주소의 서버는 언어 모델이 아닙니다: 답이 웹 페이지입니다.",
    ),
]


@pytest.mark.parametrize(("code", "message", "said"), SAID_IN_KOREAN)
def test_failure_details_are_translated(code: str, message: str, said: str) -> None:
    assert ModelFailure(code, message).say("ko") == said


def test_every_code_is_documented_and_has_sentences() -> None:

    told = set(re.findall(r"^(MODEL_\w+) ", errors_module.__doc__ or "", re.MULTILINE))
    sentences = parse_yaml(SENTENCES.read_text(encoding="utf-8"))
    assert sentences.pop("words")
    assert told == set(sentences) == CODES
    for code in CODES:
        for language in ("en", "ko"):
            assert "…" not in ModelFailure(code, "x").say(language)
    with pytest.raises(ValueError, match="not a code"):
        ModelFailure("MODEL_ODD")
