"""Commands that are given while an object is in the hand."""

from dataclasses import replace

import pytest

from bt_exec.failure import Refusal
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Request
from bt_exec.planning.plan_preparation import prepare_answer
from bt_exec.site.site import load_site
from bt_exec_skills.tabletop.environment_state import Environment, Point
from bt_exec_skills.tabletop.goals.compiler import create
from bt_exec_skills.tabletop.goals.held_object_subgoals import with_held_object_put_aside
from bt_exec_skills.tabletop.goals.model import Move, Subgoal, Trouble
from bt_exec_skills.tabletop.goals.plan import goals_of
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from tests.skills.tabletop.asking import ask
from tests.skills.tabletop.test_commands import WORLDS

WORLD = WORLDS["mixed"]
APPLE = "object_apple_0"
LAY = WORLD.objects[APPLE].pos
BASE = WORLD.base
assert BASE is not None
IN_HAND = WORLD.objects[APPLE]._replace(pos=Point(BASE.x + 0.6, BASE.y, 1.2))
HOLDING = Environment(0.0, {**WORLD.objects, APPLE: IN_HAND}, BASE, WORLD.tables)
FACTS = {"hand": APPLE, "origin": f"{LAY.x} {LAY.y} {LAY.z}"}


def answer_to(command, turns=(), facts=FACTS, world=HOLDING):
    return ask(create({}), command, world, turns, facts)


def moves(answer):
    assert not isinstance(answer, Refusal), answer
    return [move for goal in goals_of(answer.spec.root) for move in goal.moves]


@pytest.mark.parametrize("command", ["put it down", "let go", "put the apple down", "release it"])
def test_put_down_places_the_held_object_on_a_table(command):
    (move,) = moves(answer_to(command))
    assert (move.thing, move.target in HOLDING.tables) == (APPLE, True)


@pytest.mark.parametrize(
    "command",
    [
        "put what you are holding on the tray",
        "put the thing in your hand on the tray",
        "put the apple you hold on the tray",
        "never mind, put it on the tray",
        "들고 있는 거 쟁반에 놔",
        "손에 든 거 쟁반에 올려",
        "손에 있는 사과 쟁반에 놔",
        "됐고 쟁반에 놔",
        "onto the tray please",
        "쟁반에",
        "생각이 바뀌었어, 쟁반에 놔줘",
    ],
)
def test_phrase_the_held_one_refers_to_the_held_object(command):
    (move,) = moves(answer_to(command))
    assert (move.thing, move.target) == (APPLE, "object_tray_0")


@pytest.mark.parametrize(
    ("command", "facts", "code"),
    [
        ("put what you are holding on the tray", {"hand": "empty"}, "HAND_EMPTY"),
        ("들고 있는 거 쟁반에 놔", {"hand": "empty"}, "HAND_EMPTY"),
        ("put the cup in your hand on the tray", FACTS, "NOT_HELD"),
        ("들고 있는 컵 쟁반에 놔", FACTS, "NOT_HELD"),
    ],
)
def test_object_that_is_not_held_is_refused(command, facts, code):
    refusal = answer_to(command, facts=facts)
    assert isinstance(refusal, Refusal)
    assert refusal.code == code


@pytest.mark.parametrize(
    "command", ["내려놔", "손 비워", "그거 내려놔", "사과 내려놔 줘", "아무 데나 놔"]
)
def test_put_down_is_understood_in_korean(command):
    (move,) = moves(answer_to(command))
    assert (move.thing, move.target in HOLDING.tables) == (APPLE, True)


@pytest.mark.parametrize(
    "command",
    [
        "put it back",
        "put the apple back where it was",
        "원래 자리로",
        "원래 자리로 갖다 놔",
        "제자리에 놔",
    ],
)
def test_put_back_places_the_held_object_where_it_was(command):
    (move,) = moves(answer_to(command))
    assert move.thing == APPLE
    assert move.spot == (pytest.approx(LAY.x), pytest.approx(LAY.y))


