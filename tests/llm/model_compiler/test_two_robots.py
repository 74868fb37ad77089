"""A model plans for a site with two robots of one pack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bt_exec.failure import Failure
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.plan_preparation import prepare_answer
from bt_exec.site.compile_command import first_request
from bt_exec.site.site import Site, load_site
from bt_exec.spec.model import Do
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec_llm.model_compiler.compiler import ModelCompiler

A, B = "root: {tree: robot_a.open_door}", "root: {tree: robot_b.open_door}"
BOTH = "root: {parallel: [{tree: robot_a.open_door}, {tree: robot_b.open_door}]}"
LEFT = "root: {tree: robot_a.open_door, with: {arm: left}}"
ARM = BOTH.replace("robot_a.open_door", "robot_a.open_door, with: {arm: left}")
OTHER_HOME = "root: {do: robot_b.return_home}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return a site with two robots of the door pack."""
    file = tmp_path_factory.mktemp("site") / "two_doors.yaml"
    packs = "{robot_a: {pack: door, robot: sim}, robot_b: {pack: door, robot: sim}}"
    file.write_text(f"site: two_doors\npacks: {packs}\n", encoding="utf-8")
    return load_site(str(file))


@pytest.fixture
def ask(site: Site) -> Callable[[ModelCompiler, str], Any]:
    """Return a function that compiles a command."""
    return lambda compiler, command: compiler.compile(first_request(site, command))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "answers", "rounds"),
    [
        ("Robot A, open the door.", [A], 1),
        ("Robot A, open the door.", [B, A], 2),
        ("Robot A, open the door.", [BOTH, A], 2),
        ("robot a는 문을 열어줘", [B, A], 2),
        ("everyone, open the door", [BOTH], 1),
        ("everyone, open the door", [A, BOTH], 2),
        ("Robot A, open the door with the left arm. Robot B, open the door.", [BOTH, ARM], 2),
        ("Robot A, let some air in.", [B, A], 2),
        ("Let some air in on both sides.", [BOTH], 1),
    ],
)
def test_plan_uses_the_robots_that_the_command_addresses(
    scripted: Any, ask: Any, command: str, answers: list[str], rounds: int
) -> None:
    answer = ask(scripted(answers, first="model"), command)
    assert isinstance(answer, Plan), answer
    assert answer.calls == rounds
    assert answer.spec.root == ask(scripted(answers[-1:], first="model"), command).spec.root


@pytest.mark.slow
def test_command_that_is_understood_needs_no_consent(scripted: Any, ask: Any) -> None:
    assert ask(scripted([A], first="model"), "Robot A, open the door.").unconfirmed == ""
    assert ask(scripted([A], first="model"), "Robot A, let some air in.").unconfirmed


@pytest.mark.parametrize("first", ["model", "offline"])
def test_model_is_not_asked_which_robot_is_meant(scripted: Any, ask: Any, first: str) -> None:
    refusal = ask(scripted([A], first=first), "open the door")
    assert (refusal.code, refusal.calls) == ("WHICH_ROBOT", 0)


def test_library_alternative_is_tried_first_for_each_robot(scripted: Any, ask: Any) -> None:
    answer = ask(scripted([A], first="offline"), "everyone, open the door")
    assert (answer.requests, len(answer.spec.root.parallel)) == (0, 2)


@pytest.mark.parametrize(("answers", "calls"), [([LEFT], 1), ([OTHER_HOME, LEFT], 2)])
def test_repair_uses_the_robot_of_the_failed_part(
    scripted: Any, site: Site, answers: list[str], calls: int
) -> None:
    compiler = scripted([BOTH, *answers], repair="model")
    first = first_request(site, "everyone, open the door")
    plan = prepare_answer(compiler.compile(first), first).spec
    path = next(path for path, node in nodes_with_paths(plan.root) if isinstance(node, Do))
    failure = Failure(
        "DOOR_STUCK",
        "stuck",
        path=path,
        kind="skill",
        node="robot_a.open_door",
        args={"arm": "right", "object_label": "door-handle"},
    )
    again: Request = replace(first, previous=plan, failure=failure, tried=(failure,))
    answer = compiler.compile(again)
    assert isinstance(answer, Plan), answer
    assert answer.calls == calls
    (mended, other) = answer.spec.root.parallel
    assert mended.args == {"arm": "left"}
    assert other.tree == "robot_b.open_door"
