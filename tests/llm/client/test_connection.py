"""Check of key and address by the doctor, without a request."""

import socket

from bt_exec_llm.client import ModelClient, ModelSettings
from bt_exec_llm.client.connection import endpoint_checks


def test_listening_server_is_available_without_a_request():
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings = ModelSettings(base_url=f"http://127.0.0.1:{server.getsockname()[1]}", model="m")
        found = list(endpoint_checks(ModelClient(settings)))
    assert found == [
        ("key", "ok", "none is needed here", ""),
        ("address", "ok", f"{settings.base_url} answers (m)", ""),
    ]


def test_unreachable_server_is_reported_with_a_remedy(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("MY_KEY", "secret")
    settings = ModelSettings(base_url=f"http://127.0.0.1:{port}", api_key_env="MY_KEY")
    key, address = endpoint_checks(ModelClient(settings))
    assert key == ("key", "ok", "in MY_KEY", "")
    assert address[:3] == ("address", "optional", f"http://127.0.0.1:{port}: connection refused")
    assert "start the server" in address[3]


def test_missing_key_is_reported(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    settings = ModelSettings(base_url="http://127.0.0.1:9", api_key_env="MY_KEY")
    assert next(endpoint_checks(ModelClient(settings)))[2:] == (
        "MY_KEY is not set",
        "export MY_KEY=…",
    )
