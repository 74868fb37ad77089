"""Behaviour of a separate process: pipes, full disks, encodings, signals and start-up."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import bt_exec

pytestmark = pytest.mark.sampled

COMMAND = [sys.executable, "-m", "bt_exec"]
OPEN = ["run", "open the gate", "--no-journal", "--site"]
BRIEF = ["run", "open the gate", "--no-journal", "--fast", "--site"]


def call(
    *arguments: str, shell: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    words = [*COMMAND, *arguments]
    if shell:
        return subprocess.run(
            ["bash", "-c", f'"$@" {shell}', "x", *words],
            capture_output=True,
            text=True,
            env={**os.environ, **(env or {})},
            timeout=60,
        )
    return subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, **(env or {})}, timeout=120
    )


def test_closed_pipe_is_not_an_error(gate: str) -> None:
    ran = call("skills", "--site", gate, shell="| head -1")
    assert (ran.stdout, ran.stderr) == (" skills\n", "")


@pytest.mark.parametrize("arguments", [["trees"], ["skills", "--json"], ["--help"]])
def test_pipe_closed_at_the_start_has_a_separate_exit_code(
    arguments: list[str], gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BT_EXEC_SITE", gate)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as nowhere:
        ran = subprocess.run(
            [*COMMAND, *arguments], stdout=nowhere, stderr=subprocess.PIPE, timeout=120
        )
    assert (ran.returncode, ran.stderr) == (141, b"")


@pytest.mark.slow
def test_mission_continues_when_its_reader_closes_the_pipe(gate: str) -> None:
    ran = call(*BRIEF, gate, shell="| head -1; exit ${PIPESTATUS[0]}")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "     0.0 s  command   open the gate\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["trees"], ["--help"], BRIEF])
def test_full_disk_is_reported_in_one_line(arguments: list[str], gate: str) -> None:
    site = [gate] if arguments is BRIEF else []
    ran = call(*arguments, *site, shell="> /dev/full", env={"BT_EXEC_SITE": gate})
    assert ran.returncode == 74
    assert ran.stderr == "bt-exec: cannot write or read: no space is left on the device\n"


def test_closed_stdout_is_reported_in_one_line() -> None:
    ran = call("trees", shell=">&-")
    assert ran.returncode == 74
    assert ran.stderr.count("\n") == 1


@pytest.mark.slow
def test_terminal_without_unicode_gets_ascii(gate: str) -> None:
    words = ("run", "문을 열어", *BRIEF[2:], gate)
    ran = call(*words, env={"PYTHONIOENCODING": "ascii"})
    assert ran.returncode == 0
    assert ran.stdout.isascii()
    assert " + satisfied in " in ran.stdout


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_stops_the_mission(presses: int, gate: str) -> None:
    with subprocess.Popen(
        [*COMMAND, *OPEN, gate, "--plain"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        deadline = threading.Timer(60, process.kill)  # a hang is a failure, not a long wait
        deadline.start()
        for line in process.stdout:
            if "running" in line:
                break
        time.sleep(0.4)  # the gate is moving
        for _ in range(presses):
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        rest, errors = process.communicate()
        deadline.cancel()
    assert process.returncode == 130
    assert "stopped   open_gate" in rest
    assert "■ stopped after" in rest
    assert "Traceback" not in errors


def on_a_terminal(*arguments: str, keys: bytes = b"", **env: str) -> tuple[int, str]:
    """Run on a pseudo-terminal of 80 x 24 and return the exit code and the output."""
    master, slave = os.openpty()
    given = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", **env}
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=slave, stdout=slave, stderr=slave, env=given
    )
    os.close(slave)
    os.write(master, keys)
    deadline = threading.Timer(60, process.kill)
    deadline.start()
    written = b""
    with contextlib.suppress(OSError):  # Linux raises EIO when the last writer has closed
        while piece := os.read(master, 65536):
            written += piece
    os.close(master)
    code = process.wait(60)
    deadline.cancel()
    return code, written.decode()


@pytest.mark.parametrize("delay_s", [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8])
def test_ctrl_c_during_the_start_prints_no_traceback(delay_s: float, gate: str) -> None:
    """A traceback of the interpreter's own start is allowed; it contains no file of bt_exec."""
    process = subprocess.Popen(
        [*COMMAND, *BRIEF, gate], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=120)
    assert str(Path(bt_exec.__file__).parent) not in said + complained
    if "Traceback" not in complained:
        assert process.returncode in (130, -signal.SIGINT, 0), complained


def test_live_view_is_drawn_on_a_terminal(gate: str) -> None:
    code, text = on_a_terminal(*OPEN, gate, "--world", "gate=0.8")  # long enough to be seen
    assert code == 0
    assert "The site gate is starting" in text
    assert text.count("\x1b[?25l") >= 1
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l"), "the cursor is shown again"
    assert "satisfied in" in text.rpartition("\x1b[?25h")[2]


def test_full_screen_with_keys_ends_on_the_main_screen(gate: str) -> None:
    keys = b"\x1b[Bt:camera\r/gate\r?"
    code, text = on_a_terminal(*OPEN, gate, "--world", "gate=0.8", "--full", keys=keys)
    assert code == 0
    full, _, rest = text.partition("\x1b[?1049h")[2].partition("\x1b[?1049l")
    assert "names and codes as authors write them" in full, "the list of keys"
    assert "satisfied in" in rest
    assert "\x1b[?1049" not in rest


@pytest.mark.slow
def test_live_view_is_not_drawn_on_a_dumb_terminal(gate: str) -> None:
    code, text = on_a_terminal(*BRIEF, gate, TERM="dumb")
    assert code == 0
    assert "\x1b" not in text
    assert "running   open_gate" in text


def test_prompt_runs_commands_typed_on_a_terminal(tmp_path: Path, gate: str) -> None:
    keys = "문을 열어\nopen the gate\nstatus\nquit\n".encode()
    homes = {"XDG_STATE_HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8", "LC_ALL": "C"}
    words = ("repl", "--fast", "--no-journal", "--site", gate)
    code, text = on_a_terminal(*words, keys=keys, **homes)
    assert code == 0
    assert "완료 (" in text, "the encoding of the terminal counts, not the locale"
    assert "satisfied in" in text
    assert "gate: open" in text
    assert (tmp_path / "bt-exec" / "history").read_text().split("\n")[-4:] == [
        "open the gate",
        "status",
        "quit",
        "",
    ]


@pytest.mark.slow
def test_prompt_accepts_bytes_that_its_encoding_cannot_decode(tmp_path: Path, gate: str) -> None:
    keys = "문이 열렸어?\nquit\n".encode()
    homes = {"XDG_STATE_HOME": str(tmp_path), "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    words = ("repl", "--fast", "--no-journal", "--site", gate)
    code, text = on_a_terminal(*words, keys=keys, **homes)
    assert code == 0
    assert "refused" in text


def test_help_imports_no_heavy_modules() -> None:
    """Heavy modules are imported only when a command runs."""
    heavy = ("mujoco", "numpy", "pydantic", "py_trees", "anthropic", "cv2", "yaml", "onnxruntime")
    code = (
        "import sys; from bt_exec.cli.app import run_command_line; run_command_line(['--help']); "
        f"print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.stderr == "[]\n"
