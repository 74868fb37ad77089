"""A simulator is asked directly: no proxy in between, and nobody else in its place."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bt_exec.failure import Failed
from bt_exec_skills.tabletop.protocol.client import Client


class Simulator(BaseHTTPRequestHandler):
    """Knows its time; sends elsewhere whoever asks below ``/elsewhere``."""

    def answer(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")  # type: ignore[attr-defined]
        away = self.path.startswith("/elsewhere")
        self.send_response(307 if away else 200)
        if away:
            self.send_header("Location", self.path.removeprefix("/elsewhere"))
        body = b"" if away else json.dumps({"time": 2.5, "result": {"time": 3.0}}).encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - the library's names

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def simulator() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Simulator)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def client(server: ThreadingHTTPServer, path: str = "") -> Client:
    return Client(f"http://127.0.0.1:{server.server_port}{path}", "a token", 5.0, 5.0)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_not_asked(
    simulator: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert client(simulator).now() == 2.5
    assert client(simulator).step(0.5) == 3.0


def test_motions_and_token_go_nowhere_else(simulator: ThreadingHTTPServer) -> None:
    away = client(simulator, "/elsewhere")
    with pytest.raises(Failed, match="/send_action answers 307") as told:
        away.act("pick_object([0, 0, 0])")
    assert told.value.code == "SIMULATOR_FAULT"
    with pytest.raises(Failed, match="it answers 307"):
        away.now()
    with pytest.raises(OSError, match="307"):
        away.cancel()
    asked = simulator.asked  # type: ignore[attr-defined]
    assert asked[0] == "POST /elsewhere/send_action"
    assert all(one.split(" ")[1].startswith("/elsewhere/") for one in asked)
