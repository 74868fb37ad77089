"""Door state over several observations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bt_exec_skills.door.perception.door_state_agreement import agreed_state
from bt_exec_skills.door.perception.observation import DoorObservation

STATES: dict[str, Any] = {"o": "open", "a": "ajar", "c": "closed", "?": "uncertain"}


@pytest.mark.parametrize(
    ("states", "answer"),
    [
        ("", "uncertain"),
        ("o", "uncertain"),
        ("oo", "open"),
        ("coo", "open"),
        ("oc", "uncertain"),
        ("oo?", "uncertain"),
        ("?cc", "closed"),
        ("o?o", "uncertain"),
    ],
)
def test_two_newest_observations_must_agree(
    states: str, answer: str, scene: Callable[..., DoorObservation]
) -> None:
    scenes = [scene(state=STATES[letter]) for letter in states]
    assert agreed_state(scenes).state == answer


def test_disagreement_is_reported(scene: Callable[..., DoorObservation]) -> None:
    found = agreed_state([scene(state="open"), scene(state="ajar")])
    assert found.evidence == ("primary:open_then_ajar",)


BETWEEN: dict[str, Any] = {"l": ("closed", "ajar"), "h": ("ajar", "open")}


@pytest.mark.parametrize(
    ("states", "answer"),
    [
        ("hhh", "uncertain"),
        ("hhhh", "ajar"),
        ("llll", "ajar"),
        ("ohha", "ajar"),
        ("hhoo", "open"),
        ("hlhl", "uncertain"),  # three possible states
        ("hh?h", "uncertain"),
        ("aoao", "uncertain"),  # both certain, but contradictory
        ("chhhh", "ajar"),
    ],
)
def test_door_that_stays_between_two_states_is_ajar(
    states: str, answer: str, scene: Callable[..., DoorObservation]
) -> None:
    def one(letter: str) -> DoorObservation:
        made = scene(state=STATES.get(letter, "uncertain"))
        return replace(made, door=replace(made.door, between=BETWEEN.get(letter, ())))

    assert agreed_state([one(letter) for letter in states]).state == answer


@pytest.mark.parametrize("states", ["", "o", "?", "oc", "co", "oa?", "oo"])
def test_confidence_is_at_most_halved_by_disagreement(
    states: str, scene: Callable[..., DoorObservation]
) -> None:
    scenes = [scene(state=STATES[letter]) for letter in states]
    found = agreed_state(scenes)
    assert 0.0 <= found.confidence <= 1.0
    split = len(states) > 1 and "?" not in states and len(set(states[-2:])) > 1
    newest = scenes[-1].door.confidence if scenes else 0.0
    assert found.confidence == (0.5 if split else newest)
