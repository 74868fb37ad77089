"""Fixtures of the rules: the shipped site, and a plan as one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from bt_exec.failure import Refusal
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.planning.compiler import Reply, Request
from bt_exec.planning.plan_preparation import prepare_answer
from bt_exec.site.compile_command import make_compiler
from bt_exec.site.site import Site, load_site
from bt_exec.spec.model import Do, Mission, MissionSpec, Sequence
from bt_exec_skills.reporter.reporting.question_aspects import ASPECTS, aspects_of
from bt_exec_skills.reporter.rules.plan_steps import actions

PlanOf: TypeAlias = Callable[[str], MissionSpec | Refusal | Reply]


def row_of(spec: MissionSpec) -> str:
    """Return a plan as ``go lounge / see lounge light / go basecamp / tell user / sum``."""
    return " / ".join(_word(action) for action in actions(spec.root))


def _word(action: Do) -> str:
    args = action.args
    match action.do:
        case "navigate":
            return f"go {args['target']}"
        case "observe_scene":
            aspects = aspects_of(args["query"])
            what = "all" if aspects == ASPECTS else " ".join(aspects)
            return f"see {args['target']} {what}"
        case "talk_to_person":
            about = "" if args["target"] == "user" else f" <{args['topic']}>"
            return f"tell {args['target']}{about}"
        case "deliver_object":
            return f"bring {args['recipient']} <{args['object']}>"
        case "summarize_mission":
            return "sum"
    return action.do


@pytest.fixture(scope="session")
def building() -> Site:
    return load_site("building")


@pytest.fixture(scope="session")
def plan_of(building: Site) -> PlanOf:
    """Return the final plan of a command, or its refusal."""
    compiler = make_compiler(building)

    def plan_of(command: str) -> MissionSpec | Refusal:
        request = Request(
            command,
            language_of(command),
            building.catalogue,
            building.library,
            building.messages,
            settings=building.packs,
        )
        answer = compiler.compile(request)
        if isinstance(answer, Refusal | Reply):
            return answer
        return prepare_answer(answer, request).spec

    return plan_of


@pytest.fixture(scope="session")
def meaning(plan_of: PlanOf) -> Callable[[str], str]:
    """Return the plan of a command in one line."""

    def meaning(command: str) -> str:
        found = plan_of(command)
        return found.code if isinstance(found, Refusal | Reply) else row_of(found)

    return meaning


@pytest.fixture(scope="session")
def row() -> Callable[[MissionSpec], str]:
    return row_of


@pytest.fixture(scope="session")
def context(building: Site) -> Callable[..., PassContext]:
    """Return the context of passes for a command."""

    def context(command: str, **facts: Any) -> PassContext:
        settings = building.packs["reporter"]
        return PassContext(Situation(facts=facts), settings, command)

    return context


@pytest.fixture(scope="session")
def spec() -> Callable[..., MissionSpec]:
    """Return a plan from rows: ``spec("navigate lounge", "observe_scene lounge light")``."""
    names = {
        "navigate": ("target",),
        "observe_scene": ("target", "query"),
        "talk_to_person": ("target", "topic"),
        "deliver_object": ("recipient", "object"),
        "summarize_mission": (),
        "fail_and_report": ("reason",),
    }

    def spec(*lines: str) -> MissionSpec:
        steps = []
        for line in lines:
            action, *values = line.split(" ", 2)
            values = [*values, "report"][: len(names[action])]
            args = dict(zip(names[action], values, strict=True))
            steps.append(Do.model_validate({"do": action, "with": args}))
        root = Sequence.model_validate({"sequence": tuple(steps)})
        return MissionSpec(mission=Mission(command=""), root=root)

    return spec
