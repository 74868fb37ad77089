"""Display names of objects: one per object, derived from its name, usable in commands."""

import re

import pytest

from bt_exec.failure import Failure
from bt_exec.planning.compiler import Plan
from bt_exec.site.site import load_site
from bt_exec_skills.tabletop.display_names import display_name, display_name_or_id, list_names
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.compiler import create, subgoals_for
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.things.nouns import nouns
from tests.cases import some
from tests.skills.tabletop.asking import ask
from tests.skills.tabletop.test_commands import FILES, WORLDS, rows

pytestmark = pytest.mark.sampled

ID = re.compile(r"[a-z]+_[a-z0-9_]+")


@pytest.mark.parametrize(
    ("name", "english", "korean"),
    [
        ("object_purple_bowl_0", "purple bowl 0", "보라색 그릇 0"),
        ("object_red_cube_1", "red cube 1", "빨간 큐브 1"),
        ("object_small_green_cylinder_12", "small green cylinder 12", "작은 초록색 원기둥 12"),
        ("object_red_0", "red thing 0", "빨간 물건 0"),
        ("object_apple", "apple", "사과"),
        ("red_cube", "red cube", "빨간 큐브"),
        ("object_coffee_maker_2", "coffee maker 2", "coffee maker 2"),
        ("object_tomato_0", "tomato 0", "토마토 0"),
        ("object_red_teddy_bear_0", "red teddy bear 0", "빨간 곰 인형 0"),
        ("table_1", "table 1", "테이블 1"),
        ("red cube 1", "red cube 1", "빨간 큐브 1"),
        ("red cube 1 → red bowl 0, apple 0", "red cube 1 → red bowl 0, apple 0",
         "빨간 큐브 1 → 빨간 그릇 0, 사과 0"),
        ("red cube 1 → coffee maker 2", "red cube 1 → coffee maker 2",
         "빨간 큐브 1 → coffee maker 2"),
    ],
)  # fmt: skip
def test_display_name_is_derived_from_the_name(name, english, korean):
    assert display_name(name, "en") == english
    assert display_name(name, "ko") == korean


@pytest.mark.parametrize(
    "word", ["left", "planning", "meeting_room", "gizmo_7", "red", "can", "bin", "", "0"]
)
def test_text_that_is_not_an_object_name_is_unchanged(word):
    assert display_name(word, "en") is None
    assert display_name(word, "ko") is None


def test_long_lists_are_truncated_with_a_count():
    names = [f"object_red_cube_{number}" for number in range(14)]
    assert list_names(names, "en").endswith("red cube 7, and 6 more")
    assert list_names(names, "ko").endswith("빨간 큐브 7, 외 6개")
    assert list_names(names[:9], "en").endswith("red cube 8")
    assert list_names([], "en") == "-"


def test_every_dictionary_noun_selects_its_object():
    named = {kind: f"object_{kind.replace(' ', '_')}_0" for kind in nouns()}
    looks = {kind: attributes_in_name(name) for kind, name in named.items()}
    kinds = [  # an orange object is of no kind
        kind
        for kind, look in looks.items()
        if not look.is_container and look.kind == kind.replace(" ", "_")
    ]
    for start in range(0, len(some(kinds, least=200)), 24):  # a lexicon is loaded for each table
        here = kinds[start : start + 24]
        spots = {named[kind]: 1.0 + 0.02 * number for number, kind in enumerate(here)}
        placed = {name: Placed(0, Point(x, 1.2, 0.53)) for name, x in spots.items()}
        for kind in here:
            for word, take in (
                (nouns()[kind]["ko"][0], "{} 집어"),
                (nouns()[kind]["en"][0].split("/")[0], "pick up the {}"),
            ):
                (goal,) = subgoals_for(take.format(word), Environment(0.0, placed))
                assert [move.thing for move in goal.moves] == [named[kind]], word


