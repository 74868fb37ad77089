from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from bt_exec.failure import Failure, PartBroken, RegistrationError
from bt_exec.language.messages import OWN_MESSAGES, Messages
from bt_exec.pack import find_pack
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import load_site
from bt_exec.spec.shipped_yaml import parse_yaml

OWN = "OK: {en: Done., ko: 끝.}\n"
ARM = "STUCK: {en: 'The arm is stuck.', ko: 팔이 안 움직입니다.}\nwords: {x: {en: arm, ko: 팔}}\n"
BASE = "STUCK: {en: 'Blocked by {x}.', ko: 길이 막혔습니다.}\nwords: {x: {en: way, ko: 길}}\n"


@pytest.fixture
def files(tmp_path):
    def files(**texts):
        found = {}
        for name, text in texts.items():
            found[name] = tmp_path / f"{name}.yaml"
            found[name].write_text(text, encoding="utf-8")
        return found

    return files


def test_packs_may_have_different_sentences_for_a_code(files):
    paths = files(own=OWN, arm=ARM, base=BASE)
    messages = Messages.load([paths["own"]], {"arm": paths["arm"], "base": paths["base"]})
    failure = Failure("STUCK", evidence={"x": "x"})
    assert messages.of_pack("arm").explain_failure(failure, "en") == "The arm is stuck."
    assert messages.of_pack("base").explain_failure(failure, "en") == "Blocked by way."
    assert messages.of_pack("nobody").explain_failure(failure, "en") == "The arm is stuck."
    assert messages.of_pack("base").say("OK", "ko") == messages.say("OK", "ko") == "끝."
    assert messages.codes() == {"OK", "STUCK"}


def test_pack_may_not_change_sentences_of_the_executive(files):
    paths = files(own=OWN, bad="OK: {en: Fine., ko: 좋아요.}\n")
    with pytest.raises(RegistrationError, match="OK already has other sentences"):
        Messages.load([paths["own"]], {"bad": paths["bad"]})


WORDS = """
AWAY: {en: "{message}.", ko: "{message}."}
words:
  "# m away": {en: "# m away", ko: "#미터 떨어져 있습니다"}
  "# of # done": {en: "# of # done", ko: "# 중 #"}
  "7 up": {en: seven up, ko: 칠}
"""


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("1.5 m away", "1.5미터 떨어져 있습니다."),
        ("-2 of 3 done", "-2 중 3."),
        ("7 up", "칠."),
        ("8 up", "8 up."),
        ("object #3", "object #3."),
    ],
)
def test_numbers_are_inserted_into_translated_words(files, message, said):
    messages = Messages.load([files(words=WORDS)["words"]])
    assert messages.explain_failure(Failure("AWAY", message), "ko") == said


def test_translation_with_another_number_of_placeholders_is_refused(files):
    with pytest.raises(RegistrationError, match="# m: the number of # differs in 'ko'"):
        Messages.load([files(bad='words: {"# m": {en: "# m", ko: 미터}}')["bad"]])


STARRED = """
words:
  professor: {en: the professor, ko: 교수님}
  "* found": {en: "* found", ko: "* 찾음"}
  "* may be hidden": {en: "* may be hidden", ko: "숨은 곳에 *이(가) 있을 수 있음"}
  "* left # s ago": {en: "* left # s ago", ko: "*이(가) #초 전에 떠남"}
"""


@pytest.mark.parametrize(
    ("word", "language", "said"),
    [
        ("professor found", "ko", "교수님 찾음"),
        ("professor found", "en", "the professor found"),
        ("Kim found", "ko", "Kim 찾음"),
        ("professor may be hidden", "ko", "숨은 곳에 교수님이 있을 수 있음"),
        ("professor left 2.5 s ago", "ko", "교수님이 2.5초 전에 떠남"),
        ("Kim 2 left 3 s ago", "en", "Kim 2 left 3 s ago"),
        ("found", "ko", "found"),
        ("professor lost", "ko", "professor lost"),
        (
            "Kim found; professor may be hidden; 3",
            "ko",
            "Kim 찾음; 숨은 곳에 교수님이 있을 수 있음; 3",
        ),
    ],
)
def test_inserted_words_are_translated(files, word, language, said):
    assert Messages.load([files(words=STARRED)["words"]]).translate_word(word, language) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(5, "wait 5 s"), (5.0, "wait 5 s"), (0.5, "wait 0.5 s"), ("조금 더", "wait “조금 더” s")],
)
def test_arguments_in_phrases_are_written_for_the_reader(files, seconds, said):
    paths = files(words="phrases:\n  wait: {en: 'wait {seconds} s', ko: '{seconds}초'}")
    words = Messages.load([paths["words"]])
    assert words.phrase("wait", "en", {"seconds": seconds}) == said


