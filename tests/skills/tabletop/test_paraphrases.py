"""Commands that mean the same in other words, and phrases that repeat earlier ones."""

from dataclasses import replace

import pytest

from bt_exec.language.meaning import Turn
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.answers import answer
from bt_exec_skills.tabletop.goals.compiler import understand
from bt_exec_skills.tabletop.goals.decompose import moves_of
from bt_exec_skills.tabletop.goals.model import Trouble
from tests.skills.tabletop.test_commands import DATA, WORLDS

pytestmark = pytest.mark.sampled

GROUPS = parse_yaml((DATA / "paraphrases.yaml").read_text(encoding="utf-8"))
MIXED, SHAPES = WORLDS["mixed"], WORLDS["shapes"]


def places(command, world, turns=()):
    """Return the target of each object."""
    moved = {}
    for one in understand(command, world, turns).subgoals:
        moved.update({move.thing: (move.side, move.target) for move in one.moves})
    return {
        thing: place for thing, place in moved.items() if not world.is_in_place(thing, place[1])
    }


def with_objects(world, **objects):
    """Return a world with more objects at (x, y), on its tables."""
    more = {
        f"object_{name}_0": Placed(100 + number, Point(*at, 0.52))
        for number, (name, at) in enumerate(objects.items())
    }
    return replace(world, objects={**world.objects, **more})


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["say"][0])
def test_paraphrases_have_the_same_moves(group):
    world: Environment = WORLDS[group["world"]]
    held = group.get("hand")
    if held:
        lay = world.objects[held].pos
        lifted = {**world.objects, held: world.objects[held]._replace(pos=Point(0.6, 0.0, 1.2))}
        world = replace(world, objects=lifted, reported_tables=world.tables, held=held, origin=lay)
    first = moves_of(understand(group["say"][0], world).subgoals)
    assert first
    other = [say for say in group["say"] if moves_of(understand(say, world).subgoals) != first]
    assert other == []


@pytest.mark.parametrize("between", ["what are you holding?", "what do you see?"])
def test_pronoun_keeps_its_object_after_a_question_that_names_none(between):
    said = ("take the red cup", between, "put it on the tray", between)
    turns = [Turn(command, "satisfied", "OK") for command in said]
    asked = understand("where is it now?", MIXED, turns).question
    assert answer(asked, MIXED, None, "en").names == ("object_red_cup_0",)


@pytest.mark.parametrize("command", ["put it on the tray", "그거 쟁반에 올려"])
def test_pronoun_does_not_refer_to_all_visible_objects(command):
    with pytest.raises(Trouble):
        places(command, MIXED, [Turn("what do you see?", "satisfied", "OK")])


def test_phrase_the_other_one_refers_to_one_object():
    turn = Turn("put the red cup on the tray", "satisfied", "OK")
    found = places("and the other one too", MIXED, (turn,))
    assert set(found) == {"object_blue_cup_0"}
    three = with_objects(MIXED, green_cup=(1.2, 0.6))
    with pytest.raises(Trouble, match="WHICH_ONE") as raised:
        places("and the other one too", three, (turn,))
    assert set(raised.value.choices) == {"object_blue_cup_0", "object_green_cup_0"}


def test_phrase_the_other_refers_to_an_object_of_the_same_kind():
    found = places("put one cup on the tray and the other on the white plate", MIXED)
    assert set(found) == {"object_red_cup_0", "object_blue_cup_0"}
    plates = {name: at for name, at in SHAPES.objects.items() if name != "object_white_plate_2"}
    world = replace(SHAPES, objects=plates)
    found = places("put the cubes on one plate and the balls on the other plate", world)
    cubes = {place for thing, place in found.items() if "cube" in thing}
    balls = {place for thing, place in found.items() if "ball" in thing}
    assert len(cubes) == len(balls) == 1
    assert cubes != balls


def test_pronoun_ones_refers_to_the_previous_noun():
    world = with_objects(SHAPES, red_cylinder=(1.0, 1.2))
    found = places("put the blue cube on plate 0 and the red one on plate 1", world)
    assert set(found) == {"object_blue_cube_0", "object_red_cube_0"}


def test_unclear_repetition_is_asked_about():
    world = with_objects(SHAPES, red_cylinder=(1.0, 1.2))
    with pytest.raises(Trouble, match="WHICH_ONE"):
        understand("파란 큐브는 접시 0에, 빨간 건 접시 1에 놔", world)
    with pytest.raises(Trouble):
        understand("put one cube on plate 0 and everything else on plate 1", world)


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ("put the apple and the red cup on the tray", "put them in the blue bowl"),
        ("사과랑 빨간 컵을 쟁반에 놔", "그것들을 파란 그릇에 넣어"),
    ],
)
def test_pronoun_refers_to_all_objects_of_the_previous_command(before, command):
    found = places(command, MIXED, [Turn(command=before, status="satisfied")])
    assert set(found) == {"object_apple_0", "object_red_cup_0"}


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ("put the apple and the red cup on the tray", "put it in the blue bowl"),
        ("put the apple on the tray", "take them both to the blue bowl"),
    ],
)
def test_pronoun_that_disagrees_in_number_is_refused(before, command):
    with pytest.raises(Trouble, match="NOTHING_BEFORE"):
        places(command, MIXED, [Turn(command=before, status="satisfied")])


