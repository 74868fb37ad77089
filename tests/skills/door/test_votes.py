"""Judging by several pictures, newest first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.door.scene import DoorEstimate, DoorScene
from bt_exec_skills.door.votes import agreed_state, seen


def look(letter: str) -> DoorScene:
    """Return a scene: ``+`` shows the thing, ``-`` does not, ``x`` is a camera fault."""
    from bt_exec_skills.door.scene import Detection

    found = (Detection("material", (0, 0, 1, 1), 1.0),) if letter == "+" else ()
    estimate = DoorEstimate("open", 0.9)
    return DoorScene(0.0, found, estimate, fault="dark" if letter == "x" else None)


@pytest.mark.parametrize(
    ("pictures", "answer"),
    [
        ("", None),
        ("+", None),
        ("++", True),
        ("--", None),
        ("---", False),
        ("+-+", True),
        ("+--", None),
        ("+---", False),
        ("---+", False),
        ("---++", True),
        ("xxx", None),
        ("+x+", True),
        ("-x-x-", False),
    ],
)
def test_two_say_yes_three_say_no(pictures: str, answer: bool | None) -> None:
    assert seen([look(letter) for letter in pictures], "material") is answer


@given(st.text(alphabet="+-x", max_size=12))
def test_enough_good_pictures_always_settle_it(pictures: str) -> None:
    answer = seen([look(letter) for letter in pictures], "material")
    good = pictures.replace("x", "")
    if len(good) >= 4:
        assert answer is not None
    if answer is not None:
        assert ("+" if answer else "-") in good


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
def test_the_two_newest_must_agree(
    states: str, answer: str, scene: Callable[..., DoorScene]
) -> None:
    scenes = [scene(state=STATES[letter]) for letter in states]
    assert agreed_state(scenes).state == answer


def test_disagreement_is_told(scene: Callable[..., DoorScene]) -> None:
    found = agreed_state([scene(state="open"), scene(state="ajar")])
    assert found == DoorEstimate("uncertain", 0.5, ("primary:open_then_ajar",))
    assert agreed_state([]) == DoorEstimate("uncertain", 0.0, ("primary:not_looked_yet",))
    assert agreed_state([scene(state="open")]) == DoorEstimate("uncertain", 0.9, ("primary:test",))
    assert agreed_state([scene(state="open")] * 2) == DoorEstimate("open", 0.9, ("primary:test",))
