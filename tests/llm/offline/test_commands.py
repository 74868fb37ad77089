"""Plans of commands: conditions, order, variants, negation, corrections, omitted objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.language.meaning import Meaning
from bt_exec.spec.shipped_yaml import parse_yaml

TABLE: dict[str, dict[str, str]] = parse_yaml(
    Path(__file__).with_name("commands.yaml").read_text(encoding="utf-8")
)
ROWS = [(site, *row) for site, rows in TABLE.items() for row in rows.items()]


@pytest.mark.parametrize(("site", "command", "expected"), ROWS)
def test_command_has_its_plan_and_every_understood_word_a_use(
    site, command, expected, trees, compilers, request_on
):
    assert trees(site, command) == expected
    meaning = compilers[site].read(request_on(site, command))
    if expected.isupper():
        assert not isinstance(meaning, Meaning)
        return
    assert isinstance(meaning, Meaning)
    assert " ".join(use.text for use in meaning.words) == " ".join(command.split())
    assert {use.use for use in meaning.words} <= {"role", "verb", "operator", "filler", "grammar"}


@pytest.mark.parametrize(
    "command",
    ["open the door " * 700, "문을 열고 " * 40 + "닫아", "open\x00the door", "문\u200b열어"],
)
def test_hostile_text_is_read_in_bounded_time(command, compilers, request_on):
    answer = compilers["door"].compile(request_on("door", command))
    assert len(getattr(answer, "message", "")) < 600


def test_refusal_names_the_words_and_suggests_commands(compilers, request_on):
    answer = compilers["door"].compile(request_on("door", "fetch the materiel"))
    assert (answer.missing, answer.did_you_mean) == (("materiel",), ("fetch the material",))
    assert 0 < len(answer.nearest) <= 3
    assert answer.message.count(", ") <= 3


@pytest.mark.parametrize(
    ("site", "command", "commands", "missing"),
    [
        ("door", "open or close the door", ("open the door", "close the door"), ""),
        ("door", "문 열거나 닫아", ("문을 열어", "문을 닫아"), ""),
        ("door", "왼팔로 문 열거나 닫아", ("왼팔로 문을 열어", "왼팔로 문을 닫아"), ""),
        ("door", "왼팔이나 오른팔로 문 열어", ("왼팔로 문 열어", "오른팔로 문 열어"), "Arm"),
        (
            "building",
            "look in the lounge or the corridor",
            ("look in the lounge", "look in the corridor"),
            "Place",
        ),
        ("building", "라운지나 복도를 봐줘", ("라운지를 봐줘", "복도를 봐줘"), "Place"),
    ],
)
def test_ambiguous_command_offers_choices_that_compile(
    site, command, commands, missing, compilers, request_on, trees
):
    answer = compilers[site].compile(request_on(site, command))
    assert answer.code == "CHOICE"
    assert tuple(one.lower() for one in answer.did_you_mean) == commands
    assert answer.missing == (missing or command,)
    assert all(f"“{one}”" in answer.question for one in commands)
    assert answer.message.endswith(answer.question)
    found = [trees(site, one) for one in answer.did_you_mean]
    assert len(set(found)) == len(found)
    assert not any(one.isupper() for one in found)


def test_ambiguous_agent_of_the_second_act_is_asked_for(compilers, request_on, trees):
    said = "tell the professor to wait in the lounge and check the corridor"
    answer = compilers["building"].compile(request_on("building", said))
    told, own = answer.did_you_mean
    assert trees("building", told).endswith(" to wait in the lounge and check the corridor")
    assert trees("building", own).endswith(" to wait in the lounge, look_at corridor_center")
    assert answer.question


def test_unmonitored_condition_is_offered_as_question(compilers, request_on):
    said = "when the door is closed, open it"
    answer = compilers["door"].compile(request_on("door", said))
    assert answer.code == "CONDITION"
    assert answer.did_you_mean == ("if the door is closed, open it",)


@pytest.mark.parametrize(
    "command", ["open the window or the roof", "fly or jump", "문이나 창문을 열어", "or"]
)
def test_impossible_alternatives_are_not_offered(command, compilers, request_on):
    answer = compilers["door"].compile(request_on("door", command))
    assert not answer.did_you_mean
    assert not answer.question
