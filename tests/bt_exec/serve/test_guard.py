"""Request guard: foreign hosts, foreign origins, missing tokens and large bodies are refused."""

from __future__ import annotations

import contextlib
import socket

import pytest

from bt_exec.web.request_checks import BODY_BYTES, is_loopback
from tests.bt_exec.serve.conftest import Served

TOKEN = "a-token-of-some-length"


def raw(served: Served, text: bytes) -> bytes:
    """Send raw bytes and return the beginning of the response."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
        found = b""
        # the server closes the connection in the middle of an oversized request
        with contextlib.suppress(ConnectionError):
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
def test_foreign_host_name_is_refused(shared: Served, host: str):
    """This protects against DNS rebinding."""
    for path in ("/missions", "/", "/health", "/openapi.json"):
        answer = shared.ask("GET", path, headers={"Host": host})
        assert (answer.status, answer.data["error"]["code"]) == (421, "WRONG_HOST")


@pytest.mark.parametrize("host", ["localhost:{}", "127.0.0.1:{}", "[::1]:{}", "LOCALHOST:{}"])
def test_local_host_names_are_accepted(shared: Served, host: str):
    assert shared.ask("GET", "/ready", headers={"Host": host.format(shared.port)}).status == 200


def test_duplicate_host_header_is_refused(shared: Served):
    text = b"GET /ready HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    assert b" 200 " not in raw(shared, text).splitlines()[0]


def test_configured_host_name_is_accepted(serve):
    served = serve(names=("robot.example",))
    assert served.ask("GET", "/ready", headers={"Host": "robot.example"}).status == 200
    assert served.ask("GET", "/ready", headers={"Host": "other.example"}).status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"]
)
def test_foreign_origin_is_refused(shared: Served, origin: str):
    answer = shared.ask("POST", "/missions", {"command": "wave"}, {"Origin": origin})
    assert (answer.status, answer.data["error"]["code"]) == (403, "WRONG_ORIGIN")
    assert shared.journal.missions(None) == ()


def test_origin_of_the_service_is_accepted(served: Served):
    origin = {"Origin": f"http://127.0.0.1:{served.port}"}
    assert served.ask("POST", "/missions", {"command": "wave"}, origin).status == 202


def test_form_of_a_foreign_page_is_refused(shared: Served):
    """Browsers send forms without a preflight request. None of their content types is JSON."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = shared.ask("POST", "/missions", {"command": "wave"}, {"Content-Type": kind})
        assert (answer.status, answer.data["error"]["code"]) == (415, "NOT_JSON")
    cross = shared.ask("GET", "/missions", headers={"Sec-Fetch-Site": "cross-site"})
    assert cross.status == 403


def test_requests_without_token_are_rejected(serve):
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
def test_wrong_token_is_rejected(serve, given):
    served = serve(token=TOKEN)
    assert served.ask("GET", "/missions", headers={"Authorization": given}).status == 401


def test_correct_token_is_accepted(serve):
    served = serve(token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert served.ask("GET", "/missions", headers=headers).status == 200


def test_login_sets_a_cookie_that_scripts_cannot_read(serve):
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


def test_large_body_is_refused_with_and_without_content_length(shared: Served):
    announced = shared.ask("POST", "/missions", "x" * (BODY_BYTES + 1))
    assert (announced.status, announced.data["error"]["code"]) == (413, "TOO_LARGE")
    head = (
        b"POST /missions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    chunks = (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 2
    assert b" 413 " in raw(shared, head + chunks).splitlines()[0]


def test_missing_body_times_out(shared: Served, monkeypatch):
    monkeypatch.setattr("bt_exec.web.request_checks._BODY_S", 0.2)
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
def test_malformed_request_is_an_error_and_the_service_continues(shared: Served, text: bytes):
    first = raw(shared, text + b"\r\n\r\n")
    assert b" 200 " not in first[:20]
    assert shared.ask("GET", "/ready").status == 200


def test_every_response_has_security_headers(shared: Served):
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
def test_loopback_addresses_are_recognised(host: str, own: bool):
    assert is_loopback(host) is own
