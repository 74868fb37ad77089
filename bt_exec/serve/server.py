"""HTTP server on a separate thread."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import uvicorn

from bt_exec.failure import UsageError
from bt_exec.serve.api import make_app
from bt_exec.serve.guard import Guard
from bt_exec.serve.login import Login
from bt_exec.serve.protocol import BoundedProtocol
from bt_exec.serve.service import Service

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

__all__ = ["AppServer", "HttpServer"]

_CONNECTIONS = 512  # maximum number at the same time; further ones are answered 503
_HEAD_BYTES = 16 * 1024
_START_S = 20.0
_STOP_S = 5  # time limit for responses in progress when the server ends [s]


class AppServer:
    """Server of an application until it is stopped.

    Args:
        guard: The application behind its request checks.
        host: The address to listen at.
        port: The port; 0 takes a free one.

    Attributes:
        port: The port in use.

    Raises:
        UsageError: If nobody can listen there.
    """

    def __init__(self, guard: Guard | _Sites, host: str, port: int) -> None:
        self._guard = guard
        self._socket = _listening(host, port)
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            self._guard,
            http=BoundedProtocol,
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=_STOP_S,
            h11_max_incomplete_event_size=_HEAD_BYTES,
        )
        self._server = uvicorn.Server(config)
        self._begun = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="http", daemon=True)

    @property
    def alive(self) -> bool:
        """Whether it is serving."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start serving; requests are answered when this returns.

        Raises:
            UsageError: If it does not start.
        """
        self._begun = True
        self._thread.start()
        until = time.monotonic() + _START_S
        while not self._server.started:
            if not self.alive or time.monotonic() > until:
                raise UsageError("the HTTP server did not start; see its log")
            time.sleep(0.01)

    def stop(self) -> None:
        """End responses in progress, then the server."""
        loop = self._loop
        if not self._begun:
            self._socket.close()
            return
        if loop is not None and self.alive:
            loop.call_soon_threadsafe(self._end_streams)
        self._server.should_exit = True
        self._thread.join(2 * _STOP_S)

    def _end_streams(self) -> None:
        """End open event streams; called on the server's loop."""

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[self._socket])

        try:
            asyncio.run(serve())
        except Exception:  # waiting threads notice that it has ended
            logging.getLogger("bt_exec").exception("the HTTP server broke down")


class HttpServer(AppServer):
    """Server of a service until it is stopped.

    Args:
        service: The service; open.
        login: Authentication of requests.
        host: The address to listen at.
        port: The port; 0 takes a free one.
        names: Further accepted host names.
        others: Services of further sites, each with its authentication.

    Raises:
        UsageError: If nobody can listen there.
    """

    def __init__(
        self,
        service: Service,
        login: Login,
        host: str,
        port: int,
        names: Iterable[str] = (),
        others: Iterable[tuple[Service, Login]] = (),
    ) -> None:
        every = ((service, login), *others)
        self._services = [one for one, _ in every]
        sites = [one.site.name for one in self._services]
        paths = [(name, _path_of(name)) for name in sites] if len(sites) > 1 else []
        made = [make_app(one, its, host, names, paths) for one, its in every]
        self._apps: list[Any] = [guard.app for guard in made]
        alone = len(made) == 1
        super().__init__(
            made[0] if alone else _Sites(dict(zip(sites, made, strict=True))), host, port
        )

    def _end_streams(self) -> None:
        for service in self._services:
            service.watching.latest.close()
        for app in self._apps:
            app.state.feeds.close()


def _listening(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        UsageError: If the address or port is not available.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host.strip("[]"), port), family=family, backlog=512)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(
            f"cannot listen at {host}:{port}: {why}; choose another with --host or --port"
        ) from error


_PREFIX = "/sites/"


def _path_of(name: str) -> str:
    """Return the path under which a site is served."""
    return f"{_PREFIX}{name}"


class _Sites:
    """ASGI application that forwards each request to its site, under ``/sites/NAME/…``.

    All other paths are those of the first site, so that clients of a single one need not know of
    the others.

    Args:
        guards: The applications by name of their site, each with its request checks.
    """

    def __init__(self, guards: Mapping[str, Guard]) -> None:
        self.guards = dict(guards)
        self._first = next(iter(self.guards.values()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request."""
        path = scope.get("path", "")
        for name, guard in self.guards.items():
            root = _path_of(name)
            if path.startswith(f"{root}/"):
                inner = {**scope, "path": path.removeprefix(root), "root_path": root}
                await guard(inner, receive, send)
                return
        await self._first(scope, receive, send)
