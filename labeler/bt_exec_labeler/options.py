"""Options shared by several commands of ``bt-exec label``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bt_exec.failure import UsageError

__all__ = [
    "Labeler",
    "Labelled",
    "Out",
    "Port",
    "Role",
    "Run",
    "Settings",
    "Source",
    "Stride",
    "Words",
    "settings_of",
]

Source = Annotated[
    Path,
    typer.Argument(metavar="SOURCE", help="Journal, folder of frames, video or LeRobot data set."),
]
Words = Annotated[
    Path, typer.Option("--vocabulary", "-v", metavar="FILE", help="Vocabulary, YAML.")
]
Role = Annotated[
    str, typer.Option("--role", metavar="NAME", help="Role of the labels: planner or controller.")
]
Labeler = Annotated[
    str, typer.Option("--labeler", "-l", metavar="NAME", help="Labeler: rules, model, remote …")
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Output folder.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="Output folder of label run.")]
Labelled = Annotated[
    Path, typer.Option("--source", metavar="SOURCE", help="The recording that was labelled.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="KEY=VALUE", help="Setting of the labeler: client.model=…"),
]
Stride = Annotated[
    float,
    typer.Option("--stride", min=0.1, metavar="S", help="Seconds between two moments of a span."),
]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 chooses a free one.")]


def settings_of(texts: list[str] | None) -> dict[str, Any]:
    """Return strings of the form ``client.model=x`` as nested settings.

    Raises:
        UsageError: If a text does not have this form.
    """
    import yaml

    found: dict[str, Any] = {}
    for text in texts or ():
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise UsageError(f"--set {text}: write KEY=VALUE, such as client.model=qwen3-vl")
        *path, last = key.split(".")
        inner = found
        for part in path:
            inner = inner.setdefault(part, {})
            if not isinstance(inner, dict):
                raise UsageError(f"--set {text}: {part} has a value already")
        try:
            inner[last] = yaml.safe_load(value)
        except yaml.YAMLError:
            inner[last] = value
    return found
