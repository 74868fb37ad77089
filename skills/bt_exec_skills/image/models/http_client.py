"""HTTP client for a detector or picture model in another process.

``POST {url}/detect`` with ``{"picture": PNG in base64, "prompts": […]}`` returns ``{"detections":
[{"label", "bbox": [x1, y1, x2, y2], "score"}]}``; ``POST {url}/answer`` with ``{"picture",
"question"}`` returns ``{"answer", "confidence"}``. Heavy libraries stay in the other process.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import cv2
import numpy as np
from pydantic import Field

from bt_exec.failure import UsageError
from bt_exec.language.sanitize import one_line
from bt_exec.spec.user_data_validation import UserData, read_settings
from bt_exec_skills.image.models.contracts import Reply, accepted_detections
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["RemoteModel", "RemoteSettings", "create"]

_MOST_BYTES = 4_000_000  # maximum size of a response
_LONGEST_ANSWER = 300


class RemoteSettings(UserData):
    """Settings of ``remote``.

    Attributes:
        url: Address of the server, without ``/detect``.
        timeout_s: Timeout of a request [s].
    """

    url: Annotated[str, Field(pattern=r"^https?://[^\s?#@]+$")]
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 30.0


class RemoteModel:
    """Implementation of `PromptedDetector` and `PictureModel` that queries a server.

    Args:
        settings: Settings of the server.
    """

    def __init__(self, settings: RemoteSettings) -> None:
        self._settings = settings

    def detect(self, picture: Frame, prompts: Sequence[str]) -> list[Detection]:
        """Implement `PromptedDetector.detect`.

        Raises:
            UsageError: If the server is unreachable or its response is invalid.
        """
        if not prompts:
            return []
        data = self._post("detect", {"picture": _encode_png(picture), "prompts": [*prompts]})
        rows = data.get("detections")
        if not isinstance(rows, list):
            raise UsageError(f"{self._settings.url}/detect did not return a list of 'detections'")
        found = [
            Detection(str(one.get("label")), tuple(one.get("bbox") or ()), one.get("score"))  # type: ignore[arg-type]
            for one in rows
            if isinstance(one, Mapping) and isinstance(one.get("bbox"), list)
        ]
        return accepted_detections(found, prompts, (picture.shape[0], picture.shape[1]))

    def answer(self, picture: Frame, question: str) -> Reply:
        """Implement `PictureModel.answer`.

        Raises:
            UsageError: If the server is unreachable or its response is invalid.
        """
        data = self._post("answer", {"picture": _encode_png(picture), "question": question})
        text, sure = data.get("answer"), data.get("confidence")
        if not isinstance(text, str):
            raise UsageError(f"{self._settings.url}/answer did not return a text as 'answer'")
        line = one_line(text, _LONGEST_ANSWER)
        if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
            return Reply(line)
        return Reply(line, float(sure))

    def _post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        import httpx2

        url = f"{self._settings.url.rstrip('/')}/{path}"
        try:
            with (
                httpx2.Client(timeout=self._settings.timeout_s) as client,
                client.stream("POST", url, json=body) as response,
            ):
                response.raise_for_status()
                data = bytearray()
                for part in response.iter_bytes():
                    data += part
                    if len(data) > _MOST_BYTES:
                        raise UsageError(f"{url} returned more than {_MOST_BYTES // 1_000_000} MB")
            found = json.loads(data)
        except httpx2.HTTPError as error:
            raise UsageError(f"{url} cannot be reached: {error or type(error).__name__}") from None
        except (ValueError, RecursionError):
            raise UsageError(f"{url} did not return JSON") from None
        if not isinstance(found, dict):
            raise UsageError(f"{url} did not return a JSON object")
        return found


def _encode_png(picture: Frame) -> str:
    good, data = cv2.imencode(".png", np.ascontiguousarray(picture[..., ::-1]))
    assert good
    return base64.b64encode(data.tobytes()).decode()


def create(settings: Mapping[str, Any]) -> RemoteModel:
    """Return the client; see `RemoteSettings`.

    Raises:
        UsageError: If a setting is unknown or invalid.
    """
    return RemoteModel(read_settings(RemoteSettings, settings, "the model remote"))
