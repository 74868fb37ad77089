"""Unit tests of the loop: tags, growing plans, the score of the reasoning."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Done, Request
from bt_exec.spec.library import Library
from bt_exec_llm.turns.conversation_state import Observation, supported_share
from bt_exec_llm.turns.model_output_schema import read_record, read_turn
from bt_exec_llm.turns.tree_growth import append_turn, skills_of_last_turn
from bt_exec_llm.turns.turn_parsing import parse_tags
from tests.cases import examples
from tests.llm.turns import say

PIECES = ("<analysis_log>", "</analysis_log>", "<plan_json>", "</plan_json>", "Step 1: a\n", "{",
          "}", '"mode"', ":", "[", "]", "<think>", "</think>", "1", "null", "\\", "\ud800", "가",
          "\n", " ")  # fmt: skip


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join))
def test_arbitrary_answer_is_parsed_or_reported(text):
    tagged = parse_tags(text, range(3, 8))
    assert tagged.data is not None or tagged.problems


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["mode", "tool_calls", "id", "language", "final_answer",
                                       "open_questions", "tool", "parameters"]), inner),
    max_leaves=12,
))  # fmt: skip
def test_arbitrary_data_is_parsed_as_a_turn_or_reported(data):
    data = data if isinstance(data, dict) else {"mode": data}
    turn, problems = read_turn(data, "en")
    assert turn is not None or problems
    assert read_record(data, "en")[1]


def test_thinking_before_the_tags_is_ignored():
    text = f"<think>\nLet me see.\n</think>\n{say.calls(say.SEGMENT)}"
    assert parse_tags(text, range(3, 8)).problems == ()


def request(**more):
    return Request("what?", "en", Catalogue([]), Library(), Messages(), **more)


def test_finished_steps_are_added_to_the_plan():
    calls = [("a", {"of": "$x"}), ("b", {"of": ["$y", "z"]}), ("c", {})]
    first = append_turn(request(), 1, calls, compiler="turns", model="m", turn="open")
    paths = [path for path, _ in skills_of_last_turn(first)]
    assert paths == ["turn 1/a", "turn 1/b", "turn 1/c"]
    assert first.root.sequence[0].sequence[0].args == {"of": "$$x"}
    assert first.root.sequence[0].sequence[1].args == {"of": ["$$y", "z"]}
    done = (Done("turn 1/a", "a", {}),)
    second = append_turn(
        request(previous=first, done=done), 2, [("d", {})], compiler="turns", model="", turn="open"
    )
    assert [node.do for node in second.root.sequence[0].sequence] == ["a"]
    assert (second.mission.kept, second.mission.parent) == (("turn 1",), 1)
    third = append_turn(
        request(previous=second), 3, [("e", {})], compiler="turns", model="", turn="last"
    )
    assert [node.name for node in third.root.sequence] == ["turn 1", "turn 3"]
    again = append_turn(
        request(previous=third), 4, [("f", {})], compiler="turns", model="", turn=None
    )
    assert [node.name for node in again.root.sequence] == ["turn 1", "turn 4"]


SEEN = [
    Observation("count", {"of": "target"}, True, {"sure": 3, "unsettled": 0}),
    Observation("detect", {"into": "other"}, False, None, "NO_DETECTOR: 99"),
]


@pytest.mark.parametrize(
    ("line", "share"),
    [
        ("Step 1: count said 3", 1.0),
        ("Step 1: target 집합에는 3개가 있다", 1.0),
        ("Step 1: of the 5 asked for, 3 are sure", 1.0),
        ("Step 1: count said 7", 0.0),
        ("Step 1: 99 were detected", 0.0),
        ("Step 1: the man looks happy", 0.0),
        ("Step 1:", 0.0),
    ],
)
def test_reasoning_step_is_supported_by_observations(line, share):
    assert supported_share([line], SEEN, "Are there 5?") == share


def test_reasoning_score_is_the_share_of_supported_steps():
    lines = ["Step 1: count said 3", "Step 2: so it is 7"]
    assert supported_share(lines, SEEN, "") == 0.5
    assert supported_share([], SEEN, "") == 0.0
    assert supported_share(["Step 1: crop the target"], [], "", [("crop", {})]) == 1.0


def test_long_result_is_truncated():
    long = Observation("t", {}, True, {"text": "x" * 9000}).to_dict()
    assert len(json.dumps(long)) < 2500
