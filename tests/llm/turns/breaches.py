"""Violations of the answer format, each with its expected code.

A violation replaces one good answer. It is sent back once. If the model corrects it, the question
is answered; if the format is violated again, the answer is discarded.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from tests.llm.turns import say

TURN = say.calls_data(say.SEGMENT, say.SEPARATE)
TEXT = json.dumps(TURN)
GOOD = say.tagged(TURN)
LOG = f"<analysis_log>\n{say.lines(3)}\n</analysis_log>\n"
JSON = f"<plan_json>\n{TEXT}\n</plan_json>"


class Breach(NamedTuple):
    """An answer, and the codes of its violations."""

    name: str
    said: str
    codes: tuple[str, ...]


def _one(name: str, said: str, *codes: str) -> Breach:
    return Breach(name, said, codes)


def _turn(**changes: object) -> str:
    return say.tagged({**TURN, **changes})


def _calls(*ids: object, tool: object = "segment_colour", given: object = None) -> list[dict]:
    given = {"into": "target"} if given is None else given
    return [{"id": n, "tool": tool, "parameters": given, "expected_result": ""} for n in ids]


def _without(key: str) -> str:
    return say.tagged({name: value for name, value in TURN.items() if name != key})


FORM = (
    _one("words only", "I would segment the picture first.", "NO_ANALYSIS_LOG", "NO_PLAN_JSON"),
    _one("no log", JSON, "NO_ANALYSIS_LOG"),
    _one("no plan", LOG, "NO_PLAN_JSON"),
    _one("order", JSON + LOG, "TAGS_OUT_OF_ORDER"),
    _one("words before", "Sure!\n" + GOOD, "TEXT_OUTSIDE_TAGS"),
    _one("words after", GOOD + "\nShall I go on?", "TEXT_OUTSIDE_TAGS"),
    _one("words between", LOG + "and so" + JSON, "TEXT_OUTSIDE_TAGS"),
    _one("fenced whole", f"```\n{GOOD}\n```", "TEXT_OUTSIDE_TAGS"),
    _one("two plans", GOOD + JSON, "TAG_TWICE"),
    _one("two logs", LOG + GOOD, "TAG_TWICE"),
    _one("log not closed", LOG.replace("</analysis_log>", "") + JSON, "TAG_NOT_CLOSED"),
    _one("plan not closed", GOOD.replace("</plan_json>", ""), "TAG_NOT_CLOSED"),
    _one("stray end", "</plan_json>" + GOOD, "TAG_NOT_CLOSED"),
    _one("tags in upper case", GOOD.replace("plan_json", "PLAN_JSON"), "NO_PLAN_JSON"),
    _one("a third tag", GOOD + "<final_answer>3</final_answer>", "TEXT_OUTSIDE_TAGS"),
    _one("two lines", say.tagged(TURN, 2), "LOG_LINES"),
    _one("eight lines", say.tagged(TURN, 8), "LOG_LINES"),
    _one("no numbers", say.tagged(TURN, "- look\n- crop\n- count"), "LOG_STEP"),
    _one("numbers from zero", say.tagged(TURN, "Step 0: a\nStep 1: b\nStep 2: c"), "LOG_STEP"),
    _one("a number left out", say.tagged(TURN, "Step 1: a\nStep 3: b\nStep 4: c"), "LOG_STEP"),
    _one("a step of nothing", say.tagged(TURN, "Step 1:\nStep 2: b\nStep 3: c"), "LOG_STEP"),
    _one("an endless line", say.tagged(TURN, f"Step 1: {'x' * 700}\nStep 2: b\nStep 3: c"),
         "LOG_STEP"),
    _one("fenced JSON", say.tagged(f"```json\n{TEXT}\n```"), "NOT_JSON"),
    _one("a comment", say.tagged(TEXT.replace("{", "{ // next\n", 1)), "NOT_JSON"),
    _one("a trailing comma", say.tagged(TEXT[:-1] + ",}"), "NOT_JSON"),
    _one("single quotes", say.tagged(TEXT.replace('"', "'")), "NOT_JSON"),
    _one("not a number", say.tagged(TEXT.replace('"id": 1', '"id": NaN')), "NOT_JSON"),
    _one("two documents", say.tagged(TEXT + TEXT), "NOT_JSON"),
    _one("a list", say.tagged(f"[{TEXT}]"), "NOT_AN_OBJECT"),
    _one("a key twice", say.tagged(TEXT[:-1] + ', "mode": "final"}'), "KEY_TWICE"),
    _one("too deep", say.tagged('{"a":' * 40 + "1" + "}" * 40), "TOO_DEEP"),
    _one("far too deep", say.tagged('{"a":' * 9000 + "1" + "}" * 9000), "TOO_DEEP"),
    _one("too long", say.tagged(TURN, "Step 1: " + "x" * 70_000), "TOO_LONG"),
    _one("no mode", _without("mode"), "WRONG_MODE"),
    _one("both modes", _turn(mode="tool_calls|final"), "WRONG_MODE"),
    _one("a mode of its own", _turn(mode="ask_user"), "WRONG_MODE"),
    _one("a list as mode", _turn(mode=["tool_calls"]), "WRONG_MODE"),
    _one("calls and an answer", _turn(final_answer="3"), "CALLS_AND_FINAL"),
    _one("no language", _without("language"), "MISSING_FIELD"),
    _one("no questions", _without("open_questions"), "MISSING_FIELD"),
    _one("another language", _turn(language="ko"), "WRONG_LANGUAGE"),
    _one("a language of its own", _turn(language="fr"), "WRONG_TYPE"),
    _one("a field of its own", _turn(confidence=1.0), "UNKNOWN_FIELD"),
    _one("a whole plan", _turn(steps=["a", "b"]), "UNKNOWN_FIELD"),
    _one("no calls", _turn(tool_calls=[], selected_tools=[]), "NO_CALLS"),
    _one("calls that are a text", _turn(tool_calls="segment_colour"), "WRONG_TYPE"),
    _one("ids from 0", _turn(tool_calls=_calls(0), selected_tools=["segment_colour"]),
         "IDS_NOT_IN_ORDER"),
    _one("ids backwards", _turn(tool_calls=_calls(2, 1), selected_tools=["segment_colour"]),
         "IDS_NOT_IN_ORDER"),
    _one("ids twice", _turn(tool_calls=_calls(1, 1), selected_tools=["segment_colour"]),
         "IDS_NOT_IN_ORDER"),
    _one("an id of text", _turn(tool_calls=_calls("1")), "WRONG_TYPE"),
    _one("an id that is true", _turn(tool_calls=_calls(True)), "WRONG_TYPE"),
    _one("nine calls", _turn(tool_calls=_calls(*range(1, 10)), selected_tools=["segment_colour"]),
         "TOO_MANY_CALLS"),
    _one("another selection", _turn(selected_tools=["crop"]), "NOT_SELECTED"),
    _one("parameters as text", _turn(tool_calls=_calls(1, given="target")), "WRONG_TYPE"),
    _one("an unknown tool", say.calls(("florence2_detect", {"prompt": "red"})), "UNKNOWN_TOOL"),
    _one("a tool misspelt", say.calls(("segment_color", {"into": "target"})), "UNKNOWN_TOOL"),
    _one("a shell", say.calls(("os.system", {"command": "rm -rf /"})), "UNKNOWN_TOOL"),
    _one("the answer as a tool", say.calls(("conclude", {"text": "7", "question": "?"})),
         "UNKNOWN_TOOL"),
    _one("its own judge", say.calls(("judge", {"final": True})), "UNKNOWN_TOOL"),
    _one("an answer without a model", say.calls(("answer", {"kind": "count", "of": "target",
                                                            "what": "x"})), "UNKNOWN_TOOL"),
    _one("a parameter of its own", say.calls(("segment_colour", {"into": "target", "hsv": 1})),
         "UNKNOWN_ARGUMENT"),
    _one("a parameter left out", say.calls(("segment_colour", {})), "MISSING_ARGUMENT"),
    _one("a set of its own", say.calls(("segment_colour", {"into": "mine"})), "WRONG_TYPE"),
    _one("a colour of its own", say.calls(("segment_colour", {"into": "target",
                                                              "colour": "beige"})), "WRONG_TYPE"),
    _one("a box as a set", say.calls(("crop", {"of": [1, 2, 3, 4]})), "WRONG_TYPE"),
    _one("a mapping as a parameter", say.calls(("segment_colour", {"into": {"a": 1}})),
         "WRONG_TYPE"),
    _one("a reference to nothing", say.calls(("segment_colour", {"into": "$saved"})),
         "WRONG_TYPE"),
    _one("verified before it is cropped", say.calls(say.SEGMENT, say.VERIFY), "NEED_NOT_MET"),
    _one("cropped before it is found", say.calls(say.CROP), "NEED_NOT_MET"),
    _one("the whole picture before the crops", say.calls(say.SEGMENT, say.ASK), "CROP_FIRST"),
    _one("the whole picture after half the crops", say.calls(say.SEGMENT, say.CROP, say.ASK),
         "CROP_FIRST"),
    _one("an answer before looking", say.final("There are 7."), "NO_EVIDENCE"),
    _one("an answer of nothing", say.tagged(say.final_data(" ")), "EMPTY_FINAL", "NO_EVIDENCE"),
    _one("an answer that is a number", say.tagged({**say.final_data("x"), "final_answer": 3}),
         "WRONG_TYPE"),
)  # fmt: skip

_R = say.RECORD
ANALYSIS = (
    _one("four lines", say.tagged(_R, 4), "LOG_LINES"),
    _one("eleven lines", say.tagged(_R, 11), "LOG_LINES"),
    _one("calls at once", GOOD, "LOG_LINES", "MISSING_FIELD", "UNKNOWN_FIELD"),
    _one("an answer at once", say.tagged(say.final_data("7"), 6), "UNKNOWN_FIELD"),
    _one("a language of its own", say.tagged({**_R, "language": "jp"}, 6), "WRONG_TYPE"),
    _one("no target", say.tagged({**_R, "target_definition": None}, 6), "WRONG_TYPE"),
    _one("needs in words", say.tagged({**_R, "tool_requirements": {
        **_R["tool_requirements"], "needs_localization": "yes"}}, 6), "WRONG_TYPE"),
    _one("no subtasks", say.tagged({**_R, "subtasks": []}, 6), "WRONG_TYPE"),
    _one("a count already", say.tagged({**_R, "count": 7}, 6), "UNKNOWN_FIELD"),
)  # fmt: skip
