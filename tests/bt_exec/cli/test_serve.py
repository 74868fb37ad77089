"""``bt-exec serve``: refused options and shutdown."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.cli.serve import Notifier
from bt_exec.cli.stop_signals import stop_service_on_signals
from bt_exec.journal import Journal
from bt_exec.web.login import required_token
from tests.bt_exec.cli.conftest import Run

TOKEN = "0123456789abcdef"


def test_listening_on_other_addresses_requires_a_token(bt: Run, door: str) -> None:
    ran = bt("serve", "--site", door, "--host", "0.0.0.0")
    assert ran.code == 2
    assert "a token is needed: set BT_EXEC_TOKEN, or give --token-file FILE" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("short", "at least 16 ASCII characters"),
        ("", "no such file or directory"),
        ("x" * 10_001, "is larger than 10000 bytes"),
    ],
)
def test_invalid_token_file_is_refused(
    bt: Run, tmp_path: Path, text: str | None, said: str
) -> None:
    file = tmp_path / "token"
    if text:
        file.write_text(text)
        file.chmod(0o600)
    ran = bt("serve", "--token-file", str(file))
    assert ran.code == 2
    assert said in " ".join(ran.err.split())
    assert str(file)[:20] in ran.err


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666, 0o620])
def test_token_file_readable_by_others_is_refused(bt: Run, tmp_path: Path, mode: int) -> None:
    file = tmp_path / "token"
    file.write_text("x" * 32)
    file.chmod(mode)
    ran = bt("serve", "--token-file", str(file))
    assert ran.code == 2
    assert "other users may read or change it; run: chmod 600 " in " ".join(ran.err.split())
    for private in (0o600, 0o400):
        file.chmod(private)
        assert required_token("127.0.0.1", file) == "x" * 32


def test_invalid_token_is_refused(bt: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BT_EXEC_TOKEN", "x")
    assert "BT_EXEC_TOKEN: a token must have at least 16" in bt("serve").err


def test_port_in_use_is_reported_before_robots_are_opened(bt: Run, door: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        ran = bt("serve", "--site", door, "--port", port)
    assert ran.code == 2
    assert f"cannot listen at 127.0.0.1:{port}" in ran.err


def test_invalid_world_is_refused_and_the_port_released(bt: Run, door: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    ran = bt("serve", "--site", door, "--port", str(port), "--world", "door=purple")
    assert ran.code == 2
    assert "world setting door" in ran.err
    socket.create_server(("127.0.0.1", port)).close()


@pytest.mark.parametrize("port", ["-1", "70000"])
def test_invalid_port_is_refused(bt: Run, door: str, port: str) -> None:
    ran = bt("serve", "--site", door, "--port", port)
    assert ran.code == 2
    assert "--port" in ran.err


def test_missing_extra_is_reported_with_its_name(bt: Run, monkeypatch) -> None:
    for name in ("bt_exec.serve.server", "bt_exec.serve.api"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    ran = bt("serve")
    assert ran.code == 2
    assert "pip install 'bt-exec[serve]'" in ran.err


def test_help_imports_no_http_modules() -> None:
    code = (
        "import sys; from bt_exec.cli.app import run_command_line;"
        "run_command_line(['serve', '--help']);"
        "print([m for m in ('fastapi', 'uvicorn', 'starlette') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("real", [False, True])
def test_signal_handlers_are_installed_while_the_service_runs(real: bool) -> None:
    """Ctrl-Z stops a mission only if its robot would continue while the process is suspended."""
    heard: list[int] = []
    rigs = {"arm": SimpleNamespace(simulation=None if real else object())}
    session: Any = SimpleNamespace(rigs=rigs)
    before = signal.getsignal(signal.SIGTERM)
    with stop_service_on_signals(lambda number, _: heard.append(number), session):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(os.getpid(), number)
        taken = signal.getsignal(signal.SIGTSTP) not in (signal.SIG_DFL, None)
    assert heard == [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
    assert taken is real
    assert signal.getsignal(signal.SIGTERM) is before


class Program:
    """Service in a separate process."""

    def __init__(self, site: str, folder: Path) -> None:
        self.journal = folder / "journal.sqlite"
        words = ["serve", "--site", site, "--port", "0", "--journal", str(self.journal)]
        environment = {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_STATE_HOME": str(folder)}
        environment.pop("BT_EXEC_TOKEN", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bt_exec", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        self.said: list[str] = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if " at http://" in line:
                self.port = int(line.partition("http://")[2].partition("/")[0].rpartition(":")[2])
                return
        raise AssertionError("".join(self.said))

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(
            method, path, json.dumps(body or {}), {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        data = json.loads(answer.read())
        connection.close()
        return data

    def follow(self, name: str, after: int) -> list[int]:
        """Return the numbers of the events of a mission after the given one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", f"/missions/{name}/events", headers={"Last-Event-ID": str(after)})
        said = connection.getresponse().read().decode()
        connection.close()
        return [int(line[4:]) for line in said.splitlines() if line.startswith("id: ")]

    def moving(self, command: str) -> str:
        """Send a command and return its mission when the robot moves."""
        name: str = self.ask("POST", "/missions", {"command": command})["mission_id"]
        for _ in range(600):
            if any(row.kind == "SkillStarting" for row in Journal.open(self.journal).rows(name)):
                return name
            time.sleep(0.1)
        raise AssertionError("nothing moved")

    def end(self, number: int) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=90)
        self.said += output.splitlines(keepends=True)
        return self.process.returncode


