"""Short names inside a pack, when another pack has the same names."""

from __future__ import annotations

import pytest

from bt_exec import Pack, Rig, Running, Session, Steps, Verdict, condition, skill
from bt_exec.cli.plan_from_file import find_plan_format
from bt_exec.events import SkillStarting
from bt_exec.failure import Failed, Problem, SpecError
from bt_exec.mission_reporter import MissionReporter
from bt_exec.pack import Pass, PlanFormat
from bt_exec.planning.plan_preparation import examine
from bt_exec.site.compile_command import first_request
from bt_exec.site.site import load_site
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Check, Do, Sequence, walk
from bt_exec.testing import FakeClock, ScriptedRobot

TWO = "{mission: {command: go}, root: {sequence: [{do: arm.grasp}, {do: crane.grasp}]}}"
ASKS = "{mission: {command: go}, root: {check: arm.ready}}"


@skill(fails={"SLIPPED"})
def grasp(robot: ScriptedRobot) -> Steps:
    """Close the gripper."""
    robot.log.append("gripper")
    yield Running()


@skill(name="grasp", fails={"SLIPPED"})
def hook(robot: ScriptedRobot) -> Steps:
    """Lower the hook."""
    robot.log.append("hook")
    yield Running()
    raise Failed("SLIPPED", "the hook found nothing")


@condition
def ready() -> Verdict:
    """Return True."""
    return Verdict.yes("ready")


def seen_in(spec):
    return [node.do for node in walk(spec.root) if isinstance(node, Do)]


class Keeps(MissionReporter):
    """Reporter that keeps its views and events."""

    shown: list

    def on(self, event):
        if isinstance(event, SkillStarting):
            self.shown.append(event.skill)

    def turn_report(self, view):
        if view.status != "in_progress":
            self.shown.append([action.name for action in view.done])
            self.shown.append(view.failure and view.failure.node)
            self.shown.append(seen_in(view.spec))
            self.shown.append(list(view.verdicts))


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a site of two packs with `grasp`, a checker, a pass, a format and a reporter each."""
    seen = {}

    def pack_of(name, part):
        seen[name] = {"checker": [], "pass": [], "reporter": []}
        reporter = type(name, (Keeps,), {"shown": seen[name]["reporter"]})

        def checker(spec, context):
            seen[name]["checker"] += seen_in(spec)
            yield from (Problem("X", "meant") for _ in filter(None, [context.meant]))

        def twice(spec, context):
            seen[name]["pass"] += seen_in(spec)
            root = spec.root
            if [node for node in walk(root) if isinstance(node, Check)]:
                update = {"root": Sequence(sequence=(root, Do(do="grasp")))}
                return spec.model_copy(update=update), ("grasps after asking",)
            return spec, ()

        def read(text, file, command):
            return load_text("{mission: {command: go}, root: {do: grasp}}").document

        return Pack(
            name,
            skills=(part,),
            conditions=(ready,),
            checkers=(checker,),
            passes=(Pass("twice", twice),) if name == "arm" else (),
            formats={name: PlanFormat(read, lambda spec: " ".join(seen_in(spec)))},
            reporter=reporter,
            robots={"sim": lambda settings, world: Rig(ScriptedRobot(), simulation=FakeClock())},
        )

    packs = {"arm": pack_of("arm", grasp), "crane": pack_of("crane", hook)}
    monkeypatch.setattr("bt_exec.site.site.pack_names", lambda: tuple(packs))
    monkeypatch.setattr("bt_exec.site.site.find_pack", packs.__getitem__)
    file = tmp_path / "site.yaml"
    file.write_text("site: s\npacks: {arm: {robot: sim}, crane: {robot: sim}}\n")
    return load_site(str(file)), seen


def test_checkers_and_passes_find_their_skill_by_its_short_name(site):
    opened, seen = site
    found = examine(load_text(TWO).document, first_request(opened, "go"))
    assert found.problems == ()
    assert seen["arm"] == {
        "checker": ["grasp", "crane.grasp"],
        "pass": ["grasp", "crane.grasp"],
        "reporter": [],
    }
    assert seen["crane"]["checker"] == ["arm.grasp", "grasp"]
    assert seen_in(found.verified_plan().spec) == ["arm.grasp", "crane.grasp"]


def test_node_added_by_a_pass_belongs_to_its_pack(site):
    opened, _ = site
    found = examine(load_text(ASKS).document, first_request(opened, "go"))
    assert seen_in(found.verified_plan().spec) == ["arm.grasp"]


def test_short_name_in_a_plan_is_an_error(site):
    opened, _ = site
    plan = load_text("{mission: {command: go}, root: {do: grasp}}").document
    with pytest.raises(SpecError, match=r"write arm\.grasp or crane\.grasp"):
        examine(plan, first_request(opened, "go")).verified_plan()


def test_reporters_get_short_names(site):
    opened, seen = site
    with Session(opened, fast=True) as session:
        outcome = session.run("go", load_text(TWO).document)
    assert outcome.reason_code == "SLIPPED" or outcome.status == "blocked"
    assert seen["arm"]["reporter"][:2] == ["grasp", "crane.grasp"]
    assert seen["arm"]["reporter"][-4:] == [["grasp"], "crane.grasp", ["grasp", "crane.grasp"], []]
    assert seen["crane"]["reporter"][-4:] == [["arm.grasp"], "grasp", ["arm.grasp", "grasp"], []]


def test_plan_formats_use_short_names(site):
    opened, _ = site
    for name in ("arm", "crane"):
        form = find_plan_format(name, opened)
        spec = form.read("", "plan.json", "go")
        assert seen_in(spec) == [f"{name}.grasp"]
        assert form.write(spec) == "grasp"