def test_words_have_the_same_placeholders_in_every_language(files):
    with pytest.raises(RegistrationError, match=r"\* seen: the number of \* differs in 'ko'"):
        Messages.load([files(bad='words: {"* seen": {en: "* seen", ko: 보임}}')["bad"]])


def test_common_message_files_may_not_contradict_each_other(files):
    paths = files(arm=ARM, base=BASE)
    with pytest.raises(RegistrationError, match="STUCK already has other sentences"):
        Messages.load([paths["arm"], paths["base"]])


@pytest.mark.parametrize(
    ("report", "left"),
    [
        ("I stopped. Nothing to do. Put it away first. It is open.", "I stopped. It is open."),
        ("I stopped. Nothing to do.", "I stopped."),
        ("It is open.", "It is open."),
    ],
)
def test_advice_after_a_stop_can_be_left_out_of_a_report(files, report, left):
    plain = "AFTER_STOP: {en: Nothing to do. Put it away first., ko: 먼저 치우십시오.}"
    special = "AFTER_STOP at=dock: {en: Nothing to do., ko: 할 일이 없습니다.}"
    paths = files(own=OWN, arm=plain, cart=special)
    messages = Messages.load([paths["own"]], {name: paths[name] for name in ("arm", "cart")})
    assert messages.without_stop_advice(report, "en") == left


def test_failed_guard_is_reported_once():
    messages = load_site("door").messages
    found = "door_is open no longer holds: door closed"
    failure = Failure("GUARD_BROKEN", found, "t/grasp", "guard", evidence={"why": "door closed"})
    assert (
        messages.explain_failure(failure, "en")
        == "A required condition no longer held: door closed."
    )


@pytest.mark.parametrize(
    ("message", "english", "korean"),
    [
        ("the arm is blocked", ": the arm is blocked.", ": 팔이 막혔습니다."),
        ("URLError: no such thing", ": URLError: no such thing.", "."),
        ("", ".", "."),
    ],
)
def test_cause_without_a_text_in_the_language_is_omitted(message, english, korean):
    messages = load_site("tabletop").messages
    failure = Failure("GRASP_MISSED", message, "t", "skill", "pick_object", {"target": "apple_0"})
    assert messages.explain_failure(failure, "en") == f"I could not grasp apple 0{english}"
    assert messages.explain_failure(failure, "ko") == f"사과 0을 집지 못했습니다{korean}"


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ("doorway=left", "The left arm is in the doorway. Bring the left arm home first."),
        ("hand.right=material", "The right hand holds the material."),
        (
            "hand.right=material, doorway=both",
            "The right hand holds the material. "
            "Both arms are in the doorway. Bring your arms home first.",
        ),
        ("cup=full", "cup=full"),  # has no sentence
    ],
)
def test_unmet_need_reports_the_state_and_the_required_action(facts, said):
    messages = load_site("door").messages
    failure = Failure("NEED_NOT_MET", "x", "t", "skill", "close_door", evidence={"facts": facts})
    assert messages.explain_failure(failure, "en") == f"That cannot be done now. {said}"


def called(name, language):
    return {"box_1": {"en": "box 1", "ko": "상자 1"}}.get(name, {}).get(language)


NAMING = """
GONE: {en: "The {thing} is gone.", ko: "{thing}이(가) 없습니다."}
told box_of: {en: "{why}", ko: "{why}"}
words: {left: {en: left, ko: 왼쪽}, "hand: *": {en: "hand: *", ko: "손: *"}}
"""


def test_display_names_are_taken_from_the_defining_pack(files):
    paths = files(own=OWN, naming=NAMING, arm=ARM)
    packs = {"naming": paths["naming"], "arm": paths["arm"]}
    messages = Messages.load([paths["own"]], packs, called={"naming": called})
    assert messages.say("GONE", "ko", thing="box_1") == "상자 1이 없습니다."
    assert messages.translate_word(["box_1", "left", "box_2"], "ko") == "상자 1, 왼쪽, box_2"
    assert messages.translate_word("hand: box_1", "ko") == "손: 상자 1"
    assert messages.of_pack("naming").translate_word("box_1", "en") == "box 1"
    assert messages.of_pack("arm").translate_word("box_1", "ko") == "box_1"


