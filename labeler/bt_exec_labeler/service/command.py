"""Implementation of ``bt-exec label serve``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.web.login import Login, token_for
from bt_exec.web.server import AppServer, serve_until_stopped
from bt_exec_labeler.batch.command import role_of
from bt_exec_labeler.labelers import LabelerSettings, find_labeler
from bt_exec_labeler.service.app import make_app
from bt_exec_labeler.vocabulary import load_vocabulary

__all__ = ["serve"]


def serve(
    words: Path,
    *,
    labeler: str,
    role: str,
    options: Mapping[str, Any],
    frames: Path | None,
    host: str,
    port: int,
    token_file: Path | None,
    say: Callable[[str], None],
) -> None:
    """Serve until interrupted.

    Raises:
        UsageError: If an argument is invalid, or the port cannot be used.
    """
    who = role_of(role)
    if labeler == "rules":
        raise UsageError(
            "the labeler rules reads recorded actions, which a request does not have; serve model"
        )
    if frames is not None and not frames.is_dir():
        raise UsageError(f"--frames {frames} is not a folder")
    vocabulary = load_vocabulary(words)
    login = Login(token_for(host, token_file))
    found = find_labeler(labeler, LabelerSettings(who, vocabulary, options))
    server = AppServer(make_app(found, who, vocabulary, login, host, frames), host, port)
    place = f"{server.url}label"
    serve_until_stopped(server, lambda: say(f"{labeler} for a {who}: {place} · Ctrl-C ends it"))
