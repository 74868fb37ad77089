"""Compiler with a given plan, which the library repairs after a failure."""

from __future__ import annotations

from bt_exec.failure import Failure
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.failed_part_repair import FixedPlanCompiler
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Tree
from bt_exec.testing import scripted_skill
from bt_exec.testing.tree_run import scripted_site


def test_given_plan_is_returned_for_the_command():
    text = "mission: {command: old, language: ko, compiler: other}\nroot: {do: wave}\n"
    spec = load_text(text).document
    answer = FixedPlanCompiler(spec).compile(Request("new", "en", Catalogue([]), Library()))
    assert isinstance(answer, Plan)
    assert answer.spec.root == spec.root
    mission = answer.spec.mission
    assert (mission.command, mission.language, mission.compiler) == ("new", "en", "other")


def test_alternative_for_the_failed_part_is_used_after_a_failure():
    trees = [
        "tree: open\notherwise: [{on: [STUCK], tree: pry}]\nroot: {do: pull}",
        "tree: pry\nroot: {do: lever}",
    ]
    site = scripted_site([scripted_skill("pull", ["STUCK"]), scripted_skill("lever")], trees)
    text = "mission: {command: open it}\nroot: {sequence: [{tree: open}]}"
    spec = expand(load_text(text).document, site.library)
    failed = Request(
        "open it",
        "en",
        site.catalogue,
        site.library,
        previous=spec,
        failure=Failure("STUCK", path="open/pull", node="pull"),
    )
    answer = FixedPlanCompiler(spec).compile(failed)
    assert isinstance(answer, Plan)
    (part,) = answer.spec.root.children
    assert isinstance(part, Tree)
    assert part.tree == "pry"
    header = answer.spec.mission
    assert (header.compiler, header.plan_version, header.parent) == ("given", 2, 1)
