"""One HTTP request with a total time limit, without proxies or redirects."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import urllib.request
from types import TracebackType
from typing import Any

__all__ = ["Asked", "open_directly"]


class Asked(urllib.request.Request):
    """A request with a limit for all of it; a context manager, left when its answer was read.

    A timeout of a socket begins anew with each byte; this one does not.

    Args:
        address: Where to.
        data: What is sent; None for ``GET``.
        headers: How.
        limit_s: How long it may take, from connecting to the last byte [s].
    """

    def __init__(
        self, address: str, data: bytes | None, headers: dict[str, str], limit_s: float
    ) -> None:
        super().__init__(address, data, headers)
        self.limit_s = limit_s
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._late = False
        self._timer = threading.Timer(limit_s, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Asked:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if self._late:  # whatever else it looks like: half an answer, or an end
            raise TimeoutError(f"no whole answer within {self.limit_s:g} s") from error

    def connected(self, opened: socket.socket) -> None:
        """Learn of the socket that it goes through."""
        with self._lock:
            self._socket = opened
            if self._late:
                _shut(opened)

    def _cut(self) -> None:
        with self._lock:
            self._late = True
            if self._socket is not None:
                _shut(self._socket)


def _shut(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # not SSLSocket's own: that takes the session away from under the thread that reads
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        class Connection(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                assert isinstance(req, Asked)
                req.connected(self.sock)

        return self.do_open(Connection, req)


class _Secure(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> Any:
        class Connection(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                assert isinstance(req, Asked)
                req.connected(self.sock)

        return self.do_open(Connection, req)


class _NoOneElse(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: motions and token are for this simulator alone."""

    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect; its status is the answer."""


_OPENER = urllib.request.build_opener(
    urllib.request.ProxyHandler({}), _NoOneElse(), _Plain(), _Secure()
)
"""Asks directly: no proxy of the environment stands between a command and a robot."""


def open_directly(asked: Asked) -> Any:
    """Send a request and return its answer, open.

    Raises:
        OSError: If it cannot be sent, or nothing comes.
        urllib.error.HTTPError: If the status is none of success.
    """
    return _OPENER.open(asked, timeout=asked.limit_s)
