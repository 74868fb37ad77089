"""Every command, run in this process: output, stream and exit code."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from bt_exec.cli.app import _decode_argument
from bt_exec.cli.doctor import Finding, _all_findings
from tests.bt_exec.cli.conftest import Ran, Run

BRIEF = ("--fast", "--no-journal", "--world", "door=open")
TREE = "tree: {name}\nroot: {{do: open_door, with: {{arm: right, object_label: door}}}}\n"


def test_run_prints_progress_lines_and_the_outcome(bt: Run) -> None:
    ran = bt("run", "open the door", "--fast")
    assert ran.code == 0
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0] == "     0.0 s  command   open the door"
    assert re.match(r" +\d+\.\d s  done      open the door with the right arm  \(", lines[-4])
    assert lines[-3].startswith(" ✓ satisfied in ")
    assert lines[-2] == "   The door is open."
    assert re.match(r"   record \d{4}-\d\d-\d\d-0001", lines[-1])


def test_run_prints_json(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "j.sqlite"
    ran = bt("run", "문을 열어", "--fast", "--json", "--world", "door=open", "--journal", str(file))
    outcome = json.loads(ran.out)
    assert ran.out.count("\n") == 1
    assert list(outcome) == [
        "mission_id",
        "command",
        "status",
        "reason_code",
        "message",
        "planner_calls",
        "model_requests",
        "replans",
        "plan_version",
        "ticks",
        "sim_seconds",
        "wall_seconds",
        "skipped",
        "failures",
        "journal",
        "state",
    ]
    assert (outcome["status"], outcome["reason_code"]) == ("satisfied", "ALREADY_OPEN")
    assert outcome["skipped"] == [{"name": "open_door", "reason": "already open"}]
    assert outcome["journal"] == str(file)
    assert "건너뜀    오른팔로 문 열기  문이 이미 열려 있습니다" in ran.err


def test_blocked_run_has_a_separate_exit_code(bt: Run) -> None:
    ran = bt("run", "get the material", "--fast", "--world", "material=absent", "--no-journal")
    assert ran.code == 3
    assert "failed    the material is in view  The door is open, but I do not see" in ran.out
    assert " ■ blocked after " in ran.out
    assert "   seen: door open" in ran.out


def test_refused_run_has_a_separate_exit_code(bt: Run) -> None:
    ran = bt("run", "창문을 열어", "--fast", "--no-journal")
    assert ran.code == 5
    assert " ↷ 거절 · 종료 코드 5" in ran.out


@pytest.mark.slow
def test_run_recovers_from_a_fault(bt: Run) -> None:
    fault = "open_door:1=DOOR_STUCK"
    ran = bt("run", "open the door", "--fast", "--fault", fault, "--no-journal", "--verbose")
    assert ran.code == 0
    assert "plan 2    changes: open_door arm right → left" in ran.out
    assert "2 plans, 1 failure recovered" in ran.out


@pytest.mark.slow
def test_turns_are_written_as_json_lines(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    bt("run", "open the door", "--fast", "--no-journal", "--turns", str(file))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 2
    assert all(isinstance(json.loads(line), dict) and ": " not in line[:12] for line in lines)
    ran = bt("run", "open the door", *BRIEF, "--turns", "-")
    assert [json.loads(line) for line in ran.out.splitlines()]
    assert "satisfied" in ran.err


def test_frames_are_saved(bt: Run, tmp_path: Path) -> None:
    from bt_exec.journal import read_png

    folder = tmp_path / "new" / "frames"
    bt("run", "open the door", *BRIEF, "--save-frames", str(folder))
    frames = sorted(folder.iterdir())
    assert [path.name for path in frames[:2]] == ["000001.png", "000002.png"]
    assert read_png(frames[0]).ndim == 3


def test_frames_folder_of_another_mission_is_refused(bt: Run, tmp_path: Path) -> None:
    (tmp_path / "000007.png").write_bytes(b"a frame")
    ran = bt("run", "open the door", "--fast", "--no-journal", "--save-frames", str(tmp_path))
    assert ran.code == 2
    said = "holds the frames of another mission; name another folder"
    assert ran.err == f"bt-exec: --save-frames {tmp_path}: {said}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_turns_that_cannot_be_written_are_reported_after_the_outcome(bt: Run) -> None:
    ran = bt("run", "open the door", *BRIEF, "--json", "--turns", "/dev/full")
    assert ran.code == 74
    assert json.loads(ran.out)["status"] == "satisfied"
    said = "bt-exec: cannot write or read: /dev/full: no space is left on the device\n"
    assert ran.err.endswith(said)
    assert ran.err.count("bt-exec:") == 1


def test_tilde_in_an_option_is_expanded(
    bt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "plan.yaml").write_text("mission: {command: go home}\nroot: {do: return_home}\n")
    files = ("--journal=~/j.sqlite", "--turns=~/turns.jsonl", "--save-frames=~/frames")
    assert bt("run", "--plan=~/plan.yaml", "--fast", *files).code == 0
    for name in ("j.sqlite", "turns.jsonl", "frames/000001.png"):
        assert (tmp_path / name).is_file()


def test_plan_with_bom_and_crlf_is_read_and_other_encodings_refused(
    bt: Run, tmp_path: Path
) -> None:
    file = tmp_path / "plan.yaml"
    text = "mission: {command: 집으로}\nroot: {do: return_home}\n"
    file.write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert bt("run", "--plan", str(file), "--fast", "--no-journal").code == 0
    file.write_bytes(text.encode("cp949"))
    ran = bt("run", "--plan", str(file), "--fast", "--no-journal")
    assert ran.code == 2
    assert ran.err == f"bt-exec: --plan {file}: is not UTF-8 text; save it as UTF-8\n"


def test_check_reports_the_position_in_a_site_file(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text("site: mine\npacks: {dor: {}}\n")
    ran = bt("check", str(file))
    assert ran.code == 2
    said = "packs/dor: there is no pack 'dor' (allowed: door, image, reporter"
    assert ran.out.startswith(f"{file}:2:9: {said}")
    assert ran.err == ""


def test_compile_prints_the_plan(bt: Run) -> None:
    ran = bt("compile", "open the door")
    assert ran.code == 0
    assert ran.out.endswith("root:\n  tree: open_door\n")
    inline = json.loads(bt("compile", "open the door", "--inline", "--format", "json").out)
    assert "$" not in json.dumps(inline)
    refused = bt("compile", "fly to the moon")
    assert (refused.code, refused.out) == (5, "")
    assert refused.err.startswith("refused · ")
    assert bt("compile", "달에 가").err.startswith("거절 · ")


def test_infeasible_plan_is_refused_by_compile_and_run(
    bt: Run,
) -> None:
    command = "get the material and then open the door"
    for ran in (bt("compile", command), bt("run", command, "--fast", "--no-journal")):
        assert ran.code == 5
        said = ran.out + ran.err
        assert "At that point: The right hand holds the material." in " ".join(said.split())
    ran = bt("compile", command)  # compile also prints the positions
    assert "open_door needs hand.right to be empty, but it will be material" in ran.err


def test_endless_plan_file_is_not_read_completely(bt: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "plan.json"
    os.mkfifo(pipe)

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), pipe.open("wb") as file:
            file.write(b" " * 4_000_000)

    feeding = threading.Thread(target=feed, daemon=True)
    feeding.start()
    ran = bt("run", "open the door", "--plan", str(pipe), "--fast")
    feeding.join()
    assert (ran.code, "is larger than 1000000 bytes" in ran.err) == (2, True), ran.err
    ran = bt("run", "open the door", "--plan", "-", "--fast", stdin=" " * 4_000_000)
    assert (ran.code, "is larger than 1000000 bytes" in ran.err) == (2, True), ran.err


@pytest.mark.slow
def test_plan_from_a_file_starts_as_version_one(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    header = "mission: {command: open, plan_version: 7, parent: 6, kept: [open_door]}\n"
    file.write_text(
        header + "root: {do: open_door, with: {arm: right, object_label: door-handle}}\n"
    )
    ran = bt("run", "--plan", str(file), "--fast", "--no-journal")
    assert "plan 1    1 step" in ran.out
    assert "The door is open." in ran.out


def test_compile_uses_the_given_world(bt: Run) -> None:
    ran = bt("compile", "open the door", "--world", "door=open", "--inline")
    assert ran.code == 0
    assert "open_door" in ran.out


def test_check_reports_problems_of_a_tree(bt: Run, tmp_path: Path) -> None:
    good, bad, worse = (tmp_path / f"{name}.yaml" for name in ("good", "bad", "worse"))
    good.write_text(TREE.format(name="good"))
    bad.write_text("tree: bad\nroot: {do: opn_door}\n")
    worse.write_text("tree: worse\nroot: {dooo: x}\nsumary: y\n")
    assert bt("check", str(good)) == Ran(0, "1 file checked: no problems\n", "")
    ran = bt("check", str(good), str(bad), str(worse), str(tmp_path / "none.yaml"))
    assert ran.code == 2
    assert f"{bad}:2:" in ran.out
    assert "open_door" in ran.out
    assert f"{worse}:3:1: sumary" in ran.out
    *_, hint, count = ran.out.splitlines()
    assert hint.endswith("the site door; --site NAME checks for another: building, image, tabletop")
    assert count.endswith("in 3 of 4 files")
    assert "--site" not in bt("check", str(worse)).out
    problems = json.loads(bt("check", str(bad), "--json").out)
    assert problems[0]["code"] == "UNKNOWN_SKILL"
    assert problems[0]["line"] == 2


@pytest.mark.slow
def test_check_reports_contradicting_steps(bt: Run, tmp_path: Path) -> None:
    grasp = "    - {do: grasp, with: {arm: right, object_label: material}}\n"
    file = tmp_path / "a.yaml"
    file.write_text(f"tree: a\nroot:\n  sequence:\n{grasp}{grasp}")
    ran = bt("check", str(file))
    assert ran.code == 2
    said = "grasp needs hand.right to be empty, but it will be material"
    assert f"{file}:5:12: root/sequence[1]/do: {said}" in ran.out.splitlines()[1]
    file.write_text(f"tree: a\nroot:\n  sequence:\n{grasp}    - tree: take_material\n{grasp}")
    assert bt("check", str(file)).code == 0, "what another tree leaves is not known here"


def test_files_checked_together_can_refer_to_each_other(bt: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(TREE.format(name="one"))
    two.write_text("tree: two\nroot: {tree: one}\n")
    assert bt("check", str(two)).code == 2
    assert bt("check", str(one), str(two)).code == 0


def test_show_prints_a_tree(bt: Run, tmp_path: Path) -> None:
    ran = bt("show", "take_material")
    assert " move_arm  $arm → material\n" in ran.out
    assert "at most 20 s · only while door_is open" in ran.out
    assert json.loads(bt("show", "take_material", "--json").out)["tree"] == "take_material"
    file = tmp_path / "mine.yaml"
    file.write_text(TREE.format(name="mine"))
    assert "open_door  right → door" in bt("show", str(file)).out


def test_list_commands_print_their_entries(bt: Run) -> None:
    assert "\n get_material\n" in bt("trees").out
    assert {tree["tree"] for tree in json.loads(bt("trees", "--json").out)} >= {"open_door"}
    ran = bt("skills")
    assert "needs         hand.{arm} empty" in ran.out
    assert " conditions\n" in ran.out
    data = json.loads(bt("skills", "--json").out)
    door = next(skill for skill in data["skills"] if skill["name"] == "open_door")
    assert door["arguments"]["arm"] == {
        "type": "Arm",
        "allowed": "left | right",
        "required": True,
    }
    one = json.loads(bt("skills", "door_is", "--json").out)
    assert [len(one[key]) for key in ("skills", "conditions")] == [0, 1]


@pytest.fixture(scope="module")
def doctor_findings(door: str) -> list[Finding]:
    """Return the results of doctor; only their presentation depends on the width."""
    return list(_all_findings(door, None))


@pytest.mark.parametrize("width", ["24", "40", "60", "80", "132"])
@pytest.mark.parametrize("command", ["trees", "skills", "doctor", "show get_material"])
def test_lists_fit_the_terminal_width(
    bt: Run,
    monkeypatch: pytest.MonkeyPatch,
    doctor_findings: list[Finding],
    width: str,
    command: str,
) -> None:
    from rich.cells import cell_len

    monkeypatch.setattr("bt_exec.cli.doctor._all_findings", lambda *_: doctor_findings)
    monkeypatch.setenv("COLUMNS", width)
    ran = bt(*command.split())
    assert max(cell_len(line) for line in ran.out.splitlines()) <= int(width)


def test_schema_is_printed(bt: Run) -> None:
    pytest.importorskip("bt_exec.site.tree_schema")
    assert json.loads(bt("schema").out)


def test_doctor_reports_the_installation(bt: Run, tmp_path: Path) -> None:
    ran = bt("doctor")
    assert ran.code == 0
    assert "all required parts are installed" in ran.out
    headings = [line for line in ran.out.splitlines() if re.match(r" [a-z]", line)][:-1]
    assert len(headings) == len(set(headings)), "what belongs together stands together"
    blocked = tmp_path / "file"
    blocked.write_text("")
    ran = bt("doctor", "--json", "--journal", str(blocked / "j.sqlite"))
    assert ran.code == 1
    found = json.loads(ran.out)
    assert [one["name"] for one in found].count("pyarrow") == 1, "two extras ask for it"
    states: dict[str, Any] = {one["area"]: one for one in found}
    assert states["journal"]["state"] == "missing"
    assert "--no-journal" in states["journal"]["fix"]


@pytest.mark.slow
def test_doctor_checks_a_site_file_of_the_user(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "site: mine\nsummary: My own.\npacks: {door: {robot: sim}}\n"
        "compiler: {name: claude, base_url: 'http://127.0.0.1:9', model: m}\n"
    )
    ran = bt("doctor", "--json", "--site", str(file))
    assert ran.code == 0
    found = {(one["area"], one["name"]): one for one in json.loads(ran.out)}
    assert found["sites", "mine"]["detail"] == "My own."
    address = found["compiler of site mine", "address"]
    assert address["state"] == "optional"
    assert address["detail"] == "http://127.0.0.1:9: connection refused"
    assert ("sites", "door") in found
    file.write_text("site: mine\npacks: {door: {robot: smi}}\n")
    ran = bt("doctor", "--json", "--site", str(file))
    assert ran.code == 1
    found = {(one["area"], one["name"]): one for one in json.loads(ran.out)}
    assert "there is no robot 'smi'" in found["sites", str(file)]["detail"]


def test_unknown_mission_error_lists_the_known_ones(bt: Run, tmp_path: Path) -> None:
    journal = tmp_path / "j.sqlite"
    bt("run", "close the door", "--fast", "--journal", str(journal))
    ran = bt("vision", "show", "--mission", "999", "--journal", str(journal))
    assert ran.code == 2
    assert "there is no mission '999'" in ran.err
    assert "bt-exec missions" not in ran.err


def test_version_is_printed(bt: Run) -> None:
    assert re.fullmatch(r"bt-exec \d+\.\d+\.\d+\S*\n", bt("--version").out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run", "bt-exec: missing argument 'command'. See: bt-exec run --help\n"),
        ("rnu x", "bt-exec: no such command 'rnu'. Did you mean 'run'? See: bt-exec --help\n"),
        ("run open the door", "extra argument(s) (the door); put the command into quotes. See: "),
        ("compile open it", "extra argument(s) (it); put the command into quotes. See: "),
        ("run x --plan /nowhere", "--plan /nowhere: cannot be read: no such file or directory\n"),
        ("run x --sit door", "no such option: --sit"),
        ("--site door", "bt-exec: no such option: --site. See: bt-exec repl --help\n"),
        ("run x --site dor", "there is no site 'dor'; known, nearest first: door"),
        ("run x --world door", "world setting 'door' must be KEY=VALUE"),
        ("run x --world dor=open", "site 'door' has no 'dor'; known: door:"),
        ("run x --fault grasp=NO", "skill 'grasp' never fails with NO; its failure codes: "),
        ("run x --fault grsp=NO", "there is no skill 'grsp'; known, nearest first: grasp"),
        ("run x --compiler offlin", "there is no compiler 'offlin'; known, nearest first: offline"),
        ("run x --json --turns -", "give --turns a file"),
        ("run x --journal a --no-journal", "contradict each other"),
        (
            "run x --no-journal --save-frames /dev/null",
            "--save-frames /dev/null: is not a folder\n",
        ),
        (
            "run x --journal /dev/null/j",
            "its folder is missing. Try: --journal FILE, or --no-journal\n",
        ),
        ("show opn_door", "there is no tree 'opn_door'; known, nearest first: open_door"),
        ("skills grap", "there is no skill or condition 'grap'; known, nearest first: grasp"),
        ("compile x --format xml", "there is no format 'xml'; known, nearest first: yaml, json"),
        ("trees --site /nowhere.yaml", "/nowhere.yaml: cannot be read"),
    ],
)
def test_wrong_argument_error_names_the_valid_ones(bt: Run, arguments: str, said: str) -> None:
    ran = bt(*arguments.split())
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err
    assert ran.err.startswith("bt-exec: ")


def test_utf8_argument_is_decoded_in_an_ascii_locale() -> None:
    typed = "문 열어".encode()
    assert _decode_argument(typed.decode("ascii", "surrogateescape")) == "문 열어"
    assert _decode_argument(b"\xb9\xae".decode("ascii", "surrogateescape")) == "\udcb9\udcae"


FAULT_FILES = {
    "": "is empty (allowed: summary, site, command, world, faults)",
    "faults: [{part: skil, does: fail}]": "must be 'skill'",
    "faults: [{part: skill, nam: grasp, does: fail}]": "unknown field 'nam'",
    "faults: [": "the text ends here",
}


@pytest.mark.parametrize(("text", "said"), FAULT_FILES.items())
def test_problem_codes_are_shown_on_request(bt: Run, tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text(text, encoding="utf-8")
    plain, verbose = (
        bt("run", "open the door", "--faults", str(file), *more) for more in ((), ("-v",))
    )
    assert (plain.code, verbose.code) == (2, 2)
    assert said in plain.err
    assert not re.search(r"\[[A-Z_]+\]", plain.err)
    assert re.search(r"\[[A-Z_]+\]", verbose.err)


def test_wrong_argument_is_reported_once_without_position_and_code(bt: Run) -> None:
    ran = bt("do", "open_door", "arm=middle", "object_label=door")
    assert ran.err == "bt-exec: 'arm' takes left|right (found middle; allowed: left, right)\n"


def test_unreachable_service_is_reported_without_an_error_number(bt: Run) -> None:
    ran = bt("watch", "http://127.0.0.1:9")
    assert ran.err == "bt-exec: 127.0.0.1:9 does not answer: connection refused\n"
