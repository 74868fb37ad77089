"""Speech to text and text to speech over HTTP."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from bt_exec.failure import UsageError
from tests.bt_exec.serve.conftest import Served

AUDIO = {"Content-Type": "audio/webm"}


class Recorder:
    """Speech plugin whose audio is the reversed text."""

    def transcribe(self, audio: bytes, language: str) -> str:
        if audio == b"noise":
            raise UsageError("that is noise")
        return f"{audio[::-1].decode()} ({language})"

    def synthesize(self, text: str, language: str) -> bytes:
        return f"{language}:{text}".encode()


@pytest.fixture
def speaking(serve: Any) -> Served:
    return serve(speech=Recorder())


def form(name: str, data: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of a form with one file."""
    head = f'--sep\r\nContent-Disposition: form-data; name="{name}"; filename="a.webm"\r\n'
    kind = "Content-Type: audio/webm\r\n\r\n"
    body = (head + kind).encode() + data + b"\r\n--sep--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=sep"}


def test_audio_is_transcribed_in_the_language_of_the_user(speaking: Served):
    answer = speaking.ask("POST", "/stt", b"olleh", {**AUDIO, "Accept-Language": "ko"})
    assert answer.data == {"status": "success", "text": "hello (ko)"}
    assert speaking.journal.missions(None) == ()


@pytest.mark.parametrize("name", ["audio", "file"])
def test_audio_is_accepted_in_a_form(speaking: Served, name: str):
    answer = speaking.ask("POST", "/stt", *form(name, b"olleh"))
    assert answer.data["text"] == "hello (en)"


def test_text_is_spoken_in_its_language(speaking: Served):
    answer = speaking.ask("POST", "/tts", {"text": "문을 열었습니다."})
    assert base64.b64decode(answer.data["audio"]).decode() == "ko:문을 열었습니다."


def test_audio_may_be_larger_than_other_bodies(speaking: Served):
    large = b"a" * 200_000
    assert speaking.ask("POST", "/stt", large, AUDIO).status == 200
    assert speaking.ask("POST", "/compile", large).status == 413
    assert speaking.ask("POST", "/stt", b"", {**AUDIO, "Content-Length": "9000000"}).status == 413


@pytest.mark.slow
def test_failed_transcription_is_refused_with_its_reason(speaking: Served):
    answer = speaking.ask("POST", "/stt", b"noise", AUDIO)
    assert (answer.status, answer.data["error"]["code"]) == (409, "CANNOT")
    assert "that is noise" in answer.data["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body", "headers", "message"),
    [
        ("/stt", b"", AUDIO, "The request contains no audio."),
        ("/stt", *form("other", b"x"), "The request contains no audio."),
        ("/tts", {"text": " "}, {}, "The request contains no text."),
        ("/tts", {}, {}, "The request contains no text."),
    ],
)
def test_empty_requests_are_refused(
    shared: Served, path: str, body: Any, headers: dict[str, str], message: str
):
    answer = shared.ask("POST", path, body, headers)
    assert (answer.status, answer.data["status"]) == (400, "error")
    assert answer.data["message"] == message


def test_text_is_returned_when_there_is_no_speech_plugin(shared: Served):
    spoken = shared.ask("POST", "/stt", "문 열어줘", AUDIO)
    assert spoken.data == {"status": "success", "text": "문 열어줘"}
    refused = shared.ask("POST", "/stt", b"\xff\xfb", AUDIO)
    assert "serve --speech NAME" in refused.data["error"]["message"]
    assert shared.ask("POST", "/tts", {"text": "hello"}).data["audio"] == ""
