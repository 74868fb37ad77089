"""Errors of the mission service."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from bt_exec.language.messages import Messages
from bt_exec.web.errors import SENTENCES, WebError

__all__ = ["ServiceError"]


class ServiceError(WebError):
    """Raised if the service cannot fulfil a request."""

    statuses: ClassVar[Mapping[str, int]] = {
        **WebError.statuses,
        "BUSY": 409,
        "QUEUE_FULL": 429,
        "CLOSING": 503,
        "NOT_READY": 503,
        "HUNG": 503,
        "INSPECT": 409,
        "NO_MISSION": 404,
        "NO_PLAN": 404,
        "NOT_RUNNING": 409,
        "NOT_WAITING": 409,
        "NO_QUESTION": 409,
        "NO_PICTURE": 404,
        "TOOK_TOO_LONG": 503,
        "NO_COMMAND": 400,
        "NO_AUDIO": 400,
        "NO_TEXT": 400,
    }
    sentences = Messages.load([SENTENCES, Path(__file__).with_name("messages.yaml")])
    temporary = WebError.temporary | {"BUSY", "NOT_READY", "QUEUE_FULL", "TOOK_TOO_LONG"}
