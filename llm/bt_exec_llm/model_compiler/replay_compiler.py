"""Compiler that plans from recorded answers, which are parsed and checked again.

``--compiler replay:FILE`` takes a file that the model compiler wrote with ``record: FILE``. The
same commands in the same situations give the same plans, byte for byte. If a question is not in the
recording, the command is refused, and the first difference is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.files import expand_home
from bt_exec.planning.compiler import Compiler, Request, VerifiedPlan
from bt_exec.spec.user_data_validation import read_settings
from bt_exec_llm.client import ReplayClient
from bt_exec_llm.model_compiler.compiler import (
    AS_RECORDED,
    ModelCompiler,
    PlanningSettings,
)

__all__ = ["create"]


class ReplayCompiler(ModelCompiler):
    """Model compiler that uses a recording in place of a model.

    Args:
        recording: Model that repeats the recorded answers.
        settings: Settings of planning, as used for the recording.
    """

    def __init__(self, recording: ReplayClient, settings: PlanningSettings) -> None:
        super().__init__(recording, settings)
        self._recording = recording

    def library_alternative(self, request: Request) -> VerifiedPlan | None:
        """Return the library's alternative, unless the recording has an answer to this request."""
        if self._recording.has_answer_to(self._question(request)):
            return None
        return super().library_alternative(request)


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the model compiler with a recording in place of the model.

    Args:
        settings: ``file``, and optionally ``rounds``, ``fallback`` and ``image``, which take
            precedence over the recorded settings.

    Raises:
        UsageError: If the file is missing or not a recording, or a setting is invalid.
    """
    given = dict(settings)
    file = given.pop("file", None)
    if not file:
        raise UsageError("replay needs a recording: --compiler replay:FILE")
    recording = ReplayClient(expand_home(str(file)))
    # older recordings do not contain `first`
    given = {"first": "model", **recording.settings, **given}
    known = ("file", *AS_RECORDED)
    unknown = [key for key in given if key not in AS_RECORDED]
    if unknown:
        message = f"the compiler replay has no setting {unknown[0]!r}; known: {', '.join(known)}"
        raise UsageError(message)
    asked = read_settings(PlanningSettings, given, "the compiler replay")
    return ReplayCompiler(recording, asked)