@pytest.mark.parametrize("command", ["토마토 집어", "Pick up the tomatoes.", "망치를 쟁반에 놔"])
def test_dictionary_noun_without_an_object_is_reported_as_missing(command):
    with pytest.raises(Trouble, match="NOTHING_LIKE_THAT"):
        subgoals_for(command, WORLDS["mixed"])


@pytest.mark.parametrize(
    ("language", "take", "put"),
    [("en", "pick up {}", "put {} in {}"), ("ko", "{} 집어", "{}에 {} 넣어")],
)
def test_display_name_is_understood_in_commands(language, take, put):
    for now in WORLDS.values():
        holders = now.containers()
        things = [name for name in now.objects if name not in holders]
        for thing in things:
            (goal,) = subgoals_for(take.format(display_name_or_id(thing, language)), now)
            assert [move.thing for move in goal.moves] == [thing]
        for holder in holders:
            names = [display_name_or_id(things[0], language), display_name_or_id(holder, language)]
            words = put.format(*(names if language == "en" else reversed(names)))
            (goal,) = subgoals_for(words, now)
            assert [(move.thing, move.target) for move in goal.moves] == [(things[0], holder)]


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("file", FILES)
def test_refusals_and_subgoals_contain_no_ids(file, step):
    compiler = create({})
    for row in some(list(rows(file))[::step], least=20):
        if ID.search(row.command):
            continue  # refusals quote the command
        found = ask(compiler, row.command, WORLDS[row.world])
        texts = found.spec.mission.subgoals if isinstance(found, Plan) else [found.message]
        assert not [text for text in texts if ID.search(text)]


def test_number_distinguishes_similar_objects():
    now = WORLDS["plain"]
    (goal,) = subgoals_for("put red thing 1 in the red bowl", now)
    assert [move.thing for move in goal.moves] == ["object_red_1"]
    with pytest.raises(Trouble) as refused:
        subgoals_for("put red thing 7 in the red bowl", now)
    assert refused.value.code == "NOTHING_LIKE_THAT"
    (goal,) = subgoals_for("빨간 거 1 빨간 그릇에 넣어", now)
    assert [move.thing for move in goal.moves] == ["object_red_1"]


@pytest.mark.parametrize(
    ("code", "args", "message", "korean"),
    [
        ("GRASP_MISSED", {"target": "object_red_0"}, "it did not leave the table",
         "빨간 물건 0을 집지 못했습니다: 테이블에 그대로 있습니다."),
        ("OBJECT_GONE", {"target": "object_apple_2"}, "there are: cup 0", "사과 2가 없어졌습니다."),
        ("HAND_FULL", {"held": "object_blue_cup_0"}, "the hand holds blue cup 0",
         "손이 비어 있지 않습니다(손에 든 것: 파란 컵 0)."),
        ("SIMULATOR_FAULT", {}, "the answer is no object",
         "시뮬레이터가 제대로 동작하지 않습니다."),
    ],
)  # fmt: skip
def test_failures_are_reported_without_ids_in_one_language(code, args, message, korean):
    messages = load_site("tabletop").messages
    failure = Failure(code, message, node="pick_object", args=args)
    assert messages.explain_failure(failure, "ko") == korean
    assert not ID.search(messages.explain_failure(failure, "en"))


def test_findings_of_conditions_are_translated():
    messages = load_site("tabletop").messages
    found = "not in place: red thing 0 → red bowl 0, apple 0 → tray 0"
    said_so = "제자리에 없는 것: 빨간 물건 0 → 빨간 그릇 0, 사과 0 → 쟁반 0"
    assert messages.translate_word(found, "ko") == said_so
    assert messages.translate_word("hand: blue cup 0", "ko") == "손: 파란 컵 0"
    assert messages.translate_word("red thing 0: red bowl 0", "ko") == "빨간 물건 0: 빨간 그릇 0"
    assert messages.translate_word("red thing 0: hand", "ko") == "빨간 물건 0: 손에 있음"
