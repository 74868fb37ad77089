"""One command for several packs: a plan with the part of each, or no plan at all."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bt_exec.failure import Failure, Refusal, SpecError, UsageError
from bt_exec.language.meaning import Context, Meaning, Turn, Unclear
from bt_exec.language.messages import language_of
from bt_exec.planning.compiler import Done, Plan, Reply
from bt_exec.planning.multi_pack import make_packs_compiler
from bt_exec.planning.plan_preparation import prepare_answer
from bt_exec.site.compile_command import first_request, make_compiler
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import load_site
from bt_exec.spec.model import Check, Do, Fallback, Sequence, Tree, walk
from bt_exec.spec.node_paths import nodes_with_paths
from tests.bt_exec.planning.table_and_door import SITE, WORLD
from tests.cases import cases, some

pytestmark = pytest.mark.sampled

PUT, PUT_KO = "Put the apple in the red bowl.", "사과를 빨간 그릇에 담아."
TABLE = {
    "en": (PUT, "Bring me the lemon.", "Sort by colour.", "Pick up the apple."),
    "ko": (PUT_KO, "레몬을 갖다줘.", "색깔별로 정리해.", "사과를 집어."),
}
JOINED = {"en": ("{} and {}", "{}, then {}"), "ko": ("{}. 그다음에 {}", "{}, 그리고 {}")}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    file = tmp_path_factory.mktemp("sites") / "table_and_door.yaml"
    file.write_text(SITE, encoding="utf-8")
    return load_site(str(file))


@pytest.fixture(scope="module")
def compiler(site):
    return make_compiler(site)


@pytest.fixture(scope="module")
def answer(site, compiler):
    """Return the answer to the last of several successive commands."""

    def answer(*commands, status="satisfied"):
        turns = tuple(Turn(one, status, "OK") for one in commands[:-1])
        return compiler.compile(first_request(site, commands[-1], WORLD, Context(turns)))

    return answer


@pytest.fixture(scope="module")
def root(answer):
    """Return the plan of a command."""

    def root(*commands):
        found = answer(*commands)
        assert isinstance(found, Plan), found
        return found.spec.root

    return root


@pytest.fixture(scope="module")
def at_door(site):
    """Return all utterances of the door that are not questions, by language."""
    said = [text for tree in site.library for text in tree.utterances if not text.endswith("?")]
    return {one: [text for text in said if language_of(text) == one] for one in ("en", "ko")}


def spoken(text):
    return text[:1].lower() + text[1:].rstrip(".")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_two_commands_for_different_packs_become_one_sequence_or_are_refused(
    language, at_door, root, answer
):
    pairs = [(door, table) for door in at_door[language] for table in TABLE[language]]
    found = []
    for door, table in random.Random(language).sample(some(pairs, 20), cases(len(pairs), 6)):
        if not isinstance(answer(door), Plan):  # the table pack understands it, too
            continue
        for first, second in ((door, table), (table, door)):
            for joined in JOINED[language]:
                both = answer(joined.format(first.rstrip("."), spoken(second)))
                found.append(isinstance(both, Plan))
                if isinstance(both, Plan):
                    assert both.spec.root.sequence == (root(first), root(second)), both
                else:
                    assert isinstance(both, Refusal)
    assert sum(found) > 0.6 * len(found) > 8


@pytest.mark.parametrize(
    "command",
    [
        "put the apple in the red bowl and open the door",
        "could you put the apple in the red bowl and open the door?",
        "open the door after you put the apple in the red bowl",
        "사과를 빨간 그릇에 담고 문 열어 줘",
        "사과를 빨간 그릇에 담은 다음에 문을 열어 줘",
    ],
)
def test_parts_are_planned_in_the_order_of_the_command(command, site, answer, root):
    found = answer(command)
    assert found.spec.root.sequence == (
        root(PUT_KO if "사과" in command else PUT),
        root("open the door"),
    )
    assert found.spec.mission.command == command
    assert len(found.spec.mission.subgoals) == 2
    assert [act.predicate for act in found.meaning.acts] == ["move", "open"]
    prepare_answer(found, first_request(site, command, WORLD))


def test_later_part_of_a_pack_assumes_the_effects_of_its_earlier_part(answer):
    found = answer("put the apple in the red bowl, open the door and put the lemon in the red bowl")
    moved = [node.args["object"] for node in walk(found.spec.root, Tree) if "object" in node.args]
    assert moved == ["object_apple_0", "object_lemon_0"]
    assert found.spec.root.sequence[1].tree == "open_door"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("put the banana in the red bowl and open the door", "NOTHING_LIKE_THAT"),
        ("문 열고 바나나를 빨간 그릇에 담아", "NOTHING_LIKE_THAT"),
        ("put the apple in the red bowl and get the material with both arms", None),
        ("put the apple in the red bowl and dance", "UNKNOWN_WORD"),
        ("put the apple in the red bowl and open the window", None),
        ("put the material in the red bowl", "PART_MIXED"),
        ("take the apple and the material", "PART_MIXED"),
        ("do not open the door and put the apple in the red bowl", "PART_FORBIDS"),
        ("close the door, put the apple in the red bowl, never open the door", None),
        ("leave the apple alone, open the door, put the lemon in the red bowl", "PART_FORBIDS"),
        ("do not open the door, do not touch the apple", None),
        ("if the red bowl is empty, leave the door alone", "CONDITION_HOLDS"),
        ("put the apple in the red bowl and is the door open?", "NOT_UNDERSTOOD"),
        ("open the door and tell me where it is", None),
        ("open the door, put the apple in the red bowl and close it", "PART_POINTS"),
        ("put the apple in the red bowl and if the door is open, put the lemon in it", None),
        ("again", "NOTHING_BEFORE"),
    ],
)
def test_command_is_refused_when_one_part_is_refused(command, code, answer):
    found = answer(command)
    assert isinstance(found, Refusal), found
    assert code in (None, found.code), found
    assert found.message


@pytest.mark.parametrize(
    "command",
    [
        "do not open the door, put the apple in the red bowl",
        "put the apple in the red bowl but do not open the door",
        "leave the door alone and put the apple in the red bowl",
        "문은 열지 말고 사과를 빨간 그릇에 담아",
        "문은 그대로 두고 사과를 빨간 그릇에 담아",
    ],
)
def test_prohibition_for_a_pack_without_other_parts_needs_no_steps(command, root):
    assert root(command) == root(PUT_KO if "사과" in command else PUT)


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("is the door open and where is the apple?", ("is the door open?", "where is the apple")),
        ("open the door and tell me where the apple is", ("open the door", None)),
        ("문 열려 있어? 그리고 쟁반 위에 뭐 있어?", ("문 열려 있어?", "쟁반 위에 뭐 있어")),
        ("사과 어디 있는지 알려 주고 문 열어", (None, "문 열어")),
    ],
)
def test_questions_are_answered_in_the_order_of_the_command(command, parts, root):
    found = root(command).sequence
    assert len(found) == 2
    for node, alone in zip(found, parts, strict=True):
        if alone is None:
            assert isinstance(node, Check)
            assert node.tell
        else:
            assert node == root(alone)


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (
            "open the door and put the appel on the tray",
            "open the door and put the apple on the tray",
        ),
        ("문 열고 사과를 쟁빈에 올려 줘", "문 열고 사과를 쟁반에 올려 줘"),
    ],
)
def test_correction_of_a_misspelt_command_is_offered(command, meant, answer):
    found = answer(command)
    assert found.code in ("UNKNOWN_PART", "UNKNOWN_WORD", "UNKNOWN_OBJECT", "PARTS_UNCLEAR")
    (text,) = found.did_you_mean
    assert text == meant
    assert text in found.question
    assert isinstance(answer(text), Plan)


@pytest.mark.parametrize("question", ["what is in your hand?", "손에 뭐 있어?"])
def test_question_for_several_packs_is_answered_for_each(question, answer):
    plan = answer(question)
    assert isinstance(plan, Plan), plan
    door, table = plan.spec.root.sequence
    assert isinstance(door, Tree)
    assert isinstance(table, Check)
    assert table.check.name == "answer_to"


def test_refusal_quotes_the_refused_part_of_the_command(answer):
    found = answer("open the door and put the banana in the red bowl")
    assert "“put the banana in the red bowl”" in found.message
    assert "문" not in found.message
    found = answer("문 열고 바나나를 빨간 그릇에 담아")
    assert "“바나나를 빨간 그릇에 담아”" in found.message


@pytest.mark.parametrize(
    ("command", "skip_if"),
    [
        ("if the door is open, put the apple in the red bowl", {"not": "open"}),
        ("put the apple in the red bowl if the door is open", {"not": "open"}),
        ("unless the door is open, put the apple in the red bowl", "open"),
        ("문이 열려 있으면 사과를 빨간 그릇에 담아", {"not": "open"}),
        ("문이 안 열려 있으면 사과를 빨간 그릇에 담아", "open"),
    ],
)
def test_condition_of_one_pack_guards_the_part_of_another(command, skip_if, root):
    found = root(command)
    asked = found.model_dump(by_alias=True)["skip_if"]
    is_open = {"door_is": {"state": "open"}}
    assert asked == (is_open if skip_if == "open" else {"not": is_open})
    assert found.sequence == (root(PUT_KO if "사과" in command else PUT),)


@pytest.mark.parametrize(
    ("command", "same"),
    [
        (
            "is the door open? if not, put the apple in the red bowl",
            "unless the door is open, put the apple in the red bowl",
        ),
        (
            "tell me whether the door is open, and if it is, put the apple in the red bowl",
            "if the door is open, put the apple in the red bowl",
        ),
        (
            "is the door open? if so, put the apple in the red bowl, otherwise open it",
            "if the door is open, put the apple in the red bowl, otherwise open it",
        ),
        (
            "문 열려 있는지 보고 열려 있으면 사과를 빨간 그릇에 담아",
            "문이 열려 있으면 사과를 빨간 그릇에 담아",
        ),
        (
            "문 열려 있는지 확인하고 아니면 사과를 빨간 그릇에 담아",
            "문이 안 열려 있으면 사과를 빨간 그릇에 담아",
        ),
    ],
)
def test_answer_to_a_question_becomes_a_condition_of_the_following_part(command, same, root):
    assert root(command) == root(same)


def test_answer_to_several_questions_cannot_be_a_condition(answer):
    asked = "is the door open and is the red bowl empty? if not, put the apple in the red bowl"
    assert isinstance(answer(asked), Refusal)


def test_condition_of_another_pack_guards_both_branches(root):
    found = root("if the door is open, put the apple in the red bowl, otherwise open the door")
    assert isinstance(found, Fallback)
    first, second = found.fallback
    assert isinstance(first.sequence[0], Check)
    assert first.sequence[1:] == (root(PUT),)
    assert second.sequence[1:] == (root("open the door"),)


def test_condition_covers_the_parts_of_both_packs(root):
    for command in (
        "if the door is closed, open it and put the apple in the red bowl",
        "문이 닫혀 있으면 열고 사과를 빨간 그릇에 담아",
    ):
        found = root(command)
        assert found.model_dump(by_alias=True)["skip_if"] == {
            "not": {"door_is": {"state": "closed"}}
        }
        assert found.sequence[0] == root("open the door")
        assert len(found.sequence) == 2


def test_table_condition_is_evaluated_before_planning_the_door_part(root, answer):
    assert root("if the red bowl is empty, open the door") == root("open the door")
    assert root("빨간 그릇이 비어 있으면 문을 열어") == root("open the door")
    assert root("if the red bowl is not empty, open the door, otherwise close the door") == root(
        "close the door"
    )
    found = answer("if the apple is in the red bowl, open the door")
    assert found.code == "CONDITION_UNMET"


def test_commands_for_one_pack_are_left_to_its_compiler(answer, site):
    for command, name in ((PUT, "table"), ("open the door", "offline")):
        found = answer(command)
        alone = make_compiler(site).inner.parts[name].compile(first_request(site, command, WORLD))
        assert found.spec == alone.spec
    assert isinstance(answer("thanks"), Reply)


def test_word_again_repeats_the_parts_of_both_packs(root, answer):
    both = "put the apple in the red bowl and open the door"
    assert root(both, "again") == root(both)
    assert root(both, "다시") == root(both)
    assert root(both, "open the door", "again") == root("open the door")
    assert answer(both, "again").spec.mission.command == "again"


def test_pronouns_refer_to_the_last_command_only(root, answer):
    assert root("open the door", "close it and put the apple in the red bowl").sequence == (
        root("close the door"),
        root(PUT),
    )
    assert root(PUT, "open the door", "close it") == root("close the door")
    for said in ("open the door", "put the lemon in the red bowl and open the door"):
        assert answer(PUT, said, "put it on the tray").code == "NOTHING_BEFORE"
    assert isinstance(answer(PUT, "put it on the tray"), Plan)


def test_question_about_the_session_reports_the_last_mission_with_several_packs(answer):
    told = answer(PUT, "what did you do?")
    assert isinstance(told, Reply)
    assert "apple" in told.message


def test_meaning_contains_all_parts(site, compiler):
    read = compiler.read(first_request(site, "open the door and bring me the lemon", WORLD))
    assert isinstance(read, Meaning)
    assert [act.predicate for act in read.acts] == ["open", "bring"]
    unclear = compiler.read(first_request(site, "open the door and dance", WORLD))
    assert isinstance(unclear, Unclear)
    assert unclear.words == "dance"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("open the door and bring me the lemon", "open the door, then lemon 0 in tray 0"),
        ("문 열고 레몬을 갖다줘", "문 열기, 그다음에 레몬 0 → 쟁반 0"),
        ("if the door is open, bring me the lemon", "if the door is open: lemon 0 in tray 0"),
        (
            "unless the door is open, bring me the lemon",
            "unless the door is open: lemon 0 in tray 0",
        ),
        (
            "if the door is open, bring me the lemon, otherwise open the door",
            "if the door is open: lemon 0 in tray 0; unless the door is open: open the door",
        ),
    ],
)
def test_readback_contains_every_part(command, said, site, compiler):
    assert compiler.read(first_request(site, command, WORLD)).said_back == said


@pytest.fixture
def failed(site, compiler):
    """Return the request after a failure in a plan whose earlier steps are done."""

    def failed(command, skill, code, **assumed):
        first = first_request(site, command, WORLD)
        plan = prepare_answer(compiler.compile(first), first).spec
        leaves = list(nodes_with_paths(plan.root, Do))
        at = next(number for number, (_, node) in enumerate(leaves) if node.do == skill)
        path, node = leaves[at]
        failure = Failure(code, "", path=path, kind="skill", node=skill, args=dict(node.args))
        done = tuple(Done(path, node.do, dict(node.args)) for path, node in leaves[:at])
        facts = {**WORLD.facts, **assumed}
        return replace(
            first,
            previous=plan,
            failure=failure,
            tried=(failure,),
            done=done,
            assumed=assumed,
            situation=replace(WORLD, facts=facts),
        )

    return failed


def test_finished_table_steps_are_kept_after_a_failure_at_the_door(compiler, failed):
    where = {"spot.object_apple_0": "in object_red_bowl_0"}
    request = failed(
        "put the apple in the red bowl and open the door", "open_door", "GRASP_SLIPPED", **where
    )
    answer = compiler.compile(request)
    table, door = answer.spec.root.sequence
    assert table == request.previous.root.sequence[0]
    assert door.args["arm"] == "left"
    assert {one.path for one in request.done} <= set(answer.spec.mission.kept)
    assert (answer.spec.mission.plan_version, answer.spec.mission.parent) == (2, 1)
    assert answer.spec.mission.command == request.command
    prepare_answer(answer, request)


def test_finished_door_steps_are_kept_after_a_failure_on_the_table(compiler, failed):
    command = "open the door and put the apple and the lemon in the red bowl"
    request = failed(command, "pick_object", "UNREACHABLE", door="open")
    answer = compiler.compile(request)
    door, table = answer.spec.root.sequence
    assert door == request.previous.root.sequence[0]
    lost = request.failure.args["target"]
    left = {"object_apple_0", "object_lemon_0"} - {lost}
    moved = {node.args["object"] for node in walk(table, Tree) if "to" in node.args}
    assert moved == left
    assert any(path.startswith("open_door") for path in answer.spec.mission.kept)
    prepare_answer(answer, request)


@pytest.fixture(scope="module")
def in_building(tmp_path_factory):
    """Return the answer to a command on a site with a building and a table."""
    written = data_path("configs", "sites", "building.yaml").read_text("utf-8")
    own = "packs:\n  tabletop: {robot: sim, detector: oracle}\n"
    written = written.replace("packs:\n", own).replace("  name: offline", "  of: {tabletop: table}")
    file = tmp_path_factory.mktemp("sites") / "building_and_table.yaml"
    file.write_text(written, encoding="utf-8")
    site = load_site(str(file))
    compiler = make_compiler(site)
    return lambda command: compiler.compile(first_request(site, command, WORLD))


def test_condition_about_people_is_checked_after_an_observation(in_building):
    found = in_building("if there is somebody in the lounge, bring me the lemon").spec.root
    look, work = found.sequence
    assert look.tree == "look_for_people"
    assert work.model_dump(by_alias=True)["skip_if"] == {"not": "people_there"}
    found = in_building("if nobody is in the lounge, bring me the lemon").spec.root
    assert found.sequence[1].model_dump(by_alias=True)["skip_if"] == "people_there"


@pytest.mark.parametrize(
    "command",
    [
        "ask the professor if he needs coffee and sort by colour",
        "교수님께 사과를 빨간 그릇에 담으라고 전해",
    ],
)
def test_spoken_text_that_contains_a_command_for_another_pack_is_refused(command, in_building):
    assert in_building(command).code == "PART_SAID"
    assert isinstance(in_building("ask the professor if he needs coffee"), Plan)


def test_suggestions_include_every_pack(site, compiler):
    request = replace(first_request(site, "help", WORLD), language="en")
    assert any("bowl" in text for text in compiler.suggestions(request))


def test_compiler_that_cannot_plan_parts_is_an_error():
    class Other:
        name = "other"

    with pytest.raises(UsageError, match="other cannot plan parts"):
        make_packs_compiler("other", Other(), {"tabletop": "table"}, ("door", "tabletop"))


@pytest.mark.parametrize(
    ("written", "code"),
    [("{tabletop: tabel}", "UNKNOWN_COMPILER"), ("{tabeltop: table}", "UNKNOWN_PACK")],
)
def test_unknown_compiler_and_pack_names_are_reported(written, code, tmp_path):
    file = tmp_path / "site.yaml"
    file.write_text(SITE.replace("{tabletop: table}", written), encoding="utf-8")
    with pytest.raises(SpecError) as error:
        load_site(str(file))
    assert [problem.code for problem in error.value.problems] == [code]


def test_plan_for_a_single_pack_is_not_wrapped(root):
    assert isinstance(root(PUT), Sequence)
    assert isinstance(root("open the door"), Tree)
