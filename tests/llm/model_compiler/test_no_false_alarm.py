"""Plans of the library pass as answers, on every shipped site and for every utterance."""

from __future__ import annotations

import pytest
import yaml

from bt_exec.planning.compiler import Plan
from bt_exec.site.compile_command import first_request
from bt_exec.site.shipped_data import site_names
from bt_exec.site.site import load_site
from bt_exec.spec.dump import to_data
from bt_exec_llm.client import Answer
from bt_exec_llm.model_compiler.plan_effects import offline_plan
from bt_exec_llm.model_compiler.planning_dialogue import _judge
from tests.llm.model_compiler.corpus import OFFLINE
from tests.llm.model_compiler.fake_door import request_for

pytestmark = pytest.mark.sampled

SAID = [
    (name, text)
    for name in site_names()
    for tree in load_site(name).library
    for text in tree.utterances
]


@pytest.mark.parametrize(("site", "command"), SAID)
def test_library_plan_is_accepted_as_an_answer(site, command):
    request = first_request(load_site_once(site), command)
    answer = OFFLINE.compile(request)
    if not isinstance(answer, Plan):
        pytest.skip("the offline compiler asks a question")
    root = to_data(answer.spec)["root"]
    found = _judge(
        Answer(yaml.safe_dump({"root": root}, allow_unicode=True)),
        request,
        offline_plan(request, OFFLINE),
    )
    assert [str(problem) for problem in found.problems] == []


OPEN = "{do: open_door, with: {arm: right, object_label: door-handle}"


@pytest.mark.parametrize(
    ("command", "root"),
    [
        ("open the door", f"{OPEN}}}"),
        ("open the door", f"{OPEN}, skip_if: {{door_is: {{state: open}}}}}}"),
        ("open the door", f"{{fallback: [{{check: {{door_is: {{state: open}}}}}}, {OPEN}}}]}}"),
        ("open the door", f"{{fallback: [{OPEN}}}, {{tree: open_door, with: {{arm: left}}}}]}}"),
        ("open the door", f"{{parallel: [{OPEN}}}, {{check: door_known}}]}}"),
        (
            "get the material",
            "{sequence: [{tree: open_door}, {check: material_visible}, {fallback: "
            "[{tree: take_material}, {tree: take_material_again}]}, {tree: shut_and_go_home}]}",
        ),
        ("open the door and then close it", "{sequence: [{tree: open_door}, {tree: close_door}]}"),
        ("open the door", "{tree: open_door, with: {arm: left}}"),
        ("open the door with your left arm", "{tree: open_door, with: {arm: left}}"),
        ("open the door with your right arm", "{tree: open_door}"),
        (
            "get the material with your left arm",
            "{sequence: [{tree: open_door, with: {arm: left}}, {check: material_visible}, "
            "{tree: take_material}, {tree: shut_and_go_home, with: {arm: left}}]}",
        ),
        ("is the door open?", "{check: {not: {not: {door_is: {state: open}}}}, tell: true}"),
        ("is the door open?", "{fallback: [{tree: is_the_door_open}, {check: door_known}]}"),
    ],
)
def test_plan_equivalent_to_the_offline_plan_passes(command, root):
    request = request_for(command)
    found = _judge(Answer(f"root: {root}"), request, offline_plan(request, OFFLINE))
    assert [str(problem) for problem in found.problems] == []


_SITES = {}


def load_site_once(name):
    if name not in _SITES:
        _SITES[name] = load_site(name)
    return _SITES[name]
