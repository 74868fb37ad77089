"""Sites with several robots of one pack: names, facts, claims, trees and settings of each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec import Pack, Session, Verdict, condition
from bt_exec.failure import SpecError, UsageError
from bt_exec.mission.rig_construction import check_world, world_settings
from bt_exec.planning.robot_views import site_situation
from bt_exec.rig import WorldSettings
from bt_exec.site.site import load_site
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Do, Tree, walk
from bt_exec.testing import FakeObservation
from bt_exec.verify import verify_document, verify_mission
from tests.bt_exec.carts import carts

TWO = """
site: s
packs:
  cart_a: {pack: cart, robot: sim, called: {en: [cart A], ko: [카트 A]}}
  cart_b: {pack: cart}
"""


class World(WorldSettings):
    """A world with a seed."""

    seed: int = 0


@condition
def gate_open() -> Verdict:
    """Return True if the gate is open."""
    return Verdict.yes("open")


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a site of the packs `cart`, `gate` and `rider`, which requires `cart`."""
    (tmp_path / "trees").mkdir()
    packs = {
        "cart": carts(tmp_path / "trees", world=World, requires=("gate",)),
        "gate": Pack("gate", conditions=(gate_open,), facts={"gate": ("open", "closed")}),
        "rider": Pack("rider", requires=("cart",)),
    }
    monkeypatch.setattr("bt_exec.site.site.pack_names", lambda: tuple(packs))
    monkeypatch.setattr("bt_exec.site.site.find_pack", packs.__getitem__)

    def load_text_of(text):
        file = tmp_path / "site.yaml"
        file.write_text(text, encoding="utf-8")
        return load_site(str(file))

    return load_text_of


@pytest.fixture
def site(load):
    return load(TWO + "  gate: {}\n")


def plan(text):
    return load_text(f"{{mission: {{command: go}}, root: {text}}}").document


def codes(problems):
    return [problem.code for problem in problems]


def test_parts_are_prefixed_with_their_robot(site):
    assert set(site.catalogue.skills) >= {"cart_a.go", "cart_b.go", "cart_a.load", "cart_b.load"}
    own = {
        f"{robot}.{tree}"
        for robot in ("cart_a", "cart_b")
        for tree in ("fetch", "go_home", "wait_here")
    }
    assert set(site.library.names()) == {*own, "pause"}
    assert site.catalogue.robots_sharing_pack == ("cart_a", "cart_b")
    assert site.pack_kinds == ("cart", "gate")


def test_names_of_a_single_robot_have_no_prefix(load):
    site = load("site: s\npacks: {cart_a: {pack: cart}, gate: {}}\n")
    assert set(site.library.names()) == {"fetch", "go_home", "wait_here", "pause"}
    assert site.catalogue.robots_sharing_pack == ()
    assert site.catalogue.skill("load").needs == {"at": "shelf", "load": "empty"}


def test_facts_and_claims_belong_to_one_robot(site):
    own = site.catalogue.skill("cart_a.load")
    assert own.needs == {"cart_a/at": "shelf", "cart_a/load": "empty"}
    assert own.effects == {"cart_a/load": "box"}
    assert own.uses == {"cart_a/base"}
    assert site.catalogue.conditions["cart_b.at"].establishes == {"cart_b/at": "{place}"}
    assert set(site.catalogue.facts.names()) == {
        "cart_a/at",
        "cart_a/load",
        "cart_b/at",
        "cart_b/load",
        "gate",
    }


def test_facts_of_a_required_pack_are_shared(site):
    facts = {"gate": "open", "at": "dock"}
    on_site = site.catalogue.facts_on_site("cart_a", facts)
    assert on_site == {"gate": "open", "cart_a/at": "dock"}
    assert site.catalogue.facts_in_pack("cart_a", on_site | {"cart_b/at": "shelf"}) == facts


def test_observations_of_robots_keep_their_facts_and_labels_apart(site):
    seen = {
        "cart_a": FakeObservation(0.0, ("box",), {"gate": "open", "at": "dock"}),
        "cart_b": FakeObservation(0.0, ("box", "man"), {"at": "shelf"}),
    }
    found = site_situation(site.catalogue, seen)
    assert found.facts == {"gate": "open", "cart_a/at": "dock", "cart_b/at": "shelf"}
    assert found.labels_by == {"cart_a": ("box",), "cart_b": ("box", "man")}
    assert (found.labels, found.text) == (("box", "man"), "box · box, man")


def test_trees_call_trees_of_their_robot(site):
    tree = site.library.get("cart_b.fetch")
    assert [node.tree for node in walk(tree.root) if isinstance(node, Tree)] == ["cart_b.go_home"]
    assert [node.do for node in walk(tree.root) if isinstance(node, Do)] == [
        "cart_b.go",
        "cart_b.load",
    ]
    assert tree.otherwise[0].tree == "cart_b.wait_here"
    assert site.catalogue.with_pack_names("cart_b", tree).otherwise[0].tree == "wait_here"