@pytest.fixture
def programs(door: str, tmp_path: Path) -> Iterator[Any]:
    made: list[Program] = []

    def make() -> Program:
        made.append(Program(door, tmp_path))
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            one.end(signal.SIGKILL)
        if one.process.stdout is not None:
            one.process.stdout.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signal_stops_the_robot_and_completes_every_record(programs: Any, name: str) -> None:
    program = programs()
    running = program.moving("open the door")
    waiting = program.ask("POST", "/missions", {"command": "close the door"})["mission_id"]
    assert program.end(getattr(signal, name)) == 0
    journal = Journal.open(program.journal)
    record = journal.mission(running)
    assert (record.status, record.unreadable) == ("aborted", ())
    assert all(run.end is not None for run in record.skills)
    assert journal.mission_summary(waiting).status == "aborted"
    assert "nothing moved" in journal.mission_summary(waiting).message
    assert "the robots are closed" in program.said[-1]


@pytest.mark.slow
def test_sigterm_ends_a_service_with_a_hanging_step(gate: str, tmp_path: Path) -> None:
    """The step never returns. The process ends in time and the records are complete."""
    program = Program(gate, tmp_path)
    try:
        hangs = program.moving("jam the gate")
        waits = program.ask("POST", "/missions", {"command": "open the gate"})["mission_id"]
        began = time.monotonic()
        code = program.end(signal.SIGTERM)
        assert time.monotonic() - began < 60  # the limit is 25 s on an idle machine
        assert code != 0
        journal = Journal.open(program.journal)
        assert journal.mission_summary(hangs).status in ("failed", "aborted")
        assert journal.mission_summary(waits).status == "aborted"
    finally:
        if program.process.poll() is None:
            program.end(signal.SIGKILL)
        assert program.process.stdout is not None
        program.process.stdout.close()


@pytest.mark.slow
def test_missions_of_a_killed_service_are_interrupted_at_the_next_start(programs: Any) -> None:
    program = programs()
    running = program.moving("open the door")
    waiting = program.ask("POST", "/missions", {"command": "close the door"})["mission_id"]
    known = program.ask("GET", f"/missions/{running}")
    assert known["status"] == "running"
    program.end(signal.SIGKILL)
    rows = Journal.open(program.journal).rows(running)
    numbers = [row.seq for row in rows]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))  # up to the kill
    kept = [row.seq for row in rows if row.kind != "Progress"]  # progress is not streamed again
    again = programs()
    assert any("was interrupted" in line for line in again.said), again.said
    missions = again.ask("GET", "/missions")["missions"]
    listed = {one["mission_id"]: one["status"] for one in missions}
    assert listed == {running: "interrupted", waiting: "interrupted"}
    found = again.ask("GET", f"/missions/{running}")
    assert "open the door" in found["why"]["cause"]
    assert found["results"]["tasks"][0]["result"] == "Not finished"
    further = again.follow(running, after=kept[2])
    assert further[: len(kept) - 3] == kept[3:]  # clients continue after their last event
    cause = again.ask("GET", f"/missions/{waiting}")["why"]["cause"]
    assert "before the mission began" in cause
    answer = again.ask("POST", "/llm_command", {"command": "open the door"})
    assert (answer["status"], answer["results"][0]["result"]) == ("success", "Ok")
    assert again.end(signal.SIGTERM) == 0


@pytest.fixture(params=["path", "abstract"])
def received(request, tmp_path, monkeypatch):
    name = str(tmp_path / "notify")
    address = name if request.param == "path" else f"\0{name}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(address)
        server.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", address.replace("\0", "@"))
        yield lambda: server.recv(4096).decode()


def test_ready_and_stopping_messages_contain_a_status(received):
    notifier = Notifier()
    assert notifier.notify_ready("lab takes commands")
    assert received() == "READY=1\nSTATUS=lab takes commands"
    assert notifier.notify_stopping("put away")
    assert received() == "STOPPING=1\nSTATUS=put away"


def test_watchdog_messages_are_sent_at_half_the_period(received, monkeypatch):
    monkeypatch.setenv("WATCHDOG_USEC", "4000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    now = [100.0]
    monkeypatch.setattr("bt_exec.cli.serve.time.monotonic", lambda: now[0])
    notifier = Notifier()
    assert notifier.period_s == 2.0
    assert (notifier.notify_alive(), received()) == (True, "WATCHDOG=1")
    now[0] += 1.9
    assert not notifier.notify_alive()
    now[0] += 0.1
    assert notifier.notify_alive()


@pytest.mark.parametrize(
    "settings",
    [{}, {"WATCHDOG_USEC": "soon"}, {"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}],
)
def test_no_message_is_sent_without_a_watchdog(received, monkeypatch, settings):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert not Notifier().notify_alive()
    with pytest.raises(BlockingIOError):
        received()


@pytest.mark.parametrize("address", ["", "/no/such/socket", "@none"])
def test_no_message_is_sent_without_systemd(monkeypatch, address):
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    assert not Notifier().notify_ready("here")
