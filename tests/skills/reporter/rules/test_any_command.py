"""Properties for any text: answered in time, and negated acts are not planned."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec.failure import Refusal
from bt_exec.spec.model import MissionSpec
from bt_exec.spec.shipped_yaml import parse_yaml
from tests.cases import examples, some

pytestmark = pytest.mark.sampled

TABLE: dict[str, list[str]] = parse_yaml(
    Path(__file__).with_name("phrasings.yaml").read_text(encoding="utf-8")
)
LOOKS = [c for row, all_ in TABLE.items() if " see " in row for c in all_ if "교수" not in c]
ENGLISH = [c for c in LOOKS if c.isascii()]
ASKING = ("if", "whether", "how", "who", "what", "find out", "see", "is ", "are ", "any")
FAST = settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SCRAPS = """
복도 라운지 교수님께 교수님 방에 가서 보고 와 와서 알려줘 여쭤보고 물어봐 전달해 서류를 사람 있는지
불 몇 명 하지 마 말고 안 그리고 오늘 내일 회의 언제인지 나한테 돌아와 . , ? the lounge corridor
professor ask tell me go check and report back when who if not don't take letter to people lights
anything unusual
"""


@pytest.mark.slow
def test_plans_for_random_fragments_satisfy_the_rules(plan_of):
    plans = []

    @settings(FAST, max_examples=examples(90))
    @given(
        st.sampled_from([*LOOKS, "", ""]),
        st.lists(st.sampled_from(SCRAPS.split()), max_size=14),
        st.integers(0, 9),
        st.sampled_from(["", " ", " "]),
    )
    def hear(command, scraps, place, gap):
        words = command.split()
        words[place:place] = scraps[:1] if words else scraps
        found = plan_of(gap.join(words))
        if isinstance(found, Refusal):
            assert "\n" not in found.message
        else:
            plans.append((command, words, found))

    hear()
    for command, words, found in some(plans, least=12):
        assert words.count("말고") == command.split().count("말고")  # inserted ones are refused
        said = "".join(words)
        if "교수" not in said and "professor" not in said:
            assert "professor" not in str(found.root)


@FAST
@given(st.text(max_size=300))
def test_arbitrary_text_is_answered(plan_of, command):
    assert isinstance(plan_of(command), MissionSpec | Refusal)


@FAST
@given(st.sampled_from(ENGLISH), st.integers(0, 12), st.sampled_from(["don't", "never", "not"]))
def test_negated_acts_are_never_planned(meaning, command, place, negation):
    words = command.split()
    words.insert(min(place, len(words)), negation)
    found = meaning(" ".join(words))
    asked = negation == "not" and ("?" in command or any(word in command for word in ASKING))
    assert found.isupper() or asked or len(found) < len(meaning(command))


@pytest.mark.parametrize("ending", ["지 마", "지 마세요", "지 말아 줘", "지는 마", "지 말고 와"])
@pytest.mark.parametrize("stem", ["복도 둘러보", "복도 순찰하", "교수님께 여쭤보", "라운지로 가"])
def test_negative_ending_negates_the_whole_command(meaning, stem, ending):
    assert meaning(stem + ending) == "NEGATED"


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "command",
    [
        "복도 " * 75,
        "교수님께 " * 50 + "여쭤봐",
        "교수님께 " + "회의 " * 80 + "여쭤봐",
        "여쭤보고 " * 50,
        "복도랑 " * 60 + "보고 와",
        "교수님께 물어보고 물어보고 " * 15,
        "ask the professor " * 15,
        "ask " * 70,
        "ask the professor " + "and " * 60 + "tell me",
        "the lounge and " * 15 + "the corridor",
        "사람 " * 90,
    ],
)
def test_long_command_is_answered_in_time(meaning, command):
    assert meaning(command)
