"""Declared failure codes: each one occurs, and the failure is in the notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec_skills.reporter.perception.observation import PlacedDetection
from bt_exec_skills.reporter.reporting.speech_interface import Reply
from tests.skills.reporter.acts import ARGS, BASE, OFFICE, PROFESSOR, SKILLS

NOWHERE = {"navigate": "target", "observe_scene": "target"}
NOBODY = {"talk_to_person": "target", "deliver_object": "recipient"}
MUTE = {"*": None}
UNCLEARED = {"hand_over": "NO_ANSWER: nobody took it"}
LOUNGE = {"recipient": "lounge"}
FROM_OFFICE = {"recipient": "user", "giver": "professor"}
FROM_LOUNGE = {"recipient": "user", "giver": "lounge"}
VISITOR = PlacedDetection("person", (1, 1, 9, 40), 1.0, None, (9.0, 5.0))
DECLINES = {"*": {"en": Reply("Not now.", refused=True)}}
CODES = [
    # skill, code, robot, arguments
    *((name, "UNKNOWN_LOCATION", {}, {key: "attic"}) for name, key in NOWHERE.items()),
    *((name, "UNKNOWN_PERSON", {}, {key: "dean"}) for name, key in NOBODY.items()),
    *(
        (name, code, {"reasons": {motion: f"{code}: so it is"}, **more}, {})
        for code in ("UNREACHABLE", "BLOCKED_PATH", "STOPPED")
        for name, motion, more in (
            ("navigate", "goto", {}),
            ("observe_scene", "turn", {}),
            ("deliver_object", "goto", {"pose": OFFICE}),
        )
    ),
    ("observe_scene", "NOT_THERE", {"pose": OFFICE}, {}),
    ("observe_scene", "CAMERA_FAULT", {}, {}),
    (
        *("talk_to_person", "STOPPED"),
        *({"pose": OFFICE, "reasons": {"turn": "STOPPED: it was asked to stop"}}, {}),
    ),
    ("talk_to_person", "PERSON_NOT_FOUND", {"pose": BASE}, {}),
    ("talk_to_person", "NO_ANSWER", {"pose": OFFICE, "replies": MUTE}, {}),
    ("talk_to_person", "REFUSED", {"pose": OFFICE, "replies": DECLINES}, {}),
    ("talk_to_person", "NOBODY_THERE", {"pose": OFFICE}, {"target": "lounge"}),
    ("talk_to_person", "CAMERA_FAULT", {"pose": OFFICE}, {"target": "lounge"}),
    ("deliver_object", "TRAY_FULL", {"tray": "coffee", "reasons": UNCLEARED}, {}),
    ("deliver_object", "PERSON_NOT_FOUND", {}, {}),
    ("deliver_object", "NOTHING_TO_DELIVER", {"reasons": {"load": "NOTHING_TO_DELIVER: no"}}, {}),
    ("deliver_object", "NO_ANSWER", {"reasons": {"hand_over": "NO_ANSWER: nobody took it"}}, {}),
    ("deliver_object", "NOT_WANTED", {"reasons": {"hand_over": "REFUSED: no"}}, {}),
    ("deliver_object", "NOBODY_THERE", {}, LOUNGE),
    ("deliver_object", "NOT_TAKEN", {"reasons": UNCLEARED}, LOUNGE),
    ("deliver_object", "NOT_TAKEN", {"reasons": {"hand_over": "REFUSED: no"}}, LOUNGE),
    ("deliver_object", "CAMERA_FAULT", {}, LOUNGE),
    ("deliver_object", "UNKNOWN_PERSON", {}, {"giver": "dean"}),
    ("deliver_object", "UNREACHABLE", {"reasons": {"goto": "UNREACHABLE: no way"}}, FROM_OFFICE),
    ("deliver_object", "STOPPED", {"reasons": {"load": "STOPPED: stopped"}}, FROM_OFFICE),
    ("deliver_object", "PERSON_NOT_FOUND", {}, FROM_OFFICE),
    ("deliver_object", "NOBODY_THERE", {}, FROM_LOUNGE),
    ("deliver_object", "CAMERA_FAULT", {}, FROM_LOUNGE),
    (
        *("deliver_object", "NOTHING_TO_DELIVER"),
        *({"reasons": {"load": "NOTHING_TO_DELIVER: no"}}, FROM_OFFICE),
    ),
    ("deliver_object", "NO_ANSWER", {"reasons": UNCLEARED}, FROM_OFFICE),
    ("deliver_object", "NOT_WANTED", {"reasons": {"hand_over": "REFUSED: no"}}, FROM_OFFICE),
    ("deliver_object", "TRAY_FULL", {"tray": "coffee", "reasons": UNCLEARED}, FROM_OFFICE),
    ("summarize_mission", "REPORT_NOT_WRITTEN", {"reports": Path(__file__)}, {}),
    ("fail_and_report", "MISSION_FAILED", {}, {}),
]


@pytest.mark.parametrize(("skill", "code", "robot", "args"), CODES)
def test_every_declared_failure_code_is_raised(play, skill, code, robot, args):
    one = play(**robot)
    if code == "CAMERA_FAULT":
        one.scenes = lambda t: None
    elif code == "NOT_TAKEN":
        one.shows(VISITOR)
    elif code != "PERSON_NOT_FOUND":
        one.shows(PROFESSOR)
    assert one.run(skill, **{**ARGS[skill], **args}) == code
    assert all(motion.stops == 1 for _, motion in one.robot.motions)
    (note,) = one.notebook.notes
    assert (note.kind, note.facts["skill"], note.facts["code"]) == ("failed", skill, code)
    evidence = one.failed.evidence  # noted, with the requested action
    assert note.facts.items() >= {**ARGS[skill], **args, **evidence}.items()
    assert ("noise_db" in evidence) is ((skill, code) == ("observe_scene", "CAMERA_FAULT"))
    assert one.failed.retryable is (code not in ("REFUSED", "NOT_WANTED", "MISSION_FAILED"))


@pytest.mark.parametrize(("skill", "argument"), NOBODY.items())
def test_unknown_person_error_lists_the_known_persons(play, skill, argument):
    one = play()
    people = one.services["site_map"].people
    assert one.run(skill, **{**ARGS[skill], argument: "dean"}) == "UNKNOWN_PERSON"
    assert one.failed.message == "there is no person dean"
    assert one.failed.evidence == {"who": "dean", "known": list(people)}
    empty = one.services["site_map"].model_copy(update={"people": {}})
    one.services["site_map"] = empty
    assert one.run(skill, **{**ARGS[skill], argument: "dean"}) == "UNKNOWN_PERSON"
    assert one.failed.evidence == {"who": "dean", "known": "nobody"}


@pytest.mark.parametrize("name", SKILLS)
def test_every_declared_failure_code_has_a_test_case(name):
    assert {code for skill, code, *_ in CODES if skill == name} == SKILLS[name].fails


def test_failure_has_the_evidence_for_its_sentence(play):
    one = play(pose=OFFICE, reasons={"goto": "BLOCKED_PATH: no way"})
    assert one.run("deliver_object", **ARGS["deliver_object"]) == "BLOCKED_PATH"
    assert one.failed.evidence == {"target": "basecamp"}
    assert one.run("navigate", target="lunge") == "UNKNOWN_LOCATION"
    assert one.failed.evidence["known"][0] == "lounge"
    assert one.run("fail_and_report", reason="no lift") == "MISSION_FAILED"
    assert one.failed.evidence == {"reason": "no lift"}
