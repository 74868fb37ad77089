"""Authentication: bearer tokens for programs, a session cookie for the page."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie

from bt_exec.failure import UsageError

__all__ = ["COOKIE", "Login", "token_of"]

COOKIE = "bt_exec_login"
_SHORTEST = 16  # minimum length of a token
_LASTS_S = 12 * 3600.0  # lifetime of a login [s]
_LOGINS = 256  # maximum number of logins; the oldest is dropped


def token_of(text: str, where: str) -> str:
    """Return a token without surrounding white space.

    Raises:
        UsageError: If it is not a valid token.
    """
    token = text.strip()
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{where}: a token has at least {_SHORTEST} ASCII characters and no spaces; make one: "
            'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    return token


class Login:
    """Token check and sessions of logged-in clients.

    Args:
        token: The token; empty if none is required.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._logins: OrderedDict[str, float] = OrderedDict()  # expiry time by cookie value

    @property
    def needed(self) -> bool:
        """Whether a token is required."""
        return bool(self._token)

    def allows(self, authorization: str, cookies: str) -> bool:
        """Return whether a request with these headers is authorized."""
        if not self.needed:
            return True
        scheme, _, given = authorization.partition(" ")
        if scheme.casefold() == "bearer":
            return self.is_token(given.strip())
        return self._is_login(cookies)

    def is_token(self, given: str) -> bool:
        """Return whether a text is the token, in constant time."""
        return secrets.compare_digest(given.encode("utf-8", "replace"), self._token)

    def begin(self) -> str:
        """Return the cookie value of a new login."""
        key = secrets.token_urlsafe(32)
        self._logins[key] = time.monotonic() + _LASTS_S
        while len(self._logins) > _LOGINS:
            self._logins.popitem(last=False)
        return key

    def end(self, cookies: str) -> None:
        """Log out the client with this cookie."""
        self._logins.pop(_key_of(cookies), None)

    def _is_login(self, cookies: str) -> bool:
        given = _key_of(cookies).encode("utf-8", "replace")
        now = time.monotonic()
        found = [
            until > now
            for key, until in self._logins.items()
            if secrets.compare_digest(key.encode(), given)
        ]
        return any(found)


def _key_of(cookies: str) -> str:
    """Return the value of our cookie; empty if there is none."""
    try:
        found = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value
