"""Commands that are joined from others: their plans follow from those of their parts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import examples

ACTS = {
    ("door", "en"): ["open the door", "close the door", "bring your arms home", "get the material",
                     "wait ten seconds",
                     "let go of the material"],
    ("door", "ko"): ["문을 열어", "문을 닫아", "팔을 제자리로 돌려", "자재를 가져와",
                     "10초 기다려"],
    ("building", "en"): ["check the break room", "look around the corridor",
                         "look for the professor", "deliver the document to the professor",
                         "wait three minutes", "take the box to the lounge"],
    ("building", "ko"): ["휴게실을 확인해", "복도를 둘러봐", "교수님께 서류를 전달해", "3분 기다려",
                         "라운지에 상자를 갖다 놔"],
}  # fmt: skip
JOINTS = {
    "en": [" and ", ", then ", " and then ", ". Then "],
    "ko": [". 그다음에 ", ". 그리고 ", ". "],
}
CONDITIONS = {
    "door": ["the door is open", "the door is closed", "the material is visible",
             "your right hand is empty"],
    "building": ["it is dark in the corridor", "there is somebody in the lounge",
                 "the break room is noisy"],
}  # fmt: skip
ANY = settings(
    max_examples=examples(45), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def parts(trees, site: str, command: str) -> list[str]:
    """Return the parts of a plan, or the code of a refusal as the only one."""
    return trees(site, command).split(", ")


def is_refused(plan: list[str]) -> bool:
    return len(plan) == 1 and plan[0].isupper()


@pytest.mark.parametrize(("site", "language"), ACTS)
@given(data=st.data())
@ANY
def test_joined_acts_are_done_in_turn(trees, site: str, language: str, data) -> None:
    first, then = data.draw(st.permutations(ACTS[site, language]))[:2]
    joint = data.draw(st.sampled_from(JOINTS[language]))
    plan = parts(trees, site, first + joint + then)
    wanted = [*parts(trees, site, first), *parts(trees, site, then)]
    assert is_refused(plan) or plan == wanted, first + joint + then


@pytest.mark.parametrize("site", CONDITIONS)
@given(data=st.data())
@ANY
def test_words_such_as_first_and_then_determine_the_order_of_acts(trees, site: str, data) -> None:
    first, then = data.draw(st.permutations(ACTS[site, "en"]))[:2]
    forms = ["first {a}, then {b}", "before you {b}, {a}", "{b}, but first {a}"]
    command = data.draw(st.sampled_from(forms)).format(a=first, b=then)
    plan = parts(trees, site, command)
    wanted = [*parts(trees, site, first), *parts(trees, site, then)]
    assert is_refused(plan) or plan == wanted, command


@pytest.mark.parametrize("site", CONDITIONS)
@given(data=st.data())
@ANY
def test_condition_and_its_negation_lead_to_different_plans(trees, site: str, data) -> None:
    act = data.draw(st.sampled_from(ACTS[site, "en"]))
    condition = data.draw(st.sampled_from(CONDITIONS[site]))
    plain, holds = parts(trees, site, act), parts(trees, site, f"if {condition}, {act}")
    fails = parts(trees, site, f"{act} unless {condition}")
    for plan in (holds, fails):
        assert is_refused(plan) or plan != plain
    assert holds != fails or is_refused(holds)
    behind = parts(trees, site, f"{act} if {condition}")
    assert is_refused(behind) or behind == holds
