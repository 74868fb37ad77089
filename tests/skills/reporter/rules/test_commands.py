"""Plan JSON on the command line: written by ``compile``, run by ``run --plan``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bt_exec.cli.app import run_command_line

COMMAND = "교수님 방 불 켜져 있는지 보고 와"


@pytest.fixture
def bt(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def bt(*arguments: str) -> tuple[int, str, str]:
        code = run_command_line([*arguments])
        return code, *capsys.readouterr()

    return bt


@pytest.mark.slow
def test_plan_is_written_and_run_again(bt, tmp_path: Path):
    code, text, _ = bt("compile", COMMAND, "--site", "building", "--format", "plan-json")
    assert code == 0
    assert [step["action"] for step in json.loads(text)["plan"]] == [
        "navigate",
        "observe_scene",
        "navigate",
        "talk_to_person",
        "summarize_mission",
    ]
    file = tmp_path / "plan.json"
    file.write_text(text, encoding="utf-8")
    options = ("--site", "building", "--fast", "--json", "--world", "seed=3")
    code, out, _ = bt("run", "--plan", str(file), *options)
    outcome = json.loads(out)
    assert (code, outcome["status"], outcome["command"]) == (0, "satisfied", "")
    assert outcome["message"].startswith("교수님 연구실을 둘러보았습니다.")


@pytest.mark.slow
def test_rules_apply_to_a_plan_from_a_file(bt, tmp_path: Path):
    file = tmp_path / "plan.json"
    look = {"target": "professor_office", "query": "불"}
    file.write_text(json.dumps({"plan": [{"action": "observe_scene", "params": look}]}))
    options = ("--site", "building", "--fast", "--plain", "--world", "seed=3")
    code, out, _ = bt("run", COMMAND, "--plan", str(file), *options)
    assert code == 0
    done = [line.partition("  마침 ")[2].split("  (")[0].strip() for line in out.splitlines()]
    assert [row.partition(":")[0] for row in done if row] == [
        "교수님 연구실로 가기",
        "교수님 연구실 둘러보기",
        "베이스캠프로 가기",
        "말씀드리기(사용자)",
        "보고서 쓰기",
    ]


def test_plan_in_a_mission_file_runs(bt, tmp_path: Path):
    _, text, _ = bt("compile", "돌아와", "--site", "building")
    file = tmp_path / "plan.yaml"
    file.write_text(text, encoding="utf-8")
    code, out, _ = bt("run", "--plan", str(file), "--site", "building", "--fast", "--json")
    assert code == 0
    assert json.loads(out)["command"] == "돌아와"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", '{"plan": [{"action": "fly"}]}', "unknown action 'fly'"),
        ("a.json", '{"plan": ', "is not JSON"),
        ("a.yaml", "tree: x\nroot: {do: fly}\n", "a.yaml:2:12: root/do: there is no skill 'fly'"),
        ("b.yaml", None, "cannot be read"),
    ],
)
def test_invalid_plan_file_is_refused(bt, tmp_path: Path, name, text, said):
    file = tmp_path / name
    if text is not None:
        file.write_text(text, encoding="utf-8")
    code, out, err = bt("run", "--plan", str(file), "--site", "building", "--fast")
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.slow
def test_user_tree_runs_with_its_defaults(bt, tmp_path: Path):
    file = tmp_path / "mine.yaml"
    told = "params: {where: {type: Place, default: lounge}}"
    file.write_text(
        f"tree: mine\n{told}\nroot: {{tree: go_to, with: {{place: $where}}}}\n", "utf-8"
    )
    code, out, _ = bt("run", "--plan", str(file), "--site", "building", "--fast", "--json")
    assert (code, json.loads(out)["command"]) == (0, "mine")
    file.write_text(file.read_text("utf-8").replace(", default: lounge", ""), "utf-8")
    code, _, err = bt("run", "--plan", str(file), "--site", "building", "--fast")
    assert code == 2
    assert "tree 'mine' needs 'where' (Place)" in err


def test_unknown_names_are_refused_before_any_motion(bt, tmp_path: Path):
    steps = [
        {"action": "navigate", "params": {"target": "loung"}},
        {"action": "talk_to_person", "params": {"target": "bob", "topic": "hi"}},
        {"action": "deliver_object", "params": {"object": "tea", "recipient": "교수님"}},
    ]
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"plan": steps}), encoding="utf-8")
    code, out, _ = bt("run", "--plan", str(file), "--site", "building", "--fast", "--plain")
    assert code == 5
    assert "no place is called 'loung'" in out
    assert "navigate" not in out.replace("/navigate", "")
    code, out, _ = bt("check", str(file), "--site", "building")
    assert code == 2
    assert out.splitlines()[:3] == [
        f"{file}: root/sequence[0]/with/target: no place is called 'loung' (found loung; allowed: "
        "lounge, basecamp, professor_office, corridor_center, break_room, restroom_front, "
        "corridor_west, corridor_middle, corridor_east) [UNKNOWN_LOCATION]",
        f"{file}: root/sequence[1]/with/target: nobody is called 'bob' (found bob; allowed: "
        "user, professor) [UNKNOWN_PERSON]",
        f"{file}: root/sequence[2]/with/recipient: nobody is called '교수님' (found 교수님; "
        "allowed: professor, user) [UNKNOWN_PERSON]",
    ]


def test_check_accepts_the_plan_formats_of_run(bt, tmp_path: Path):
    file = tmp_path / "plan.json"
    file.write_text('{"plan": [{"action": "summarize_mission"}]}', encoding="utf-8")
    assert bt("check", str(file), "--site", "building")[:2] == (0, "1 file checked: no problems\n")
    file.write_text('{"plan": [{"action": "fly"}, ]}', encoding="utf-8")
    _, _, err = bt("run", "--plan", str(file), "--site", "building", "--fast")
    assert f"Try: bt-exec check {file}" in err
    code, out, _ = bt("check", str(file), "--site", "building")
    assert code == 2
    said = err.splitlines()[0].removeprefix("bt-exec: ")  # codes of problems are for authors
    assert out.splitlines()[0] == f"{said} [BAD_JSON]"


def test_site_without_the_pack_has_no_plan_json_format(bt, tmp_path: Path):
    file = tmp_path / "plan.json"
    file.write_text('{"plan": [{"action": "summarize_mission"}]}', encoding="utf-8")
    code, _, err = bt("run", "--plan", str(file), "--fast")
    assert code == 2
    assert "no pack of site 'door' reads plans of this form" in err
    code, _, err = bt("compile", "open the door", "--format", "plan-json")
    assert code == 2
    assert "there is no format 'plan-json'; known, nearest first: json, yaml" in err


def test_lists_show_only_entries_of_the_site(bt):
    _, trees, _ = bt("trees", "--site", "building")
    _, skills, _ = bt("skills", "--site", "building")
    assert "look_at" in trees
    assert "observe_scene" in skills
    assert "open_door" not in trees + skills
