"""Connection to a model server with a deadline, selection of the proxy, and address checks."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.settings import ModelSettings

__all__ = ["Connection", "endpoint_checks", "proxy_of"]


class Connection:
    """Connection of one question to the server; any thread may close it at any time.

    Args:
        deadline: Latest time of the answer, on the clock `time.monotonic` [s].
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def abort(self) -> None:
        """Close the connection; a thread that is blocked in a read wakes up."""
        self.ended.set()
        with self._lock:
            _shut_down_socket(self._socket)

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Record each socket that the HTTP library opens; a trace hook of that library."""
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        opened = info["return_value"].get_extra_info("socket")
        with self._lock:
            self._socket = opened
            if self.ended.is_set():
                _shut_down_socket(opened)

    def remaining_time(self) -> float:
        """Return the time until the deadline [s]."""
        return max(0.0, self.deadline - time.monotonic())

    def check(self) -> None:
        """Raise `ModelFailure` if the deadline has passed or the connection was closed."""
        if self.ended.is_set():
            raise ModelFailure("MODEL_CANCELLED", "asked to stop")
        if self.remaining_time() <= 0:
            raise ModelFailure("MODEL_TIMEOUT", "the answer was still coming in")


def _shut_down_socket(opened: socket.socket | None) -> None:
    if opened is not None:
        with contextlib.suppress(OSError):
            # SSLSocket.shutdown would discard the TLS session while another thread reads
            socket.socket.shutdown(opened, socket.SHUT_RDWR)


def proxy_of(url: str) -> str | None:
    """Return the proxy that the environment sets for an address; always None for localhost."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


_WAIT_S = 1.5


def endpoint_checks(model: Any) -> Iterator[tuple[str, str, str, str]]:
    """Check the key and address of a model with a server; yield (name, status, detail, remedy).

    A connection is opened and closed again; no request and no key is sent. The status is ``ok`` or
    ``optional``, never ``missing``, because the offline compiler needs no model.
    """
    settings = getattr(model, "settings", None)
    if not isinstance(settings, ModelSettings):
        return
    variable = settings.key_variable
    if variable is None:
        yield "key", "ok", "none is needed here", ""
    elif settings.has_key():
        yield "key", "ok", f"in {variable}", ""
    else:
        yield "key", "optional", f"{variable} is not set", f"export {variable}=…"
    parts = urlsplit(settings.base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=_WAIT_S):
            yield "address", "ok", f"{settings.base_url} answers ({settings.model})", ""
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        fix = "start the server, or set compiler: {name: claude, base_url: …} in the site file"
        yield "address", "optional", f"{settings.base_url}: {reason}", fix
