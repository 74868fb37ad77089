"""Loading of ``.onnx`` networks and the names in their metadata."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError

__all__ = ["THREADS", "names_in", "open_session"]

THREADS = 2
"""Default number of threads of an inference."""


def open_session(weights: Path, threads: int = THREADS) -> Any:
    """Return the onnxruntime session of a file.

    Raises:
        UsageError: If it cannot be read as a network.
    """
    # Otherwise it writes a device id into the home folder and sends data (onnxruntime 1.31).
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A spinning thread keeps a core busy between two inferences.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise UsageError(f"{weights} cannot be read as a network: {error}") from error


def names_in(session: Any, weights: Path) -> tuple[str, ...]:
    """Return the names of the classes.

    Raises:
        UsageError: If the metadata has none.
    """
    text = session.get_modelmeta().custom_metadata_map.get("names", "")
    try:
        found = ast.literal_eval(text)
        return tuple(str(found[number]) for number in range(len(found)))
    except (SyntaxError, ValueError, KeyError, TypeError):
        raise UsageError(f"{weights}: its metadata does not name the classes") from None
