"""Command compiled without a robot: its result as one object."""

from dataclasses import replace

import pytest

from bt_exec import Running, Steps, compile_command, load_site, skill
from bt_exec.pack import Catalogue, Pack
from bt_exec.spec.model import Do
from bt_exec.testing.tree_run import scripted_site

LEXICON = """
verbs:
  pour: {en: [pour], ko: [따르다]}
nouns:
  coffee: {en: [coffee], ko: [커피]}
values:
  Count:
    "2": {en: [double], ko: [더블]}
"""
TREE = """
tree: pour_coffee
utterances: [pour a double]
params: {n: {type: Count}, hot: {type: boolean, default: false}}
root: {do: pour, with: {n: $n, hot: $hot}}
"""


@skill
def pour(n: int, hot: bool) -> Steps:
    """Pour coffee."""
    yield Running()


@pytest.fixture
def cafe(tmp_path):
    lexicon = tmp_path / "lexicon.yaml"
    lexicon.write_text(LEXICON)
    site = scripted_site([], [TREE])
    return replace(
        site,
        catalogue=Catalogue([Pack("cafe", skills=(pour,), types={"Count": int}, lexicon=lexicon)]),
    )


def test_result_contains_the_written_and_the_expanded_plan():
    compiled = compile_command(load_site("door"), "close the door")
    assert compiled.ok
    assert compiled.refusal is None
    assert compiled.written.root.tree == "close_door"
    assert compiled.written.root.body is None
    assert compiled.plan.root.body is not None


def test_refusal_contains_its_reason():
    compiled = compile_command(load_site("door"), "make me a sandwich")
    assert not compiled.ok
    assert (compiled.plan, compiled.written) == (None, None)
    assert compiled.refusal.code == "UNKNOWN_OBJECT"


def test_plan_that_fails_verification_is_a_refusal(cafe):
    site = replace(cafe, catalogue=Catalogue([replace(cafe.catalogue.packs[0], skills=())]))
    compiled = compile_command(site, "pour a double")
    assert not compiled.ok
    assert compiled.refusal.code == "PLAN_REJECTED"
    assert "there is no skill 'pour'" in compiled.refusal.problems[0]
    assert compiled.written.root.tree == "pour_coffee"


def test_lexicon_values_are_converted_to_their_types(cafe):
    compiled = compile_command(cafe, "pour a double")
    assert compiled.refusal is None
    assert compiled.written.root.args == {"n": 2}
    (step,) = [compiled.plan.root.body]
    assert isinstance(step, Do)
    assert step.args == {"n": 2, "hot": False}
