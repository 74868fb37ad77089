"""Every skill on a scripted robot: success, failure messages, cancellation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.perception.observation import PlacedDetection, ReporterObservation
from bt_exec_skills.reporter.reporting.phrasing import note_sentence, report_of
from bt_exec_skills.reporter.reporting.speech_interface import Reply
from tests.skills.reporter.acts import ARGS, BASE, OFFICE, PROFESSOR, SKILLS


def test_navigate_reaches_and_records_the_place(play):
    one = play()
    assert one.run("navigate", target="lounge") == "OK"
    assert one.robot.place == "lounge"
    assert [name for name, _ in one.robot.motions] == ["goto"]
    assert one.notebook.notes[-1].kind == "went"


def test_unknown_place_error_lists_the_known_ones_nearest_first(play):
    one = play()
    assert one.run("navigate", target="lunge") == "UNKNOWN_LOCATION"
    assert one.failed.message == (
        "no place is called lunge; known, nearest first: lounge, basecamp, professor_office, "
        "corridor_center, break_room, restroom_front, corridor_west, corridor_middle, corridor_east"
    )
    assert not one.robot.motions


@pytest.mark.parametrize("code", ["UNREACHABLE", "BLOCKED_PATH", "STOPPED"])
def test_drive_that_does_not_arrive_fails(play, code):
    one = play(reasons={"goto": f"{code}: as the script says"})
    assert one.run("navigate", target="lounge") == code
    assert one.failed.message == "as the script says"
    note = one.notebook.notes[-1]
    assert (note.kind, note.facts["code"], note.facts["target"]) == ("failed", code, "lounge")
    assert one.robot.motions[-1][1].stops == 1


def test_navigate_to_an_occupied_place_is_blocked(play):
    one = play()
    one.robot.goto = lambda pose: one.robot._start("goto")  # arrives beside it
    assert one.run("navigate", target="lounge") == "BLOCKED_PATH"


# -- observe_scene


def test_observation_counts_each_person_once(play):
    one = play()
    one.shows(
        PlacedDetection("person", (0, 0, 9, 9), 1.0, "user", (1.7, -3.0)),
        PlacedDetection("person", (0, 0, 9, 9), 1.0, "visitor-1", (4.0, -2.0)),
        PlacedDetection("person", (0, 0, 9, 9), 1.0, "visitor-2", (4.0, 2.0)),  # in the corridor
        PlacedDetection("spill", (0, 0, 9, 9), 1.0, None, (4.0, -3.0)),
        light={("basecamp", 0): 20.0, ("corridor_center", 0): 150.0},
    )
    assert one.run("observe_scene", target="basecamp", query="이상 없는지 확인") == "OK"
    seen = one.result
    assert (seen.people, seen.light, seen.noise, seen.unusual) == (2, "off", "quiet", ("spill",))
    assert seen.answer == (
        "사람이 2명 있습니다(사용자 포함). 불이 꺼져 있습니다. 조용합니다(40 dB). "
        "이상한 점: 바닥에 쏟아진 물."
    )
    assert "person:user at (1.7,-3.0)" in seen.evidence
    assert [name for name, _ in one.robot.motions].count("turn") == 7
    assert set(seen._fields) == set(SKILLS["observe_scene"].results)


def test_observation_uses_every_viewpoint(play):
    one = play(pose=Pose(8.0, 4.4, 0.0))
    one.shows(PlacedDetection("person", (0, 0, 9, 9), 1.0, None, (9.0, 6.0)))
    assert one.run("observe_scene", target="lounge", query="how many people?") == "OK"
    assert (one.result.people, one.result.looks) == (1, 14)
    around = sorted({round(14 * each) for each in one.progress if each})
    assert around == list(range(1, 15))  # one share per picture
    assert one.result.answer == "There is one person."
    empty = play(pose=Pose(8.0, 4.4, 0.0))
    assert empty.run("observe_scene", target="lounge", query="how many people?") == "OK"
    assert (empty.result.people, empty.result.looks) == (0, 14)


def test_robot_turns_in_alternating_directions_at_viewpoints(play):
    one = play(pose=Pose(8.0, 4.4, 0.0))
    site = one.services["site_map"]
    lounge = site.places["lounge"]
    four = lounge.model_copy(update={"poses": (*lounge.poses, *lounge.poses)})
    one.services["site_map"] = site.model_copy(update={"places": {**site.places, "lounge": four}})
    turns, turn = [], one.robot.turn
    one.robot.turn = lambda angle: turns.append(angle > 0) or turn(angle)
    assert one.run("observe_scene", target="lounge", query="how many people?") == "OK"
    assert turns == [True] * 7 + [False] * 7 + [True] * 7 + [False] * 7


def test_occupied_viewpoint_is_skipped(play):
    one = play(pose=Pose(8.0, 4.4, 0.0), reasons={"goto": "BLOCKED_PATH: somebody stands there"})
    one.shows(PlacedDetection("person", (0, 0, 9, 9), 1.0, "visitor-1", (9.0, 6.0)))
    assert one.run("observe_scene", target="lounge", query="people") == "OK"
    assert one.result.looks == 7


def test_robot_stopped_on_its_way_to_a_viewpoint_ends_the_skill(play):
    """An occupied viewpoint is different: the others are used."""
    one = play(pose=Pose(8.0, 4.4, 0.0), reasons={"goto": "STOPPED: it was asked to stop"})
    assert one.run("observe_scene", target="lounge", query="people") == "STOPPED"


def test_observation_requires_the_place_and_a_camera(play):
    one = play()
    assert one.run("observe_scene", target="attic", query="people") == "UNKNOWN_LOCATION"
    assert one.run("observe_scene", target="lounge", query="people") == "NOT_THERE"
    one.scenes = lambda t: None
    assert one.run("observe_scene", target="basecamp", query="people") == "CAMERA_FAULT"
    assert one.failed.message == "no new picture came"
    one.scenes = lambda t: ReporterObservation(t, one.robot.pose, (), fault="dark")
    assert one.run("observe_scene", target="basecamp", query="people") == "CAMERA_FAULT"
    assert one.failed.message == "the picture is black"
    assert one.failed.evidence["noise_db"] == 40
    stopped = play(reasons={"turn": "STOPPED: it was asked to stop"})
    assert stopped.run("observe_scene", target="basecamp", query="people") == "STOPPED"


def test_noise_measurement_needs_no_camera(play):
    one = play(db=72.0)
    one.scenes = lambda t: None
    assert one.run("observe_scene", target="basecamp", query="시끄러운지 확인") == "OK"
    assert (one.result.noise, one.result.people, one.result.light) == ("loud", -1, "unknown")
    assert one.result.answer == "시끄럽습니다(72 dB)."


# -- talk_to_person


def test_question_is_asked_and_the_answer_recorded(play):
    one = play(pose=OFFICE, replies={"professor": {"ko": Reply("화요일 3시요.")}})
    one.shows(PROFESSOR)
    topic = "다음 회의 일정 문의"
    assert one.run("talk_to_person", target="professor", topic=topic) == "OK"
    assert one.result.answer == "화요일 3시요."
    assert one.speaker.said[-1].text == f"안녕하세요. 여쭤볼 것이 있습니다: {topic}"
    note = one.notebook.notes[-1]
    assert (note.kind, note.place, note.facts["answer"]) == (
        "asked",
        "professor_office",
        "화요일 3시요.",
    )


def test_message_is_delivered_and_its_reply_recorded(play):
    one = play(pose=OFFICE, replies={"professor": {"ko": Reply("알겠네.")}})
    one.shows(PROFESSOR)
    assert one.run("talk_to_person", target="professor", topic="지금 간다") == "OK"
    assert one.speaker.said[-1].text == "안녕하세요. 전해 드릴 말씀이 있습니다: 지금 간다"
    note = one.notebook.notes[-1]
    assert (note.kind, note.facts["answer"]) == ("said", "알겠네.")
    told = note_sentence(note, one.notebook.site, "ko")
    assert told == "교수님께 말씀을 전했습니다: “지금 간다”. 대답은 이렇습니다: “알겠네.”"


def test_report_contains_observations_speech_and_failures(play):
    one = play(pose=OFFICE, replies={"professor": {"ko": Reply("화요일 3시요.")}})
    one.notebook.start_mission("교수님께 여쭤보고 복도 보고 와", "ko")
    one.shows(PROFESSOR)
    assert one.run("talk_to_person", target="professor", topic="회의 일정 문의") == "OK"
    one.robot.reasons["goto"] = "BLOCKED_PATH: every path there is blocked"
    assert one.run("navigate", target="corridor_center") == "BLOCKED_PATH"
    one.robot.pose = BASE
    assert one.run("talk_to_person", target="user", topic="결과 보고") == "OK"
    assert one.result.said == (
        "교수님께 여쭤보았습니다: “회의 일정”. 대답은 이렇습니다: “화요일 3시요.” "
        "복도에 가지 못했습니다. 길이 막혀 있습니다."
    )
    assert one.result.answer == ""


def test_professor_is_searched_for_in_all_directions(play):
    one = play(pose=OFFICE)
    assert one.run("talk_to_person", target="professor", topic="a question") == "PERSON_NOT_FOUND"
    assert [name for name, _ in one.robot.motions] == ["turn"] * 5
    assert one.run("talk_to_person", target="nobody", topic="a question") == "UNKNOWN_PERSON"


@pytest.mark.parametrize(("y", "motions"), [(3.9, ["turn"]), (3.0, ["goto"])])
@pytest.mark.parametrize("skill", ["talk_to_person", "deliver_object"])
def test_person_out_of_reach_is_approached(play, skill, y, motions):
    one = play(pose=OFFICE._replace(y=y), tray="documents")
    one.shows(PROFESSOR)
    assert one.run(skill, **ARGS[skill]) == "OK"
    assert [name for name, _ in one.robot.motions if name != "hand_over"] == motions


def test_conversation_fails_on_silence_refusal_or_stop(play):
    silent = play(pose=OFFICE, replies={"*": None})
    silent.shows(PROFESSOR)
    assert silent.run("talk_to_person", **ARGS["talk_to_person"]) == "NO_ANSWER"
    assert silent.failed.message == "no answer within 20 s"
    refusing = play(pose=OFFICE, replies={"*": {"en": Reply("Not now.", refused=True)}})
    refusing.shows(PROFESSOR)
    assert refusing.run("talk_to_person", **ARGS["talk_to_person"]) == "REFUSED"
    assert refusing.failed.evidence["said"] == "Not now."
    assert not refusing.failed.retryable  # no second question at once
    stopped = play(pose=OFFICE, reasons={"turn": "STOPPED: it was asked to stop"})
    assert stopped.run("talk_to_person", **ARGS["talk_to_person"]) == "STOPPED"


@pytest.mark.parametrize(
    ("topic", "told"),
    [
        ("지금 간다", "교수님께 말씀을 전했습니다: “지금 간다”. 대답은 없었습니다."),
        ("I am here", "I told the professor: “I am here”. There was no reply."),
    ],
)
def test_message_without_a_reply_succeeds(play, topic, told):
    one = play(pose=OFFICE, replies={"*": None})
    one.shows(PROFESSOR)
    assert one.run("talk_to_person", target="professor", topic=topic) == "OK"
    assert one.result.answer == ""
    note = one.notebook.notes[-1]
    assert (note.kind, note.facts["answer"]) == ("said", "")
    book = one.notebook
    assert note_sentence(note, book.site, book.language(topic)) == told


def test_message_is_delivered_without_a_camera(play):
    one = play(pose=OFFICE)
    one.scenes = lambda t: None
    assert one.run("talk_to_person", **ARGS["talk_to_person"]) == "OK"
    assert one.run("talk_to_person", target="user", topic="report") == "OK"
    one.robot.pose = BASE
    assert one.run("talk_to_person", **ARGS["talk_to_person"]) == "PERSON_NOT_FOUND"


def test_message_in_a_dark_room_without_a_reply_is_unconfirmed(play):
    one = play(pose=OFFICE, replies={"*": None})
    one.scenes = lambda t: None
    assert one.run("talk_to_person", target="professor", topic="I am here") == "NO_ANSWER"
    told = note_sentence(one.notebook.notes[-1], one.notebook.site, "en")
    assert told == (
        "The professor has not confirmed my message “I am here”. The professor did not answer."
    )


def test_question_to_the_user_returns_the_answer(play):
    one = play()
    assert one.run("talk_to_person", target="user", topic="Which room did you mean?") == "OK"
    assert one.result.answer == "Yes."


# -- deliver_object


def test_object_is_loaded_at_the_base_and_handed_to_the_recipient(play):
    one = play(pose=Pose(9.5, 1.2, 0.0))
    one.shows(PROFESSOR)
    assert one.run("deliver_object", object="서류", recipient="professor") == "OK"
    assert tuple(one.result) == ("서류", "professor", "professor_office")
    assert one.robot.tray is None
    names = [name for name, _ in one.robot.motions]
    assert names == ["goto", "load", "goto", "turn", "hand_over"]
    assert [said.text for said in one.speaker.said] == [
        "제 쟁반에 서류를 올려 주세요.",
        "전해 드릴 물건입니다: 서류",
    ]


def test_object_on_the_tray_is_not_fetched_again(play):
    one = play(pose=OFFICE, tray="documents")
    one.shows(PROFESSOR)
    assert one.run("deliver_object", **ARGS["deliver_object"]) == "OK"
    assert [name for name, _ in one.robot.motions] == ["turn", "hand_over"]


def test_other_object_on_the_tray_is_returned_first(play):
    one = play(pose=OFFICE, tray="coffee")
    one.shows(PROFESSOR)
    assert one.run("deliver_object", **ARGS["deliver_object"]) == "OK"
    assert one.robot.tray is None
    names = [name for name, _ in one.robot.motions]
    assert names == ["goto", "hand_over", "load", "goto", "turn", "hand_over"]
    assert one.speaker.said[0][1:] == ("user", "Please take the coffee off my tray.")


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ({"tray": "coffee", "reasons": {"hand_over": "NO_ANSWER: nobody took it"}}, "TRAY_FULL"),
        ({"reasons": {"load": "NOTHING_TO_DELIVER: nobody put it there"}}, "NOTHING_TO_DELIVER"),
        ({"reasons": {"hand_over": "REFUSED: no"}}, "NOT_WANTED"),
        ({"reasons": {"hand_over": "NO_ANSWER: nobody took it"}}, "NO_ANSWER"),
        ({"reasons": {"goto": "BLOCKED_PATH: no way"}, "pose": OFFICE}, "BLOCKED_PATH"),
        ({"reasons": {"goto": "UNREACHABLE: no way"}, "pose": OFFICE}, "UNREACHABLE"),
        ({"reasons": {"load": "STOPPED: it was asked to stop"}}, "STOPPED"),
    ],
)
def test_failed_delivery_returns_to_the_base_and_notes_its_code(play, setting, code):
    one = play(**setting)
    one.shows(PROFESSOR)
    assert one.run("deliver_object", **ARGS["deliver_object"]) == code
    assert one.notebook.notes[-1].facts["code"] == code


def test_delivery_to_a_place_approaches_the_nearest_person_there(play):
    one = play()
    one.shows(replace(PROFESSOR, who="a", at=(9.4, 4.4)), replace(PROFESSOR, at=(12.0, 5.0)))
    assert one.run("deliver_object", object="box", recipient="lounge") == "OK"
    assert tuple(one.result) == ("box", "lounge", "lounge")
    assert one.robot.pose == pytest.approx(Pose(8.2, 4.4, 0.0))
    assert [name for name, _ in one.robot.motions] == ["load", "goto", "goto", "hand_over"]
    assert report_of(one.notebook, "en") == "A person at the lounge took the box."
    assert report_of(one.notebook, "ko") == "라운지에 계신 분이 상자를 받으셨습니다."


def test_collected_object_is_loaded_at_the_giver_and_given_to_the_user(play):
    one = play()
    one.shows(PROFESSOR)
    args = {"object": "documents", "recipient": "user", "giver": "professor"}
    assert one.run("deliver_object", **args) == "OK"
    assert tuple(one.result) == ("documents", "user", "basecamp")
    names = [name for name, _ in one.robot.motions]
    assert names == ["goto", "turn", "load", "goto", "hand_over"]
    assert [said.person for said in one.speaker.said] == ["professor", "user"]
    assert report_of(one.notebook, "en") == (
        "The professor gave me the documents. You took the documents."
    )
    assert report_of(one.notebook, "ko").startswith("교수님께 서류를 받았습니다.")


@pytest.mark.parametrize("recipient", ["professor", "basecamp"])
def test_object_from_a_place_is_loaded_by_the_nearest_person_there(play, recipient):
    one = play()
    one.shows(replace(PROFESSOR, who="a", at=(9.4, 4.4)), PROFESSOR)
    assert one.run("deliver_object", object="box", recipient=recipient, giver="lounge") == "OK"
    assert one.speaker.said[0][1:] == ("lounge", "Please put the box on my tray.")
    assert report_of(one.notebook, "en").startswith("A person at the lounge gave me the box.")


def test_basecamp_as_giver_means_the_user(play):
    def speech(**giver):
        one = play(pose=OFFICE)
        one.shows(PROFESSOR)
        assert one.run("deliver_object", **ARGS["deliver_object"], **giver) == "OK"
        return one.speaker.said, report_of(one.notebook, "en")

    assert speech() == speech(giver="basecamp") == speech(giver="user")


def test_report_states_whether_an_uncollected_object_is_on_the_tray(play):
    args = {"object": "tea", "recipient": "user", "giver": "lounge"}
    empty = play()
    assert empty.run("deliver_object", **args) == "NOBODY_THERE"
    assert report_of(empty.notebook, "en") == (
        "I did not get the tea from the lounge. Nobody was there."
    )
    loaded = play(tray="tea", reasons={"hand_over": "NO_ANSWER: nobody took it"})
    assert loaded.run("deliver_object", **args) == "NO_ANSWER"
    assert report_of(loaded.notebook, "en").endswith("It is still on my tray.")


def test_message_for_a_place_is_delivered_to_the_nearest_person_there(play):
    one = play()
    one.shows(replace(PROFESSOR, who="a", at=(9.4, 4.4)), replace(PROFESSOR, at=(12.0, 5.0)))
    assert one.run("talk_to_person", target="lounge", topic="lunch is ready") == "OK"
    assert [name for name, _ in one.robot.motions] == ["goto"]
    assert [said.person for said in one.speaker.said] == ["lounge"]
    assert report_of(one.notebook, "en") == "I told the people at the lounge: “lunch is ready”."
    assert "라운지에 계신 분들께" in report_of(one.notebook, "ko")


def test_message_for_an_empty_place_is_reported_as_undelivered(play):
    one = play()
    assert one.run("talk_to_person", target="lounge", topic="lunch is ready") == "NOBODY_THERE"
    assert report_of(one.notebook, "en") == (
        "I could not give the people at the lounge this message: “lunch is ready”. "
        "Nobody was there."
    )


def test_object_that_was_not_taken_is_reported_on_the_tray(play):
    one = play(reasons={"hand_over": "NO_ANSWER: nobody took it"})
    one.shows(replace(PROFESSOR, who="a", at=(9.0, 4.4)))
    assert one.run("deliver_object", object="tea", recipient="lounge") == "NOT_TAKEN"
    assert one.robot.tray == "tea"
    assert report_of(one.notebook, "en") == (
        "I did not hand over the tea at the lounge. Nobody took it from my tray. I have no arm, "
        "so I cannot put it down. It is still on my tray."
    )
    assert report_of(one.notebook, "ko") == (
        "라운지에서 tea를 건네지 못했습니다. 쟁반에서 물건을 가져가신 분이 없습니다. 저는 팔이 "
        "없어 내려놓을 수 없습니다. 쟁반에 그대로 있습니다."
    )


def test_delivery_fails_if_the_recipient_is_unknown_or_absent(play):
    one = play()
    assert one.run("deliver_object", object="tea", recipient="dean") == "UNKNOWN_PERSON"
    assert one.run("deliver_object", **ARGS["deliver_object"]) == "PERSON_NOT_FOUND"
    assert one.robot.tray == "documents"


def test_undelivered_object_is_reported_on_the_tray(play):
    one = play(pose=OFFICE, tray="documents", reasons={"hand_over": "REFUSED: no"})
    one.shows(PROFESSOR)
    assert one.run("deliver_object", **ARGS["deliver_object"]) == "NOT_WANTED"
    assert not one.failed.retryable
    note, site = one.notebook.notes[-1], one.notebook.site
    assert note_sentence(note, site, "en").endswith(
        "The professor did not take the documents. It is still on my tray."
    )
    assert note_sentence(note, site, "ko").endswith("받지 않으셨습니다. 쟁반에 그대로 있습니다.")
    empty = play(reasons={"load": "NOTHING_TO_DELIVER: nobody put it there"})
    assert empty.run("deliver_object", **ARGS["deliver_object"]) == "NOTHING_TO_DELIVER"
    assert "still" not in note_sentence(empty.notebook.notes[-1], site, "en")


@pytest.mark.parametrize("where", [BASE, OFFICE, Pose(6.0, 0.0, 0.0)])
def test_place_where_a_delivery_ended_is_recorded(play, where):
    one = play(pose=OFFICE, tray="documents")
    one.shows(PROFESSOR)
    hand_over = one.robot.hand_over

    def elsewhere(person):
        one.robot.pose = where  # the search for a person may end at another place
        return hand_over(person)

    one.robot.hand_over = elsewhere
    assert one.run("deliver_object", **ARGS["deliver_object"]) == "OK"
    place = one.robot.place or "professor_office"
    note = one.notebook.notes[-1]
    assert (one.result.place, note.place, note.facts["target"]) == (place, place, place)
    assert note.facts["recipient"] == "professor"


# -- notes about results


NOTED = {"navigate": "goto", "observe_scene": "turn", "deliver_object": "hand_over"}


@pytest.mark.parametrize("name", [*NOTED, "talk_to_person"])
def test_recovered_failure_is_not_reported(play, name):
    """A note of success replaces a failure of the same task only."""
    replies = {"*": None}
    pose = BASE if name == "observe_scene" else OFFICE
    one = play(pose=pose, tray="documents", replies=replies)
    one.shows(PROFESSOR)
    if name in NOTED:
        one.robot.reasons[NOTED[name]] = "STOPPED: it was asked to stop"
    other = {**ARGS[name], next(iter(ARGS[name])): "something else"}
    assert one.run(name, **ARGS[name]) != "OK"
    one.robot.reasons.clear()
    replies["*"] = {"en": Reply("Yes.")}
    (failed,) = one.notebook.current_notes()
    assert failed.kind == "failed"
    assert one.run(name, **ARGS[name]) == "OK"
    (done,) = one.notebook.current_notes()
    assert done.kind != "failed"
    assert done.task == failed.task == (name, *ARGS[name].values())
    assert replace(done, facts={**done.facts, **other}).task != done.task
    for key in ("target", "query", "topic", "object", "recipient"):
        if key in ARGS[name]:
            assert done.facts[key] == ARGS[name][key]


# -- other skills, cancellation


def test_summary_is_written_to_the_configured_folder(play, tmp_path):
    one = play(reports=tmp_path / "reports")
    assert one.run("observe_scene", target="basecamp", query="people") == "OK"
    assert one.run("summarize_mission") == "OK"
    assert one.result.path == str(tmp_path / "reports" / "report.md")
    assert one.result.text == "I looked around basecamp. There is nobody there."
    assert play().run("summarize_mission") == "OK"
    (tmp_path / "file").write_text("")
    bad = play(reports=tmp_path / "file")
    assert bad.run("summarize_mission") == "REPORT_NOT_WRITTEN"


def test_fail_and_report_reports_to_the_user_and_fails(play):
    one = play()
    assert one.run("fail_and_report", reason="승강기가 고장입니다") == "MISSION_FAILED"
    assert one.speaker.said[-1].text == "임무를 마칠 수 없게 되었습니다: 승강기가 고장입니다"
    assert one.speaker.said[-1].person == "user"


def start(one, name):
    """Tick a skill until it has started a motion or reports its action."""
    steps, sight = one.start(name, **ARGS[name])
    for _ in range(100):
        next(steps)
        if one.robot.motions or "base" not in SKILLS[name].uses:
            return steps
        one.clock.t += 0.05
        sight.add(one.scenes(one.clock.t))
    raise AssertionError(f"{name} started no motion")


MOVING = [name for name, skill in SKILLS.items() if "base" in skill.uses]


@pytest.mark.parametrize("name", MOVING)
def test_cancel_stops_the_motion(play, name):
    one = play(pose=BASE)
    one.shows(PROFESSOR)
    steps = start(one, name)
    (motion,) = (motion for _, motion in one.robot.motions)
    assert motion.stops == 0
    steps.close()
    assert motion.stops == 1
    assert one.notebook.notes == []  # neither done nor failed


def test_cancelled_speech_is_not_recorded(play):
    one = play(pose=BASE)
    start(one, "fail_and_report").close()
    assert one.notebook.notes == []
    assert {*MOVING, "fail_and_report", "summarize_mission"} == {*SKILLS}  # which takes no tick
