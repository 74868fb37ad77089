from __future__ import annotations

import dataclasses

import pytest

from bt_exec.failure import Failure
from bt_exec.planning.compiler import Done, Plan, Request
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Do, walk

TREES = [
    """
tree: fetch
utterances: [Get the material.]
root:
  sequence:
    - tree: open_it
    - tree: take_it
      with: {arm: right}
    - do: return_home
""",
    """
tree: open_it
params: {arm: {type: Arm, default: right}, object_label: {type: text, default: door-handle}}
otherwise:
  - {on: [DOOR_STUCK, UNREACHABLE], with: {arm: left}}
  - {on: [DOOR_STUCK], with: {object_label: door}}
root: {do: open_door, with: {arm: $arm, object_label: $object_label}}
""",
    """
tree: take_it
params: {arm: {type: Arm, default: right}}
root:
  sequence:
    - {do: move_arm, with: {arm: $arm, object_label: material}}
    - {do: grasp, with: {arm: $arm, object_label: material}}
""",
]


@pytest.fixture
def small() -> Library:
    return Library([load_text(text) for text in TREES])


@pytest.fixture
def first(compiler, catalogue, small) -> tuple[Request, Plan]:
    request = Request("get the material", "en", catalogue, small)
    answer = compiler.compile(request)
    assert isinstance(answer, Plan)
    return request, answer


def _failed(code: str, path: str, node: str, **args: str) -> Failure:
    return Failure(code, "", path, node=node, args=args)


def _again(compiler, request, spec, failure, done=(), tried=()):
    spec = expand(spec, request.library)
    later = dataclasses.replace(
        request, previous=spec, failure=failure, done=tuple(done), tried=(*tried, failure)
    )
    answer = compiler.compile(later)
    assert isinstance(answer, Plan)
    return expand(answer.spec, request.library)


def _args(spec, skill: str) -> dict[str, str]:
    return next(
        dict(node.args) for node in walk(spec.root) if isinstance(node, Do) and node.do == skill
    )


def test_alternative_replaces_only_the_failed_subtree(compiler, first):
    request, answer = first
    failure = _failed(
        "DOOR_STUCK",
        "fetch/open_it/open_door",
        "open_door",
        arm="right",
        object_label="door-handle",
    )
    spec = _again(compiler, request, answer.spec, failure)
    assert _args(spec, "open_door") == {"arm": "left", "object_label": "door-handle"}
    assert _args(spec, "grasp") == {"arm": "right", "object_label": "material"}
    assert (spec.mission.plan_version, spec.mission.parent) == (2, 1)
    assert (spec.mission.compiler, spec.mission.subgoals) == ("offline", ("get the material",))


def test_failed_alternative_is_not_tried_again(compiler, first):
    request, answer = first
    place = "fetch/open_it/open_door"
    one = _failed("DOOR_STUCK", place, "open_door", arm="right", object_label="door-handle")
    second = _again(compiler, request, answer.spec, one)
    two = _failed("DOOR_STUCK", place, "open_door", arm="left", object_label="door-handle")
    third = _again(compiler, request, second, two, tried=[one])
    assert _args(third, "open_door")["object_label"] == "door"
    assert third.mission.plan_version == 3


def test_failed_part_is_repeated_if_no_alternative_exists(compiler, first):
    request, answer = first
    failure = _failed(
        "TIMEOUT", "fetch/open_it/open_door", "open_door", arm="right", object_label="door-handle"
    )
    spec = _again(compiler, request, answer.spec, failure)
    assert spec.root == expand(answer.spec, request.library).root


def test_finished_work_is_kept(compiler, first):
    request, answer = first
    done = [
        Done("fetch/open_it/open_door", "open_door", {"arm": "right"}),
        Done("fetch/take_it/move_arm", "move_arm", {"arm": "right"}),
    ]
    failure = _failed("GRASP_SLIPPED", "fetch/take_it/grasp", "grasp", arm="right")
    spec = _again(compiler, request, answer.spec, failure, done)
    assert spec.mission.kept == ("fetch/open_it/open_door",)
