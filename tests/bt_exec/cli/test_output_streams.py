"""Output for scripts: valid JSON for any result of a skill."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bt_exec.cli.output_streams import (
    program_stream,
    separate_streams,
    to_json,
    write_data,
    write_json,
)
from bt_exec.cli.stop_signals import _report_unraisable
from bt_exec.language.sanitize import one_line, printable
from bt_exec.tui.terminal_text import safe_line, without_cursor_moves
from tests.bt_exec.cli.conftest import Run

FILE = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": (1, "자재")}, '{"a":[1,"자재"]}'),
        ({"a": float("nan"), "b": 1e999}, '{"a":"NaN","b":"Infinity"}'),
        ({"a": np.float32(0.5), "b": np.arange(3)}, '{"a":0.5,"b":[0,1,2]}'),
        ({7: {"b"}}, '{"7":["b"]}'),
    ],
)
def test_result_values_are_printed_as_json(value, text):
    assert to_json(value, file=FILE) == text


def test_value_that_json_cannot_represent_is_written_as_text():
    lock = json.loads(to_json({"lock": threading.Lock()}, file=FILE))["lock"]
    assert lock.startswith("<unlocked")


def test_stream_with_a_limited_encoding_gets_escapes():
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert to_json({"a": "자재"}, file=ascii_only) == '{"a":"\\uc790\\uc7ac"}'


HIDDEN = (
    "\x1b[2J",
    "\x07",
    "\x9b31m",
    "\u00ad",
    "\u200b",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\U000e0041",
)
HIDDEN += ("\u061c", "\u180e", "\ufff9", "\U000e0101", "\u3164", "\ud800", "\u034f")


class Terminal(io.StringIO):
    """Stream that claims to be a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("data", [False, True])
def test_nested_command_draws_on_the_same_stream(data: bool, monkeypatch) -> None:
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    with separate_streams(data=False), separate_streams(data=data):
        program_stream(sys.stdout).write("\x1b[2Ktext")
    assert out.getvalue() == "\x1b[2Ktext"


@pytest.mark.parametrize("hidden", HIDDEN, ids=ascii)
def test_control_characters_do_not_reach_the_terminal(hidden: str, monkeypatch) -> None:
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    text = f"a{hidden}b 문"
    with separate_streams(data=False):
        print(text)
        print(text, file=sys.stderr)
        sys.stdout.writelines([text])
        write_data(text)
        write_json({"key": text})
    for shown in (
        out.getvalue(),
        err.getvalue(),
        safe_line(text),
        without_cursor_moves(text),
        one_line(text, 40),
    ):
        assert all(char.isprintable() or char == "\n" for char in shown), ascii(shown)
        assert hidden[:1] not in shown
        assert "문" in shown
    assert json.loads(to_json({"key": text})) == {"key": text}


def test_colours_and_korean_are_kept(monkeypatch) -> None:
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    with separate_streams(data=False):
        print("\x1b[1;31m문이 열림\x1b[0m\t✓ é 日本 🤖")
    assert out.getvalue() == "\x1b[1;31m문이 열림\x1b[0m\t✓ é 日本 🤖\n"
    assert printable("한글\nx") == "한글\nx"


