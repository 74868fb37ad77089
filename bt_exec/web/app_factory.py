"""Base of a web application: JSON responses, error responses, and the files of a page."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from bt_exec.failure import BtExecError
from bt_exec.journal.json_text import to_json
from bt_exec.web.errors import WebError
from bt_exec.web.request_checks import language_of_headers

__all__ = ["Json", "PageFiles", "add_page", "json_body", "new_app", "page_files"]

_log = logging.getLogger("bt_exec")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

PageFiles = Mapping[str, tuple[bytes, str]]
"""Content and media type of each file of a page, by URL path."""


class Json(JSONResponse):
    """JSON response that also accepts NaN, infinities and other values that skills may return."""

    def render(self, content: Any) -> bytes:
        """Return the content as JSON text."""
        return to_json(content).encode()


def new_app(title: str, **options: Any) -> FastAPI:
    """Return an application without routes, which responds to every error with JSON.

    Args:
        title: Title of the application.
        options: Further arguments of `FastAPI`.
    """
    # FastAPI's documentation pages are off, because they load scripts from other servers
    app = FastAPI(
        title=title, docs_url=None, redoc_url=None, default_response_class=Json, **options
    )
    _add_error_handlers(app)
    return app


async def json_body(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        WebError: If the body is not a JSON object.
    """
    try:
        found = await request.json()
    except (ValueError, RecursionError):
        raise WebError("MALFORMED", message="the body is not JSON") from None
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise WebError("MALFORMED", message=f"the body must be a JSON object; found {kind}")
    return found


def page_files(folder: Path) -> PageFiles:
    """Return the files of a page by URL path: the files in `folder`, and the shared icon."""
    icon = Path(__file__).with_name("icon.svg")
    files = [icon, *(file for file in sorted(folder.iterdir()) if file.suffix in _TYPES)]
    return {
        "/" if file.name == "index.html" else f"/{file.name}": (
            file.read_bytes(),
            _TYPES[file.suffix],
        )
        for file in files
    }


def add_page(app: FastAPI, files: PageFiles) -> None:
    """Add a route for each file of a page."""
    for path, (data, kind) in files.items():

        @app.get(path, include_in_schema=False)
        async def serve_part(data: bytes = data, kind: str = kind) -> Response:
            return Response(data, media_type=kind, headers={"Cache-Control": "no-cache"})


def _add_error_handlers(app: FastAPI) -> None:
    def error_response(request: Request, error: WebError) -> Response:
        headers = {key: request.headers.getlist(key) for key in ("accept-language",)}
        return Json(error.body(language_of_headers(headers)), error.status, headers=error.headers)

    @app.exception_handler(WebError)
    async def on_web_error(request: Request, error: WebError) -> Response:
        return error_response(request, error)

    @app.exception_handler(BtExecError)
    async def on_executive_error(request: Request, error: BtExecError) -> Response:
        return error_response(request, WebError("CANNOT", message=str(error)))

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(request: Request, error: RequestValidationError) -> Response:
        found = [
            f"{'.'.join(str(part) for part in one['loc'][1:]) or 'body'}: {one['msg']}"
            for one in error.errors()
        ]
        return error_response(request, WebError("BAD_REQUEST", message="; ".join(found)))

    @app.exception_handler(HTTPException)
    async def on_http_error(request: Request, error: HTTPException) -> Response:
        path = request.url.path[:200]
        if error.status_code == 404:
            return error_response(request, WebError("NOT_FOUND", path=path))
        if error.status_code == 405:
            allowed = _methods_at(app, request.url.path)
            facts = {"path": path, "method": request.method, "allowed": allowed}
            refused = error_response(request, WebError("NOT_ALLOWED", **facts))
            refused.headers["Allow"] = allowed
            return refused
        return error_response(request, WebError("BAD_REQUEST", message=str(error.detail)))

    @app.exception_handler(Exception)
    async def on_unexpected_error(request: Request, error: Exception) -> Response:
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
        return error_response(request, WebError("BUG"))


def _methods_at(app: FastAPI, path: str) -> str:
    """Return the allowed methods of a path, such as ``GET, POST``."""
    here = (r for r in app.routes if isinstance(r, Route) and r.path_regex.match(path))
    return ", ".join(sorted({method for route in here for method in route.methods or ()}))
