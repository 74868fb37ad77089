"""Two-level plans of models: parsing, problems, and lossless export."""

import json

import pytest

from bt_exec.failure import SpecError
from bt_exec.observation import Situation
from bt_exec.pack import find_pack
from bt_exec.planning.compiler import Request
from bt_exec.planning.plan_preparation import examine
from bt_exec.site.site import load_site
from bt_exec.spec.expand import expand
from bt_exec_skills.tabletop.goals.compiler import TableCompiler
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from bt_exec_skills.tabletop.subgoal_plan_format import parse_tasks, write_tasks
from tests.skills.tabletop.test_commands import WORLDS

COMMAND = "Sort by colour."


@pytest.fixture(scope="module")
def site():
    return load_site("tabletop")


@pytest.fixture(scope="module")
def request_of(site):
    def make(command, world="plain"):
        seen = TableObservation(0.0, WORLDS[world])
        facts = {**seen.facts(), "hand": "empty"}
        situation = Situation(seen.labels(), facts)
        return Request(command, "en", site.catalogue, site.library, site.messages, situation)

    return make


def move(thing, target):
    pairs = (("GoToObject", thing), ("PickObject", thing), ("GoToObject", target))
    return [{"skill": skill, "target": name} for skill, name in (*pairs, ("PlaceObject", target))]


def right_plan():
    groups = {"red": ["red_0", "red_1"], "blue": ["blue_0"], "green": ["green_0"]}
    outputs = [
        {
            "subgoal": f"{colour} things in the {colour} bowl",
            "tasks": [
                task for name in names for task in move(f"object_{name}", f"object_{colour}_bowl_0")
            ],
        }
        for colour, names in groups.items()
    ]
    return {"subgoals": [one["subgoal"] for one in outputs], "task_outputs": outputs}


def problems_of(plan, request):
    """Return the codes of all problems of a plan for a command."""
    try:
        spec = parse_tasks(json.dumps(plan), command=request.command)
    except SpecError as error:
        return [problem.code for problem in error.problems]
    return [problem.code for problem in examine(spec, request).problems]


def test_valid_plan_has_no_problems(request_of):
    assert problems_of(right_plan(), request_of(COMMAND)) == []


def test_compiled_plan_is_unchanged_by_a_round_trip(request_of):
    request = request_of(COMMAND)
    plan = TableCompiler().compile(request)
    text = write_tasks(expand(plan.spec, request.library))
    again = json.loads(write_tasks(parse_tasks(text, command=COMMAND)))
    assert again == json.loads(text)
    assert problems_of(again, request) == []
    assert [one["subgoal"] for one in again["task_outputs"]] == list(plan.spec.mission.subgoals)


def test_table_target_is_exported_but_an_exact_spot_is_refused(request_of):
    request = request_of("put the blue one on table_1")
    text = write_tasks(expand(TableCompiler().compile(request).spec, request.library))
    tasks = json.loads(text)["task_outputs"][0]["tasks"]
    assert tasks == move("object_blue_0", "table_1")
    assert problems_of(json.loads(text), request) == []
    swap = request_of("swap the blue and the green one")
    with pytest.raises(SpecError) as caught:
        write_tasks(expand(TableCompiler().compile(swap).spec, swap.library))
    assert {problem.code for problem in caught.value.problems} == {"NOT_IN_TASK_OUTPUTS"}


def test_table_cannot_be_picked(request_of):
    plan = {"task_outputs": [{"subgoal": "x", "tasks": move("table_0", "object_red_bowl_0")}]}
    assert "CANNOT_LIFT" in problems_of(plan, request_of(COMMAND))


def _changed(change):
    plan = right_plan()
    change(plan["task_outputs"], plan)
    return plan


FAULTS = {
    "unknown skill": (lambda out, _: out[0]["tasks"][0].update(skill="Fly"), "UNKNOWN_SKILL"),
    "unknown target": (
        lambda out, _: out[0]["tasks"][0].update(target="object_red_9"),
        "OBJECT_GONE",
    ),
    "no target": (lambda out, _: out[0]["tasks"][0].pop("target"), "MISSING_ARGUMENT"),
    "unknown field": (lambda out, _: out[0]["tasks"][0].update(speed=3), "UNKNOWN_FIELD"),
    "pick with a full hand": (lambda out, _: out[0]["tasks"].pop(3), "HAND_FULL"),
    "place with an empty hand": (lambda out, _: out[0]["tasks"].pop(1), "HAND_EMPTY"),
    "picks a bowl": (
        lambda out, _: out[0]["tasks"][1].update(target="object_red_bowl_0"),
        "CANNOT_LIFT",
    ),
    "a wrong bowl": (
        lambda out, _: [task.update(target="object_blue_bowl_0") for task in out[0]["tasks"][2:4]],
        "NOT_ASKED",
    ),
    "a group left out": (lambda out, plan: (out.pop(), plan.pop("subgoals")), "LEFT_OUT"),
    "a thing left out": (lambda out, _: out[0].update(tasks=out[0]["tasks"][:4]), "LEFT_OUT"),
    "other subgoals": (lambda _, plan: plan["subgoals"].reverse(), "OTHER_SUBGOALS"),
    "no tasks": (lambda out, _: out[0].update(tasks=[]), "NOT_A_PLAN"),
    "pick before going there": (lambda out, _: out[0]["tasks"].pop(4), "NEED_NOT_MET"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_problem_of_a_plan_is_reported_by_its_code(fault, request_of):
    change, code = FAULTS[fault]
    assert code in problems_of(_changed(change), request_of(COMMAND))


def test_unrequested_subgoal_is_reported(request_of):
    assert "NOT_ASKED" in problems_of(
        right_plan(), request_of("Put the red things in the red bowl.")
    )


def test_all_problems_are_reported_at_once(request_of):
    plan = right_plan()
    plan["task_outputs"][0]["tasks"][0]["skill"] = "Fly"
    plan["task_outputs"][1]["tasks"][0].pop("target")
    plan["more"] = 1
    found = problems_of(plan, request_of(COMMAND))
    assert {"UNKNOWN_SKILL", "MISSING_ARGUMENT", "UNKNOWN_FIELD"} <= set(found)


@pytest.mark.parametrize("text", ["", "[]", "{}", "{" * 5000, '{"task_outputs": 3}', "x" * 200_001])
def test_malformed_plan_text_is_refused(text):
    with pytest.raises(SpecError):
        parse_tasks(text)


def test_pack_provides_the_format():
    assert "task-outputs" in find_pack("tabletop").formats
