"""Robots addressed by a command, and the part of the command for each, in order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.language.addressees import Addressed, parts_by_addressee

ROBOTS = {
    "cart_a": {"en": ("cart A", "the left cart"), "ko": ("카트 A", "왼쪽 카트")},
    "cart_b": {"en": ("cart B",), "ko": ("카트 B",)},
}
A, B, BOTH = ("cart_a",), ("cart_b",), ("cart_a", "cart_b")


def parts(command, language):
    return [
        (one.robots, one.text, one.then) for one in parts_by_addressee(command, language, ROBOTS)
    ]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("Cart A, fetch the box.", [(A, "fetch the box.", False)]),
        ("cart a fetch the box", [(A, "fetch the box", False)]),
        ("cartA: fetch the box", [(A, "fetch the box", False)]),
        ("Fetch the box, cart A!", [(A, "Fetch the box!", False)]),
        ("Please, cart B, go home.", [(B, "go home.", False)]),
        ("tell the left cart to go home", [(A, "go home", False)]),
        ("Cart A should go home", [(A, "go home", False)]),
        (
            "Cart A, open the door, and cart B, go home.",
            [(A, "open the door", False), (B, "go home.", False)],
        ),
        (
            "have cart A open the door and cart B go home",
            [(A, "open the door", False), (B, "go home", False)],
        ),
        ("Cart A, is it open? Cart B, go.", [(A, "is it open?", False), (B, "go.", False)]),
        ("Cart A, go. Then cart B, go.", [(A, "go.", False), (B, "go.", True)]),
        ("Cart A, go, and then cart B, go.", [(A, "go", False), (B, "go.", True)]),
        ("everyone, go home", [(BOTH, "go home", False)]),
        ("cart B", [(B, "", False)]),
        ("Cart A, go to cart B.", [(A, "go to cart B.", False)]),
        ("Cart A, bring the cup and cart B.", [(A, "bring the cup and cart B.", False)]),
        ("go to cart B and back", []),
        ("cartography is fun", []),
        ("fetch the box", []),
        ("", []),
    ],
)
def test_addressee_of_an_english_command_is_found(command, found):
    assert parts(command, "en") == found


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("카트 A, 상자를 가져와", [(A, "상자를 가져와", False)]),
        ("카트A야 상자를 가져와", [(A, "상자를 가져와", False)]),
        ("왼쪽 카트는 집에 가", [(A, "집에 가", False)]),
        ("cart B, 집에 가", [(B, "집에 가", False)]),
        (
            "카트 A는 문을 열고 카트 B는 집에 가",
            [(A, "문을 열도록 해", False), (B, "집에 가", False)],
        ),
        (
            "카트 A는 문을 열고 나서 카트 B가 집에 가",
            [(A, "문을 열도록 해", False), (B, "집에 가", True)],
        ),
        (
            "카트 A, 문 열어. 그다음 카트 B, 집에 가.",
            [(A, "문 열어.", False), (B, "집에 가.", True)],
        ),
        ("모두, 집에 가", [(BOTH, "집에 가", False)]),
        ("카트 B에게 가", []),
        ("상자를 카트 B에 실어", []),
    ],
)
def test_addressee_of_a_korean_command_is_found(command, found):
    assert parts(command, "ko") == found


WORDS = st.lists(st.sampled_from(["open", "the", "door", "fetch", "go", "home", "is"]), min_size=1)


@given(
    st.lists(st.tuples(st.sampled_from([*ROBOTS]), WORDS, st.booleans()), min_size=1, max_size=4)
)
def test_parts_of_a_joined_command_are_separated_by_robot(said):
    """Each joined part is returned with its robot, its words and its position."""
    wanted = [
        Addressed((robot,), " ".join(words), then and at > 0)
        for at, (robot, words, then) in enumerate(said)
    ]
    command = ""
    for at, part in enumerate(wanted):
        link = "" if not at else ", and then " if part.then else ", and "
        command += f"{link}{ROBOTS[part.robots[0]]['en'][0]}, {part.text}"
    assert parts_by_addressee(command, "en", ROBOTS) == tuple(wanted)


@given(st.text(max_size=60), st.sampled_from(["en", "ko"]))
def test_arbitrary_text_can_be_split_into_parts(command, language):
    for part in parts_by_addressee(command, language, ROBOTS):
        assert set(part.robots) <= set(ROBOTS)


def test_site_without_robots_has_no_addressees():
    assert parts_by_addressee("everyone, go home", "en", {}) == ()
