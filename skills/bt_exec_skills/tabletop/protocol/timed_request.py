"""HTTP requests with a total time limit, without proxies or redirects."""

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
    """Request with a total time limit.

    The request is a context manager; the caller reads the response inside the ``with`` block. The
    timeout of a socket restarts with each byte; this time limit does not.

    Args:
        address: URL.
        data: Body; None for ``GET``.
        headers: Headers.
        limit_s: Time limit, from connecting to the last byte [s].
    """

    def __init__(
        self, address: str, data: bytes | None, headers: dict[str, str], limit_s: float
    ) -> None:
        super().__init__(address, data, headers)
        self.limit_s = limit_s
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._late = False
        self._timer = threading.Timer(limit_s, self._cut_off)
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
        if self._late:  # the closed socket caused any other error, such as an end of data
            raise TimeoutError(f"no complete response within {self.limit_s:g} s") from error

    def register_socket(self, opened: socket.socket) -> None:
        """Register the socket to close at the time limit, or close it now if that has passed."""
        with self._lock:
            self._socket = opened
            if self._late:
                _shut(opened)

    def _cut_off(self) -> None:
        with self._lock:
            self._late = True
            if self._socket is not None:
                _shut(self._socket)


def _shut(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # SSLSocket's own method would close the session while another thread reads
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


class _PlainHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        class Connection(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                assert isinstance(req, Asked)
                req.register_socket(self.sock)

        return self.do_open(Connection, req)


class _SecureHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> Any:
        class Connection(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                assert isinstance(req, Asked)
                req.register_socket(self.sock)

        return self.do_open(Connection, req)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirect handler that follows no redirect, so that no other host gets the token."""

    def redirect_request(self, *_: Any) -> None:
        """Return None, so that the redirect is reported as an HTTP error."""


_OPENER = urllib.request.build_opener(
    urllib.request.ProxyHandler({}), _NoRedirects(), _PlainHandler(), _SecureHandler()
)
"""Opener that ignores proxy settings of the environment: commands go directly to the robot."""


def open_directly(asked: Asked) -> Any:
    """Send a request and return its open response.

    Raises:
        OSError: If the request cannot be sent, or no response arrives.
        urllib.error.HTTPError: If the status is not 2xx.
    """
    return _OPENER.open(asked, timeout=asked.limit_s)
