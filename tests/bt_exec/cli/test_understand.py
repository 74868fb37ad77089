"""``understand`` and ``compile --commands``: recognised words, as text and as JSON."""

from __future__ import annotations

import json

from bt_exec.cli.app import run_command_line


def test_understand_prints_roles_conditions_and_the_tree(capsys):
    assert run_command_line(["understand", "if the door is open close it"]) == 0
    out = capsys.readouterr().out
    assert "door  role" in out
    assert "if: door, open" in out
    assert "tree: close_door" in out


def test_unknown_words_are_listed_and_the_exit_code_is_set(capsys):
    assert run_command_line(["understand", "open the window", "--json"]) == 5
    found = json.loads(capsys.readouterr().out)
    assert (found["understood"], found["code"], found["words"]) == (
        False,
        "UNKNOWN_OBJECT",
        "window",
    )


def test_reason_for_a_refusal_is_in_the_language_of_the_command(capsys):
    assert run_command_line(["understand", "창문 열어"]) == 5
    assert capsys.readouterr().out.splitlines()[-1].startswith("모르는 대상입니다: “창문”")
    assert run_command_line(["understand", "창문 열어", "--json"]) == 5
    assert json.loads(capsys.readouterr().out)["refused"]["code"] == "UNKNOWN_OBJECT"


def test_file_of_commands_yields_a_line_each(capsys, tmp_path):
    file = tmp_path / "commands.txt"
    file.write_text("open the door\n\n창문 열어\n", encoding="utf-8")
    assert run_command_line(["compile", "--commands", str(file), "--format", "jsonl"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["ok"], first["plan"]["root"]["tree"]) == (True, "open_door")
    assert (second["ok"], second["missing"]) == (False, ["창문"])


def test_missing_file_is_reported(capsys):
    assert run_command_line(["compile", "--commands", "nowhere.txt"]) == 2
    assert "cannot be read" in capsys.readouterr().err
