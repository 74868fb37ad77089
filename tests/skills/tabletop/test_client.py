"""Client of a simulator: direct requests, time limits, validated numbers."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import pytest

from bt_exec.failure import Failed
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.protocol.client import Client
from bt_exec_skills.tabletop.protocol.http_robot import HttpTableRobot


class Simulator(BaseHTTPRequestHandler):
    """Simulator that has a clock and redirects requests below ``/elsewhere``."""

    def answer(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")  # type: ignore[attr-defined]
        away = self.path.startswith("/elsewhere")
        self.send_response(307 if away else 200)
        if away:
            self.send_header("Location", self.path.removeprefix("/elsewhere"))
        told = self.server.told  # type: ignore[attr-defined]
        body = b"" if away else told
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - defined by the library

    def log_message(self, *_: object) -> None:
        """Do nothing."""


@pytest.fixture
def simulator() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Simulator)
    server.asked = []  # type: ignore[attr-defined]
    server.told = b'{"time": 2.5, "result": {"time": 3.0}}'  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def client(server: ThreadingHTTPServer, path: str = "") -> Client:
    return Client(f"http://127.0.0.1:{server.server_port}{path}", "a token", 5.0, 5.0)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_proxy_of_the_environment_is_not_used(
    simulator: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert client(simulator).now() == 2.5
    assert client(simulator).step(0.5) == 3.0


def test_redirect_is_not_followed(simulator: ThreadingHTTPServer) -> None:
    away = client(simulator, "/elsewhere")
    with pytest.raises(Failed, match="/send_action returned 307") as told:
        away.run_code("pick_object([0, 0, 0])")
    assert told.value.code == "SIMULATOR_FAULT"
    with pytest.raises(Failed, match="it answers 307"):
        away.now()
    with pytest.raises(OSError, match="307"):
        away.cancel()
    asked = simulator.asked  # type: ignore[attr-defined]
    assert asked[0] == "POST /elsewhere/send_action"
    assert all(one.split(" ")[1].startswith("/elsewhere/") for one in asked)


HEAD = b"HTTP/1.0 200 OK\r\n\r\n"
GOOD = b'{"time": 2.5, "objects": {}}'


@pytest.fixture
def slow() -> Iterator[Callable[[bytes, bytes], str]]:
    """Server that sends its response byte by byte for 3 s."""
    listening = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()
    parts = [b"", b""]

    def serve(line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            line.recv(65536)
            line.sendall(parts[0])
            for _ in range(60):
                line.sendall(b" ")
                if over.wait(0.05):
                    return
            line.sendall(parts[1])

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = listening.accept()
                threading.Thread(target=serve, args=(line,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()

    def start(before: bytes, after: bytes) -> str:
        parts[:] = before, after
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield start
    over.set()
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


@pytest.mark.parametrize(
    ("before", "after"), [(HEAD, GOOD), (b"HTTP/1.0 200 OK\r\nX: ", b"\r\n\r\n" + GOOD)]
)
def test_slow_response_times_out(
    slow: Callable[[bytes, bytes], str], before: bytes, after: bytes
) -> None:
    asking = Client(slow(before, after), "", 0.2, 0.2)
    with pytest.raises(Failed, match=r"no complete response within 0\.2 s") as told:
        asking.environment()
    assert told.value.code == "SIMULATOR_UNREACHABLE"
    with pytest.raises(Failed, match="no complete response") as told:
        asking.run_code("result = pick_object([0, 0, 0])")
    assert told.value.code == "UNCERTAIN"


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1" + "0" * 5000, "-1e999", "NaN"])
def test_number_without_a_finite_float_is_refused(
    simulator: ThreadingHTTPServer, number: str
) -> None:
    told = (
        f'{{"time": {number}, "result": {{"time": {number}}}, "mobile": {{"x": {number}, "y": 0}},'
        f'"objects": {{"a": {{"id": {number}, "pos": [{number}, 1, 2]}},'
        f'"b": {{"pos": [3, 1, 2]}}}},'
        f'"tables": {{"t": {{"pos": [1, 1, 1], "size": [{number}, 1]}}}}}}'
    )
    simulator.told = told.encode()  # type: ignore[attr-defined]
    asking = client(simulator)
    now = asking.environment()
    assert (list(now.objects), now.t, now.base) == (["b"], 0.0, None)
    assert "t" not in now.reported_tables
    with pytest.raises(Failed, match="reports no time"):
        asking.now()
    with pytest.raises(ValueError, match="/step returned"):
        asking.step(0.1)


def test_concurrent_readings_share_threads() -> None:
    threads: set[int] = set()

    class Reads:
        def environment(self) -> Environment:
            threads.add(threading.get_ident())
            return Environment(0.0)

    robot = HttpTableRobot(cast(Any, Reads()))
    for _ in range(40):
        reading = robot.read()
        while not reading.done:
            time.sleep(0.001)
        time.sleep(0.001)
    assert len(threads) < 20


def test_reading_that_lacks_a_known_object_is_repeated(
    faulty: Callable[[str], Any],
) -> None:
    simulator = faulty("names flicker")
    flickering = Client(simulator.address, "", 5.0, 5.0)
    for _ in range(12):
        assert "object_red_1" in flickering.environment().objects
