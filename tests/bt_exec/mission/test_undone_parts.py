"""Parts of a mission that were not done: detection, later recovery and description."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec.failure import Failure
from bt_exec.language.messages import Messages
from bt_exec.mission.undone_parts import Undone, describe_part, still_undone, undone_parts
from bt_exec.planning.assumed_facts_and_first_cause import DoneAction
from bt_exec.skill import Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.testing import scripted_skill
from bt_exec.testing.tree_run import scripted_site

WORDS = """
phrases:
  go: {en: "go to {to}", ko: "{to}에 가기"}
  look: {en: "look around", ko: 둘러보기}
  tree errand: {en: "run the errand", ko: 심부름하기}
words:
  " and ": {en: " and ", ko: " 그리고 "}
"""


@pytest.fixture
def words(tmp_path) -> Messages:
    file = tmp_path / "words.yaml"
    file.write_text(WORDS, encoding="utf-8")
    return Messages.load([file])


def node(text: str):
    return load_text(f"mission: {{command: x}}\nroot: {text}").document.root


@skill(effects={"at": "{to}"})
def go(to: str) -> Steps:
    """Go somewhere."""
    yield


GO, LOOK = "{do: go, with: {to: A}}", "{do: look}"


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (GO, "go to A"),
        (f"{{sequence: [{GO}, {LOOK}]}}", "go to A and look around"),
        (f"{{sequence: [{GO}, {GO}]}}", "go to A"),  # duplicates are named once
        (f"{{sequence: [{GO}, {LOOK}, {{do: wave}}]}}", "go to A, look around, wave"),
        ("{check: near}", ""),  # a question is not an action
        (f"{{sequence: [{{check: near}}, {LOOK}]}}", "look around"),
        (f"{{fallback: [{GO}, {LOOK}]}}", "go to A"),  # the first branch is the intended one
        # description of a tree: its phrase, else its content, else its name
        (f"{{tree: errand, body: {LOOK}}}", "run the errand"),
        (f"{{tree: round, body: {{sequence: [{GO}, {LOOK}]}}}}", "go to A and look around"),
        ("{tree: round_trip}", "round trip"),
        ("{tree: errand}", "run the errand"),
    ],
)
def test_intended_action_is_described_in_a_few_words(words, part, said):
    assert describe_part(node(part), words, "en") == said


def test_description_is_in_the_language_of_the_command(words):
    assert (
        describe_part(node(f"{{sequence: [{GO}, {LOOK}]}}"), words, "ko")
        == "A에 가기 그리고 둘러보기"
    )


LOST = Failure("LOST", "no way", "t/go", node="go", args={"to": "A"})


def test_only_fallback_that_continued_after_a_failure_is_incomplete():
    inner = f"{{name: inner, fallback: [{{name: way, sequence: [{GO}]}}, {{check: noted}}]}}"
    root = node(f"{{name: t, sequence: [{LOOK}, {inner}, {{name: rest, fallback: [{LOOK}]}}]}}")
    (found,) = undone_parts(root, [("t/inner", LOST), ("t/look", LOST)])
    assert (found.path, found.failure) == ("t/inner", LOST)
    assert found.part.name == "way"
    assert found.means == {f"t/inner{path}" for path in ("", "/way", "/way/go", "/noted")}
    assert undone_parts(root, []) == ()


@pytest.mark.parametrize(
    ("now", "done", "left"),
    [
        ([], [], ["old"]),
        ([], [DoneAction("go", {"to": "A"})], []),  # the same skill was done later
        ([], [DoneAction("go", {"to": "B"})], ["old"]),
        ([], [DoneAction("look", {}), DoneAction("go", {"to": "A"})], []),
        ([], [DoneAction("fly", {})], []),  # another skill has the same effect
        ([LOST], [], ["new"]),  # failed again: reported once
        ([replace(LOST, args={"to": "B"})], [], ["old", "new"]),
        ([replace(LOST, node="look")], [], ["old", "new"]),
    ],
)
def test_part_is_complete_when_a_later_plan_does_it(now, done, left):
    skills = [
        go,
        scripted_skill("fly", effects={"at": "A"}),
        scripted_skill("look"),
    ]
    catalogue = scripted_site(skills).catalogue
    before = [Undone("old", node(GO), LOST)]
    found = still_undone(before, [Undone("new", node(GO), one) for one in now], done, catalogue)
    assert [one.path for one in found] == left


def test_incomplete_part_as_data_contains_the_first_cause(words):
    jam = Failure("JAM", "it jams", "t/door", node="open", args={"by": "hand"})
    part = Undone("inner", node(GO), replace(LOST, cause=jam))
    assert part.to_dict(words, "en") == {
        "what": "go to A",
        "why": "no way",
        "code": "LOST",
        "path": "t/go",
        "node": "go",
        "args": {"to": "A"},
    }