TRAY = WORLD.objects["object_tray_0"].pos
MOVED = replace(
    WORLD,
    objects={**WORLD.objects, APPLE: WORLD.objects[APPLE]._replace(pos=TRAY._replace(z=0.54))},
)
BEFORE = {"hand": "empty", f"origin.{APPLE}": f"{LAY.x} {LAY.y} {LAY.z}", "returnable": APPLE}
MOVE = ("put the apple on the tray", "satisfied", "OK")


@pytest.mark.parametrize(
    "command",
    [
        "put it back where it was",
        "Put that back, please.",
        "move it back to where it was",
        "return the apple to its original place",
        "put everything back",
        "undo that",
        "undo the last move",
        "원래 자리로 돌려놔",
        "그거 원래 있던 데로 돌려놔",
        "사과 도로 제자리에 놔",
        "방금 한 거 되돌려줘",
        "원래대로 해줘",
        "되돌려 놔",
    ],
)
def test_put_back_returns_an_object_that_was_moved_before(command):
    (move,) = moves(answer_to(command, [MOVE], BEFORE, MOVED))
    assert (move.thing, move.spot) == (APPLE, (pytest.approx(LAY.x), pytest.approx(LAY.y)))


def test_put_back_asks_which_of_several_moved_objects_is_meant():
    other = "object_red_cup_0"
    facts = {**BEFORE, f"origin.{other}": "1.2 1.4 0.53", "returnable": f"{APPLE} {other}"}
    refusal = answer_to("put it back where it was", [MOVE], facts, MOVED)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "WHICH_ONE"
    assert len(moves(answer_to("put them back", [MOVE], facts, MOVED))) == 2


@pytest.mark.parametrize("command", ["put the red cup back where it was", "빨간 컵 제자리에 놔"])
def test_put_back_is_refused_for_an_object_that_was_not_moved(command):
    refusal = answer_to(command, [MOVE], BEFORE, MOVED)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "NO_ORIGIN"


def test_put_back_after_a_swap_exchanges_the_objects_again():
    cup = "object_red_cup_0"
    at, swapped = WORLD.objects[cup].pos, {**WORLD.objects}
    swapped[APPLE] = WORLD.objects[APPLE]._replace(pos=at)
    swapped[cup] = WORLD.objects[cup]._replace(pos=LAY)
    facts = {**BEFORE, f"origin.{cup}": f"{at.x} {at.y} {at.z}", "returnable": f"{APPLE} {cup}"}
    turn = ("swap the apple and the red cup", "satisfied", "OK")
    found = moves(answer_to("undo that", [turn], facts, replace(WORLD, objects=swapped)))
    assert [one.thing for one in found] == [APPLE, cup, APPLE]


def test_put_back_into_a_container_names_the_container():
    bowl = WORLD.objects["object_red_bowl_0"].pos
    facts = FACTS | {"origin": f"{bowl.x} {bowl.y} {bowl.z + 0.03}"}
    (move,) = moves(answer_to("put it back", facts=facts))
    assert (move.target, move.spot) == ("object_red_bowl_0", ())


@pytest.mark.parametrize(
    ("command", "facts", "code"),
    [
        ("put it back", {"hand": APPLE}, "NO_ORIGIN"),
        ("put it down", {"hand": "empty"}, "HAND_EMPTY"),
        ("내려놔", {}, "HAND_EMPTY"),
        ("put the small red cube down", FACTS, "NOT_HELD"),
    ],
)
def test_put_down_is_refused_when_it_is_not_applicable(command, facts, code):
    answer = answer_to(command, facts=facts)
    assert isinstance(answer, Refusal)
    assert answer.code == code


@pytest.mark.parametrize("command", ["put it in the red bowl", "그거 빨간 그릇에 담아"])
def test_pronoun_it_refers_to_the_held_object(command):
    assert [(m.thing, m.target) for m in moves(answer_to(command))] == [
        (APPLE, "object_red_bowl_0")
    ]


def test_another_object_is_moved_after_the_hand_was_emptied():
    first, second = moves(answer_to("put the small red cube in the red bowl"))
    assert (first.thing, first.target in HOLDING.tables) == (APPLE, True)
    assert (second.thing, second.target) == ("object_small_red_cube_0", "object_red_bowl_0")


