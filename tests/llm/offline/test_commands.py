"""Plans of commands: conditions, order, variants, negation, corrections, omitted objects."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import pytest

from bt_exec.language.meaning import Meaning
from bt_exec.spec.shipped_yaml import parse_yaml

pytestmark = pytest.mark.sampled

TABLE: dict[str, dict[str, str]] = parse_yaml(
    Path(__file__).with_name("commands.yaml").read_text(encoding="utf-8")
)
ROWS = [(site, *row) for site, rows in TABLE.items() for row in rows.items()]


@pytest.mark.parametrize(("site", "command", "expected"), ROWS)
def test_command_has_expected_plan_and_each_word_has_a_use(
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
def test_hostile_text_gets_a_short_answer(command, compilers, request_on):
    answer = compilers["door"].compile(request_on("door", command))
    assert len(getattr(answer, "message", "")) < 600


def test_refusal_names_the_words_and_suggests_commands(compilers, request_on):
    answer = compilers["door"].compile(request_on("door", "fetch the materiel"))
    assert (answer.missing, answer.did_you_mean) == (("materiel",), ("fetch the material",))
    assert 0 < len(answer.nearest) <= 3
    assert answer.message.count(", ") <= 3


@pytest.mark.parametrize(
    "command",
    [
        "I need that red thing in my hand, quick.",
        "Use your left arm for the door and the right one for the material, please.",
    ],
)
def test_refusal_contains_no_empty_quotation(command, compilers, request_on):
    assert "“”" not in compilers["door"].compile(request_on("door", command)).message


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


def test_event_is_awaited_and_a_condition_is_checked_once(trees):
    event, condition = (
        trees("door", f"{one} the door is closed, open it") for one in ("when", "if")
    )
    assert event != condition
    assert "open_door" in event
    assert "open_door" in condition


@pytest.mark.parametrize(
    "command", ["open the window or the roof", "fly or jump", "문이나 창문을 열어", "or"]
)
def test_impossible_alternatives_are_not_offered(command, compilers, request_on):
    answer = compilers["door"].compile(request_on("door", command))
    assert not answer.did_you_mean
    assert not answer.question


@pytest.mark.parametrize(
    ("site", "expected", "paraphrases"),
    [
        ("door", "door_state", ("is the door open or closed", "is the door shut, ajar or open?")),
        ("door", "door_state", ("문이 닫혀 있어 열려 있어?", "문 열려 있는지 닫혀 있는지 말해")),
        (
            "door",
            "close_door",
            ("close the door and let me know", "shut the door and report", "문 닫고 나한테 보고해"),
        ),
        (
            "door",
            "open_door, close_door unless material_visible",
            (
                "should the material not be visible once you've opened, close up and tell me",
                "if you can't see the material after opening the door, close it",
                "open the door; if the material is not visible, close it",
            ),
        ),
        (
            "door",
            "is_the_door_ajar",
            ("is it ajar?", "the door is ajar?", "is the door ajar or no"),
        ),
        (
            "door",
            "arms_home unless material_visible",
            (
                "unless you see the material, don't grab anything, just come home",
                "if the material is not visible, come home",
                "자재가 안 보이면 아무것도 잡지 말고 돌아와",
            ),
        ),
        (
            "door",
            "open_door tries 3",
            (
                "try to open the door up to three times, and if it still won't budge, let me know",
                "try at most three times to open the door; if that fails, tell me",
                "if the door doesn't open, try two more times",
                "문을 세 번까지 열어 보고 그래도 안 열리면 알려 줘",
                "문 안 열리면 두 번 더 해 보고 안 되면 말해",
                "try opening the door three times, otherwise tell me",
                "try to open the door, and if it does not work after three tries, give up",
                "문 열기를 세 번 시도해 보고 안 되면 포기해",
            ),
        ),
        (
            "door",
            "is_the_door_open",
            ("문이 열려 있는 건 아닌지 봐 줘", "문 닫아, 아니 잠깐, 열려 있는지만 봐 줘"),
        ),
        (
            "building",
            "go_to lounge, (look_for_people lounge, (pause 10, look_for_people lounge) "
            "unless people_there x30 until people_there), report_back",
            (
                "wait in the lounge until somebody shows up, then let me know",
                "stay in the lounge until there is somebody and tell me",
                "라운지에서 사람이 올 때까지 기다렸다가 알려 줘",
                "wait in the lounge and as soon as somebody comes, tell me",
                "wait in the lounge, and if somebody comes, tell me",
                "라운지에서 기다리다가 사람이 오면 알려 줘",
            ),
        ),
        (
            "door",
            "(hands_hold?, let_go) | (not hands_hold?, arms_home)",
            (
                "if you're holding something, put it down, otherwise go home",
                "손에 뭐 들고 있으면 그것부터 내려놓고, 빈손이면 팔을 접어",
            ),
        ),
        (
            "door",
            "(pause 10) unless door_is closed x30 until door_is closed, arms_home",
            (
                "wait until the door is closed, then go home",
                "keep checking the door until it's shut, then go home",
                "watch the door and as soon as somebody closes it, go home",
                "when the door closes, bring your arms home",
                "문이 닫히면 바로 팔을 홈으로 돌려",
                "누가 문 닫을 때까지 기다렸다가 팔을 접어",
                "문 닫혔는지 계속 지켜보다가 닫히면 팔을 접어",
            ),
        ),
        (
            "door",
            "(pause 10) unless not door_is open x30 until not door_is open, arms_home",
            (
                "wait while the door is open, then go home",
                "wait as long as the door is open, then go home",
                "문이 열려 있는 동안은 기다렸다가 팔을 접어",
            ),
        ),
        (
            "building",
            "look_for_person professor professor_office, (pause 10, look_for_person professor "
            "professor_office) unless person_found professor x30 until person_found professor",
            (
                "wait for the professor",
                "wait until the professor is back",
                "if the professor is out, wait for him",
                "교수님 오실 때까지 기다려",
                "교수님이 안 계시면 오실 때까지 기다려",
                "교수님을 기다려",
            ),
        ),
        (
            "building",
            "look_for_person professor professor_office, go_to lounge "
            "unless person_found professor",
            ("if the professor is out, wait in the lounge", "교수님이 안 계시면 라운지에서 기다려"),
        ),
        (
            "building",
            "look_for_visitors professor_office, come_back unless not visitors_there",
            (
                "if the professor has a visitor, come back",
                "if someone is with the professor, come back",
                "교수님한테 손님이 있으면 돌아와",
                "교수님이 손님이랑 계시면 돌아와",
            ),
        ),
        (
            "building",
            "bring_item lounge box",
            (
                "bring the box to the lounge and wait until someone takes it",
                "wait in the lounge until someone takes the box",
                "take the box to the lounge and stay there until somebody picks up the box",
            ),
        ),
        (
            "building",
            "look_for_light lounge, (not lit_there?, bring_item break_room box) | "
            "(lit_there?, bring_item lounge box)",
            (
                "take the box to the lounge unless it is dark there, in which case bring it to the "
                "break room",
                "if the lounge is dark, take the box to the break room, otherwise to the lounge",
            ),
        ),
        (
            "building",
            "(look_at lounge, pause 600) x3, look_at lounge",
            (
                "check the lounge every ten minutes for half an hour",
                "every ten minutes for half an hour, check the lounge",
                "30분 동안 10분마다 라운지를 봐",
            ),
        ),
        (
            "building",
            "look_for_light lounge, report_back unless lit_there",
            (
                "only report back if the lounge is dark",
                "report only if the lounge is dark",
                "라운지가 어두울 때만 보고해",
            ),
        ),
        (
            "building",
            "look_at corridor_west",
            (
                "look at the west end of the corridor",
                "look at the east end of the corridor, sorry, the west end",
                "복도 동쪽 끝으로, 아니 서쪽 끝으로 가 봐",
            ),
        ),
    ],
)
def test_paraphrases_have_the_same_plan(site, expected, paraphrases, trees):
    assert {trees(site, one) for one in paraphrases} == {expected}


@pytest.mark.parametrize(
    ("denied", "expected"),
    [
        ("문 안 닫아 줘", "NEGATED"),
        ("자재 가져오고 문은 안 닫아 줘", "get_material_leave_open"),
        ("자재 가져오고 문은 안 닫아 줘?", "NEGATED"),
    ],
)
def test_korean_negation_before_a_polite_verb_negates_the_command(denied, expected, trees):
    assert trees("door", denied) == expected


@pytest.mark.parametrize(
    ("site", "command", "code"),
    [
        ("door", "I can't get through.", "NOT_UNDERSTOOD"),
        ("door", "문이 안 열려", "NOT_UNDERSTOOD"),
        ("door", "don't open the window", "NEGATED"),
        ("building", "if nobody is in the meeting room, go in", "UNKNOWN_OBJECT"),
        ("building", "학생방에 가지 말고 기다려", "UNKNOWN_OBJECT"),
        ("building", "wait in the lounge until there are two people", "OPERATOR"),
        ("building", "wait in the lounge until it rains", "OPERATOR"),
        ("building", "stay in the lounge until the corridor is empty", "OPERATOR"),
        ("building", "wait in the lounge and if nobody comes, go home", "CONDITION"),
        ("door", "watch the door until you see the material", "OPERATOR"),
    ],
)
def test_refusal_names_its_cause(site, command, code, trees):
    assert trees(site, command) == code


STATEMENTS = {
    ("door", "en"): (
        "My hands are full, so {}",
        "It's getting late, isn't it? {}",
        "You did a great job. {}",
        "I can't find my keys. {}",
        "My colleague is waiting. {}",
        "Nice work today, buddy. Now {}",
    ),
    ("door", "ko"): (
        "다들 퇴근했대. {}",
        "지금 한가하지? {}",
        "오늘도 고생 많았어. 이제 {}",
        "소리가 난다고 하던데 {}",
        "아까 자재 꺼냈잖아. {}",
    ),
    ("building", "en"): (
        "A visitor is asking for you. {}",
        "It's late already, isn't it? {}",
        "Thanks for earlier. Now {}",
    ),
    ("building", "ko"): (
        "손님이 많이 온대요. {}",
        "번번이 미안한데 {}",
        "지금 바쁘지? {}",
    ),
}
ORDERS = {
    ("door", "en"): ("open the door", "get the material", "bring your arms home"),
    ("door", "ko"): ("문 열어", "자재 가져와", "팔을 제자리로 돌려"),
    ("building", "en"): ("go to the lounge", "check the corridor"),
    ("building", "ko"): ("라운지로 가", "복도를 둘러봐"),
}
CORRECTIONS = {
    "en": ("{}, no wait, {}", "{}. Scratch that, {}", "{}, or rather, {}"),
    "ko": ("{}, 아니 그게 아니라 {}", "{}. 아 취소하고 {}", "{}, 아 아니다, {}"),
}
RETRACTIONS = {"en": ("{}, no.", "{}. Never mind."), "ko": ("{}, 아니다.", "{}. 취소.")}


@pytest.mark.parametrize(("site", "language"), STATEMENTS)
def test_statement_beside_a_command_does_not_change_its_plan(site, language, trees):
    for order in ORDERS[site, language]:
        wanted = trees(site, order)
        plans = {trees(site, said.format(order)) for said in STATEMENTS[site, language]}
        assert plans == {wanted}


@pytest.mark.parametrize(("site", "language"), ORDERS)
def test_corrected_command_has_the_plan_of_its_correction(site, language, trees):
    for first, last in permutations(ORDERS[site, language], 2):
        said = (one.format(first, last) for one in CORRECTIONS[language])
        assert {trees(site, one) for one in said} == {trees(site, last)}


@pytest.mark.parametrize(("site", "language"), ORDERS)
def test_retracted_command_is_not_planned(site, language, trees):
    for order, said in product(ORDERS[site, language], RETRACTIONS[language]):
        assert trees(site, said.format(order)).isupper()


@pytest.mark.parametrize(
    "command",
    [
        "문 닫지 말라던데 자재 가져와",
        "문 열 필요 없다던데 자재 가져와",
        "We can't have the door open, get the material",
        "문 열라고 안 그랬는데",
        "문 열라고 시킨 적 없는데.",
        "문 닫으라고 하지는 않았는데",
        "자재 가져오라고 부탁 안 했는데.",
        "문 열어 줬지?",
        "문 좀 열어 줄 수 있었어?",
        "자재 가져다주실 수 있었습니까?",
    ],
)
def test_statement_that_only_mentions_a_command_is_refused(command, trees):
    assert trees("door", command).isupper()
