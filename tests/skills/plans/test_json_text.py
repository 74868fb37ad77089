"""JSON parsing of plans, with positions of errors."""

import pytest

from bt_exec.failure import SpecError
from bt_exec_skills.plans.json_text import parse_plan_json


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("[1,\n,2]", "BAD_JSON", 2),
        ("[" * 100_000, "BAD_JSON", None),
        (" " * 200_001, "TOO_LONG", None),
    ],
)
def test_invalid_json_is_refused_with_its_code(text, code, line):
    with pytest.raises(SpecError) as caught:
        parse_plan_json(text, "plan.json")
    (problem,) = caught.value.problems
    assert (problem.code, problem.line, problem.file) == (code, line, "plan.json")


def test_valid_json_is_parsed():
    assert parse_plan_json('{"plan": []}', "plan.json") == {"plan": []}
