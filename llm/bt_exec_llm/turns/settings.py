"""Settings of planning turn by turn: form of the questions and limits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from bt_exec.spec.user_data import UserData

__all__ = ["AS_RECORDED", "TurnSettings"]

AS_RECORDED = ("first", "form", "turns", "tokens")
"""Settings that a replay needs for the same turns."""


class TurnSettings(UserData):
    """Settings of planning turn by turn.

    Attributes:
        first: Compiler that reads a question first and may answer it without a request; or
            ``model``, to ask the model everything.
        form: ``tools``, the protocol's own form; ``tags``, two tags with a log and JSON; ``auto``,
            tools where the server has them.
        turns: Most turns of one question, the one that answers included.
        tokens: Most tokens that the planning of one question takes; a model that looks for a tool
            has separate limits.
        seconds: Longest time of one question, tools included [s].
        record: File to which every exchange is added.
        replay: Recording that replaces the model: the same questions get the same answers.
    """

    first: str = "questions"
    form: Literal["auto", "tools", "tags"] = "auto"
    turns: Annotated[int, Field(ge=1, le=20)] = 8
    tokens: Annotated[int, Field(ge=1000, le=10_000_000)] = 200_000
    seconds: Annotated[float, Field(gt=0, le=3600)] = 180.0
    record: Path | None = None
    replay: Path | None = None