def test_print_of_a_skill_goes_to_stderr(monkeypatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with separate_streams(data=True):
        print("loading the driver")
        write_json({"ok": True})
        assert program_stream(sys.stdout) is out
    assert (out.getvalue(), err.getvalue()) == ('{"ok":true}\n', "loading the driver\n")
    assert sys.stdout is out


NOISY = """
import sys
from bt_exec import Running, Steps, skill
print("the module is loaded")

@skill
def shout(robot: object) -> Steps:
    \"\"\"Print something.\"\"\"
    print("\\x1b[2Jmotor on")
    sys.stdout.write("no line end")
    yield Running(None, "shouting")
"""


def test_print_of_a_tool_does_not_break_json(bt: Run, tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    (tmp_path / "plan.yaml").write_text("mission: {command: shout}\nroot: {do: shout}\n")
    options = ("--tools", str(tmp_path / "noisy.py"), "--plan", str(tmp_path / "plan.yaml"))
    done = bt("run", "--fast", "--json", "--no-journal", *options)
    assert json.loads(done.out)["status"] == "satisfied", done.err
    assert "the module is loaded" in done.err


NOISY_IN_C = """
import ctypes, os, subprocess, sys
from bt_exec import Running, Steps, skill
libc = ctypes.CDLL(None)
libc.printf(b"printf of the import\\n")

@skill
def shout(robot: object) -> Steps:
    \"\"\"Print something.\"\"\"
    libc.printf(b"printf of the step")
    os.write(1, b"written to 1\\n")
    subprocess.run(["echo", "said by a child"])
    sys.__stdout__.write("by the stream itself\\n")
    yield Running(None, "shouting")
"""


@pytest.mark.slow
@pytest.mark.parametrize("then", ["", "raise SystemExit(3)"])
def test_print_of_c_code_does_not_break_json(door: str, tmp_path: Path, then: str) -> None:
    tool, plan = tmp_path / "noisy.py", tmp_path / "plan.yaml"
    tool.write_text(f"{NOISY_IN_C}    {then}\n")
    plan.write_text("mission: {command: shout}\nroot: {do: shout}\n")
    words = ["run", "--fast", "--json", "--no-journal", "--site", door, "--tools", str(tool)]
    done = subprocess.run(
        [sys.executable, "-m", "bt_exec", *words, "--plan", str(plan)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    outcome = json.loads(done.stdout)
    assert outcome["status"] == ("failed" if "raise" in then else "satisfied"), done.stderr
    for said in ("printf of the import", "written to 1", "said by a child", "stream itself"):
        assert said in done.stderr


def test_message_with_a_very_long_argument_is_shortened(bt: Run) -> None:
    long = "x" * 100_000
    for words in ([long], ["run", "open the door", f"--{long}"], ["trees", "--site", long]):
        done = bt(*words)
        assert done.code == 2
        assert len(done.err) < 2000
    done = bt("run", "word " * 20_000, "--no-journal")
    assert len(done.out) < 5000


LEAVING = """
import sys
from bt_exec import Running, Steps, skill

@skill
def leave(robot: object) -> Steps:
    \"\"\"Leave.\"\"\"
    {inside}
    yield Running(None, "leaving")

{outside}
"""


@pytest.mark.parametrize("code", ["0", "", "1", "'done'"])
def test_tool_that_exits_on_import_is_reported_by_name(bt: Run, tmp_path: Path, code: str) -> None:
    file = tmp_path / "leaving.py"
    file.write_text(LEAVING.format(inside="pass", outside=f"sys.exit({code})"))
    done = bt("run", "open the door", "--fast", "--no-journal", "--tools", str(file))
    assert done.code == 2
    assert "leaving.py" in done.err
    assert "sys.exit must not be called here" in done.err


@pytest.mark.parametrize("raised", ["GeneratorExit", "BaseException('out')", "SystemExit"])
def test_exception_of_a_tool_on_import_is_reported_in_one_line(
    bt: Run, tmp_path: Path, raised: str
) -> None:
    file = tmp_path / "leaving.py"
    file.write_text(LEAVING.format(inside="pass", outside=f"raise {raised}"))
    done = bt("run", "open the door", "--fast", "--no-journal", "--tools", str(file))
    assert done.code == 2
    assert f"leaving.py: {raised.partition('(')[0]}:" in " ".join(done.err.split())
    assert "Traceback" not in done.err


@pytest.mark.slow
@pytest.mark.parametrize("outside", ["sys.stdout.close()", "print('x', flush=True)"])
def test_skill_cannot_close_the_programs_output(door: str, tmp_path: Path, outside: str) -> None:
    file, plan = tmp_path / "leaving.py", tmp_path / "plan.yaml"
    file.write_text(LEAVING.format(inside="sys.stderr.close()", outside=outside))
    plan.write_text("mission: {command: leave}\nroot: {do: leave}\n")
    words = ["run", "--fast", "--json", "--no-journal", "--site", door, "--tools", str(file)]
    done = subprocess.run(
        [sys.executable, "-m", "bt_exec", *words, "--plan", str(plan)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert json.loads(done.stdout)["status"] == "satisfied", done.stderr
    assert done.returncode == 0


def test_skill_that_calls_exit_fails_its_mission(bt: Run, tmp_path: Path) -> None:
    file, plan = tmp_path / "leaving.py", tmp_path / "plan.yaml"
    file.write_text(LEAVING.format(inside="sys.exit(0)", outside=""))
    plan.write_text("mission: {command: leave}\nroot: {do: leave}\n")
    options = ("--tools", str(file), "--plan", str(plan))
    done = bt("run", "--fast", "--no-journal", *options)
    assert done.code in (3, 4)
    assert "A skill crashed: SystemExit: 0." in done.out


@pytest.mark.parametrize("part", ["names", "words"])
@pytest.mark.parametrize("code", ["0", "1"])
def test_exit_while_a_site_is_loaded_is_reported_by_position(
    bt: Run, monkeypatch: pytest.MonkeyPatch, part: str, code: str
) -> None:
    """No function of a pack can end the program with exit code 0."""
    source = f"import sys\ndef leave(*_, **__):\n    sys.exit({code})\n"
    found: dict[str, object] = {}
    exec(compile(source, "its_pack.py", "exec"), found)
    monkeypatch.setattr("bt_exec.site.site.load_site", found["leave"])
    done = bt("trees") if part == "names" else bt("skills", "--json")
    assert done.code == 2
    assert "its_pack.py, line 3" in done.err
    assert done.out == ""


def test_fault_with_a_very_long_number_is_a_usage_error(bt: Run) -> None:
    done = bt(
        "run", "open the door", "--no-journal", "--fault", f"grasp:{'1' * 5000}=GRASP_SLIPPED"
    )
    assert done.code == 2
    assert "must be SKILL[:N]=CODE" in done.err
    assert len(done.err) < 400


def test_unraisable_exception_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def stubborn() -> Iterator[int]:
        while True:
            try:
                yield 1
            except GeneratorExit:
                yield 2

    steps = stubborn()
    next(steps)
    before, sys.unraisablehook = sys.unraisablehook, _report_unraisable
    try:
        del steps
    finally:
        sys.unraisablehook = before
    said = capsys.readouterr().err
    assert said.startswith("bt-exec: ignored in ")
    assert said.endswith("RuntimeError: generator ignored GeneratorExit\n")
    assert said.count("\n") == 1
