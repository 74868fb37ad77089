"""HTTP server for a detector or picture model in a separate process.

Wrap the model in a class with ``detect`` or ``answer`` and call `serve_model`. The server listens
only on loopback and processes one request at a time.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
from fastapi import Request

from bt_exec.web.app_factory import json_body, new_app
from bt_exec.web.errors import WebError
from bt_exec.web.login import Login
from bt_exec.web.request_checks import RequestGuard
from bt_exec.web.server import AppServer
from bt_exec_skills.image.models.contracts import PictureModel, PromptedDetector

__all__ = ["serve_model"]

_MOST_BYTES = 100_000_000
_HOST = "127.0.0.1"


@contextmanager
def serve_model(model: PromptedDetector | PictureModel, port: int = 0) -> Iterator[str]:
    """Serve a model on 127.0.0.1 while the context is open, and yield the address of the server.

    Args:
        model: Object with ``detect``, ``answer``, or both.
        port: Port; 0 selects a free port.
    """
    server = AppServer(_make_app(model), _HOST, port)
    try:
        server.start()
        yield server.url.rstrip("/")
    finally:
        server.stop()


def _make_app(model: Any) -> RequestGuard:
    app = new_app("bt-exec model", openapi_url=None)
    one_at_a_time = asyncio.Lock()

    async def run(method: Callable[..., Any], picture: Any, asked: Any) -> Any:
        async with one_at_a_time:
            return await asyncio.to_thread(method, picture, asked)

    if isinstance(model, PromptedDetector):

        @app.post("/detect")
        async def detect(request: Request) -> Any:
            body = await json_body(request)
            prompts = body.get("prompts")
            if not isinstance(prompts, list) or not all(isinstance(one, str) for one in prompts):
                raise WebError("MALFORMED", message="'prompts' is not a list of texts")
            found = await run(model.detect, _decode_picture(body), prompts)
            rows = [{"label": one.label, "bbox": [*one.bbox], "score": one.score} for one in found]
            return {"detections": rows}

    if isinstance(model, PictureModel):

        @app.post("/answer")
        async def answer(request: Request) -> Any:
            body = await json_body(request)
            question = body.get("question")
            if not isinstance(question, str):
                raise WebError("MALFORMED", message="'question' is not a text")
            reply = await run(model.answer, _decode_picture(body), question)
            return {"answer": reply.text, "confidence": reply.confidence}

    return RequestGuard(app, Login(""), _HOST, body_bytes=_MOST_BYTES)


def _decode_picture(body: Mapping[str, Any]) -> Any:
    try:
        data = base64.b64decode(str(body.get("picture", "")), validate=True)
    except (binascii.Error, ValueError):
        raise WebError("MALFORMED", message="'picture' is not base64") from None
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if pixels is None:
        raise WebError("MALFORMED", message="'picture' is not a PNG or JPEG in base64")
    return np.ascontiguousarray(pixels[..., ::-1])
