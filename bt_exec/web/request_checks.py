"""Checks that every request must pass before it reaches its route.

================  =================================================================================
``Host``          must be a name or address of this server; prevents DNS rebinding
``Origin``        must be the origin of this server; prevents requests by other sites (CSRF)
token             or login cookie must be sent, unless the path requires no token
``Content-Type``  must be JSON for requests that change something, or audio for uploads
body              is limited in size and in the time in which it must arrive
================  =================================================================================

Time limits for clients that send headers or read responses slowly are in `bt_exec.web.server`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bt_exec.web.errors import WebError
from bt_exec.web.login import Login, is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BODY_BYTES", "RequestGuard", "language_of_headers"]

BODY_BYTES = 64 * 1024
"""Maximum size of a body [bytes]; enough for a command, which has at most 2,000 characters."""
_AUDIO = ("audio/", "multipart/form-data", "application/octet-stream", "text/plain")
_BODY_S = 10.0  # time limit for receiving a body [s]
_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        b"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class RequestGuard:
    """ASGI middleware that checks requests.

    Args:
        app: Application that receives the accepted requests.
        login: Authentication of requests.
        host: Address at which the server listens.
        names: Further accepted host names.
        body_bytes: Maximum size of a body [bytes].
        open_paths: Paths that do not require a token.
        uploads: Maximum size of an audio file [bytes], by path that accepts audio files.
    """

    def __init__(
        self,
        app: ASGIApp,
        login: Login,
        host: str,
        names: Iterable[str] = (),
        body_bytes: int = BODY_BYTES,
        open_paths: Collection[str] = ("/health",),
        uploads: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.app = app
        self._open = frozenset(open_paths)
        self._uploads = uploads
        self._body_bytes = body_bytes
        self._login = login
        self._loopback = is_loopback(host)
        self._names: Collection[str] = {name.casefold() for name in names}
        if not self._loopback:
            self._names = {*self._names, host.casefold(), socket.gethostname().casefold()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the application, or respond with an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        headers = _headers_as_text(scope["headers"])
        try:
            self._check_request(scope, headers)
            body = await _read_body(receive, headers, self._limit(scope))
        except WebError as error:
            if error.code == "WRONG_TOKEN":
                await asyncio.sleep(0.5)  # slows down guessing of the token
            await _refuse_and_close(send_with_headers, error, language_of_headers(headers))
            return
        if body is not None:
            await self.app(scope, _replay_body(body, receive), send_with_headers)

    def _check_request(self, scope: Scope, headers: dict[str, list[str]]) -> None:
        hosts = headers.get("host", [])
        host = hosts[0] if len(hosts) == 1 else ""
        if not self._is_accepted_host(_host_name(host)):
            raise WebError("WRONG_HOST", found=host[:100])
        for origin in headers.get("origin", []):
            if origin.partition("://")[2].casefold() != host.casefold():
                raise WebError("WRONG_ORIGIN", found=origin[:100])
        if headers.get("sec-fetch-site", [""])[0] == "cross-site" and scope["path"] != "/":
            raise WebError("WRONG_ORIGIN", found="?")
        length = headers.get("content-length", ["0"])[0]
        limit = self._limit(scope)
        if length.isdecimal() and int(length[:20]) > limit:
            raise WebError("TOO_LARGE", limit=limit)
        given = headers.get("authorization", [""])[0]
        cookies = headers.get("cookie", [""])[0]
        if scope["path"] not in self._open and not self._login.allows(given, cookies):
            raise WebError("WRONG_TOKEN" if given else "NO_TOKEN")
        if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            kind = headers.get("content-type", [""])[0].partition(";")[0].strip().casefold()
            uploaded = scope["path"] in self._uploads and kind.startswith(_AUDIO)
            if kind != "application/json" and not uploaded:
                raise WebError("NOT_JSON")

    def _limit(self, scope: Scope) -> int:
        return max(self._body_bytes, self._uploads.get(scope["path"], 0))

    def _is_accepted_host(self, name: str) -> bool:
        """Return True if the name in a ``Host`` header is accepted.

        Loopback hosts and configured names are always accepted. A server on another address also
        accepts every IP address, because DNS rebinding needs a name.
        """
        if name in self._names or is_loopback(name):
            return True
        if self._loopback:
            return False
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True


def language_of_headers(headers: dict[str, list[str]]) -> str:
    """Return the first supported language in ``Accept-Language``."""
    wanted = ",".join(headers.get("accept-language", [])).casefold().split(",")
    firsts = [part.strip()[:2] for part in wanted]
    return next((first for first in firsts if first in ("ko", "en")), "en")


def _headers_as_text(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in headers:
        found.setdefault(key.decode("latin-1").casefold(), []).append(value.decode("latin-1"))
    return found


def _host_name(host: str) -> str:
    """Return the name in a ``Host`` header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0].casefold() + "]"
    return host.partition(":")[0].casefold().rstrip(".")


async def _read_body(receive: Receive, headers: dict[str, list[str]], limit: int) -> bytes | None:
    """Return the body of a request; None if the client has disconnected.

    Raises:
        WebError: If the body is too large, or does not arrive in time.
    """
    if "content-length" not in headers and "transfer-encoding" not in headers:
        return b""
    found = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                found += message.get("body", b"")
                if len(found) > limit:
                    raise WebError("TOO_LARGE", limit=limit)
                if not message.get("more_body", False):
                    return bytes(found)
    except TimeoutError:
        raise WebError("TOO_SLOW", limit=_BODY_S) from None


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return an ASGI `receive` whose first message is a body that was already read."""
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


async def _refuse_and_close(send: Send, error: WebError, language: str) -> None:
    """Respond with an error and close the connection, because the body may not have been read."""
    body: Any = json.dumps(error.body(language), ensure_ascii=False).encode()
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **error.headers,
    }
    raw = [(key.lower().encode(), value.encode()) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": error.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
