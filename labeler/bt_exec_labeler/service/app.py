"""Routes of the labelling service, and implementation of ``bt-exec label serve``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from bt_exec.failure import UsageError
from bt_exec.web.app_factory import new_app
from bt_exec.web.login import Login, required_token
from bt_exec.web.request_checks import RequestGuard
from bt_exec.web.server import AppServer, serve_until_stopped
from bt_exec_labeler.batch.command import role_by_name
from bt_exec_labeler.labeler_items import Role
from bt_exec_labeler.labelers import (
    Labeler,
    LabelerFailure,
    LabelerSettings,
    Labelled,
    find_labeler,
)
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.service.request import Asked, items_of_request
from bt_exec_labeler.vocabulary import Vocabulary, load_vocabulary

__all__ = ["BODY_BYTES", "make_app", "serve_labeler"]


BODY_BYTES = 64 * 1024 * 1024
"""Maximum size of a request [bytes]: eight planner items with frames of about 200 kB."""


def make_app(
    labeler: Labeler,
    role: Role,
    vocabulary: Vocabulary,
    login: Login,
    host: str,
    folder: Path | None = None,
) -> RequestGuard:
    """Return the service as an ASGI application.

    Args:
        labeler: Labeler of the moments.
        role: Role that the items are for.
        vocabulary: Vocabulary of the records.
        login: Authentication of requests.
        host: Listening address.
        folder: Folder of the frame files that items may name; None allows no file names.
    """
    app = new_app("bt-exec label serve")

    @app.post("/label")
    def label(asked: Asked) -> Any:
        """Return a record or breaches for every item, in order."""
        found = items_of_request(asked, role, vocabulary, folder)
        good = [item for item in found if not isinstance(item, tuple)]
        try:
            answered = iter(labeler.label(good) if good else ())
        except LabelerFailure as failure:
            error = {"code": failure.code, "message": str(failure)}
            return JSONResponse({"error": error}, 503, {"Retry-After": "5"})
        items = [
            _error_answer(item) if isinstance(item, tuple) else _answer(next(answered))
            for item in found
        ]
        return {"schema_version": vocabulary.version, "role": role, "items": items}

    @app.get("/health")
    def health() -> Any:
        """Return the name of the labeler, its role and the schema version."""
        return {"labeler": labeler.name, "role": role, "schema_version": vocabulary.version}

    @app.exception_handler(RequestValidationError)
    async def refuse(_: Request, error: RequestValidationError) -> JSONResponse:
        problems = [
            {
                "code": "BAD_REQUEST",
                "where": ".".join(map(str, found["loc"][1:])) or "body",
                "message": str(found["msg"]),
            }
            for found in error.errors()[:20]
        ]
        return JSONResponse({"problems": problems}, 422)

    return RequestGuard(app, login, host, body_bytes=BODY_BYTES)


def _error_answer(breaches: tuple[Breach, ...], **more: Any) -> dict[str, Any]:
    said = [{"code": b.code, "where": b.where, "message": b.message} for b in breaches]
    return {"record": None, "breaches": said, **more}


def _answer(labelled: Labelled) -> dict[str, Any]:
    about = {"attempts": labelled.attempts, "provenance": dict(labelled.provenance)}
    if labelled.record is None:
        return _error_answer(labelled.breaches, **about)
    return {"record": labelled.record.to_dict(), "breaches": [], **about}


def serve_labeler(
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
    who = role_by_name(role)
    if labeler == "rules":
        raise UsageError(
            "the labeler rules reads recorded actions, which a request does not have; "
            "serve the labeler model"
        )
    if frames is not None and not frames.is_dir():
        raise UsageError(f"--frames {frames} is not a folder")
    vocabulary = load_vocabulary(words)
    login = Login(required_token(host, token_file))
    found = find_labeler(labeler, LabelerSettings(who, vocabulary, options))
    server = AppServer(make_app(found, who, vocabulary, login, host, frames), host, port)
    place = f"{server.url}label"
    serve_until_stopped(
        server, lambda: say(f"{labeler} for a {who}: {place} · Ctrl-C ends the service")
    )
