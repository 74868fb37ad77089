"""Hostile and broken servers: bounded time and memory, a specific code, no leftover resources."""

from __future__ import annotations

import json
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from bt_exec_llm.client import Block, ModelFailure, Question, Turn
from bt_exec_llm.testing.messages_replies import Reply, drip, error, hang, huge, left_open, raw
from tests.llm.client.conftest import SCHEMA

Fail = Callable[..., ModelFailure]


def _threads() -> int:
    return sum(thread.name == "bt-exec-model" for thread in threading.enumerate())


def _all_ended(within_s: float = 60.0) -> bool:
    end = time.monotonic() + within_s
    while _threads() and time.monotonic() < end:
        time.sleep(0.01)
    return not _threads()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("reply", [hang(), drip(200.0), drip(5.0)], ids=["hang", "drip", "slow"])
def test_hung_server_times_out(serve: Any, connect: Any, reply: Reply, stream: bool) -> None:
    server = serve([reply])
    client = connect(server, timeout_s=0.4, stream=stream)
    with pytest.raises(ModelFailure) as caught:
        client.ask(Question([], [Turn.user("hi")]))
    assert caught.value.code == "MODEL_TIMEOUT"
    assert _all_ended()


def test_deadline_includes_retries(fail: Fail) -> None:
    fail(raw(b"{}"))  # loads the SDK
    failure = fail(error(529).delayed(0.05), hang(), timeout_s=3.0)
    assert failure.code == "MODEL_TIMEOUT"
    assert "529" in failure.message


def test_slow_headers_time_out(serve: Any, connect: Any) -> None:
    def send(to: Any) -> None:
        for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 10_000:
            to.send_bytes(bytes((byte,)))
            to.wait(0.01)

    client = connect(serve([Reply("headers", send)]), timeout_s=0.4)
    with pytest.raises(ModelFailure) as caught:
        client.ask(Question([], [Turn.user("hi")]))
    assert caught.value.code == "MODEL_TIMEOUT"
    assert _all_ended()


def test_endless_headers_are_refused(fail: Fail) -> None:
    def send(to: Any) -> None:
        to.send_bytes(b"HTTP/1.1 200 OK\r\n")
        for number in range(100_000):
            to.send_bytes(b"X-%d: %s\r\n" % (number, b"x" * 100))

    assert fail(Reply("headers", send)).code in ("MODEL_NOT_JSON", "MODEL_BROKEN_OFF")


@pytest.mark.parametrize("status", [200, 400, 500])
def test_oversized_body_is_not_read(fail: Fail, status: int) -> None:
    fail(raw(b"{}"))  # loads the SDK
    body = b'{"error": {"message": "' + b"x" * 20_000_000 + b'"}}'
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0] + len(body)  # the test server holds a copy
        failure = fail(raw(body, status=status), retries=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert failure.code == "MODEL_TOO_BIG"
    assert peak - before < 12_000_000


def test_answer_of_five_megabytes_is_refused(fail: Fail) -> None:
    assert fail(huge(5_000_000)).code == "MODEL_TOO_BIG"


def test_endless_stream_is_refused(fail: Fail) -> None:
    def send(to: Any) -> None:
        to.send_head(200, {"Content-Type": "text/event-stream"})
        while True:
            to.send_bytes(
                b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0,'
            )
            to.send_bytes(b'"delta": {"type": "text_delta", "text": "%s"}}\n\n' % (b"x" * 1000))

    assert fail(Reply("stream", send), stream=True).code == "MODEL_TOO_BIG"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"data: {broken\n\n", "MODEL_NOT_JSON"),
        (b"data: [1]\n\n", "MODEL_BAD_ANSWER"),
        (b"event: ping\ndata: {}\n\n", "MODEL_BROKEN_OFF"),
        (b'data: {"type": "message_start", "message": 7}\n\n', "MODEL_BROKEN_OFF"),
        (b'data: {"type": "content_block_delta", "delta": 3}\n\n', "MODEL_BROKEN_OFF"),
        (b'event: error\ndata: {"error": {"type": "overloaded_error"}}\n\n', "MODEL_OVERLOADED"),
        (b'data: {"type": "error", "error": {"type": "billing_error"}}\n\n', "MODEL_QUOTA"),
        (b'data: {"type": "message_stop"}\n\n', "MODEL_BAD_ANSWER"),
        (b"\xff\xfe\x00\n\n", "MODEL_NOT_JSON"),
    ],
)
def test_garbage_in_a_stream_is_reported(fail: Fail, body: bytes, code: str) -> None:
    reply = raw(body, content_type="text/event-stream")
    assert fail(reply, stream=True, retries=0).code == code


