"""Several packs: clashing names become `pack.name`, and packs declare their requirements."""

from __future__ import annotations

from typing import Literal

import pytest

from bt_exec import Pack, Rig, Running, Session, Steps, Verdict, condition, load_site, skill
from bt_exec.failure import SpecError
from bt_exec.nodes.fault_injection import Faults
from bt_exec.pack import Catalogue
from bt_exec.site.site import load_site as load
from bt_exec.site.tree_schema import tree_schema
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec, Tree
from bt_exec.testing import FakeClock, ScriptedRobot
from bt_exec.verify import verify_document

Arm = Literal["left", "right"]


@skill(fails={"STUCK"})
def open_it(robot: ScriptedRobot, arm: Arm = "left") -> Steps:
    """Open the gripper."""
    robot.log.append(f"gripper {arm}")
    yield Running()


@skill(name="open_it")
def open_valve(robot: ScriptedRobot, turns: int = 1) -> Steps:
    """Open the valve."""
    robot.log.append(f"valve {turns}")
    yield Running()


@condition
def ready() -> Verdict:
    """Return True."""
    return Verdict.yes("the arm is ready")


@condition(name="ready")
def warm() -> Verdict:
    """Return True."""
    return Verdict.no("the plant is cold")


ARM_TREE = """
tree: open_gripper
utterances: [open the gripper]
params: {arm: {type: Side, default: right}}
root: {do: open_it, with: {arm: $arm}, while: {ready: {}, else: NOT_READY}}
"""
PLANT_TREE = """
tree: open_plant
utterances: [open the plant]
params: {turns: {type: Side, default: 2}}
root: {do: open_it, with: {turns: $turns}, skip_if: {not: {any: [{not: ready}]}}}
"""
OWN_TREE = """
tree: both
root: {sequence: [{do: arm.open_it}, {do: plant.open_it, with: {turns: 3}}, {check: arm.ready}]}
"""


@pytest.fixture
def packs(tmp_path, monkeypatch):
    """Return two packs that both have `open_it`, `ready` and the type `Side`."""

    def rig(settings, world):
        return Rig(ScriptedRobot(), simulation=FakeClock())

    found = {}
    for name, tree, parts, hint in (
        ("arm", ARM_TREE, (open_it, ready), Arm),
        ("plant", PLANT_TREE, (open_valve, warm), int),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.yml").write_text(tree)
        found[name] = Pack(
            name,
            skills=parts[:1],
            conditions=parts[1:],
            types={"Side": hint},
            trees=folder,
            robots={"sim": rig},
        )
    monkeypatch.setattr("bt_exec.site.site.pack_names", lambda: tuple(found))
    monkeypatch.setattr("bt_exec.site.site.find_pack", found.__getitem__)
    return found


def site_of(tmp_path, *names):
    file = tmp_path / "site.yaml"
    lines = "".join(f"  {name}: {{robot: sim}}\n" for name in names)
    file.write_text(f"site: s\npacks:\n{lines}")
    return load(str(file))


def test_unique_names_have_no_prefix(packs, tmp_path):
    catalogue = site_of(tmp_path, "arm").catalogue
    assert list(catalogue.skills) == ["open_it", "wait"]
    assert catalogue.shared == {}


def test_clashing_names_are_prefixed(packs, tmp_path):
    catalogue = site_of(tmp_path, "arm", "plant").catalogue
    assert list(catalogue.skills) == ["arm.open_it", "plant.open_it", "wait"]
    assert list(catalogue.conditions)[:2] == ["arm.ready", "plant.ready"]
    assert catalogue.types["arm.Side"] == Arm
    assert catalogue.types["plant.Side"] is int
    assert catalogue.skill("plant.open_it").name == "plant.open_it"
    assert catalogue.owner("plant.open_it") == "plant"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "root: {do: open_it}",
            "there is no skill 'open_it'; packs arm and plant both define it: "
            "write arm.open_it or plant.open_it",
        ),
        (
            "root: {check: ready}",
            "there is no condition 'ready'; packs arm and plant both define it: "
            "write arm.ready or plant.ready",
        ),
        (
            "params: {a: {type: Side, default: left}}\nroot: {check: arm.ready}",
            "there is no type 'Side'; packs arm and plant both define it: "
            "write arm.Side or plant.Side",
        ),
    ],
)
def test_ambiguous_name_error_lists_both_packs(packs, text, said):
    tree = load_text(f"tree: t\n{text}\n").document
    (problem,) = verify_document(tree, Catalogue(packs.values()), Library())
    assert problem.message == said


def test_trees_of_a_pack_use_its_skills_and_conditions(packs, tmp_path):
    site = site_of(tmp_path, "arm", "plant")
    assert site.library.get("open_gripper").root.do == "arm.open_it"
    assert site.library.get("open_gripper").params["arm"].type == "arm.Side"
    assert str(site.library.get("open_gripper").root.guard) == "arm.ready"
    assert str(site.library.get("open_plant").root.skip_if) == "not not plant.ready"
    assert site_of(tmp_path, "arm").library.get("open_gripper").root.do == "open_it"


def test_mission_drives_the_robot_of_the_pack(packs, tmp_path):
    site = site_of(tmp_path, "arm", "plant")
    site.library.add(*load_text(OWN_TREE))
    plan = MissionSpec(mission=Mission(command="both"), root=Tree(tree="both"))
    with Session(site, fast=True) as session:
        outcome = session.run("both", plan)
        logs = {name: rig.robot.log for name, rig in session.rigs.items()}
    assert outcome.status == "satisfied"
    assert logs == {"arm": ["gripper left"], "plant": ["valve 3"]}


def test_prefixed_name_is_usable_in_faults_and_the_schema(packs, tmp_path):
    site = site_of(tmp_path, "arm", "plant")
    faults = Faults.parse(["arm.open_it:1=STUCK"], site.catalogue.skills)
    assert faults.for_call("arm.open_it", 1) == faults.faults[0]
    names = tree_schema(site.catalogue)["$defs"]["Do"]["properties"]["do"]["anyOf"]
    assert {name["const"] for name in names} == {"arm.open_it", "plant.open_it", "wait"}
    text = "tree: t\nroot: {do: arm.open_it, while: {plant.ready: {}, else: COLD}}"
    document = load_text(text).document
    assert load_text(dump_yaml(document)).document == document


@pytest.mark.parametrize("name", ["a.b.c", ".a", "a.", "a b"])
def test_name_has_at_most_one_dot(name):
    with pytest.raises(SpecError, match="BAD_NAME"):
        load_text(f"tree: t\nroot: {{do: '{name}'}}")


def test_pack_declares_its_requirements(packs, tmp_path):
    packs["plant"] = Pack("plant", requires=("arm",), robots=packs["plant"].robots)
    with pytest.raises(SpecError) as told:
        site_of(tmp_path, "plant")
    said = "packs/plant: pack 'plant' builds on pack 'arm'; name it under 'packs', too"
    assert f"3:3: {said} [MISSING_PACK]" in str(told.value)
    assert site_of(tmp_path, "plant", "arm").name == "s"


def test_shipped_packs_do_not_clash():
    packs = [pack for name in ("door", "building") for pack in load_site(name).catalogue.packs]
    assert Catalogue({pack.name: pack for pack in packs}.values()).shared == {}
