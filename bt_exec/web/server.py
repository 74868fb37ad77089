"""HTTP server on a separate thread, with time limits for slow clients."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from bt_exec.failure import UsageError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["HEAD_S", "STALL_S", "AppServer", "serve_until_stopped"]

HEAD_S = 10.0
"""Time limit for receiving the request line and headers [s]."""
STALL_S = 30.0
"""Time limit for a client to read the response after the send buffer is full [s]."""
_CONNECTIONS = 512  # maximum number of connections; requests on others get status 503
_HEAD_BYTES = 16 * 1024
_START_S = 20.0
_STOP_S = 5  # time limit for responses in progress when the server ends [s]


class AppServer:
    """HTTP server of an application, which runs until it is stopped.

    Args:
        app: The application with its request checks.
        host: Address at which the server listens.
        port: Port; 0 for any free port.

    Attributes:
        port: Port at which the server listens.

    Raises:
        UsageError: If the address or port is not available.
    """

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self._host = host.strip("[]")
        self._socket = _listening_socket(self._host, port)
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
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
    def url(self) -> str:
        """Address of the page, such as ``http://127.0.0.1:8900/``."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}/"

    @property
    def alive(self) -> bool:
        """Whether the server is running."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the server and wait until it accepts requests.

        Raises:
            UsageError: If the server does not start.
        """
        self._begun = True
        self._thread.start()
        until = time.monotonic() + _START_S
        while not self._server.started:
            if not self.alive or time.monotonic() > until:
                raise UsageError("the HTTP server did not start; see its log")
            time.sleep(0.01)

    def stop(self) -> None:
        """End the event streams, wait for other responses in progress, and stop the server."""
        loop = self._loop
        if not self._begun:
            self._socket.close()
            return
        if loop is not None and self.alive:
            loop.call_soon_threadsafe(self._end_streams)
        self._server.should_exit = True
        self._thread.join(2 * _STOP_S)

    def _end_streams(self) -> None:
        """End open event streams; called on the event loop, overridden by servers with streams."""

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[self._socket])

        try:
            asyncio.run(serve())
        except Exception:  # waiting threads notice that this thread has ended
            logging.getLogger("bt_exec").exception("the HTTP server failed")


def serve_until_stopped(server: AppServer, began: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        server: Server that has not been started.
        began: Called when the server accepts requests.

    Raises:
        UsageError: If the server does not start.
    """
    asked = threading.Event()

    def stop(*_: Any) -> None:
        asked.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.start()
        began()
        while server.alive and not asked.wait(0.2):
            pass
    finally:
        server.stop()
        for number, handler in before.items():
            signal.signal(number, handler)


class BoundedProtocol(H11Protocol):
    """uvicorn's HTTP protocol with time limits for slow request headers and slow readers."""

    _head: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer for the headers of the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Start the timer for the headers of the next request when its first byte arrives."""
        if self._head is None:
            self._wait_for_head()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers."""
        for timer in (self._head, self._stall):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the timer for a client that does not read the response."""
        super().pause_writing()
        self._stall = self.loop.call_later(STALL_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Cancel the timer, because the client reads again."""
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _wait_for_head(self) -> None:
        self._head = self.loop.call_later(HEAD_S, self._too_slow)

    def _too_slow(self) -> None:
        self._head = None
        cycle: Any = self.cycle  # None before the first request
        if cycle is None or cycle.response_complete:
            self.transport.abort()


def _listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        UsageError: If the address or port is not available.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(
            f"cannot listen at {host}:{port}: {why}; choose another with --host or --port"
        ) from error
