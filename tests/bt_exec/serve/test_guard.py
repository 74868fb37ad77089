"""Who may ask, from where, how much: other people's pages, names and sizes do not come through."""

from __future__ import annotations

import contextlib
import socket

import pytest

from bt_exec.serve.guard import BODY_BYTES, is_loopback
from tests.bt_exec.serve.conftest import Served

TOKEN = "a-token-of-some-length"


def raw(served: Served, text: bytes) -> bytes:
    """Send bytes as they are; return the first bytes of the answer."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
        found = b""
        with contextlib.suppress(ConnectionError):  # it hangs up in the middle of what is too much
            connection.sendall(text)
        with contextlib.suppress(ConnectionError):
            while chunk := connection.recv(65536):
                found += chunk
                if b"\r\n\r\n" in found:
                    break
        return found


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "192.0.2.1"]
)
def test_another_name_for_this_machine_is_refused(shared: Served, host: str):
    """A page of others that makes its own name point at us is asked for by that name."""
    for path in ("/missions", "/", "/health", "/openapi.json"):
        answer = shared.ask("GET", path, headers={"Host": host})
        assert (answer.status, answer.data["error"]["code"]) == (421, "WRONG_HOST")


@pytest.mark.parametrize("host", ["localhost:{}", "127.0.0.1:{}", "[::1]:{}", "LOCALHOST:{}"])
def test_names_of_this_machine_are_ours(shared: Served, host: str):
    assert shared.ask("GET", "/ready", headers={"Host": host.format(shared.port)}).status == 200


def test_two_names_at_once_are_none(shared: Served):
    text = b"GET /ready HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    assert b" 200 " not in raw(shared, text).splitlines()[0]


def test_a_name_can_be_allowed(serve):
    served = serve(names=("robot.example",))
    assert served.ask("GET", "/ready", headers={"Host": "robot.example"}).status == 200
    assert served.ask("GET", "/ready", headers={"Host": "other.example"}).status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"]
)
def test_pages_of_others_cannot_act(shared: Served, origin: str):
    answer = shared.ask("POST", "/missions", {"command": "wave"}, {"Origin": origin})
    assert (answer.status, answer.data["error"]["code"]) == (403, "WRONG_ORIGIN")
    assert shared.journal.missions(None) == ()


def test_our_own_page_can_act(served: Served):
    origin = {"Origin": f"http://127.0.0.1:{served.port}"}
    assert served.ask("POST", "/missions", {"command": "wave"}, origin).status == 202


def test_a_form_of_another_page_is_not_read(shared: Served):
    """Browsers send forms without asking; none of their types is JSON."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = shared.ask("POST", "/missions", {"command": "wave"}, {"Content-Type": kind})
        assert (answer.status, answer.data["error"]["code"]) == (415, "NOT_JSON")
    cross = shared.ask("GET", "/missions", headers={"Sec-Fetch-Site": "cross-site"})
    assert cross.status == 403


def test_with_a_token_nothing_is_told_without_it(serve):
    served = serve(token=TOKEN)
    for method, path in (
        ("GET", "/missions"),
        ("POST", "/missions"),
        ("GET", "/live"),
        ("GET", "/openapi.json"),
        ("GET", "/site"),
        ("POST", "/compile"),
        ("GET", "/pictures/1.png"),
        ("GET", "/nothing"),
    ):
        answer = served.ask(method, path)
        assert (answer.status, answer.data["error"]["code"]) == (401, "NO_TOKEN"), path
        assert answer.headers["www-authenticate"] == "Bearer"
    for path in ("/", "/page.js", "/health", "/ready"):
        assert served.ask("GET", path).status == 200, path


@pytest.mark.parametrize("given", ["Bearer nonsense", "Bearer ", "Basic abc", f"Bearer {TOKEN}x"])
def test_another_token_is_refused(serve, given):
    served = serve(token=TOKEN)
    assert served.ask("GET", "/missions", headers={"Authorization": given}).status == 401


def test_the_token_opens(serve):
    served = serve(token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert served.ask("GET", "/missions", headers=headers).status == 200


def test_the_page_logs_in_with_a_cookie_that_no_script_can_read(serve):
    served = serve(token=TOKEN)
    wrong = served.ask("POST", "/login", {"token": "not the token at all"})
    assert (wrong.status, wrong.data["error"]["code"]) == (401, "WRONG_TOKEN")
    right = served.ask("POST", "/login", {"token": TOKEN})
    cookie = right.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    headers = {"Cookie": cookie.partition(";")[0]}
    assert served.ask("GET", "/missions", headers=headers).status == 200
    served.ask("POST", "/logout", headers=headers)
    assert served.ask("GET", "/missions", headers=headers).status == 401


def test_large_bodies_are_refused_announced_or_not(shared: Served):
    announced = shared.ask("POST", "/missions", "x" * (BODY_BYTES + 1))
    assert (announced.status, announced.data["error"]["code"]) == (413, "TOO_LARGE")
    head = (
        b"POST /missions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    chunks = (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 2
    assert b" 413 " in raw(shared, head + chunks).splitlines()[0]


def test_a_body_that_does_not_come_is_not_waited_for(shared: Served, monkeypatch):
    monkeypatch.setattr("bt_exec.serve.guard._BODY_S", 0.2)
    text = (
        b"POST /missions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 20\r\n\r\n{"
    )
    assert b" 408 " in raw(shared, text).splitlines()[0]


@pytest.mark.parametrize(
    "text",
    [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
        b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
        b"POST /missions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ],
)
def test_what_is_no_request_gets_an_error_and_harms_nobody(shared: Served, text: bytes):
    first = raw(shared, text + b"\r\n\r\n")
    assert b" 200 " not in first[:20]
    assert shared.ask("GET", "/ready").status == 200


def test_every_answer_carries_the_headers_of_safety(shared: Served):
    for path in ("/", "/missions", "/nothing"):
        headers = shared.ask("GET", path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.0.2", False),
        ("robot.example", False),
        ("", False),
    ],
)
def test_which_addresses_are_only_this_machine_s(host: str, own: bool):
    assert is_loopback(host) is own
