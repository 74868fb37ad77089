"""Flat plans are equivalent to nested ones, and the schema allows the names of the site."""

from __future__ import annotations

import pytest

from bt_exec.spec.dump import to_data
from bt_exec_llm.model_compiler.flat_format import from_flat, to_flat
from bt_exec_llm.model_compiler.plan_schema import plan_schema, tree_list_schema
from tests.llm.model_compiler.fake_door import SITE, run_paper

NESTED = {
    "sequence": [
        {"do": "open_door", "with": {"arm": "right", "object_label": "door"}, "retry": 2},
        {
            "check": {"all": [{"not": {"door_is": {"state": "closed"}}}, "material_visible"]},
            "else": "GONE",
        },
        {"fallback": [{"tree": "take_material"}, {"tree": "take_material_again"}]},
        {"do": "return_home", "skip_if": "arms_home", "timeout": "5s"},
        {
            "do": "open_door",
            "with": {"arm": "left"},
            "while": {"door_is": {"state": "open"}, "else": "SHUT"},
        },
        {"do": "return_home", "while": {"arms_home": {}, "else": "MOVED"}},
        {"check": "arms_home", "else": "AWAY", "while": {"not": "arms_home", "else": "MOVED"}},
    ]
}


def test_flat_format_round_trip_keeps_the_plan():
    wired = from_flat({"nodes": to_flat(NESTED)})
    assert (wired.root, wired.problems) == (NESTED, [])
    assert wired.places["root/sequence[2]/fallback[1]"] == "n6"


@pytest.mark.parametrize("tree", SITE.library.names())
def test_library_trees_can_be_converted_to_the_flat_format(tree):
    root = to_data(SITE.library.get(tree))["root"]
    assert from_flat({"nodes": to_flat(root)}).root == root


def test_schema_lists_known_names_and_has_no_recursion():
    import anthropic  # slow to import, and needed by two tests only

    made = plan_schema(SITE.catalogue, SITE.library)
    branches = made["properties"]["nodes"]["items"]["properties"]["step"]["anyOf"]
    runs = [branch["properties"] for branch in branches]
    named = [name for branch in runs for name in branch["runs"]["enum"]]
    assert named == [*SITE.catalogue.skills, *SITE.library.names()]
    grasp = next(branch["with"] for branch in runs if branch["runs"]["enum"] == ["grasp"])
    assert grasp["required"] == ["arm", "object_label"]
    assert grasp["properties"]["arm"]["enum"] == ["left", "right"]
    assert "$ref" not in str(made)
    assert made["additionalProperties"] is False
    assert anthropic.transform_schema(made)["properties"].keys() == made["properties"].keys()


def test_large_site_gets_a_single_schema_branch(monkeypatch):
    monkeypatch.setattr("bt_exec_llm.model_compiler.plan_schema.MOST_BRANCHES", 5)
    node = plan_schema(SITE.catalogue, SITE.library)["properties"]["nodes"]["items"]["properties"]
    assert set(node["step"]["properties"]["runs"]["enum"]) == {
        *SITE.catalogue.skills,
        *SITE.library.names(),
    }


def test_short_schema_contains_only_trees_and_arguments():
    import anthropic

    made = tree_list_schema(SITE.catalogue, SITE.library)
    steps = made["properties"]["steps"]["items"]["anyOf"]
    assert [step["properties"]["tree"]["enum"][0] for step in steps] == list(SITE.library.names())
    assert anthropic.transform_schema(made)


@pytest.mark.parametrize("flavour", ["claude", "ollama", "vllm", "llama.cpp", "lm-studio", "bare"])
@pytest.mark.parametrize("command", ["문 안의 자재를 가져와", "open the door"])
def test_mission_is_the_same_in_every_output_tier(server, over_http, flavour, command):
    from bt_exec_llm.testing.messages_connection import CLAUDE, FLAVOURS
    from bt_exec_llm.testing.messages_replies import answer
    from tests.llm.model_compiler.corpus import good_answer

    tree = "get_material" if "자재" in command else "open_door"
    nodes = [{"id": "n1", "kind": "tree", "runs": tree}]
    flat = {"explanation": "", "cannot": "", "assumes": [], "subgoals": [], "nodes": nodes}
    server.flavour = FLAVOURS[flavour]
    try:
        model = f"model-of-{flavour}-{tree}"
        compiler = over_http([answer(flat, plain=good_answer(command))], tier="auto", model=model)
        run = run_paper(command, compiler)
    finally:
        server.flavour = FLAVOURS["ollama"]
    assert (run.outcome.status, run.outcome.planner_calls) == ("satisfied", 1)
    if flavour == CLAUDE.name:
        assert "output_config" in server.requests[0].body
        assert server.requests[0].body["system"][1]["cache_control"] == {"type": "ephemeral"}
