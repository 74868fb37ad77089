"""Plan from a recording: the same answers, read and checked as they were then.

``--compiler replay:FILE`` takes what the model compiler wrote with its setting ``record: FILE``.
The same commands in the same worlds give the same plans, byte for byte; another question is
refused and says where it differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec.compiler import Compiler
from bt_exec.failure import UsageError
from bt_exec_llm.claude import ModelCompiler, PlanningSettings
from bt_exec_llm.model import ReplayClient

__all__ = ["create"]


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the model compiler with a recording in place of the model.

    Args:
        settings: ``file``, and optionally the model compiler's own ``rounds``, ``fallback`` and
            ``image`` as they were in the recording.

    Raises:
        UsageError: If there is no file, or it is no recording.
    """
    given = dict(settings)
    file = given.pop("file", None)
    if not file:
        raise UsageError("replay needs a recording: --compiler replay:FILE")
    unknown = [key for key in given if key not in ("rounds", "fallback", "image")]
    if unknown:
        raise UsageError(f"the compiler replay has no setting {unknown[0]!r}; known: file, rounds")
    planning = PlanningSettings.model_validate(given)
    return ModelCompiler(ReplayClient(Path(str(file)).expanduser()), planning)