def test_unstreamed_answer_to_a_streaming_request_is_read(serve: Any, connect: Any) -> None:
    whole = raw(b'{"content": [{"type": "text", "text": "hello"}], "stop_reason": "end_turn"}')
    client = connect(serve([whole]), stream=True)
    assert client.ask(Question([], [Turn.user("hi")])).text == "hello"


def test_invalid_usage_counts_as_zero(serve: Any, connect: Any) -> None:
    body = (
        b'{"content": "hello", "usage": {"input_tokens": -4, "output_tokens": 1e99,'
        b'"cache_read_input_tokens": "many", "cache_creation_input_tokens": true}}'
    )
    usage = connect(serve([raw(body)])).ask(Question([], [Turn.user("hi")])).usage
    assert (usage.input_tokens, usage.output_tokens) == (0, 0)
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == (0, 0)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("stream", [False, True])
def test_cancel_ends_a_hung_request(serve: Any, connect: Any, stream: bool) -> None:
    server = serve([hang(3600)])
    client = connect(server, timeout_s=3600, stream=stream)
    cancel = threading.Event()

    def stop() -> None:
        while not server.requests:
            time.sleep(0.005)
        cancel.set()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(ModelFailure) as caught:
        client.ask(Question([Block("rules")], [Turn.user("hi")]), cancel)
    thread.join()
    assert caught.value.code == "MODEL_CANCELLED"
    assert _all_ended()
    end = time.monotonic() + 60
    while not server.hangups and time.monotonic() < end:
        time.sleep(0.01)
    assert server.hangups == 1  # the server sees the disconnect


def test_cancel_ends_the_wait_between_retries(serve: Any, connect: Any) -> None:
    server = serve([error(429, "rate_limit_error", headers={"Retry-After": "15"})])
    cancel = threading.Event()
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    with pytest.raises(ModelFailure) as caught:
        connect(server, timeout_s=600).ask(Question([], [Turn.user("hi")]), cancel)
    timer.join()
    assert caught.value.code == "MODEL_CANCELLED"
    assert _all_ended()


def test_cancelled_question_is_not_sent(serve: Any, connect: Any) -> None:
    server = serve(["hello"])
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(ModelFailure, match="MODEL_CANCELLED"):
        connect(server).ask(Question([], [Turn.user("hi")]), cancel)
    assert not server.requests


def test_answer_ends_at_its_stop_event_while_the_stream_stays_open(
    serve: Any, connect: Any
) -> None:
    client = connect(serve([left_open("root: {do: x}")]), stream=True, timeout_s=10.0)
    assert client.ask(Question([], [Turn.user("hi")])).text == "root: {do: x}"


def test_two_tool_calls_are_not_accepted_as_one_answer(serve: Any, connect: Any) -> None:
    calls = [{"type": "tool_use", "name": "give_answer", "input": {"door": d}} for d in "ab"]
    server = serve([raw(json.dumps({"content": calls, "stop_reason": "tool_use"}).encode())])
    found = connect(server, tier="tool").ask(Question([], [Turn.user("hi")], SCHEMA))
    assert found.data is None
    assert '"a"' in found.text
    assert '"b"' in found.text


def test_text_beside_a_tool_call_is_kept(serve: Any, connect: Any) -> None:
    call = {"type": "tool_use", "name": "give_answer", "input": {"door": "open"}}
    blocks = [{"type": "text", "text": "Do not use this."}, call]
    server = serve([raw(json.dumps({"content": blocks, "stop_reason": "tool_use"}).encode())])
    found = connect(server, tier="tool").ask(Question([], [Turn.user("hi")], SCHEMA))
    assert found.data == {"door": "open"}
    assert "Do not use this." in found.text
