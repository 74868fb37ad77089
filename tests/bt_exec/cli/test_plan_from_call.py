"""``do SKILL``, ``run --tree``, plans from standard input and unfired faults."""

from __future__ import annotations

import json

import pytest

from bt_exec.cli.plan_from_call import plan_of_skill, plan_of_tree
from bt_exec.failure import SpecError, UnknownName, UsageError
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.model import Do, Tree
from bt_exec.testing.tree_run import scripted_site
from tests.bt_exec.cli.conftest import Run


@skill(fails={"SPILT"})
def pour(
    cups: int, into: str = "mug", hot: bool = False, shares: list[float] | None = None
) -> Steps:
    """Pour some cups."""
    yield Running()


SERVE = """
tree: serve
params: {cups: {type: integer}, into: {type: text, default: mug}}
root: {do: pour, with: {cups: $cups, into: $into}}
"""
SITE = scripted_site([pour], [SERVE])


def test_arguments_are_parsed_by_their_types():
    texts = ["cups=2", "into=5", "hot=true", "shares=[0.5, 1]"]
    spec = plan_of_skill("pour", texts, SITE)
    assert isinstance(spec.root, Do)
    assert spec.root.args == {"cups": 2, "into": "5", "hot": True, "shares": [0.5, 1]}
    assert spec.mission.command == "pour cups=2 into=5 hot=true shares=[0.5, 1]"


def test_text_that_looks_like_a_reference_is_literal():
    spec = plan_of_skill("pour", ["cups=1", "into=$x=y"], SITE)
    assert isinstance(spec.root, Do)
    assert spec.root.args["into"] == "$$x=y"


def test_tree_accepts_its_parameters():
    spec = plan_of_tree("serve", ["cups=3"], SITE)
    assert isinstance(spec.root, Tree)
    assert isinstance(spec.root.body, Do)
    assert spec.root.body.args == {"cups": 3, "into": "mug"}


@pytest.mark.parametrize("plan", [plan_of_skill, plan_of_tree])
@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ([], UsageError, "needs cups=integer"),
        (["cups"], UsageError, "'cups' must be KEY=VALUE"),
        (["=1"], UsageError, "'=1' must be KEY=VALUE"),
        (["cups=1", "cups=2"], UsageError, "cups is given twice"),
        (["cup=1"], UnknownName, "nearest first: cups"),
        (["cups=many"], SpecError, "WRONG_TYPE"),
        (["cups=[1"], SpecError, "WRONG_TYPE"),
    ],
)
def test_error_message_explains_wrong_arguments(plan, texts, error, message):
    name = "pour" if plan is plan_of_skill else "serve"
    with pytest.raises(error, match=message):
        plan(name, texts, SITE)


def test_unknown_name_error_lists_the_nearest_names():
    with pytest.raises(UnknownName, match="nearest first: pour"):
        plan_of_skill("por", [], SITE)
    with pytest.raises(UnknownName, match="nearest first: serve"):
        plan_of_tree("srve", [], SITE)


def test_skill_runs_from_the_command_line(bt: Run) -> None:
    ran = bt("do", "return_home", "--site", "door", "--fast", "--no-journal", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["status"] == "satisfied"


def test_skill_with_unmet_needs_is_refused(bt: Run) -> None:
    words = ["do", "release", "arm=left", "--site", "door", "--fast", "--no-journal"]
    ran = bt(*words)
    assert ran.code in (3, 5), ran.out
    ran = bt("do", "release", "arm=middle", "--site", "door", "--no-journal")
    assert ran.code == 2
    assert "takes left|right" in ran.err


def test_tree_runs_from_the_command_line_and_unfired_faults_are_reported(bt: Run) -> None:
    words = ["run", "--tree", "arms_home", "--site", "door", "--fast", "--no-journal"]
    ran = bt(*words, "--fault", "return_home:7=TIMEOUT", "--json")
    assert ran.code == 0, ran.err
    assert (
        "The injected fault return_home:7=TIMEOUT did not occur: bring the arms home never ran."
        in ran.err
    )


def test_plan_is_read_from_standard_input(bt: Run) -> None:
    plan = "tree: home\nroot: {do: return_home}\n"
    words = ["run", "--plan", "-", "--site", "door", "--fast", "--no-journal", "--json"]
    assert bt(*words, stdin=plan).code == 0
    ran = bt(*words, stdin="tree: home\nroot: {do: return_hom}\n")
    assert ran.code == 2
    assert "standard input:2:12: root/do: there is no skill 'return_hom'" in ran.err


def test_tree_and_plan_options_exclude_each_other(bt: Run) -> None:
    ran = bt("run", "--tree", "open_door", "--plan", "x.yaml")
    assert ran.code == 2
    assert "contradict each other" in ran.err
