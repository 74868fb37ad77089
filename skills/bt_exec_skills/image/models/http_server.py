"""HTTP server for a detector or picture model in a separate process.

An example to start from: wrap a model in a class with ``detect`` or ``answer`` and call `serving`.
The server listens on this machine only and handles one request after another.
"""

from __future__ import annotations

import base64
import binascii
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import cv2
import numpy as np

from bt_exec_skills.image.models.contracts import PictureModel, PromptedDetector

__all__ = ["serve_model"]

_MOST_BYTES = 100_000_000
_TIMEOUT_S = 30.0


class _BadRequestError(ValueError):
    """Raised for an invalid request; its text is the response."""


@contextmanager
def serve_model(model: PromptedDetector | PictureModel, port: int = 0) -> Iterator[str]:
    """Serve a model on 127.0.0.1 in a context, and yield the address.

    Args:
        model: Object with ``detect``, ``answer``, or both.
        port: Port; 0 selects a free one.
    """

    class Handler(_Handler):
        served = model

    with HTTPServer(("127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: Any = None
    timeout = _TIMEOUT_S

    def do_POST(self) -> None:
        """Handle ``/detect`` and ``/answer``."""
        try:
            found = self._run_model(self._read_body())
        except _BadRequestError as error:
            self._send(400, {"error": str(error)})
        except Exception as error:  # noqa: BLE001 - any error of the model is reported
            self._send(500, {"error": f"{type(error).__name__}: {error}"[:300]})
        else:
            self._send(404 if found is None else 200, found or {"error": "POST /detect or /answer"})

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def _read_body(self) -> Mapping[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _MOST_BYTES:
            raise _BadRequestError(f"Content-Length must be at most {_MOST_BYTES}")
        try:
            data = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _BadRequestError("the body is not JSON") from None
        if not isinstance(data, dict):
            raise _BadRequestError("the body is not a JSON object")
        return data

    def _run_model(self, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        path = self.path.rstrip("/").rpartition("/")[2]
        if path == "detect" and isinstance(self.served, PromptedDetector):
            prompts = body.get("prompts")
            if not isinstance(prompts, list) or not all(isinstance(one, str) for one in prompts):
                raise _BadRequestError("'prompts' is not a list of texts")
            found = self.served.detect(_decode_picture(body), prompts)
            rows = [{"label": one.label, "bbox": [*one.bbox], "score": one.score} for one in found]
            return {"detections": rows}
        if path == "answer" and isinstance(self.served, PictureModel):
            question = body.get("question")
            if not isinstance(question, str):
                raise _BadRequestError("'question' is not a text")
            reply = self.served.answer(_decode_picture(body), question)
            return {"answer": reply.text, "confidence": reply.confidence}
        return None

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _decode_picture(body: Mapping[str, Any]) -> Any:
    try:
        data = base64.b64decode(str(body.get("picture", "")), validate=True)
    except (binascii.Error, ValueError):
        raise _BadRequestError("'picture' is not base64") from None
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if pixels is None:
        raise _BadRequestError("'picture' is not a PNG or JPEG in base64")
    return np.ascontiguousarray(pixels[..., ::-1])
