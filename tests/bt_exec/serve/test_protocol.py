"""Slow clients are disconnected and do not block others."""

from __future__ import annotations

import contextlib
import socket
import time

from bt_exec.web import server
from tests.bt_exec.serve.conftest import Served


def closed(connection: socket.socket) -> bool:
    """Return True if the server closes the connection within some seconds."""
    connection.settimeout(10)
    try:
        while connection.recv(65536):
            continue
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


def test_slow_request_head_times_out(serve, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.3)
    served: Served = serve()
    connections = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(20)]
    for number, connection in enumerate(connections):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n"[: number * 2])
    assert served.ask("GET", "/ready").status == 200
    assert all(closed(connection) for connection in connections)
    for connection in connections:
        connection.close()


def test_second_request_head_of_a_connection_times_out(serve, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.5)
    served: Served = serve()
    with socket.create_connection(("127.0.0.1", served.port)) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /health HTTP/1.1\r\nHo")
        assert closed(connection)


def test_client_that_does_not_read_is_disconnected(serve, monkeypatch):
    monkeypatch.setattr(server, "STALL_S", 0.3)
    served: Served = serve()
    data = b"x" * 30_000_000
    monkeypatch.setattr(served.service.watching.pictures, "png", lambda number: data)
    with socket.create_connection(("127.0.0.1", served.port)) as connection:
        connection.sendall(b"GET /pictures/1.png HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(1.0)
        connection.settimeout(10)
        got = 0
        with contextlib.suppress(ConnectionResetError):
            while chunk := connection.recv(1 << 20):
                got += len(chunk)
    assert got < len(data)
    assert served.ask("GET", "/ready").status == 200


def test_time_limit_of_the_headers_does_not_apply_to_a_long_request(serve, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.2)
    served: Served = serve(confirm_s=0.8)
    answer = served.ask("POST", "/llm_command", {"command": "sure?"})
    assert answer.data["reason_code"] == "NOT_CONFIRMED"