def test_two_robots_may_use_the_same_resource_at_once(site):
    at_once = "{parallel: [{do: %s, with: {place: dock}}, {do: %s, with: {place: shelf}}]}"
    for robots, found in (
        (("cart_a.go", "cart_b.go"), []),
        (("cart_a.go",) * 2, ["CLAIMED_TWICE"]),
    ):
        problems = verify_document(plan(at_once % robots), site.catalogue, site.library)
        assert codes(problems) == found


def test_needs_are_compared_with_facts_of_the_same_robot(site):
    facts = {"cart_a/at": "shelf", "cart_b/at": "dock"}
    for robot, found in (("cart_a", []), ("cart_b", ["NEED_NOT_MET"])):
        problems = verify_mission(plan(f"{{do: {robot}.load}}"), site.catalogue, facts=facts)
        assert codes(problems) == found


def test_robots_move_and_report_facts_separately(site):
    with Session(site, fast=True) as session:
        outcome = session.run("go", plan("{do: cart_b.go, with: {place: shelf}}"))
        assert outcome.status == "satisfied"
        assert session.rigs["cart_a"].robot.log == ["at dock"]
        assert session.facts() == {
            "cart_a/at": "dock",
            "cart_a/load": "empty",
            "cart_b/at": "shelf",
            "cart_b/load": "empty",
        }


def test_world_settings_may_apply_to_one_robot(site):
    packs = {pack.name: pack for pack in site.catalogue.packs}
    world = {"seed": "1", "cart_b.seed": "2"}
    check_world(site, world)
    assert [world_settings(packs[name], world).seed for name in ("cart_a", "cart_b")] == [1, 2]
    with pytest.raises(UsageError, match=r"cart_a\.seed"):
        check_world(site, {"cart_a.sed": "1"})


@pytest.mark.slow
def test_real_robots_without_identity_count_as_one(site, monkeypatch):
    simulated = site.catalogue.packs[0].robots["sim"]

    def real(settings, world):
        return replace(simulated(settings, world), simulation=None)

    monkeypatch.setitem(site.catalogue.packs[0].robots, "sim", real)
    with pytest.raises(UsageError, match=r"cart\.sim is in use by this process"), Session(site):
        pass


@pytest.mark.parametrize(
    ("packs", "position", "message"),
    [
        ("cart_a: {pack: crt}", "2:24", "there is no pack 'crt'"),
        ("cart-a: {pack: cart}, gate: {}", "2:9", "the name of a robot has letters"),
        ("site: {pack: cart}, gate: {}", "2:9", "the name of a robot has letters"),
        ("cart_a: {pack: cart, robot: smi}, gate: {}", "2:37", "there is no robot 'smi'"),
        ("cart_a: {pack: cart, sped: 1}, gate: {}", "2:30", "pack cart_a has no setting 'sped'"),
        (
            "cart_a: {pack: cart, called: {en: [X y]}}, gate: {}, "
            "cart_b: {pack: cart, called: {en: [xY]}}",
            "2:96",
            "'xY' is the name of 'cart_a' already",
        ),
        (
            "cart_a: {pack: cart}, cart_b: {pack: cart}, gate: {}, rider: {}",
            "2:63",
            "pack 'rider' builds on pack 'cart', and the site has several: cart_a, cart_b",
        ),
    ],
)
def test_problems_are_reported_with_their_positions(load, packs, position, message):
    with pytest.raises(SpecError) as error:
        load(f"site: s\npacks: {{{packs}}}\n")
    assert f"site.yaml:{position}: " in str(error.value)
    assert message in str(error.value)
    assert len(error.value.problems) == 1


def test_site_replaces_a_tree_of_one_robot(load, tmp_path):
    (tmp_path / "own").mkdir()
    own = "tree: cart_a.go_home\nroot: {do: cart_a.go, with: {place: dock}}"
    both = "tree: both_home\nroot: {sequence: [{tree: cart_a.go_home}, {tree: cart_b.go_home}]}"
    (tmp_path / "own" / "home.yaml").write_text(own)
    (tmp_path / "own" / "both.yaml").write_text(both)
    site = load(TWO + "  gate: {}\ntrees: own\noverrides: [cart_a.go_home]\n")
    assert site.library.get("cart_a.go_home").root.skip_if is None
    assert site.library.get("cart_b.go_home").root.skip_if is not None
    assert len(site.replaced) == 1


def test_tools_of_a_site_are_available_for_every_robot(load, tmp_path):
    (tmp_path / "tools.py").write_text(
        "from bt_exec import Running, Steps, skill\n\n"
        "@skill(effects={'load': 'empty'})\ndef drop(robot) -> Steps:\n"
        '    """Drop the box."""\n    yield Running()\n'
    )
    site = load(TWO + "  gate: {}\ntools: [tools.py]\n")
    assert site.catalogue.skill("cart_b.drop").effects == {"cart_b/load": "empty"}
