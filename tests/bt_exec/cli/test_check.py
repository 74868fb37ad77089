"""``bt-exec check``: folders, both YAML extensions and the utterances of trees."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bt_exec.pack import find_pack, pack_names
from bt_exec.planning.compiler import Plan, Request
from bt_exec.site.check_utterances import check_utterances
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import load_site
from bt_exec.spec.model import Mission, MissionSpec, Tree
from tests.bt_exec.cli.conftest import Ran, Run

pytestmark = pytest.mark.sampled

TREE = "tree: {name}\nutterances: [{said}]\nroot: {{check: material_visible}}\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def problems_of(bt: Run, *files: Path) -> list[str]:
    ran = bt("check", *map(str, files), "--json")
    return [f"{p['code']} {p['place']}: {p['message']}" for p in json.loads(ran.out)]


@pytest.mark.slow
def test_pipe_in_a_folder_is_skipped(bt: Run, tmp_path: Path) -> None:
    write(tmp_path / "one.yaml", TREE.format(name="one", said=""))
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    ran = bt("check", str(tmp_path))
    assert (ran.code, ran.out.splitlines()[0]) == (0, "1 file checked: no problems"), ran.out
    left = f"{tmp_path / 'endless.json'}, {tmp_path / 'pipe.yaml'}"
    assert left in ran.out.replace("\n", " ")


def test_folder_is_checked_recursively(bt: Run, tmp_path: Path) -> None:
    write(tmp_path / "one.yaml", TREE.format(name="one", said=""))
    write(tmp_path / "deep/two.yml", "tree: two\nroot: {do: grap}\n")
    write(tmp_path / "deep/plan.json", '{"mission": {"command": "x"}, "root": {"tree": "one"}}')
    words = write(tmp_path / "words.yaml", "verbs: {}\n")
    ran = bt("check", str(tmp_path))
    assert ran.code == 2
    assert f"{tmp_path / 'deep/two.yml'}:2:12: root/do: there is no skill 'grap'" in ran.out
    assert "1 problem in 1 of 3 files" in ran.out
    assert f"not a tree, plan or site, skipped: {words}" in ran.out


def test_yaml_file_with_a_misspelt_tree_key_is_not_a_tree(bt: Run, tmp_path: Path) -> None:
    write(tmp_path / "slip.yaml", "tere: one\nroot: {check: material_visible}\n")
    write(tmp_path / "broken.yml", "tree: [\n")
    ran = bt("check", str(tmp_path))
    assert "NOT_A_TREE" in ran.out
    assert "NOT_YAML" in ran.out
    assert "2 problems in 2 of 2 files" in ran.out


@pytest.mark.slow
def test_lexicons_and_schemas_beside_trees_are_skipped(bt: Run) -> None:
    ran = bt("check", str(data_path("configs")), "--site", "building")
    assert ran.code == 0, ran.out
    assert "lexicon/door.yaml" in ran.out
    assert "schema/door.schema.json" in ran.out


@pytest.mark.parametrize(
    ("folder", "site"),
    [pytest.param("door", "door", marks=pytest.mark.slow), ("reporter", "building")],
)
def test_shipped_trees_pass(bt: Run, folder: str, site: str) -> None:
    trees = data_path("trees", folder)
    ran = bt("check", str(trees), "--site", site)
    assert ran == Ran(0, f"{len(list(trees.glob('*.yaml')))} files checked: no problems\n", "")


def test_folder_without_trees_is_reported(bt: Run, tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", "tree: one")
    ran = bt("check", str(tmp_path))
    assert ran.code == 2
    assert f"{tmp_path}: contains no tree, plan or site file (.yaml, .yml, .json)" in ran.err


@pytest.mark.slow
def test_utterances_of_shipped_trees_select_their_tree(bt: Run) -> None:
    for name in ("door", "building"):
        assert check_utterances(load_site(name)) == []


def test_utterance_that_selects_another_tree_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    site = load_site("door")

    class Opener:
        name = "offline"

        def compile(self, request: Request) -> Plan:
            header = Mission(command=request.command)
            return Plan(MissionSpec(mission=header, root=Tree(tree="open_door")))

    monkeypatch.setattr("bt_exec.site.check_utterances.find_compiler", lambda *_: Opener())
    assert check_utterances(site, ["open_door"]) == []
    problem = check_utterances(site, ["close_door"])[0]
    assert (problem.code, problem.place) == ("UTTERANCE_OF_ANOTHER", "utterances[0]")
    assert problem.message == "does not lead to this tree, but to open_door"
    assert problem.line is not None


def test_utterance_without_a_required_parameter_is_reported(bt: Run, tmp_path: Path) -> None:
    text = (
        "tree: close_material\nutterances: [close the material]\n"
        "params: {arm: {type: Arm}}\nroot: {do: release, with: {arm: $arm}}\n"
    )
    (problem,) = problems_of(bt, write(tmp_path / "mine.yaml", text))
    assert problem == (
        "UTTERANCE_INCOMPLETE utterances[0]: gives no value for 'arm', which has no default"
    )


@pytest.fixture
def broken_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a lexicon that cannot be parsed, and use it in the pack of a site."""
    from dataclasses import replace

    words = write(tmp_path / "words.yaml", "verbs: [open]\n")
    pack = replace(find_pack("door"), lexicon=words)
    packs = {**{name: find_pack(name) for name in pack_names()}, "door": pack}
    monkeypatch.setattr("bt_exec.site.site.find_pack", packs.__getitem__)
    return words


