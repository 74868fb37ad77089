"""Notifications to systemd, received on a socket."""

from __future__ import annotations

import os
import socket

import pytest

from bt_exec.guardian.systemd import Notifier


@pytest.fixture(params=["path", "abstract"])
def received(request, tmp_path, monkeypatch):
    name = str(tmp_path / "notify")
    address = name if request.param == "path" else f"\0{name}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(address)
        server.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", address.replace("\0", "@"))
        yield lambda: server.recv(4096).decode()


def test_ready_and_stopping_carry_a_status(received):
    notifier = Notifier()
    assert notifier.ready("lab takes commands")
    assert received() == "READY=1\nSTATUS=lab takes commands"
    assert notifier.stopping("put away")
    assert received() == "STOPPING=1\nSTATUS=put away"


def test_watchdog_messages_are_sent_at_half_the_period(received, monkeypatch):
    monkeypatch.setenv("WATCHDOG_USEC", "4000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    now = [100.0]
    monkeypatch.setattr("bt_exec.guardian.systemd.time.monotonic", lambda: now[0])
    notifier = Notifier()
    assert notifier.period_s == 2.0
    assert (notifier.alive(), received()) == (True, "WATCHDOG=1")
    now[0] += 1.9
    assert not notifier.alive()
    now[0] += 0.1
    assert notifier.alive()


@pytest.mark.parametrize(
    "settings",
    [{}, {"WATCHDOG_USEC": "soon"}, {"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}],
)
def test_without_a_watchdog_nothing_is_sent(received, monkeypatch, settings):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert not Notifier().alive()
    with pytest.raises(BlockingIOError):
        received()


@pytest.mark.parametrize("address", ["", "/no/such/socket", "@none"])
def test_without_systemd_nothing_happens(monkeypatch, address):
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    assert not Notifier().ready("here")
