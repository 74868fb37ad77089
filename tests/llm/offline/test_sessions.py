"""Commands that refer to earlier ones, and answers to small talk."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.failure import Refusal
from bt_exec.language.meaning import Context, Turn
from bt_exec.planning.compiler import Plan, Reply
from bt_exec.site.compile_command import compile_command, first_request
from bt_exec.spec.model import Sequence
from bt_exec.spec.shipped_yaml import parse_yaml

pytestmark = pytest.mark.sampled

TABLE: dict[str, dict[str, str]] = parse_yaml(
    Path(__file__).with_name("sessions.yaml").read_text(encoding="utf-8")
)
ROWS = [(site, *row) for site, rows in TABLE.items() for row in rows.items()]


@pytest.mark.parametrize(("site", "said", "expected"), ROWS)
def test_command_is_interpreted_in_the_context_of_its_session(
    site, said, expected, sites, compilers
):
    *earlier, command = (one.strip() for one in said.split("|"))
    answer = compilers[site].compile(first_request(sites[site], command, context=earlier))
    if isinstance(answer, Refusal | Reply):
        assert answer.code == expected
        return
    assert isinstance(answer, Plan)
    root = answer.spec.root
    nodes = root.sequence if isinstance(root, Sequence) else (root,)
    told = ", ".join(" ".join([node.tree, *map(str, node.args.values())]) for node in nodes)
    assert told == expected.removesuffix(" report")


@pytest.mark.parametrize(("site", "said", "expected"), ROWS)
def test_command_without_a_session_gives_exactly_one_of_plan_refusal_and_reply(
    site, said, expected, sites
):
    command = said.split("|")[-1].strip()
    found = compile_command(sites[site], command)
    assert [found.plan, found.refusal, found.reply].count(None) == 2


def test_finished_mission_is_not_continued(sites, compilers):
    for status, expected in (("satisfied", Refusal), ("aborted", Plan), ("blocked", Plan)):
        context = Context((Turn("open the door", status, "OK", "."),))
        answer = compilers["door"].compile(first_request(sites["door"], "go on", context=context))
        assert isinstance(answer, expected)


def test_continue_skips_answered_questions(sites, compilers):
    question = Turn("is the door open?", "satisfied", "OK", ".", acted=False)
    for status, code in (("satisfied", "NOTHING_LEFT"), ("aborted", "")):
        context = Context((Turn("open the door", status, "OK", "."), question))
        answer = compilers["door"].compile(first_request(sites["door"], "go on", context=context))
        assert getattr(answer, "code", "") == code
        said = answer.message if code else answer.spec.root.tree
        assert ("open the door" if code else "open_door") in said


def test_refusal_of_a_question_about_an_unknown_object_contains_no_type_name(sites, compilers):
    site, context = sites["building"], Context((Turn("라운지로 가", "satisfied", "OK", "."),))
    request = first_request(site, "그거 어디 있어?", context=context)
    refusal = compilers["building"].compile(request)
    assert isinstance(refusal, Refusal)
    assert "Past" not in refusal.message


def test_answer_yes_accepts_the_offered_command(sites, compilers):
    turn = Turn("fetch the materiel", "refused", "X", ".", ("fetch the material",))
    for said in ("yes", "네", "y"):
        request = first_request(sites["door"], said, context=Context((turn,)))
        answer = compilers["door"].compile(request)
        assert isinstance(answer, Plan)
        assert answer.spec.root.tree == "get_material"


@pytest.mark.parametrize(
    ("site", "asked", "said", "expected"),
    [
        ("door", "open or close the door", "open", "open_door"),
        ("door", "open or close the door", "close it", "close_door"),
        ("door", "open the door with the left or the right arm", "left", "open_door left"),
        (
            "door",
            "open the door with the left or the right arm",
            "the right one",
            "open_door right",
        ),
        ("door", "왼팔이나 오른팔로 문 열어", "왼팔이요", "open_door left"),
        ("door", "왼팔이나 오른팔로 문 열어", "오른팔로 해줘", "open_door right"),
        ("door", "문 열거나 닫아", "닫아요", "close_door"),
        ("door", "open or close the door", "get the material", "get_material"),
        ("building", "라운지나 복도를 봐줘", "복도", "look_at corridor_center"),
        ("building", "look in the lounge or the corridor", "lounge please", "look_at lounge"),
    ],
)
def test_answer_selects_the_choice_that_it_names(
    site, asked, said, expected, sites, compilers, trees
):
    refused = compilers[site].compile(first_request(sites[site], asked))
    turn = Turn(asked, "refused", refused.code, refused.message, refused.did_you_mean)
    answer = compilers[site].compile(first_request(sites[site], said, context=Context((turn,))))
    root = answer.spec.root
    assert " ".join([root.tree, *map(str, root.args.values())]) == expected


@pytest.mark.parametrize("said", ["yes", "네", "the door", "door or arm", "don't open it"])
def test_answer_without_a_match_selects_nothing(said, sites, compilers):
    turn = Turn(
        "open or close the door", "refused", "CHOICE", ".", ("open the door", "close the door")
    )
    answer = compilers["door"].compile(first_request(sites["door"], said, context=Context((turn,))))
    assert isinstance(answer, Refusal | Reply)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "why did you stop?",
            "“open the door” could not be finished. My report was: “It is stuck.”",
        ),
        ("왜 멈췄어?", "“open the door”: 끝까지 하지 못했습니다."),
        (
            "what did you do?",
            "“open the door” could not be finished. My report was: “It is stuck.”",
        ),
    ],
)
def test_earlier_missions_are_reported_from_the_session_or_the_journal(
    said, told, sites, compilers
):
    turn = Turn("open the door", "blocked", "DOOR_STUCK", "It is stuck.")
    for context in (Context((turn,)), Context(earlier=(turn,))):
        answer = compilers["door"].compile(first_request(sites["door"], said, context=context))
        assert answer.message == told


def test_where_question_reports_the_known_facts(sites, compilers):
    from bt_exec.observation import Situation

    situation = Situation(facts={"door": "open", "unheard_of": "x"})
    answer = compilers["door"].compile(first_request(sites["door"], "where are you?", situation))
    assert answer.message == "The door is open."
    answer = compilers["door"].compile(first_request(sites["door"], "어디야?"))
    assert answer.message == "아직 관찰한 것이 없습니다."


def test_question_for_a_missing_value_is_in_the_language_of_the_command(sites, compilers):
    for said, question in (("deliver the document", "To whom?"), ("서류 전달해줘", "누구에게요?")):
        answer = compilers["building"].compile(first_request(sites["building"], said))
        assert (answer.missing, answer.question) == (("Person",), question)
        assert answer.message.endswith(question)


def test_refused_command_is_not_an_antecedent(sites, compilers):
    request = first_request(sites["door"], "again", context=["open the window"])
    assert compilers["door"].compile(request).code == "NOTHING_SAID"


def test_long_session_keeps_a_bounded_number_of_turns(sites, compilers):
    context = Context()
    for _ in range(50):
        context = context.with_turn(Turn("open the door"))
        compilers["door"].compile(first_request(sites["door"], "again", context=context))
    assert len(context.turns) < 20


@pytest.mark.parametrize(
    "command",
    [
        "My hand is in the gap, close the door anyway.",
        "There is a finger between the door and the frame, just close it.",
        "문 틈에 내 손 있는데 그냥 닫아 버려.",
        "손가락이 문틈에 끼어도 괜찮으니까 닫아",
    ],
)
def test_command_is_refused_while_a_body_part_is_in_the_door_gap(sites, command):
    refusal = compile_command(sites["door"], command).refusal
    assert refusal is not None
    assert (refusal.code, refusal.nearest, refusal.did_you_mean) == ("HAZARD", (), ())
