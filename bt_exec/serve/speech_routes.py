"""Routes ``/stt`` and ``/tts``: speech to text and text to speech, by a plugin."""

from __future__ import annotations

import asyncio
import base64
import email
import email.policy
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request

from bt_exec.language.messages import language_of
from bt_exec.models.speech import Speech
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.mission_ids import BODY
from bt_exec.serve.models import Spoken, SpokenText, Transcript, is_blank
from bt_exec.serve.openapi import answers
from bt_exec.web.guard import language_of_headers

__all__ = ["add_speech_routes"]

_FIELDS = ("audio", "file")  # form fields; the first existing one is used
_FILE = {"type": "string", "format": "binary", "minLength": 1}
_UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An audio file: the body itself, or the field `audio` of a form.",
        "content": {
            "application/octet-stream": {"schema": _FILE},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["audio"],
                    "properties": {"audio": _FILE},
                }
            },
        },
    }
}


def add_speech_routes(app: FastAPI, speech: Speech) -> None:
    """Add the routes to an application."""
    one_at_a_time = asyncio.Lock()

    @app.post(
        "/stt", responses=answers(Transcript, "NO_AUDIO", "CANNOT", *BODY), openapi_extra=_UPLOAD
    )
    async def stt(
        request: Request, accept_language: Annotated[str, Header(max_length=2000)] = ""
    ) -> Any:
        """Return what is said in an audio file. Nothing is run."""
        audio = _audio_of(await request.body(), request.headers.get("content-type", ""))
        if not audio:
            raise ServiceError("NO_AUDIO")
        language = language_of_headers({"accept-language": [accept_language]})
        async with one_at_a_time:
            text = await asyncio.to_thread(speech.transcribe, audio, language)
        return {"status": "success", "text": text}

    @app.post("/tts", responses=answers(Spoken, "NO_TEXT", "CANNOT", *BODY))
    async def tts(asked: SpokenText) -> Any:
        """Return a text as an audio file in base64; empty without a plugin."""
        if is_blank(asked.text):
            raise ServiceError("NO_TEXT")
        text = asked.text.strip()
        async with one_at_a_time:
            audio = await asyncio.to_thread(speech.synthesize, text, language_of(text))
        return {"status": "success", "text": text, "audio": base64.b64encode(audio).decode()}


def _audio_of(body: bytes, kind: str) -> bytes:
    """Return the audio file in the body of a request; empty if there is none."""
    if not kind.casefold().startswith("multipart/form-data"):
        return body
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    form = email.message_from_bytes(head + body, policy=email.policy.HTTP)
    parts: dict[Any, bytes] = {}
    for part in form.iter_parts() if form.is_multipart() else ():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            parts[part.get_param("name", header="content-disposition")] = content
    return next((parts[name] for name in _FIELDS if parts.get(name)), b"")
