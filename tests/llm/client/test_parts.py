"""Small parts: usage, pictures, the lazy import, the scripted model, the test server."""

from __future__ import annotations

import base64
import subprocess
import sys
import threading
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from bt_exec_llm.client import (
    Answer,
    Block,
    Model,
    ModelFailure,
    ModelSettings,
    Prices,
    Question,
    Turn,
    Usage,
    image_block,
)
from bt_exec_llm.testing.messages_replies import answer, error, tool_use
from bt_exec_llm.testing.scripted_model import ScriptedModel


def test_token_usages_are_added(serve: Any, connect: Any) -> None:
    prices = Prices(input=3.0, output=15.0)
    server = serve([error(529), "hello", "hello"])
    client = connect(server, prices=prices)
    asked = Question([Block("x" * 4000, cache=True)], [Turn.user("hi")])
    answers = [client.ask(asked) for _ in range(2)]
    assert client.usage == answers[0].usage + answers[1].usage
    assert client.usage.requests == 3
    assert client.usage.cache_read_tokens > 1900
    one = Usage.from_answer({"input_tokens": 1000, "output_tokens": 100}, prices)
    assert one.cost == pytest.approx(0.0045)
    cached = {"cache_read_input_tokens": 1000, "cache_creation_input_tokens": 1000}
    assert Usage.from_answer(cached, prices).cost == pytest.approx(0.003 * 1.35)
    exact = Prices(input=3, output=15, cache_read=1, cache_write=2)
    assert Usage.from_answer(cached, exact).cost == pytest.approx(0.003)
    assert str(Usage(2, 200, 300, 0, 900, 4.21, 0.012)) == (
        "2 requests, 1100 in (900 from cache), 300 out, 4.2 s, cost 0.0120"
    )
    assert Usage(1).to_dict()["requests"] == 1


def test_concurrent_questions_get_their_answers(serve: Any, connect: Any) -> None:
    client = connect(serve([lambda body: body["messages"][0]["content"][0]["text"]]))
    said: dict[int, str] = {}

    def ask(number: int) -> None:
        said[number] = client.ask(Question([], [Turn.user(f"number {number}")])).text

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {number: f"number {number}" for number in range(6)}
    assert client.usage.requests == 6


@pytest.mark.parametrize(
    ("shape", "size"),
    [((480, 640), (480, 640)), ((3000, 4000), (768, 1024)), ((5000, 10), (1024, 2))],
)
def test_frame_is_encoded_as_a_small_jpeg(shape: tuple[int, int], size: tuple[int, int]) -> None:
    import cv2

    frame = np.zeros((*shape, 3), np.uint8)
    frame[..., 0] = 250
    image = image_block(frame)
    assert image.media_type == "image/jpeg"
    assert image.data not in repr(image)
    coded = np.frombuffer(base64.b64decode(image.data), np.uint8)
    seen = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert seen is not None
    assert seen.shape[:2] == size
    assert seen[0, 0, 2] > 240  # colour channels are in the right order


def test_array_of_the_wrong_shape_or_type_is_rejected_as_frame() -> None:
    for wrong in (np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)):
        with pytest.raises(ValueError, match="a frame must be uint8"):
            image_block(wrong)


def test_sdk_is_loaded_on_the_first_question() -> None:
    code = (
        "import sys, bt_exec_llm.client as m; m.ModelClient(m.ModelSettings()); "
        "print([n for n in ('anthropic', 'httpx2', 'cv2') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_paths()
    )
    assert done.stdout.strip() == "[]"


def _paths() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_missing_sdk_fails_with_its_code(
    monkeypatch: pytest.MonkeyPatch, serve: Any, connect: Any
) -> None:
    monkeypatch.delitem(sys.modules, "bt_exec_llm.client.transport", raising=False)
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(ModelFailure, match="MODEL_NO_SDK"):
        connect(serve(["hello"])).ask(Question([], [Turn.user("hi")]))


def test_internal_error_is_reported_as_crash(serve: Any, connect: Any) -> None:
    client = connect(serve(["hello"]))
    client.ask(Question([], [Turn.user("hi")]))
    with pytest.raises(ModelFailure) as caught:
        client.ask(Question([], [Turn("user", (Block(7),))]))  # type: ignore[arg-type]
    assert caught.value.code == "MODEL_CRASHED"
    assert "AttributeError" in caught.value.message


def test_scripted_model_returns_its_replies() -> None:
    replies = [
        "words",
        {"door": "open"},
        ModelFailure("MODEL_OVERLOADED"),
        lambda asked: asked.plain,
    ]
    model = ScriptedModel(replies)
    plain: Model = model
    answer = plain.ask(Question([], [Turn.user("hi")]))
    assert answer == Answer("words", seconds=pytest.approx(0, abs=1))
    found = plain.ask(Question([], [Turn.user("hi")], {"type": "object"}))
    assert (found.data, found.text, found.tier) == ({"door": "open"}, '{"door": "open"}', "schema")
    with pytest.raises(ModelFailure, match="MODEL_OVERLOADED"):
        plain.ask(Question([], []))
    assert [plain.ask(Question([], [], plain="YAML")).text for _ in range(2)] == ["YAML", "YAML"]
    assert len(model.asked) == 5
    with pytest.raises(ValueError, match="at least one"):
        ScriptedModel([])


@pytest.mark.timeout(120)
def test_scripted_model_waits_and_can_be_cancelled() -> None:
    model = ScriptedModel(["words"], seconds=3600)
    cancel = threading.Event()
    timer = threading.Timer(0.05, cancel.set)
    timer.start()
    with pytest.raises(ModelFailure, match="MODEL_CANCELLED"):
        model.ask(Question([], []), cancel)
    timer.join()


def test_test_server_rejects_requests_that_anthropic_rejects(serve: Any, connect: Any) -> None:
    server = serve(["hello"], key="the-right-key")
    with pytest.raises(ModelFailure, match="MODEL_AUTH"):
        connect(server).ask(Question([], [Turn.user("hi")]))
    open_server = serve(["hello"])
    with pytest.raises(ModelFailure, match="first message must use the user role"):
        connect(open_server).ask(Question([], [Turn.assistant("hi")]))
    unscripted = serve()
    with pytest.raises(ModelFailure, match="no script"):
        connect(unscripted, retries=0).ask(Question([], [Turn.user("hi")]))


@pytest.mark.parametrize("stream", [False, True])
def test_korean_text_is_transmitted_unchanged(serve: Any, connect: Any, stream: bool) -> None:
    words = "문 안의 자재를 가져와 🚪 " * 20
    server = serve([words, tool_use({"말": words}), answer({"말": words})])
    client = connect(server, stream=stream, tier="tool")
    assert client.ask(Question([], [Turn.user("안녕")])).text == words
    schema = {"type": "object", "properties": {"말": {"type": "string"}}}
    for _ in range(2):
        assert client.ask(Question([], [Turn.user("안녕")], schema)).data == {"말": words}


def test_invalid_settings_are_reported_by_name() -> None:
    with pytest.raises(ValueError, match="tier"):
        ModelSettings.model_validate({"tier": "best"})
    with pytest.raises(ValueError, match="tempreature"):
        ModelSettings.model_validate({"tempreature": 0})


def test_immutable_schema_is_serialised() -> None:
    """Packs keep their schemas as constants, in immutable mappings."""
    inner = MappingProxyType({"type": "string"})
    schema = MappingProxyType({"type": "object", "properties": MappingProxyType({"a": inner})})
    plain = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert Question((), (Turn.user("?"),), schema) == Question((), (Turn.user("?"),), plain)
    assert Question((), (Turn.user("?"),), schema).digest()
