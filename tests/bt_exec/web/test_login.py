"""Tokens and logins."""

from __future__ import annotations

import pytest

from bt_exec.failure import UsageError
from bt_exec.web import login as logins
from bt_exec.web.login import COOKIE, Login, stripped_token

TOKEN = "0123456789abcdef"


@pytest.mark.parametrize(
    "text",
    ["short", "", "x" * 15, "with a space inside it", "열여섯자가넘는한국어토큰은아닙니다요"],
)
def test_invalid_token_is_refused(text: str):
    with pytest.raises(UsageError, match="at least 16 ASCII characters"):
        stripped_token(text, "BT_EXEC_TOKEN")


def test_surrounding_white_space_of_a_token_is_ignored():
    assert stripped_token(f" {TOKEN}\n", "file") == TOKEN


def test_every_request_is_accepted_when_no_token_is_configured():
    assert Login("").allows("", "")


def test_token_or_login_is_required():
    login = Login(TOKEN)
    assert login.allows(f"Bearer {TOKEN}", "")
    assert login.allows(f"bearer  {TOKEN} ", "")
    for given in ("", "Bearer", f"Basic {TOKEN}", "Bearer é", f"Bearer {TOKEN[:-1]}"):
        assert not login.allows(given, "")
    cookie = f"{COOKIE}={login.log_in()}"
    assert login.allows("", cookie)
    assert login.allows("", f"other=1; {cookie}")
    assert not login.allows("", f"{COOKIE}=")
    assert not login.allows("", f"{COOKIE}=x")
    assert not login.allows("", "\x00=;;;")
    assert not login.allows("Bearer wrong", cookie), "a wrong token is wrong, whatever else is sent"


def test_login_expires(monkeypatch):
    login = Login(TOKEN)
    cookie = f"{COOKIE}={login.log_in()}"
    now = logins.time.monotonic()
    monkeypatch.setattr(logins.time, "monotonic", lambda: now + 13 * 3600)
    assert not login.allows("", cookie)


def test_number_of_logins_is_limited():
    login = Login(TOKEN)
    first = login.log_in()
    for _ in range(256):
        last = login.log_in()
    assert not login.allows("", f"{COOKIE}={first}")
    assert login.allows("", f"{COOKIE}={last}")
