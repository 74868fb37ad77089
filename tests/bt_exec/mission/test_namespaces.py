"""Events and views of a pack use its short names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec.events import Asked, NodeChanged, SkillEnded, SkillStarting, Turn
from bt_exec.failure import Failure
from bt_exec.mission.pack_reporters import in_pack_names
from bt_exec.mission_reporter import Action, MissionView, Skip
from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Verdict
from bt_exec.spec.load import load_text
from bt_exec.testing import scripted_condition, scripted_skill

BOTH = Catalogue(
    [
        Pack(name, skills=(scripted_skill("grasp"),), conditions=(scripted_condition("ready"),))
        for name in ("arm", "crane")
    ]
)
JAM = Failure("JAM", "it jams", "x", node="arm.grasp")
SPEC = load_text("{mission: {command: go}, root: {do: arm.grasp}}").document
PLAIN = load_text("{mission: {command: go}, root: {do: grasp}}").document


@pytest.mark.parametrize(
    ("told", "own"),
    [
        (
            SkillStarting(0.0, 1, "x", "arm.grasp", {"a": "arm.grasp"}, 1),
            SkillStarting(0.0, 1, "x", "grasp", {"a": "arm.grasp"}, 1),
        ),
        (
            SkillStarting(0.0, 1, "x", "crane.grasp", {}, 1),
            SkillStarting(0.0, 1, "x", "crane.grasp", {}, 1),
        ),
        (
            Asked(0.0, 1, "x", "check", "arm.ready and not crane.ready", Verdict.yes()),
            Asked(0.0, 1, "x", "check", "ready and not crane.ready", Verdict.yes()),
        ),
        (
            SkillEnded(0.0, 1, "x", "arm.grasp", 1, "failed", 0.5, failure=JAM),
            SkillEnded(0.0, 1, "x", "grasp", 1, "failed", 0.5, failure=replace(JAM, node="grasp")),
        ),
        (
            NodeChanged(0.0, 1, "x", "failed", failure=Failure("LOST", cause=JAM)),
            NodeChanged(
                0.0, 1, "x", "failed", failure=Failure("LOST", cause=replace(JAM, node="grasp"))
            ),
        ),
        (Turn(0.0, 1, {"skill": "arm.grasp"}), Turn(0.0, 1, {"skill": "arm.grasp"})),
    ],
)
def test_event_is_translated_to_the_names_of_the_pack(told, own):
    assert in_pack_names("arm", told, BOTH) == own


def view(name: str, question: str, spec=SPEC, **more) -> MissionView:
    action = Action(name, {"to": "arm.grasp"}, "x")
    skip = Skip(name, "already so", "y")
    shown = {
        "next_action": action,
        "remaining": (action,),
        "done": (action, action),
        "skipped": (skip,),
        "verdicts": {question: Verdict.yes()},
        "failure": None,
    }
    return MissionView(
        command="arm.grasp",
        language="en",
        spec=spec,
        observation=None,
        status="in_progress",
        reason_code="OK",
        message="",
        **{**shown, **more},
    )


def test_view_is_translated_to_the_names_of_the_pack():
    jam = Failure("JAM", node="grasp")
    told = view("arm.grasp", "arm.ready", failure=replace(jam, node="arm.grasp"))
    assert in_pack_names("arm", told, BOTH) == view("grasp", "ready", PLAIN, failure=jam)
    at_the_end = view("arm.grasp", "arm.ready", next_action=None)
    assert in_pack_names("arm", at_the_end, BOTH) == view("grasp", "ready", PLAIN, next_action=None)


def test_event_is_not_changed_when_no_names_clash():
    event = SkillStarting(0.0, 1, "x", "arm.grasp", {}, 1)
    alone = Catalogue([Pack("arm", skills=(scripted_skill("grasp"),))])
    assert in_pack_names("arm", event, alone) is event
