"""Two packs on one site: both are understood, and neither imports the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bt_exec.failure import Refusal
from bt_exec.language.messages import language_of
from bt_exec.mission.session import Session
from bt_exec.planning.compiler import Reply, Request
from bt_exec.site.compile_command import make_compiler
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import load_site
from bt_exec.spec.model import Tree, walk
from bt_exec.spec.shipped_yaml import parse_yaml

pytestmark = pytest.mark.sampled


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    packs = {}
    for name in ("door", "building"):
        text = data_path("configs", "sites", f"{name}.yaml").read_text(encoding="utf-8")
        packs.update(parse_yaml(text)["packs"])
    packs["reporter"]["reports"] = "none"
    packs["door"] = {"robot": "sim", "detector": "oracle"}
    rates = {"idle_look_hz": 0}  # without perception
    path = tmp_path_factory.mktemp("site") / "both.yaml"
    path.write_text(
        yaml.safe_dump({"site": "both", "packs": packs, "rates": rates}), encoding="utf-8"
    )
    return load_site(str(path))


@pytest.fixture(scope="module")
def trees_of(both):
    compiler = make_compiler(both)

    def trees_of(command):
        language = language_of(command)
        answer = compiler.compile(
            Request(
                command,
                language,
                both.catalogue,
                both.library,
                both.messages,
                settings=both.packs,
            )
        )
        if isinstance(answer, Refusal | Reply):
            return answer.code
        return ", ".join(node.tree for node in walk(answer.spec.root, Tree))

    return trees_of


END_AT_BASE = {"팔 원위치": ", report_back", "팔 제자리로": ", report_back"}
"""Steps that the reporter pack adds to door commands that consist of a noun phrase."""
OF_THE_SITE = {
    "문 열고 5초 뒤에 닫아": "open_door, pause, close_door",
    "문이 열리면 자재를 가져와": "pause, get_material",
}
"""Plans of commands that need a tree which neither pack has."""


def _door_rows():
    path = Path(__file__).parents[3] / "llm" / "phrasings.yaml"
    table = parse_yaml(path.read_text(encoding="utf-8"))
    return [(command, expected) for expected, all_ in table.items() for command in all_]


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_door_commands_keep_their_meaning(trees_of, step):
    wrong = []
    rows = _door_rows()[::step]
    assert len(rows) >= 300 // step
    for command, expected in rows:
        expected = OF_THE_SITE.get(command, expected)
        names = ", ".join(part.split(" ")[0] for part in expected.split(", "))
        found = trees_of(command)
        if expected.isupper():
            if not found.isupper():  # a command refused by one pack may belong to the other
                wrong.append((command, expected, found))
        elif found != names + END_AT_BASE.get(command, ""):
            wrong.append((command, expected, found))
    assert wrong == []


def test_commands_of_both_packs_are_understood(trees_of):
    assert trees_of("문 열어") == "open_door"
    assert trees_of("복도 보고 와") == "look_at, report_back"
    assert trees_of("Open the door and check the lounge.") == "open_door, look_at"


@pytest.mark.parametrize(
    "said", ["is somebody there?", "is it dark?", "if somebody is there, open the door"]
)
def test_question_about_a_building_aspect_does_not_select_a_door_tree(trees_of, said):
    """The utterance "what is the situation?" of the door names an aspect of the building."""
    assert trees_of("what is the situation?") == "door_state"
    assert trees_of(said).isupper()


@pytest.mark.slow
def test_missions_of_both_packs_run_in_one_session(both):
    with Session(both, world={"door": "closed", "seed": "3"}, fast=True) as session:
        assert session.run("문 열어").status == "satisfied"
        outcome = session.run("교수님 방이 시끄러운지 보고 와")
    assert outcome.status == "satisfied"
    assert "교수님 연구실" in outcome.message


@pytest.mark.parametrize(("pack", "other"), [("door", "reporter"), ("reporter", "door")])
def test_neither_pack_imports_the_other(pack, other):
    code = (
        f"import sys, bt_exec_skills.{pack}.pack; "
        f"print([m for m in sys.modules if m.startswith('bt_exec_skills.{other}')])"
    )
    paths = ["skills", "llm", "."]
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths}; {code}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[4],
    )
    assert found.stdout.strip() == "[]"


def test_site_contains_only_the_skills_of_its_packs(building):
    assert "open_door" not in building.library.names()
    assert "open_door" not in building.catalogue.skills
    assert "navigate" not in load_site("door").catalogue.skills
