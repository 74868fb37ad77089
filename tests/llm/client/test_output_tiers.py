"""Tiers of the output format: selection, probing, memory, and the request of each tier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_exec_llm.client import Block, Image, ModelFailure, Question, Turn
from bt_exec_llm.testing.messages_replies import answer, error, text, tool_use

SCHEMA = {
    "type": "object",
    "properties": {"door": {"type": "string"}, "sure": {"type": "boolean"}},
    "required": ["door"],
    "additionalProperties": False,
}
OPEN = {"door": "open", "sure": True}
ASKED = Question([Block("rules", cache=True)], [Turn.user("is the door open?")], SCHEMA)

FOUND_OUT = [
    # server, tier of each of three answers, requests of each
    ("claude", ["schema", "schema", "schema"], [1, 1, 1]),
    ("vllm", ["schema", "schema", "schema"], [1, 1, 1]),
    ("ollama", ["text", "text", "text"], [1, 1, 1]),
    ("llama.cpp", ["text", "tool", "tool"], [1, 1, 1]),
    ("lm-studio", ["tool", "tool", "tool"], [2, 1, 1]),
    ("bare", ["text", "text", "text"], [3, 1, 1]),
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("flavour", "tiers", "requests"), FOUND_OUT)
def test_tier_of_a_server_is_probed_and_remembered(
    serve: Any, connect: Any, flavour: str, tiers: list[str], requests: list[int], stream: bool
) -> None:
    server = serve([answer(OPEN)], flavour=flavour)
    answers = [connect(server, stream=stream).ask(ASKED) for _ in range(3)]
    assert [each.data for each in answers] == [OPEN] * 3
    assert [each.tier for each in answers] == tiers
    assert [each.usage.requests for each in answers] == requests
    last = {"claude": "schema", "vllm": "schema", "llama.cpp": "tool", "lm-studio": "tool"}
    assert connect(server).tier == last.get(flavour, "text")


def test_tier_is_remembered_by_model_and_address(serve: Any, connect: Any) -> None:
    bare, claude = serve([answer(OPEN)], flavour="bare"), serve([answer(OPEN)])
    connect(bare).ask(ASKED)
    assert connect(bare).tier == "text"
    assert connect(bare, model="other").tier == "schema"
    assert connect(claude).tier == "schema"
    assert connect(bare, tier="tool").tier == "tool"


def test_next_tier_is_tried_after_an_ignored_schema_or_unreadable_answer(
    serve: Any, connect: Any
) -> None:
    server = serve([text("The door? Wide open."), tool_use(OPEN)])
    client = connect(server)
    found = client.ask(ASKED)
    assert (found.data, found.tier, found.usage.requests) == (OPEN, "tool", 2)
    assert client.tier == "tool"


def test_bad_request_keeps_the_schema_tier(serve: Any, connect: Any) -> None:
    server = serve([error(400, "invalid_request_error", "image is broken")])
    client = connect(server)
    with pytest.raises(ModelFailure, match="image is broken") as caught:
        client.ask(ASKED)
    assert (caught.value.code, caught.value.usage.requests) == ("MODEL_BAD_REQUEST", 3)
    assert client.tier == "schema"


def test_other_failures_are_not_retried_in_another_tier(serve: Any, connect: Any) -> None:
    server = serve([error(401, "authentication_error")])
    with pytest.raises(ModelFailure):
        connect(server).ask(ASKED)
    assert len(server.requests) == 1


def test_configured_tier_is_the_only_one_tried(serve: Any, connect: Any) -> None:
    bare = serve([answer(OPEN)], flavour="bare")
    with pytest.raises(ModelFailure, match="MODEL_BAD_REQUEST"):
        connect(bare, tier="schema").ask(ASKED)
    assert len(bare.requests) == 1
    assert connect(bare, tier="text").ask(ASKED).data == OPEN
    prose = connect(serve([text("Wide open.")]), tier="schema").ask(ASKED)
    assert (prose.data, prose.text, prose.tier) == (None, "Wide open.", "text")


def test_unenforceable_schema_uses_the_tool_tier(serve: Any, connect: Any) -> None:
    server = serve([answer({"anything": 1})])
    found = connect(server).ask(Question([], [Turn.user("hi")], {"properties": {"anything": {}}}))
    assert (found.tier, found.data) == ("tool", {"anything": 1})


def test_question_without_schema_has_one_tier(serve: Any, connect: Any) -> None:
    server = serve(["hello"])
    client = connect(server)
    found = client.ask(Question([Block("rules")], [Turn.user("hi")]))
    assert (found.text, found.data, found.tier) == ("hello", None, "text")
    body = {"model", "max_tokens", "messages", "system", "temperature"}
    assert set(server.requests[0].body) == body
    assert client.tier == "schema"


def test_request_body_depends_on_the_tier(serve: Any, connect: Any) -> None:
    server = serve([answer(OPEN)])
    for tier in ("schema", "tool", "text"):
        connect(server, tier=tier).ask(ASKED)
    schema, tool, plain = (seen.body for seen in server.requests)
    rules = {"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}
    assert schema["system"] == tool["system"] == plain["system"][:1] == [rules]
    assert schema["output_config"]["format"]["type"] == "json_schema"
    assert schema["output_config"]["format"]["schema"]["additionalProperties"] is False
    assert tool["tools"][0]["input_schema"] == SCHEMA
    assert tool["tool_choice"]["type"] == "tool"
    assert tool["tool_choice"]["name"] == tool["tools"][0]["name"]
    assert '"door": {"type": "string"}' in plain["system"][1]["text"]
    assert "cache_control" not in plain["system"][1]


def test_plain_text_replaces_the_schema_in_the_prompt(serve: Any, connect: Any) -> None:
    tree = "root:\n  do: go_home\n"
    server = serve([answer(OPEN, plain=tree)], flavour="bare")
    found = connect(server).ask(replace(ASKED, plain="Write YAML."))
    assert server.requests[-1].body["system"][-1]["text"] == "Write YAML."
    assert found.data == {"root": {"do": "go_home"}}
    assert found.text == tree


def test_at_most_four_blocks_are_marked_for_the_cache(serve: Any, connect: Any) -> None:
    server = serve(["hello"])
    system = [Block(f"part {number}", cache=True) for number in range(6)]
    question = Turn.user(Block("view", cache=True), "  ", Image("aGk=", "image/png"), "what?")
    connect(server).ask(Question(system, [question]))
    body = server.requests[0].body
    assert ["cache_control" in block for block in body["system"]] == [False] * 3 + [True] * 3
    assert [block["type"] for block in body["messages"][0]["content"]] == ["text", "image", "text"]
    assert "cache_control" in body["messages"][0]["content"][0]
    connect(server, cache=False).ask(Question(system, [question]))
    assert "cache_control" not in str(server.requests[1].body)


@pytest.mark.parametrize(
    ("given", "data"),
    [
        ('{"door": "open"}', {"door": "open"}),  # some servers return the model's text unchanged
        ({"Door": "open"}, {"door": "open"}),
        (["open"], None),
        ({"door": "\ud83d"}, {"door": "?"}),  # a lone surrogate
        ({"door": [[]] * 101_000}, None),  # nested too deeply
    ],
    ids=["text", "case", "list", "half", "much"],
)
def test_tool_input_is_treated_as_data(serve: Any, connect: Any, given: Any, data: Any) -> None:
    server = serve([tool_use(given)])
    found = connect(server, tier="tool").ask(ASKED)
    assert found.data == data