def test_pack_may_replace_the_answers_yes_and_no(files):
    paths = files(own=OWN, naming=NAMING)
    messages = Messages.load([paths["own"]], {"naming": paths["naming"]}, called={"naming": called})
    assert messages.answer("box_of", "ko", "두 개", {"question": "몇 개야?"}) == "두 개"
    assert messages.answer("is_open", "ko", "두 개", {}) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("words: {lamp: {en: on, ko: 켜짐}}", r"lamp: en is not text \(True\).*quotes"),
        ("STUCK: {en: 3, ko: 삼}", "STUCK: en is not text"),
        ("off: {en: off, ko: 꺼짐}", "False is not a name.*quotes"),
        ("STUCK: It is stuck.", "STUCK: is a mapping"),
        ("words: [a, b]", "words/phrases: is a mapping"),
        ("- a\n- b", "is a mapping"),
        ("STUCK: {en: a", "cannot be read"),
        ("STUCK: {en: a}", "STUCK has no sentence in 'ko'"),
        ("STUCK: {en: 'a {', ko: b}", r"STUCK: en: .*'a \{'.*write \{\{ and \}\}"),
        ("STUCK: {en: a, ko: 'b} {c}'}", r"STUCK: ko: .*write \{\{ and \}\}"),
        ("STUCK: {en: 'a {}', ko: b}", r"STUCK: en: \{\} names no fact; write \{name\}"),
        ("STUCK: {en: 'a {0}', ko: b}", r"STUCK: en: \{0\} names no fact"),
        ("STUCK: {en: '{arm.__class__}', ko: b}", r"STUCK: en: \{arm.__class__\} names no fact"),
        ("STUCK: {en: '{arm[0]}', ko: b}", r"STUCK: en: \{arm\[0\]\} names no fact"),
        ("STUCK: {en: '{arm!x}', ko: b}", r"STUCK: en: \{arm!x\} names no fact"),
        ("phrases: {go: {en: 'go[ {to]', ko: 가기}}", "go: en: .*'go"),
        ("STUCK: {en: a, ko: b}\nSTUCK: {en: c, ko: d}", "2:1: cannot be read: .*given on line 1"),
    ],
)
def test_invalid_file_is_reported_with_its_position(files, text, told):
    with pytest.raises(RegistrationError, match=rf"(?s)bad\.yaml:.*{told}"):
        Messages.load([files(bad=text)["bad"]])


def test_doubled_braces_are_literal(files):
    text = "A: {en: 'set {{x}} of {who|arm}', ko: '{who|arm}의 {{x}}'}\n"
    text += "words: {'{': {en: '{', ko: '{'}}"
    messages = Messages.load([files(good=text)["good"]])
    assert messages.say("A", "en", arm="one") == "set {x} of one"


def test_missing_file_is_reported(tmp_path):
    with pytest.raises(RegistrationError, match=r"none\.yaml: cannot be read"):
        Messages.load([tmp_path / "none.yaml"])


def test_message_files_validate_against_the_shipped_schema():
    schema = json.loads(data_path("configs", "schema", "messages.schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    packs = (find_pack(name).messages for name in ("door", "reporter", "image", "tabletop"))
    for path in (OWN_MESSAGES, *(path for path in packs if path is not None)):
        data = parse_yaml(path.read_text(encoding="utf-8"))
        assert [error.message for error in validator.iter_errors(data)] == []
    assert list(validator.iter_errors({"STUCK": {"en": "Stuck."}}))


@pytest.mark.parametrize(
    ("value", "language", "quoted"),
    [
        ("when it is", "ko", True),
        ("when it is", "en", False),
        ("언제 오는지", "en", True),
        ("언제 오는지", "ko", False),
        ("handle", "ko", False),
        ("seven up", "ko", False),
        ("$found", "ko", False),
        (7, "ko", False),
    ],
)
def test_texts_in_another_language_are_quoted_if_they_have_no_translation(
    files, value, language, quoted
):
    words = "words: {seven up: {en: seven up, ko: 칠}}\n"
    messages = Messages.load([files(own=words)["own"]])
    said = messages.with_quotes({"topic": value}, language)
    assert said == {"topic": f"“{value}”" if quoted else value}


@pytest.mark.parametrize(
    ("part", "language", "said"),
    [
        ("skill place_object", "en", "the step “put the object down”"),
        ("skill place_object", "ko", "“물건 놓기” 동작"),
        ("condition door_is", "ko", "“문 상태 확인” 조건"),
        ("the camera of door", "ko", "문의 카메라"),
    ],
)
def test_hung_part_is_named_in_the_words_of_its_pack(part, language, said):
    why = "did not return within 30 s"
    failure = PartBroken(part, why, "STEP_HUNG").failure()
    site = "tabletop" if "object" in part else "door"
    reason = load_site(site).messages.explain_failure(failure, language)
    assert said in reason
    assert (why in reason) == (language == "en")
