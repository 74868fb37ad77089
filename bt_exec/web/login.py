"""Authentication: bearer tokens for programs, a session cookie for the page."""

from __future__ import annotations

import ipaddress
import os
import secrets
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from bt_exec.failure import UsageError
from bt_exec.files import expand_home, read_at_most

__all__ = ["COOKIE", "Login", "is_loopback", "required_token", "stripped_token"]

COOKIE = "bt_exec_login"
_TOKEN = "BT_EXEC_TOKEN"  # noqa: S105 - the name of the environment variable
_LARGEST_TOKEN = 10_000  # maximum size of a token file [bytes]
_SHORTEST = 16  # minimum length of a token [characters]
_LASTS_S = 12 * 3600.0  # lifetime of a login [s]
_LOGINS = 256  # maximum number of logins; a further login ends the oldest


def is_loopback(host: str) -> bool:
    """Return True if a host name or address is only reachable from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def stripped_token(text: str, where: str) -> str:
    """Return a valid token without surrounding white space.

    Args:
        text: The token, possibly with white space around it.
        where: Source of the token, for the error message.

    Raises:
        UsageError: If the token is too short or has invalid characters.
    """
    token = text.strip()
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{where}: a token must have at least {_SHORTEST} ASCII characters and no spaces; "
            "make one: "
            'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    return token


def required_token(host: str, file: Path | None) -> str:
    """Return the token from `file` or the environment; empty if none is given or required.

    Raises:
        UsageError: If a required token is missing, or a token is invalid.
    """
    if file is not None:
        try:
            if (raw := read_at_most(expand_home(file), _LARGEST_TOKEN)) is None:
                raise UsageError(f"--token-file {file}: is larger than {_LARGEST_TOKEN} bytes")
            if expand_home(file).stat().st_mode & 0o077:
                raise UsageError(
                    f"--token-file {file}: other users may read or change it; run: chmod 600 {file}"
                )
            return stripped_token(raw.decode(), f"--token-file {file}")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "is not UTF-8 text"
            raise UsageError(f"--token-file {file}: {str(why).lower()}") from error
    if given := os.environ.get(_TOKEN, ""):
        return stripped_token(given, _TOKEN)
    if not is_loopback(host):
        raise UsageError(
            f"--host {host} can be reached from other machines, so a token is needed: "
            f"set {_TOKEN}, or give --token-file FILE"
        )
    return ""


class Login:
    """Token check, and login sessions of browsers.

    Args:
        token: The token; empty if none is required.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._logins: OrderedDict[str, float] = OrderedDict()  # expiry time by cookie value

    @property
    def is_required(self) -> bool:
        """Whether a token is required."""
        return bool(self._token)

    def allows(self, authorization: str, cookies: str) -> bool:
        """Return True if a request with these headers is authorized."""
        if not self.is_required:
            return True
        scheme, _, given = authorization.partition(" ")
        if scheme.casefold() == "bearer":
            return self.is_valid_token(given.strip())
        return self._is_login(cookies)

    def is_valid_token(self, given: str) -> bool:
        """Return True if a text is the token; the comparison takes constant time."""
        return secrets.compare_digest(given.encode("utf-8", "replace"), self._token)

    def log_in(self) -> str:
        """Start a login session and return its cookie value."""
        key = secrets.token_urlsafe(32)
        self._logins[key] = time.monotonic() + _LASTS_S
        while len(self._logins) > _LOGINS:
            self._logins.popitem(last=False)
        return key

    def log_out(self, cookies: str) -> None:
        """End the login session that a ``Cookie`` header belongs to."""
        self._logins.pop(_cookie_value(cookies), None)

    def _is_login(self, cookies: str) -> bool:
        given = _cookie_value(cookies).encode("utf-8", "replace")
        now = time.monotonic()
        found = [
            until > now
            for key, until in self._logins.items()
            if secrets.compare_digest(key.encode(), given)
        ]
        return any(found)


def _cookie_value(cookies: str) -> str:
    """Return the value of the login cookie in a ``Cookie`` header; empty if there is none."""
    try:
        found = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value
