"""JSON responses, and the response to every error."""

from __future__ import annotations

import logging
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from bt_exec.failure import BtExecError
from bt_exec.journal.json_text import to_json
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.guard import language_of_headers

__all__ = ["Json", "add_error_handlers"]

_log = logging.getLogger("bt_exec")


class Json(JSONResponse):
    """JSON response that accepts any measured values of skills."""

    def render(self, content: Any) -> bytes:
        """Return the text."""
        return to_json(content).encode()


def add_error_handlers(app: FastAPI) -> None:
    """Add handlers that answer errors with their code, sentence and status."""

    def answered(request: Request, error: ServiceError) -> Response:
        headers = {key: request.headers.getlist(key) for key in ("accept-language",)}
        return Json(error.body(language_of_headers(headers)), error.status, headers=error.headers)

    @app.exception_handler(ServiceError)
    async def ours(request: Request, error: ServiceError) -> Response:
        return answered(request, error)

    @app.exception_handler(BtExecError)
    async def theirs(request: Request, error: BtExecError) -> Response:
        return answered(request, ServiceError("CANNOT", message=str(error)))

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, error: RequestValidationError) -> Response:
        found = [
            f"{'.'.join(str(part) for part in one['loc'][1:]) or 'body'}: {one['msg']}"
            for one in error.errors()
        ]
        return answered(request, ServiceError("BAD_REQUEST", message="; ".join(found)))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        path, allowed = request.url.path[:200], _methods_at(app, request.url.path)
        facts: dict[Literal["NOT_FOUND", "NOT_ALLOWED"], dict[str, Any]] = {
            "NOT_FOUND": {"path": path},
            "NOT_ALLOWED": {"path": path, "method": request.method, "allowed": allowed},
        }
        if error.status_code == 404:
            return answered(request, ServiceError("NOT_FOUND", **facts["NOT_FOUND"]))
        if error.status_code == 405:
            refused = answered(request, ServiceError("NOT_ALLOWED", **facts["NOT_ALLOWED"]))
            refused.headers["Allow"] = allowed
            return refused
        return answered(request, ServiceError("BAD_REQUEST", message=str(error.detail)))

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> Response:
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
        return answered(request, ServiceError("BUG"))


def _methods_at(app: FastAPI, path: str) -> str:
    """Return the allowed methods at a path, over all of its routes: ``GET, POST``."""
    here = (r for r in app.routes if isinstance(r, Route) and r.path_regex.match(path))
    return ", ".join(sorted({method for route in here for method in route.methods or ()}))
