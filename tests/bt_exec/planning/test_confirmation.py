"""Confirmation of plans: conditions, answers and refusals."""

from __future__ import annotations

import functools
import threading
from typing import Any

import pytest

from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.confirmation import Confirmation
from bt_exec.site.site import load_site
from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, Mission, MissionSpec

SPEC = MissionSpec(mission=Mission(command="go"), root=Do(do="look"))
WHY = "Nothing else understands the command."


class Person:
    """Operator with a fixed answer, who records the questions."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[MissionSpec, str]] = []
        self.over: threading.Event | None = None

    def __call__(self, spec: MissionSpec, why: str, over: threading.Event) -> Any:
        self.asked.append((spec, why))
        self.over = over
        return self.answer


@functools.cache
def said() -> Messages:
    return load_site("door").messages  # includes those of the executive


def asked_in(language: str) -> Request:
    return Request("go", language, Catalogue([]), Library(), said())


def refusal_of(mode: Any, ask: Any, unconfirmed: str, language: str = "en") -> Refusal | None:
    request = asked_in(language)
    plan = Plan(SPEC, unconfirmed=unconfirmed)
    return Confirmation(mode, ask).refusal(plan, SPEC, request, lambda: None)


@pytest.mark.parametrize(
    ("mode", "unconfirmed", "asked"),
    [
        ("always", WHY, True),
        ("always", "", True),
        ("unknown", WHY, True),
        ("unknown", "", False),
        ("never", WHY, False),
        ("never", "", False),
    ],
)
@pytest.mark.parametrize("answer", [True, False, None, 1, "yes"])
def test_plan_runs_only_after_the_answer_yes(
    mode: str, unconfirmed: str, asked: bool, answer: Any
) -> None:
    person = Person(answer)
    found = refusal_of(mode, person, unconfirmed)
    # True equals 1; any other value is not a yes
    assert (found is None) == (not asked or answer == 1)
    assert [spec for spec, _ in person.asked] == [SPEC] * asked
    if asked:
        assert person.asked[0][1].startswith(unconfirmed or "This site")
        assert person.over is not None
        assert person.over.is_set()
    if found is not None:
        assert found.code == "NOT_CONFIRMED"


@pytest.mark.parametrize("language", ["en", "ko"])
def test_plan_without_an_operator_is_refused_with_a_remedy(language: str) -> None:
    found = refusal_of("unknown", None, WHY, language)
    assert found is not None
    assert found.code == "NOT_CONFIRMED"
    assert WHY in found.message
    assert ("terminal" if language == "en" else "터미널") in found.message
    assert found.message != refusal_of("unknown", Person(False), WHY, language)
    assert refusal_of("unknown", None, "", language) is None
    assert refusal_of("never", None, WHY, language) is None
    assert refusal_of("always", None, "", language) is not None


@pytest.mark.parametrize("late", [True, False])
def test_abort_ends_the_question_even_when_an_answer_exists(late: bool) -> None:
    ended = threading.Event()
    said: list[bool] = []

    def thinks(spec: MissionSpec, why: str, over: threading.Event) -> bool:
        if late:
            assert over.wait(60)
            ended.set()
        said.append(True)
        return True

    def check_stop() -> None:
        raise InterruptedError

    request = asked_in("en")
    with pytest.raises(InterruptedError):
        Confirmation("always", thinks).refusal(Plan(SPEC), SPEC, request, check_stop)
    assert not late or ended.wait(60)


def test_stop_requests_are_checked_while_the_operator_decides() -> None:
    heeded = threading.Event()

    def thinks(spec: MissionSpec, why: str, over: threading.Event) -> bool:
        return heeded.wait(60) and not over.is_set()

    request = asked_in("en")
    confirmation = Confirmation("always", thinks)
    assert confirmation.refusal(Plan(SPEC), SPEC, request, heeded.set) is None
