"""Native tool use of the protocol, and the fallback for servers without it."""

import pytest

from bt_exec.mission.session import Session
from bt_exec_llm.testing.messages_replies import error, tool_calls
from tests.llm.turns import say
from tests.llm.turns.conftest import QUESTION

LOG = f"<analysis_log>\n{say.lines(3)}\n</analysis_log>"
FINAL = ("final_answer", {"final_answer": "There are 3.", "open_questions": []})
GOOD = [
    tool_calls(say.SEGMENT, say.SEPARATE, words=LOG),
    tool_calls(say.CROP, say.VERIFY, say.COUNT, words=LOG),
    tool_calls(FINAL),
]


@pytest.fixture
def native(make_site, picture, tmp_path):
    def start(**settings):
        site = make_site(tmp_path, **{"form": "tools", **settings})
        return Session(site, world={"image": str(picture)}, fast=True)

    return start


@pytest.mark.parametrize("stream", [False, True])
def test_native_tools_are_declared_and_called(models, native, stream):
    models.script([say.analysis(), *GOOD], judge=[say.verdict("right")])
    with native(stream=stream) as session:
        outcome = session.run(QUESTION["en"])
    assert outcome.message.startswith("There are 3.")
    body = [one.body for one in models.server.requests if one.body["model"] == "planner"][1]
    declared = {tool["name"]: tool["input_schema"] for tool in body["tools"]}
    assert {"crop", "ask_vqa", "final_answer"} <= declared.keys()
    assert not {"conclude", "judge", "answer"} & declared.keys()
    assert declared["crop"]["properties"]["of"]["enum"][:3] == ["target", "other", "landmark"]
    assert body["tool_choice"] == {"type": "any"}
    assert "1) <analysis_log>" not in models.asked("planner")[1]


BREACHES = [
    (tool_calls(say.SEGMENT, FINAL), "CALLS_AND_FINAL"),
    (tool_calls(("segment", {"into": "target"})), "UNKNOWN_TOOL"),
    (tool_calls(("segment_colour", {"into": "mine"})), "WRONG_TYPE"),
    (tool_calls(("segment_colour", [1])), "NOT_JSON"),
    (tool_calls(("segment_colour", "{")), "NOT_JSON"),
    (tool_calls(say.SEGMENT, say.ASK), "CROP_FIRST"),
    (tool_calls(FINAL), "NO_EVIDENCE"),
    (tool_calls(("final_answer", {"final_answer": "3"})), "MISSING_FIELD"),
    (tool_calls(("final_answer", {"final_answer": "3", "open_questions": [], "sure": 1})),
     "UNKNOWN_FIELD"),
    (tool_calls(*[say.SEGMENT] * 9), "TOO_MANY_CALLS"),
    (tool_calls(say.SEGMENT, words="<analysis_log>\nStep 1: a\n</analysis_log>"), "LOG_LINES"),
    ("I would segment it.", "NO_PLAN_JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "code"), BREACHES, ids=[code for _, code in BREACHES])
def test_violation_is_reported_once_and_corrected(models, native, said, code):
    models.script([say.analysis(), said, *GOOD], judge=[say.verdict("right")])
    with native() as session:
        outcome = session.run(QUESTION["en"])
    assert outcome.message.startswith("There are 3.")
    assert f"[{code}]" in models.objections()[0]


@pytest.mark.parametrize("refused", [True, False])
def test_tags_are_used_when_the_server_has_no_tools(models, native, refused):
    """One server rejects tools, the other ignores them."""
    good = [say.calls(say.SEGMENT), say.calls(say.CROP, say.VERIFY), say.final("There are 2.")]
    first = [error(400, "invalid_request_error", "tools: unknown field")] if refused else []
    models.script([say.analysis(), *first, *good], judge=[say.verdict("right")])
    with native(form="auto") as session:
        outcome = session.run(QUESTION["en"])
    assert outcome.status == "satisfied"
    bodies = [one.body for one in models.server.requests if one.body["model"] == "planner"]
    assert "tools" in bodies[1]
    assert "tools" not in bodies[-1]
