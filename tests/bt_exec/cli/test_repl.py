"""The prompt: one command after another."""

from __future__ import annotations

from tests.bt_exec.cli.conftest import Run


def test_repl_from_a_pipe(bt: Run) -> None:
    words = (
        "# first\n\nopen the door\nstatus\nopen the door\nreset door=opn\nfly\nquit\n"
        "open the door\n"
    )
    ran = bt("repl", "--fast", "--no-journal", stdin=words)
    assert ran.code == 2, "the first thing that went wrong"
    assert ran.out.count("✓ satisfied") == 2
    assert "  door: open\n" in ran.out
    assert "already open" in ran.out
    assert "world setting door='opn'" in ran.out
    assert ran.out.count("command   ") == 3


def test_the_prompt_opens_without_a_command(bt: Run) -> None:
    ran = bt(stdin="help\n")
    assert ran.code == 0
    assert "\n  Open the door. · 문을 열어.\n" in ran.out
    assert "reset [KEY=VALUE]" in ran.out