def test_invalid_lexicon_is_reported_by_check(bt: Run, tmp_path: Path, broken_words: Path) -> None:
    site = write(tmp_path / "site.yaml", "site: mine\npacks:\n  door: {robot: sim}\n")
    ran = bt("check", str(site))
    assert ran.code == 2
    assert f"{broken_words}:1:1: verbs: " in ran.out
    assert "[BAD_VALUE]" in ran.out


def test_lexicon_without_a_pack_is_reported_as_unused(bt: Run, tmp_path: Path) -> None:
    (problem,) = problems_of(bt, write(tmp_path / "lexicon.yaml", "nouns: {cup: {en: [cup]}}\n"))
    assert "no pack of this site uses this file of words" in problem


@pytest.mark.parametrize("field", ["lexicon", "messages"])
def test_lexicon_and_messages_are_checked_with_their_pack(bt: Run, field: str) -> None:
    ran = bt("check", str(getattr(find_pack("door"), field)))
    assert (ran.code, ran.out) == (0, "1 file checked: no problems\n")


def test_invalid_lexicon_is_reported_by_doctor(
    bt: Run, monkeypatch: pytest.MonkeyPatch, broken_words: Path
) -> None:
    monkeypatch.delenv("BT_EXEC_SITE")
    ran = bt("doctor", "--json")
    (site,) = [f for f in json.loads(ran.out) if f["area"] == "sites" and f["name"] == "door"]
    assert site["state"] == "missing"
    assert str(broken_words) in site["detail"]


@pytest.mark.slow
def test_trees_with_the_same_utterance_are_reported(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.yaml", TREE.format(name="mine", said="get the material"))
    (problem,) = problems_of(bt, file)
    assert problem.startswith("UTTERANCE_REFUSED utterances[0]: does not lead to this tree: ")
    assert problem.endswith("this tree: get_material answers to it, too (AMBIGUOUS)")
    one = write(tmp_path / "one.yaml", TREE.format(name="one", said="release the door"))
    two = write(tmp_path / "two.yaml", TREE.format(name="two", said="let go of the door"))
    ran = bt("check", str(one), str(two))
    assert "two answers to it, too (AMBIGUOUS)" in ran.out


def test_each_parameter_missing_from_an_utterance_is_reported(bt: Run, tmp_path: Path) -> None:
    text = (
        "tree: visit\nutterances: [visit the robot]\n"
        "params: {place: {type: Place}, person: {type: Person}}\n"
        "root: {do: navigate, with: {target: $place}}\n"
    )
    file = write(tmp_path / "mine.yaml", text)
    ran = bt("check", str(file), "--site", "building")
    assert ran.code == 2


MISSPELT = """tree: mine      # open_dor in a comment
root:
  sequence:
    - do: open_dor   # graps
      wiht: {arm: "lefft", object_label: door-handle}
      skip_if: {door_is: {state: opne}}
"""
CORRECTED = """tree: mine      # open_dor in a comment
root:
  sequence:
    - do: open_door   # graps
      with: {arm: "left", object_label: door-handle}
      skip_if: {door_is: {state: open}}
"""


def test_fix_corrects_names_and_prints_a_diff(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.yaml", MISSPELT)
    ran = bt("check", "--fix", str(file))
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 file checked: no problems")
    assert "-    - do: open_dor   # graps\n+    - do: open_door   # graps\n" in ran.out
    assert file.read_text() == CORRECTED
    assert bt("check", "--fix", str(file)).out == "1 file checked: no problems\n"


def test_fix_skips_uncertain_corrections(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.yaml", "tree: mine\nroot: {do: open_it}\n")
    ran = bt("check", "--fix", str(file))
    assert (ran.code, file.read_text()) == (2, "tree: mine\nroot: {do: open_it}\n")
    assert "UNKNOWN_SKILL" in ran.out
    assert "+++" not in ran.out


def test_fix_prints_its_diff_to_stderr_when_json_is_requested(bt: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.yaml", MISSPELT)
    ran = bt("check", "--fix", "--json", str(file))
    assert (ran.code, json.loads(ran.out)) == (0, [])
    assert "+++" in ran.err


def test_fix_changes_no_file_of_a_pack(bt: Run, tmp_path: Path, broken_words: Path) -> None:
    site = write(tmp_path / "site.yaml", "site: mine\npacks:\n  door: {robot: smi}\n")
    before = broken_words.read_text()
    bt("check", "--fix", str(site))
    assert broken_words.read_text() == before
    assert "robot: smi" in site.read_text()


def test_check_of_a_site_covers_its_trees_and_files(bt: Run, tmp_path: Path) -> None:
    site = tmp_path / "lab.yaml"
    site.write_text("site: lab\npacks: {door: {}}\ntrees: own\nmessages: said.yaml\n")
    ran = bt("check", str(site))
    assert ran.code == 2
    assert f"{site}:3:8: trees: there is no folder" in ran.out + ran.err
    assert f"{site}:4:11: messages: there is no file" in ran.out + ran.err
    (tmp_path / "own").mkdir()
    (tmp_path / "said.yaml").write_text("phrases: {}\n")
    tree = tmp_path / "own" / "rest.yaml"
    tree.write_text("tree: rest\nparams: {speed: {type: number}}\nroot: {do: return_home}\n")
    assert f"{tree}:2:10: params/speed: no node takes the parameter" in bt("check", str(site)).out


def test_unquoted_text_with_placeholders_is_reported(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text('tree: t\nroot: {do: wait, with: {seconds: $"{n} s"}}\n')
    assert "put a text with values into single quotes: '$\"" in bt("check", str(file)).out
