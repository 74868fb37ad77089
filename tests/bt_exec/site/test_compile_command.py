"""Compilation for a site without its robots, and queries of vision models."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from bt_exec import plugins
from bt_exec.failure import Refusal, UnknownName
from bt_exec.models import VqaAnswer, find_visual_qa
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Plan
from bt_exec.rig import PackSettings
from bt_exec.site.compile_command import compile_command, first_request, make_compiler
from bt_exec.site.site import CompilerSettings
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import scripted_skill
from bt_exec.testing.tree_run import scripted_site

INNER = "tree: inner\nroot: {do: a}"


class Says:
    """Compiler that keeps its settings and returns the answer of its class."""

    name = "says"
    answer: object = Refusal("NO", "No.")

    def __init__(self, settings) -> None:
        self.settings = settings

    def compile(self, request):
        Says.request = request
        return self.answer


@pytest.fixture
def site(monkeypatch):
    points = [EntryPoint("says", "x:y", "any"), EntryPoint("other", "x:y", "any")]
    installed = SimpleNamespace(select=lambda **_: points)
    monkeypatch.setattr(plugins, "_all_entry_points", lambda _: installed)
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda given: Says({self.name: given}))
    found = scripted_site([scripted_skill("a", needs={"hand": "empty"})], [INNER])
    settings = CompilerSettings(name="says", speed=3)
    object.__setattr__(found, "compiler", settings)
    return found


def answers(monkeypatch, tree: str) -> MissionSpec:
    root = load_text(f"tree: t\nroot: {tree}").document.root
    spec = MissionSpec(mission=Mission(command="go", compiler="says"), root=root)
    monkeypatch.setattr(Says, "answer", Plan(spec))
    return spec


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (None, {"says": {"speed": 3}}),
        ("says", {"says": {"speed": 3}}),  # the compiler of the site keeps its settings
        ("other", {"other": {}}),
        ("other:a.yaml", {"other": {"file": "a.yaml"}}),
        ("says:a:b.yaml", {"says": {"file": "a:b.yaml"}}),
    ],
)
def test_compiler_and_settings_are_selected(site, name, settings):
    assert make_compiler(site, name).settings == settings


def test_unknown_compiler_error_lists_the_known_ones(site):
    with pytest.raises(UnknownName, match=r"there is no compiler 'oter'; known.*: other, says"):
        make_compiler(site, "oter")


def test_request_needs_no_robot(site):
    request = first_request(site, "가")
    assert (request.command, request.language, request.situation) == ("가", "ko", Situation())
    assert (request.catalogue, request.library) == (site.catalogue, site.library)
    assert (request.messages, request.settings) == (site.messages, {"test": PackSettings()})
    situation = Situation(("cup",))
    assert first_request(site, "go", situation).situation is situation
    assert first_request(site, "go").language == "en"


def test_plan_is_returned_as_written_and_as_expanded(site, monkeypatch):
    written = answers(monkeypatch, "{tree: inner}")
    situation = Situation(facts={"hand": "empty"})
    found = compile_command(site, "go", situation=situation)
    assert found.ok
    assert found.written is written
    assert (written.root.body, found.plan.root.body.do) == (None, "a")
    assert Says.request.situation is situation


def test_plan_that_fails_verification_is_a_refusal_with_its_problems(site, monkeypatch):
    answers(monkeypatch, "{do: a}")
    found = compile_command(site, "go", situation=Situation(facts={"hand": "cup"}))
    assert (found.ok, found.plan) == (False, None)
    assert "a needs hand to be empty, but it will be cup" in found.refusal.problems[0]


def test_refusal_is_passed_on(site):
    found = compile_command(site, "go", compiler="other")
    assert (found.ok, found.refusal) == (False, Refusal("NO", "No."))


def test_visual_qa_model_is_created_by_name_with_its_settings(site):
    assert find_visual_qa("other", {"model": "small"}).settings == {"other": {"model": "small"}}
    with pytest.raises(UnknownName, match=r"no visual_qa model 'nobody'; known.*: other, says"):
        find_visual_qa("nobody", {})


def test_visual_qa_result_is_an_answer_or_an_error():
    assert (VqaAnswer().data, VqaAnswer().why) == (None, "")
    assert VqaAnswer(why="MODEL_TIMEOUT").data is None
