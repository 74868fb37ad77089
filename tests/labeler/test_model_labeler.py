"""Labeler with a model, tested with a server of the Messages protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.clips import RECENT, cut_clip, decode_frame, pixel_digest
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import ControllerItem, Item, items_of
from bt_exec_labeler.labelers import LabelerFailure, LabelerSettings, Labelled
from bt_exec_labeler.labelers.answer_parser import answer_schema, read_records
from bt_exec_labeler.labelers.model_labeler import ModelLabeler, Options, create
from bt_exec_labeler.labelers.prompt import contact_sheet, items_turn
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client import Block, ModelClient, ModelSettings, Turn, image_block
from bt_exec_llm.testing.messages_replies import Reply, cut_off, error, html, refusal, reset, text
from bt_exec_llm.testing.messages_server import MessagesServer

Records = list[dict[str, Any]]


@pytest.fixture(scope="module")
def truth(items: Sequence[Item], vocabulary: Vocabulary) -> Records:
    return [
        found.record.to_dict() for found in RulesLabeler(vocabulary).label(items) if found.record
    ]


class Asked:
    """Labels three items against a script, and keeps the delays and the requests."""

    def __init__(self, items: Sequence[Item], vocabulary: Vocabulary) -> None:
        self.items, self.vocabulary = items, vocabulary
        self.pauses: list[float] = []
        self.labeler: ModelLabeler
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, *script: Any, **options: Any) -> Sequence[Labelled]:
        with MessagesServer(script) as server:
            client = ModelSettings(base_url=server.url, retries=0, tier="text", timeout_s=120)
            self.labeler = ModelLabeler(
                ModelClient(client),
                "controller",
                self.vocabulary,
                Options(**options),
                self.pauses.append,
            )
            try:
                return self.labeler.label(self.items)
            finally:
                self.bodies = [received.body for received in server.requests]


@pytest.fixture
def ask(items: Sequence[Item], vocabulary: Vocabulary) -> Asked:
    return Asked(items, vocabulary)


def answer(*entries: tuple[int, Any]) -> str:
    return json.dumps({"items": [{"item": number, "record": record} for number, record in entries]})


def whole(truth: Records) -> str:
    return answer(*enumerate(truth, start=1))


def records(found: Sequence[Labelled]) -> list[Any]:
    return [json.loads(json.dumps(one.record.to_dict())) if one.record else None for one in found]


def test_batch_is_sent_as_one_request(ask: Asked, truth: Records) -> None:
    found = ask(whole(truth))
    assert records(found) == truth
    assert [one.attempts for one in found] == [1, 1, 1]
    (body,) = ask.bodies
    pictures = [block for block in body["messages"][0]["content"] if block["type"] == "image"]
    assert len(pictures) == 2  # contact sheets of 16 frames: every picture is sent once
    said = json.dumps(body)
    assert "Talk to the guard at the gate." in said
    assert "summary" not in json.dumps(body["messages"])
    assert ask.labeler.usage()["requests"] == 1


def test_recorded_span_is_not_sent_to_a_model(ask: Asked, truth: Records) -> None:
    ask(whole(truth))
    said = json.dumps(ask.bodies[0]["messages"])
    assert '"op"' not in said
    assert "facts" not in said


def test_frames_can_be_sent_separately(ask: Asked, truth: Records) -> None:
    ask(whole(truth), sheet=False)
    content = ask.bodies[0]["messages"][0]["content"]
    shown = sum(block["type"] == "image" for block in content)
    distinct = {frame.digest() for item in ask.items for frame in item.recent.frames}
    assert shown == len(distinct)


def test_planner_request_contains_two_clips(
    items: Sequence[Item], vocabulary: Vocabulary, truth: Records
) -> None:
    later = next(i for i in items_of(items[0].episode, vocabulary, "planner") if i.t > 10)
    with MessagesServer([answer((1, {}))]) as server:
        client = ModelSettings(base_url=server.url, retries=0, tier="text")
        labeler = ModelLabeler(ModelClient(client), "planner", vocabulary, Options(retries=0))
        labeler.label([later])
        content = server.requests[0].body["messages"][0]["content"]
    captions = [block["text"] for block in content if block["type"] == "text"]
    assert sum(block["type"] == "image" for block in content) == 1
    assert any("\nsummary clip, " in caption for caption in captions)


def test_only_invalid_items_are_requested_again(ask: Asked, truth: Records) -> None:
    bad = {**truth[1], "uncertainty": "medium"}
    first = answer((1, truth[0]), (2, bad), (3, truth[2]))
    found = ask(first, answer((2, truth[1])))
    assert records(found) == truth
    assert [one.attempts for one in found] == [1, 2, 1]
    assert ask.pauses == [0.0]
    correction = ask.bodies[1]["messages"][-1]["content"]
    said = correction if isinstance(correction, str) else correction[0]["text"]
    assert said == (
        "This was wrong:\n- item 2: uncertainty: 'medium' is not listed; allowed: low, mid, high "
        "[UNKNOWN_UNCERTAINTY]\nAnswer again about item 2 alone, in the same form, with JSON alone."
    )


def test_permanently_invalid_items_are_dropped_and_valid_ones_kept(
    ask: Asked, truth: Records
) -> None:
    bad = {**truth[1], "horizon_steps": 99}
    found = ask(answer((1, truth[0]), (2, bad), (3, truth[2])), answer((2, bad)))
    assert records(found) == [truth[0], None, truth[2]]
    assert [breach.code for breach in found[1].breaches] == ["HORIZON_RANGE"]
    assert len(ask.bodies) == 4  # once, and three retries


FORMS: list[tuple[str, Callable[[Records], str]]] = [
    ("NOT_ONLY_JSON", lambda r: f"Here it is:\n{whole(r)}"),
    ("NOT_ONLY_JSON", lambda r: f"Sure:\n```json\n{whole(r)}\n```"),
    ("NOT_JSON", lambda r: f"```json\n{whole(r)}\n```\n```json\n{whole(r)}\n```"),
    ("NOT_ONLY_JSON", lambda r: f"<think>I am not done {whole(r)}"),
    ("NOT_JSON", lambda r: f"{whole(r)}\nI hope this helps."),
    ("NOT_JSON", lambda r: whole(r)[:-20]),
    ("NOT_JSON", lambda r: whole(r) + whole(r)),
    ("NOT_JSON", lambda r: "I cannot see a game."),
    ("NOT_JSON", lambda r: whole(r).replace('"low"', "NaN", 1)),
    ("NOT_JSON", lambda r: "[" * 100_000),
    ("KEY_TWICE", lambda r: whole(r).replace('"uncertainty"', '"horizon_steps"', 1)),
    ("NO_ITEMS", lambda r: json.dumps(r)),
    ("NO_ITEMS", lambda r: json.dumps({"records": r})),
    ("NO_ITEMS", lambda r: json.dumps({"items": {"1": r[0]}})),
    ("NO_ITEMS", lambda r: '"items"'),
    ("UNKNOWN_FIELD", lambda r: json.dumps({**json.loads(whole(r)), "note": "x"})),
    ("UNKNOWN_FIELD", lambda r: whole(r).replace('{"item": 1,', '{"item": 1, "why": "x",')),
    ("ITEM_MISSING", lambda r: answer((1, r[0]), (2, r[1]))),
    ("ITEM_MISSING", lambda r: answer()),
    ("ITEM_TWICE", lambda r: answer((1, r[0]), (1, r[0]), (2, r[1]), (3, r[2]))),
    ("UNASKED_ITEM", lambda r: answer(*enumerate(r, start=1), (4, r[0]))),
    ("UNASKED_ITEM", lambda r: answer(*enumerate(r, start=0))),
    ("NO_ITEM_NUMBER", lambda r: json.dumps({"items": [{"record": one} for one in r]})),
    ("NO_ITEM_NUMBER", lambda r: answer(*[(str(n), one) for n, one in enumerate(r, start=1)])),  # type: ignore[arg-type]
    ("NO_ITEM_NUMBER", lambda r: json.dumps({"items": r})),
    ("OTHER_MID_STEP", lambda r: answer((1, r[1]), (2, r[0]), (3, r[2]))),
    ("INJECTED_FIELD", lambda r: answer((1, {**r[0], "plan_id": "x"}), (2, r[1]), (3, r[2]))),
    ("NOT_AN_OBJECT", lambda r: answer((1, None), (2, r[1]), (3, r[2]))),
]


@pytest.mark.parametrize(("code", "form"), FORMS)
def test_malformed_answer_is_reported_and_assigns_no_record_to_a_wrong_item(
    ask: Asked, truth: Records, code: str, form: Callable[[Records], str]
) -> None:
    found = ask(form(truth), retries=0)
    assert code in {breach.code for one in found for breach in one.breaches}
    for one, true in zip(found, truth, strict=True):
        assert one.record is None or json.loads(json.dumps(one.record.to_dict())) == true


WRAPPED: list[tuple[list[str], Callable[[str], str]]] = [
    (["fence"], lambda said: f"```json\n{said}\n```"),
    (["fence"], lambda said: f"\n~~~\n{said}\n~~~\n"),
    (["thinking block"], lambda said: f"<think>\nA guard. {{}} or so.\n</think>\n\n{said}"),
    (["thinking block", "fence"], lambda said: f"<thinking>x</thinking>\n```JSON\n{said}\n```"),
    (["thinking block"], lambda said: f"A guard, so it talks.\n</think>\n{said}"),
    (["fence"], lambda said: f"```json {said}```"),
]


@pytest.mark.parametrize(("taken_off", "form"), WRAPPED)
def test_wrapping_around_an_answer_is_removed_and_reported_unless_strict(
    ask: Asked, truth: Records, taken_off: list[str], form: Callable[[str], str]
) -> None:
    found = ask(form(whole(truth)), retries=0)
    assert records(found) == truth
    assert [one.provenance["lenient"] for one in found] == [taken_off] * 3
    refused = ask(form(whole(truth)), retries=0, strict=True)
    assert records(refused) == [None] * 3
    assert refused[0].breaches[0].code == "NOT_ONLY_JSON"


@pytest.mark.parametrize(
    "record",
    ['{"mid_step_id": "\\ud800"}', '{"\\udfff": 1}', f'{{"a": {"[" * 90}{"]" * 90}}}'],
    ids=["an incomplete character", "half a key", "deep"],
)
def test_record_that_cannot_be_stored_is_a_breach(
    record: str, items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    answer = f'{{"items": [{{"item": 1, "record": {record}}}]}}'
    (found,) = read_records(answer, {1: items[0]}, vocabulary).values()
    assert isinstance(found, tuple)
    assert [breach.code for breach in found] == ["NOT_JSON"]
    assert str(found[0]).encode()


@pytest.mark.parametrize(("code", "form"), FORMS)
def test_malformed_answer_is_corrected_by_a_retry(
    ask: Asked, truth: Records, code: str, form: Callable[[Records], str]
) -> None:
    def again(body: dict[str, Any]) -> str:
        asked = [n for n in (1, 2, 3) if f"item {n}" in json.dumps(body["messages"][-1])]
        return answer(*[(number, truth[number - 1]) for number in asked])

    assert records(ask(form(truth), again)) == truth


def test_unreachable_server_is_retried_after_one_two_and_four_seconds(
    ask: Asked, truth: Records
) -> None:
    assert records(ask(error(529), reset(), error(500), whole(truth))) == truth
    assert ask.pauses == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("reply", "code", "requests"),
    [
        (error(529), "MODEL_OVERLOADED", 4),
        (html(), "MODEL_NOT_JSON", 4),
        (error(401), "MODEL_AUTH", 1),
        (error(404), "MODEL_NOT_FOUND", 1),
    ],
)
def test_permanently_unreachable_server_fails_the_batch(
    ask: Asked, reply: Reply, code: str, requests: int
) -> None:
    with pytest.raises(LabelerFailure) as failure:
        ask(reply)
    assert (failure.value.code, len(ask.bodies)) == (code, requests)


def test_only_the_item_refused_by_the_server_is_dropped(ask: Asked, truth: Records) -> None:
    def one_by_one(body: dict[str, Any]) -> Any:
        said = json.dumps(body["messages"])
        if "Item 2" in said:
            return refusal()
        steps = [record for record in truth if f"mid step {record['mid_step_id']}:" in said]
        return refusal() if "talk_gate_guard:" in said else answer((1, steps[0]))

    found = ask(one_by_one)
    assert records(found) == [truth[0], None, truth[2]]
    assert [breach.code for breach in found[1].breaches] == ["MODEL_REFUSED"]


def test_truncated_answer_is_requested_in_smaller_parts(ask: Asked, truth: Records) -> None:
    def smaller(body: dict[str, Any]) -> Any:
        said = json.dumps(body["messages"])
        if "Item 2" in said:
            return cut_off(whole(truth)[:50])
        return text(answer(*[(1, r) for r in truth if f"mid step {r['mid_step_id']}:" in said]))

    assert records(ask(smaller)) == truth


def texts_of(turn: Turn) -> list[str]:
    return [block.text for block in turn.blocks if isinstance(block, Block)]


def test_prompt_refers_to_pictures_by_frame_number(
    items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    distinct = {pixel_digest(frame): decode_frame(frame) for frame in items[1].recent.frames}
    pictures = list(distinct.values())  # identical frames are sent once
    count = len(pictures)
    sheet = items_turn({1: items[1]}, vocabulary, "en", sheet=True)
    assert texts_of(sheet)[0] == f"Frames 1 to {count}:"
    assert sheet.blocks[1] == image_block(contact_sheet(pictures, 1))
    single = items_turn({1: items[1]}, vocabulary, "en", sheet=False)
    assert texts_of(single)[:count] == [f"Frame {n}:" for n in range(1, count + 1)]
    shown = [block for block in single.blocks if not isinstance(block, Block)]
    assert shown == [image_block(one) for one in pictures]


def test_prompt_describes_missing_parts_of_a_clip(
    episodes: Sequence[Episode], vocabulary: Vocabulary
) -> None:
    whole = cut_clip(episodes[0], 4.0, RECENT)
    early, gap = cut_clip(episodes[0], 0.0, RECENT), replace(whole, empty_s=(1.0, 2.0))
    lacks = {
        "": whole,
        "; the episode had only just begun": early,
        "; 2 frames are missing in the recording": gap,
        "; 1 frames are damaged": replace(whole, damaged=("x.png is damaged",)),
    }
    for lack, clip in lacks.items():
        item = ControllerItem(episodes[0], clip.t, "rest", clip)
        *_, about, _ = texts_of(items_turn({1: item}, vocabulary, "en", sheet=True))
        assert [line.partition(":")[0] for line in about.splitlines()][-2:-1] == ["Command"]
        caption = about.splitlines()[-1].partition(":")[0]
        assert caption == f"recent clip, {len(clip.frames)} frames, oldest first{lack}"


def test_schema_contains_the_types_of_an_operations_arguments() -> None:
    arguments = {"what": {"type": "text"}, "count": {"type": "integer"}, "by": {"values": ["bus"]}}
    steps = VOCABULARY["mid_steps"]
    ops = {**VOCABULARY["ops"], "CARRY": {"args": arguments}}
    found = answer_schema(Vocabulary.model_validate({**VOCABULARY, "mid_steps": steps, "ops": ops}))
    record = found["properties"]["items"]["items"]["properties"]["record"]["properties"]
    (carry,) = (
        goal["properties"]["args"]
        for goal in record["short_goal_dsl"]["items"]["anyOf"]
        if goal["properties"]["op"] == {"const": "CARRY"}
    )
    assert carry["properties"] == {
        "what": {"type": "string"},
        "count": {"type": "integer"},
        "by": {"enum": ["bus"]},
    }
    assert not carry["additionalProperties"]


def test_invalid_setting_is_reported_by_name(vocabulary: Vocabulary) -> None:
    settings = LabelerSettings("controller", vocabulary, {"items": 0})
    with pytest.raises(UsageError, match=r"setting 'items' of the labeler model: .* equal to 1$"):
        create(settings)


def test_mid_steps_are_described_in_the_requested_language(
    ask: Asked, truth: Records, vocabulary: Vocabulary
) -> None:
    for language, said in (("", "Walk to the key."), ("ko", "열쇠로 걸어간다.")):
        ask(whole(truth), language=language)
        assert said in json.dumps(ask.bodies[0], ensure_ascii=False)


def test_known_events_state_and_constraints_are_in_the_prompt(
    items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    more = {"constraints": ("run",), "events": ("the bell rang",), "state_summary": "bag full"}
    *_, about, _ = texts_of(
        items_turn({1: replace(items[0], **more)}, vocabulary, "en", sheet=True)
    )
    said = ["Not allowed: run", "Known: the bell rang", "State: bag full"]
    assert about.splitlines()[-4:-1] == said
    bare = replace(items[0], constraints=(), events=(), state_summary="")
    *_, about, _ = texts_of(items_turn({1: bare}, vocabulary, "en", sheet=True))
    assert not any(name in about for name in ("Not allowed", "Known", "State"))