def test_held_object_is_placed_first_within_one_command():
    found = moves(answer_to("put everything in the red bowl"))
    assert found[0].thing == APPLE
    assert len({move.thing for move in found}) == len(found)


def test_driving_does_not_require_an_empty_hand():
    found = moves(answer_to("go to the red bowl"))
    assert [(move.thing, move.hold) for move in found] == [("object_red_bowl_0", False)]


@pytest.mark.parametrize(
    "command",
    ["put it down", "put the small red cube in the red bowl", "sort by colour", "put it back"],
)
def test_plans_with_a_full_hand_pass_verification(command):
    site, seen = load_site("tabletop"), TableObservation(0.0, HOLDING)
    facts = {**seen.facts(), **FACTS, f"spot.{APPLE}": "hand"}
    situation = replace(Situation(), labels=seen.labels(), facts=facts)
    request = Request(command, "en", site.catalogue, site.library, site.messages, situation)
    answer = create({}).compile(request)
    assert not isinstance(answer, Refusal)
    assert prepare_answer(answer, request).spec.root is not None


def test_full_hand_without_a_table_leads_to_a_question():
    now = Environment(0.0, {APPLE: IN_HAND}, BASE, held=APPLE)
    other = (Subgoal("cup in the hand", (Move("object_cup_0"),)),)
    with pytest.raises(Trouble) as raised:
        with_held_object_put_aside(other, now, "en")
    assert raised.value.code == "HAND_FULL"


STOPPED = ("put the apple in the red bowl", "aborted", "ABORTED")


@pytest.mark.parametrize("command", ["go on", "하던 거 마저 해", "계속해", "carry on please"])
def test_command_go_on_repeats_the_last_unfinished_command(command):
    turns = [STOPPED, ("what are you holding?", "refused", "NOT_UNDERSTOOD")]
    assert [(m.thing, m.target) for m in moves(answer_to(command, turns))] == [
        (APPLE, "object_red_bowl_0")
    ]


def test_second_command_go_on_repeats_the_same_command():
    turns = [STOPPED, ("go on", "aborted", "ABORTED")]
    assert moves(answer_to("go on", turns))[0].target == "object_red_bowl_0"


@pytest.mark.parametrize("turns", [(), [("sort by colour", "satisfied", "OK")]])
def test_command_go_on_is_refused_when_nothing_is_unfinished(turns):
    answer = answer_to("go on", turns)
    assert isinstance(answer, Refusal)
    assert answer.code == "NOTHING_UNFINISHED"


@pytest.mark.parametrize("command", ["onto the tray?", "쟁반에?"])
def test_place_name_as_a_question_moves_nothing(command):
    answer = answer_to(command)
    assert isinstance(answer, Refusal) or not goals_of(answer.spec.root)


@pytest.mark.parametrize(
    "command", ["put it in its bowl", "자기 그릇에 넣어", "이거 같은 색 그릇에 넣어줘"]
)
def test_possessive_bowl_is_the_bowl_with_the_colour_of_the_held_object(command):
    cube = "object_small_blue_cube_0"
    at = WORLD.objects[cube].pos
    lifted = {**WORLD.objects, cube: WORLD.objects[cube]._replace(pos=Point(at.x, at.y, 1.2))}
    world = replace(WORLD, objects=lifted)
    (move,) = moves(answer_to(command, facts={"hand": cube}, world=world))
    assert (move.thing, move.target) == (cube, "object_blue_bowl_0")


def test_phrase_the_cup_refers_to_the_held_cup():
    cup = "object_red_cup_0"
    at = WORLD.objects[cup].pos
    lifted = {**WORLD.objects, cup: WORLD.objects[cup]._replace(pos=Point(at.x, at.y, 1.2))}
    world = replace(WORLD, objects=lifted)
    for command in ("put the cup on the tray", "컵을 쟁반에 올려줘"):
        (move,) = moves(answer_to(command, facts={"hand": cup}, world=world))
        assert (move.thing, move.target) == (cup, "object_tray_0")
    assert isinstance(answer_to("put the cup on the tray", facts={}, world=WORLD), Refusal)
