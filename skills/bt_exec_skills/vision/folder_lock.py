"""Exclusive training folder of one process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.files import write_whole

__all__ = ["REPORT", "claim"]

REPORT = "training.json"
"""Record of a training: its settings and, once it is finished, its measurements."""


def claim(out: Path, plan: Mapping[str, Any], finished: str) -> None:
    """Claim the folder `out` for a training; it must be empty or hold the same training.

    Args:
        out: The folder; made if missing.
        plan: The parts ``dataset`` and ``settings``, as plain data. The device does not matter.
        finished: File of a finished training.

    Raises:
        UsageError: If it holds anything else.
    """
    file = out / REPORT
    if (out / finished).exists():
        raise UsageError(f"{out} holds finished weights already; choose another folder")
    if file.is_file():
        found, asked = json.loads(file.read_text(encoding="utf-8")), json.loads(json.dumps(plan))
        other = [
            f"{key}={found.get(part, {}).get(key)}"
            for part, values in asked.items()
            for key, value in values.items()
            if key != "device" and found.get(part, {}).get(key) != value
        ]
        if other:
            raise UsageError(
                f"{out} holds the beginning of a training with {', '.join(other)}; "
                "choose another folder"
            )
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not empty and holds no training; choose another folder")
    out.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(plan, indent=2) + "\n")