def test_objects_without_a_container_are_reported_and_not_moved():
    world = with_objects(WORLDS["plain"], yellow=(1.0, 1.2))
    *_, last = understand("sort by colour", world).subgoals
    assert [(one.code, one.choices) for one in last.remarks] == [
        ("NO_PLACE_FOR", ("object_yellow_0",))
    ]


@pytest.mark.parametrize("command", ["put the fruit on the tray", "과일을 전부 쟁반에 놔"])
def test_group_noun_selects_its_members(command):
    world = with_objects(MIXED, banana=(1.6, 1.2), carrot=(1.4, 1.2))
    assert set(places(command, world)) == {"object_apple_0", "object_banana_0"}


@pytest.mark.parametrize("command", ["put the apple in the wooden bowl", "사과를 나무 그릇에 넣어"])
def test_material_selects_a_container(command):
    world = with_objects(MIXED, wooden_bowl=(1.6, 1.2), metal_bowl=(1.4, 1.5))
    assert places(command, world) == {"object_apple_0": ("in", "object_wooden_bowl_0")}


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("are there more cubes than balls?", True),
        ("are there fewer cups than balls?", False),
        ("큐브가 공보다 많아?", True),
    ],
)
def test_counts_are_compared(question, holds):
    asked = understand(question, MIXED).question
    assert asked is not None
    assert answer(asked, MIXED, None, "en").holds is holds


def test_word_there_may_refer_to_a_place_named_later():
    found = places("before you put the apple on the tray, put the red cup there", MIXED)
    assert {place for _, place in found.values()} == {"object_tray_0"}
    assert list(found) == ["object_red_cup_0", "object_apple_0"]


@pytest.mark.parametrize("command", ["put that cup", "the cups: sort"])
def test_words_before_a_colon_are_not_ignored(command):
    with pytest.raises(Trouble):
        understand(command, MIXED)


@pytest.mark.parametrize(
    ("before", "elliptical", "full"),
    [
        ("what is on the left table?", "and on the right one?", "what is on the right table?"),
        ("what is on the left table?", "what about the back one?", "what is on the back table?"),
        ("how many cubes are on the left?", "and cups?", "how many cups are on the left?"),
        ("where is the red cup?", "and the blue one?", "where is the blue cup?"),
        ("왼쪽 테이블에 뭐 있어?", "그럼 뒤쪽은?", "뒤쪽 테이블에 뭐 있어?"),
        ("빨간 그릇 비었어?", "파란 건?", "파란 그릇 비었어?"),
    ],
)
def test_elliptical_question_has_the_answer_of_the_full_question(before, elliptical, full):
    of_elliptical, of_full = (
        answer(understand(text, MIXED, turns).question, MIXED, None, "en")
        for text, turns in ((elliptical, [Turn(before)]), (full, []))
    )
    assert of_elliptical == of_full


@pytest.mark.parametrize(
    "question",
    ["what else is on the table with the blue bowl?", "파란 그릇이 있는 테이블에 또 뭐 있어?"],
)
def test_question_about_other_objects_leaves_out_the_named_one(question):
    every = answer(understand("what is on the right table?", MIXED).question, MIXED, None, "en")
    others = answer(understand(question, MIXED).question, MIXED, None, "en")
    assert set(others.names) == {*every.names} - {"object_blue_bowl_0"}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("the ball is on the left", True), ("the ball is on the right", False)],
)
def test_condition_about_the_left_or_right_is_evaluated_on_that_table(condition, holds):
    command = f"if {condition}, put it on the tray, otherwise put the apple on the tray"
    expected = "object_big_blue_ball_0" if holds else "object_apple_0"
    assert list(places(command, MIXED)) == [expected]


@pytest.mark.parametrize(
    "command",
    [
        "put both cups on the back table, then the red one in the red bowl",
        "컵 두 개를 뒤쪽 테이블로 옮기고 그중 빨간 걸 빨간 그릇에 넣어",
    ],
)
def test_attribute_selects_among_the_objects_mentioned_before(command):
    found = places(command, MIXED)
    assert found["object_red_cup_0"] == ("in", "object_red_bowl_0")
    assert found["object_blue_cup_0"] == ("in", "table_2")


@pytest.mark.parametrize(
    "command",
    [
        "put that over there",
        "사과를 저기다 놔",
        "put the right ball on the tray",
        "오른쪽 공을 쟁반에 놔",
    ],
)
def test_reference_to_a_place_or_side_without_a_matching_object_is_refused(command):
    with pytest.raises(Trouble):
        understand(command, MIXED)
