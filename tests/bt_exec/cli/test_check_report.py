"""Reports of ``check`` for readers and for CI, and checks of files other than trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bt_exec.cli.conftest import Run

WRONG = "tree: a\nroot: {do: grab}\n"
TOOL = '''
from bt_exec import Failed, Running, Steps, skill


@skill(needs={"hnad.left": "empty"}, fails={"STUCK"})
def shove() -> Steps:
    """Shove the door."""
    yield Running()
    raise Failed("STUK")
'''


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_mistakes_are_reported_in_korean_to_korean_users(
    bt: Run, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    file = write(tmp_path / "a.yaml", WRONG)
    ran = bt("check", str(file))
    assert ran.code == 2
    assert f"{file}:2:12: root/do: 'grab' 동작이 없습니다 (쓴 것: grab; 쓸 수 있는 것: " in ran.out
    assert "문제 1개: 파일 1개 중 1개\n" in ran.out
    assert "there is" not in ran.out
    plan = bt("run", "--plan", str(file))
    assert "'grab' 동작이 없습니다" in plan.err
    assert f"이렇게 해 보세요: bt-exec check {file}" in plan.err
    file.write_text("tree: a\nroot: {check: material_visible}\n", encoding="utf-8")
    assert bt("check", str(file)).out == "파일 1개에 문제가 없습니다\n"


def test_file_given_twice_is_checked_once(bt: Run, tmp_path: Path) -> None:
    text = "tree: a\nroot: {check: material_visible}\n"
    file = write(tmp_path / "a.yaml", text)
    (tmp_path / "link.yaml").symlink_to(file)
    detour = tmp_path / "." / ".." / tmp_path.name / "a.yaml"
    ran = bt("check", str(file), str(file), str(detour), str(tmp_path))
    assert (ran.code, ran.out) == (0, "1 file checked: no problems\n")
    copy = write(tmp_path / "copy.yaml", text)
    assert "DUPLICATE_TREE" in bt("check", str(file), str(copy)).out


def test_name_that_is_too_long_is_a_usage_error(bt: Run) -> None:
    name = "x" * 300
    for words in (["check", name], ["run", "go", "--site", name], ["run", "--plan", name]):
        ran = bt(*words)
        assert ran.code == 2, words
        assert "file name too long" in (ran.out + ran.err).lower()


def test_hint_suggests_a_site_that_has_the_skill(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", "tree: a\nroot: {do: navigate, with: {target: lounge}}\n")
    out = bt("check", str(file), "--site", "door").out
    assert f"try: bt-exec check {file} --site building" in out


def test_suggested_command_repeats_the_site_option(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", WRONG)
    ran = bt("run", "--plan", str(file), "--site", "door", "--no-journal")
    assert ran.err.rstrip().endswith(f"Try: bt-exec check {file} --site door")
    ran = bt("show", "nothing", "--site=door")
    assert ran.err.rstrip().endswith("See: bt-exec trees --site door")


def test_json_option_means_the_same_as_format_json(bt: Run, tmp_path: Path) -> None:
    file = str(write(tmp_path / "a.yaml", WRONG))
    one, other = bt("check", file, "--json"), bt("check", file, "--format", "json")
    assert one == other
    (problem,) = json.loads(one.out)
    assert (problem["file"], problem["line"], problem["column"]) == (file, 2, 12)


def test_github_annotations_are_escaped(
    bt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "50%, a:b.yaml", WRONG)
    out = bt("check", "50%, a:b.yaml", "--format", "github").out
    assert out.startswith(
        "::error file=50%25%2C a%3Ab.yaml,line=2,col=12,title=UNKNOWN_SKILL::root/do: there is"
    )
    assert out.count("\n") == 1


def test_sarif_follows_its_schema(bt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a b.yaml", WRONG)
    log = json.loads(bt("check", "a b.yaml", "--format", "sarif").out)
    (run,) = log["runs"]
    (result,) = run["results"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.yaml"}
    assert place["region"] == {"startLine": 2, "startColumn": 12}


def test_sarif_of_correct_files_has_no_results(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", "tree: a\nroot: {check: material_visible}\n")
    ran = bt("check", str(file), "--format", "sarif")
    assert (ran.code, json.loads(ran.out)["runs"][0]["results"]) == (0, [])


def test_python_file_is_checked_at_its_lines(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "tool.py", TOOL)
    ran = bt("check", str(file))
    assert ran.code == 2
    assert f"{file}:5:15: shove/needs: " in ran.out
    assert "[UNKNOWN_FACT]" in ran.out
    write(file, TOOL.replace("hnad", "hand"))
    ran = bt("check", str(file))
    assert f"{file}:9:11: shove: " in ran.out
    assert "found STUK; allowed: STUCK" in ran.out
    write(file, TOOL.replace("hnad", "hand").replace("STUK", "STUCK"))
    assert bt("check", str(file)).code == 0


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("import json\nimport nothere\n", 2, "No module named 'nothere'"),
        ("def f(:\n", 1, "invalid syntax"),
        ("from bt_exec import skill\n\n@skill(timeot_s=1)\ndef x(r): ...\n", 3, "timeout_s"),
        (
            "import bt_exec\n@bt_exec.skill(timeout_s=-1)\ndef x(r: str):\n    'X.'\n    yield\n",
            2,
            "found -1",
        ),
        ("FACTS = [][1]\n", 1, "IndexError"),
        ("import sys\nsys.exit()\n", 2, "sys.exit must not be called here"),
    ],
)
def test_code_that_cannot_be_loaded_is_reported_at_its_line(
    bt: Run, tmp_path: Path, text: str, line: int, said: str
) -> None:
    file = write(tmp_path / "tool.py", text)
    ran = bt("check", str(file), "--format", "json")
    (found,) = json.loads(ran.out)
    assert (ran.code, found["code"]) == (2, "CANNOT_LOAD")
    assert (found["file"], found["line"]) == (str(file), line)
    assert said in found["message"]
    assert "tool.py: " not in found["message"], "the place is stated once"


def test_tools_can_declare_facts(bt: Run, tmp_path: Path) -> None:
    text = (
        TOOL.replace("STUK", "STUCK").replace("hnad.left", "lamp") + 'FACTS = {"lamp": ["empty"]}'
    )
    assert bt("check", str(write(tmp_path / "tool.py", text))).code == 0


@pytest.mark.parametrize("name", ["door", "tabletop"])
def test_pack_is_checked_by_name(bt: Run, name: str) -> None:
    ran = bt("check", name)
    assert (ran.code, ran.out) == (0, "1 file checked: no problems\n")


def test_site_is_checked_by_name(bt: Run) -> None:
    assert bt("check", "building").code == 0


def test_problem_in_a_lexicon_has_file_and_line_in_json(
    bt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from bt_exec.pack import find_pack

    words = write(tmp_path / "words.yaml", "\nverbs: [open]\n")
    pack = replace(find_pack("door"), lexicon=words)
    monkeypatch.setattr("bt_exec.site.site.find_pack", lambda _: pack)
    site = write(tmp_path / "site.yaml", "site: mine\npacks:\n  door: {robot: sim}\n")
    (problem,) = json.loads(bt("check", str(site), "--json").out)
    assert (problem["file"], problem["line"]) == (str(words), 2)
