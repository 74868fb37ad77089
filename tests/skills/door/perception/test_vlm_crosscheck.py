"""Cross-check of the door state with a vision-language model: it must agree."""

from __future__ import annotations

import numpy as np
import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec.mission.session import Session
from bt_exec.models import VqaAnswer
from bt_exec_llm.testing.messages_replies import answer, error
from bt_exec_llm.testing.messages_server import MessagesServer
from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.perception.vlm_crosscheck import SCHEMA, VlmCrosscheck, with_vlm_crosscheck
from bt_exec_skills.perception.contracts import View

FRAME = np.zeros((24, 32, 3), np.uint8)


class Eyes:
    state = "closed"

    def estimate(self, view, detections):
        return DoorEstimate(self.state, 0.9, ("primary:eyes",))


class Other:
    def __init__(self, *told) -> None:
        self.told, self.asked = list(told), []

    def ask(self, image, question, schema):
        self.asked.append((image.shape, schema))
        told = self.told.pop(0) if len(self.told) > 1 else self.told[0]
        return told if isinstance(told, VqaAnswer) else VqaAnswer(said(told))


def said(state, confidence=0.9):
    seen = {"handle_present": "yes", "material_visible": "no"}
    return {"state": state, "confidence": confidence, "evidence": ["primary:x"], **seen}


def _states(estimator, times):
    return [estimator.estimate(View(t, FRAME), ()).state for t in times]


def test_agreement_is_requested_once_and_again_after_its_expiry():
    both = VlmCrosscheck(Eyes(), Other("closed"))
    assert _states(both, [0, 1, 20, 29, 31, 32]) == ["closed"] * 6
    assert both.asked == 2
    assert both.latest.handle_present == "yes"


def test_changed_state_requires_a_new_agreement():
    eyes, other = Eyes(), Other("closed", "closed", "open")
    both = VlmCrosscheck(eyes, other)
    assert _states(both, [0]) == ["closed"]
    eyes.state = "open"
    assert _states(both, [1.0, 1.2, 2.1, 2.3]) == ["uncertain", "uncertain", "open", "open"]
    assert both.asked == 3


@pytest.mark.parametrize(
    "told",
    [
        "open",
        "uncertain",
        VqaAnswer(None, "MODEL_TIMEOUT"),
        VqaAnswer({"state": "closed"}),
        VqaAnswer({**said("closed"), "confidence": 7}),
        VqaAnswer({**said("wide open")}),
        VqaAnswer(said("closed", 0.2)),
    ],
)
def test_state_is_uncertain_unless_the_second_opinion_agrees(told):
    both = VlmCrosscheck(Eyes(), Other(told))
    found = both.estimate(View(0.0, FRAME), ())
    assert found.state == "uncertain"
    assert found.evidence[0] == "primary:eyes_say_closed"
    assert found.evidence[1].startswith(("proxy:second_opinion_", "proxy:no_second_opinion"))


def test_uncertain_estimate_skips_the_crosscheck():
    eyes, other = Eyes(), Other("closed")
    eyes.state = "uncertain"
    assert _states(VlmCrosscheck(eyes, other), [0, 1]) == ["uncertain"] * 2
    assert other.asked == []


def test_site_selects_the_cross_checking_model():
    eyes = Eyes()
    assert with_vlm_crosscheck(eyes, None) is eyes
    assert isinstance(with_vlm_crosscheck(eyes, "claude"), VlmCrosscheck)
    with pytest.raises(UnknownName, match="there is no visual_qa model 'oracle of delphi'; known"):
        with_vlm_crosscheck(eyes, "oracle of delphi")
    with pytest.raises(UsageError, match="second_opinion needs the name of the model"):
        with_vlm_crosscheck(eyes, {"model": "x"})
    with pytest.raises(UsageError, match="the visual_qa model claude has no setting 'modle'"):
        with_vlm_crosscheck(eyes, {"name": "claude", "modle": "x"})


SITE = """
site: careful
packs:
  door:
    robot: sim
    detector: oracle
    second_opinion: {name: claude, base_url: URL, model: sees, tier: text, retries: 0}
"""


def _site(tmp_path, server):
    file = tmp_path / "careful.yaml"
    file.write_text(SITE.replace("URL", server.url))
    return str(file)


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (answer(said("closed")), "satisfied", "ALREADY_CLOSED"),
        (answer(said("open")), "blocked", "UNCERTAIN_PERCEPTION"),
        (error(500), "blocked", "UNCERTAIN_PERCEPTION"),
    ],
)
def test_simulated_robot_does_not_move_without_agreement(tmp_path, reply, status, code):
    with MessagesServer([reply], flavour="ollama") as server:
        with Session(_site(tmp_path, server), world={"door": "closed"}, fast=True) as session:
            outcome = session.run("문을 닫아")
            angle = session.rigs["door"].robot.door_angle_rad
        picture, question = server.requests[0].body["messages"][0]["content"]
    assert (outcome.status, outcome.reason_code) == (status, code)
    assert angle < 0.05
    assert picture["source"]["media_type"] == "image/jpeg"
    assert "How does the door" in question["text"]


def test_answer_schema_requires_every_field_and_allows_no_others():
    assert SCHEMA["additionalProperties"] is False
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"])
