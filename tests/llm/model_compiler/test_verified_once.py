"""Number of expansions and verifications between a compiler and the first tick."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from bt_exec.site.compile_command import compile_command
from bt_exec.spec.expand import expand
from bt_exec.verify import verify_document, verify_mission
from tests.llm.model_compiler.corpus import OFFLINE, good_answer
from tests.llm.model_compiler.fake_door import SITE, run_paper

OPEN = "open the door"
ONCE = (expand, verify_document, verify_mission)


@pytest.fixture
def counted(monkeypatch):
    """Count the calls of expansion and verification in every module that imports them."""
    times = Counter()

    def watch(function):
        def watched(spec, *args, **more):
            mission = getattr(spec, "mission", None)
            if mission is not None and mission.command == OPEN:  # excludes the prompt's examples
                times[function.__name__, mission.compiler] += 1
            return function(spec, *args, **more)

        return watched

    for function in ONCE:
        ours = watch(function)
        for name, module in list(sys.modules.items()):
            own = getattr(module, function.__name__, None)
            if name.startswith("bt_exec") and own is function:
                monkeypatch.setattr(module, function.__name__, ours)
    return times


def of(times, compiler):
    return {name: count for (name, whose), count in times.items() if whose == compiler}


def test_plan_of_a_model_is_verified_once(counted, over_http):
    run = run_paper(OPEN, over_http([good_answer(OPEN)]), {})
    assert run.outcome.status == "satisfied"
    assert of(counted, "claude") == dict.fromkeys(
        ("expand", "verify_document", "verify_mission"), 1
    )


def test_corrected_plan_of_a_model_is_verified_once(counted, over_http):
    """The answer is not verified with the offline plan that it is compared with."""
    bad = "root: {do: fly}"
    run = run_paper(OPEN, over_http([bad, good_answer(OPEN)]), {})
    assert run.outcome.status == "satisfied"
    assert of(counted, "claude") == {"expand": 2, "verify_document": 2, "verify_mission": 1}
    assert of(counted, "offline") == dict.fromkeys(of(counted, "claude"), 1)


def test_plan_of_the_offline_compiler_is_verified_once(counted):
    run = run_paper(OPEN, OFFLINE, {})
    assert run.outcome.status == "satisfied"
    assert set(of(counted, "offline").values()) == {1}


def test_plan_without_a_robot_is_verified_once(counted):
    assert compile_command(SITE, OPEN).ok
    assert set(of(counted, "offline").values()) == {1}
