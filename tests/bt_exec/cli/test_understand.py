"""``understand`` and ``compile --commands``: what is heard, as people and as programs read it."""

from __future__ import annotations

import json

from bt_exec.cli.app import call


def test_every_word_and_the_condition_are_shown(capsys):
    assert call(["understand", "if the door is open close it"]) == 0
    out = capsys.readouterr().out
    assert "door  role theme" in out
    assert "if: door, open" in out
    assert "tree: close_door" in out


def test_what_is_not_understood_is_named_and_the_program_says_so(capsys):
    assert call(["understand", "open the window", "--json"]) == 5
    found = json.loads(capsys.readouterr().out)
    assert (found["understood"], found["code"], found["words"]) == (
        False,
        "UNKNOWN_OBJECT",
        "window",
    )


def test_why_there_is_no_plan_is_said_in_the_commands_language(capsys):
    assert call(["understand", "창문 열어"]) == 5
    assert capsys.readouterr().out.splitlines()[-1].startswith('모르는 대상입니다: "창문"')
    assert call(["understand", "창문 열어", "--json"]) == 5
    assert json.loads(capsys.readouterr().out)["refused"]["code"] == "UNKNOWN_OBJECT"


def test_a_file_of_commands_gives_a_line_each(capsys, tmp_path):
    file = tmp_path / "commands.txt"
    file.write_text("open the door\n\n창문 열어\n", encoding="utf-8")
    assert call(["compile", "--commands", str(file), "--format", "jsonl"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["ok"], first["plan"]["root"]["tree"]) == (True, "open_door")
    assert (second["ok"], second["missing"]) == (False, ["창문"])


def test_a_file_that_is_not_there_is_said(capsys):
    assert call(["compile", "--commands", "nowhere.txt"]) == 2
    assert "cannot be read" in capsys.readouterr().err
