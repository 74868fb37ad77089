"""Questions about ambiguous objects, and answers with a name alone."""

from dataclasses import replace

import pytest

from bt_exec.failure import Refusal
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.goals.compiler import create
from bt_exec_skills.tabletop.goals.plan import goals_of
from tests.skills.tabletop.asking import ask
from tests.skills.tabletop.test_commands import WORLDS

ENGLISH = ("put the apple in the bowl", "refused", "WHICH_ONE")
KOREAN = ("사과를 그릇에 담아", "refused", "WHICH_ONE")


def moves(answer):
    return [(m.thing, m.target) for goal in goals_of(answer.spec.root) for m in goal.moves]


def test_ambiguous_command_lists_the_possible_objects():
    refusal = ask(create({}), ENGLISH[0], WORLDS["mixed"])
    assert refusal.question == refusal.message
    assert refusal.message == "Which one do you mean by “the bowl”: red bowl 0, blue bowl 0?"


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (ENGLISH, "the blue bowl"),
        (ENGLISH, "blue bowl 0"),
        (ENGLISH, "the blue one."),
        (ENGLISH, "blue"),
        (KOREAN, "파란 그릇"),
        (KOREAN, "파란 그릇이요"),
        (KOREAN, "파란 거"),
        (KOREAN, "파란 그릇 0"),
    ],
)
def test_object_name_alone_answers_a_clarification_question(turn, words):
    answer = ask(create({}), words, WORLDS["mixed"], [turn])
    assert moves(answer) == [("object_apple_0", "object_blue_bowl_0")]
    assert answer.spec.mission.command == words


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("put the cube on the tray", "all of them"),
        ("put the cube on the tray", "all three"),
        ("큐브를 쟁반에 올려", "전부"),
        ("큐브를 쟁반에 올려", "셋 다요"),
        ("put the cup on the tray", "both"),
        ("컵을 쟁반에 올려", "둘 다"),
    ],
)
def test_answer_may_select_all_choices(asked, words):
    turn = (asked, "refused", "WHICH_ONE")
    choices = ask(create({}), asked, WORLDS["mixed"]).nearest
    answer = ask(create({}), words, WORLDS["mixed"], [turn])
    assert len(moves(answer)) == len(choices) > 1
    assert {target for _, target in moves(answer)} == {"object_tray_0"}


@pytest.mark.parametrize("words", ["the red ones", "both red ones", "빨간 것들"])
def test_answer_may_select_some_of_the_choices(words):
    turn = ("put the cube on the tray", "refused", "WHICH_ONE")
    answer = ask(create({}), words, WORLDS["mixed"], [turn])
    assert {thing for thing, _ in moves(answer)} == {
        "object_small_red_cube_0",
        "object_big_red_cube_0",
    }


@pytest.mark.parametrize("words", ["both", "둘 다"])
def test_answer_both_is_refused_unless_there_are_two_choices(words):
    turn = ("put the cube on the tray", "refused", "WHICH_ONE")
    assert isinstance(ask(create({}), words, WORLDS["mixed"], [turn]), Refusal)


def test_answer_may_lead_to_the_next_question():
    first = ("put the cube in the bowl", "refused", "WHICH_ONE")
    now, compiler = WORLDS["mixed"], create({})
    open_yet = ask(compiler, "small red cube 0", now, [first])
    assert open_yet.question.startswith("Which one do you mean by “the bowl”:")
    turns = [first, ("small red cube 0", "refused", "WHICH_ONE")]
    answer = ask(compiler, "the red bowl", now, turns)
    assert moves(answer) == [("object_small_red_cube_0", "object_red_bowl_0")]


@pytest.mark.parametrize("words", ["put the apple on the tray", "bring me the apple"])
def test_new_command_is_not_an_answer(words):
    answer = ask(create({}), words, WORLDS["mixed"], [ENGLISH])
    assert moves(answer) == [("object_apple_0", "object_tray_0")]


@pytest.mark.parametrize("turns", [(), [("put the apple in the bowl", "satisfied", "OK")]])
def test_name_without_a_question_is_not_a_command(turns):
    answer = ask(create({}), "the blue bowl", WORLDS["mixed"], turns)
    assert isinstance(answer, Refusal)
    assert answer.code == "NOT_UNDERSTOOD"


@pytest.mark.parametrize("words", ["the green bowl", "banana", "the sofa"])
def test_answer_without_a_match_is_refused(words):
    assert isinstance(ask(create({}), words, WORLDS["mixed"], [ENGLISH]), Refusal)


@pytest.mark.parametrize("question", ["what did you see?", "what are you holding?"])
def test_question_without_an_object_does_not_affect_the_next_command(question):
    turns = [(question, "satisfied", "OK")]
    answer = ask(create({}), "sort everything by colour", WORLDS["mixed"], turns)
    assert moves(answer)


def test_refusal_distinguishes_an_empty_table_from_a_missing_observation():
    empty = replace(WORLDS["mixed"], objects={}, reported_tables={}, base=None)
    assert ask(create({}), "sort by colour", empty).code == "NOT_OBSERVED"
    seen = replace(empty, base=Pose(0.0, 0.0, 0.0))
    assert ask(create({}), "sort by colour", seen).code == "NOTHING_SEEN"
