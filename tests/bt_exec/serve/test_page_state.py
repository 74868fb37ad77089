"""State of the page, computed on a separate thread; invalid events do not end it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from bt_exec import events as ev
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.serve.page_state import PageState
from bt_exec.serve.plan_confirmation_questions import Question
from bt_exec.spec.model import walk
from bt_exec.testing import FakeObservation
from tests.bt_exec.serve.test_page_rows import spec_of

STANDING = {"site": "s", "running": None, "waiting": [], "question": None}


class Broken(FakeObservation):
    def describe(self, language: str) -> str:
        raise ValueError("no words")

    def record(self) -> dict[str, Any]:
        raise ValueError("no record")


def shown(*events: ev.Event, **standing: Any) -> Any:
    """Return the last page state after some events."""
    watching = PageState(Messages(), lambda: {**STANDING, **standing})
    watching.open()

    async def look() -> bytes:
        texts = watching.latest.texts()
        first = asyncio.ensure_future(anext(texts))
        await asyncio.sleep(0)
        for event in events:
            watching.on(event)
        await first
        await asyncio.to_thread(watching.close)
        watching.latest.close()
        return [text async for text in texts][-1]

    return json.loads(asyncio.run(look()))


def test_mission_is_shown_with_its_queue_and_questions():
    found = shown(
        ev.MissionStarted(0.0, 0, "2026-01-01-0001", "가", "ko", "s"),
        ev.Observed(0.5, 1, "p", FakeObservation(0.5, ("cup",))),
        ev.Planned(0.5, 1, spec_of("", "{do: a}"), 1),
    )
    assert found["mission"]["command"] == "가"
    assert [row["label"] for row in found["mission"]["rows"]] == ["a"]
    assert found["sees"][0]["text"] == "cup"
    assert (found["site"], found["question"], found["pictures"]) == ("s", None, [])


def test_plan_of_a_question_is_shown_whole_with_repetitions_and_conditions():
    steps = ", ".join(f"{{sequence: [{{do: a}}, {{do: b{n}}}], name: n{n}}}" for n in range(30))
    last = "{do: a, with: {arm: left}, name: look, repeat: 500, retry: 2, skip_if: late}"
    spec = spec_of("", f"{{sequence: [{steps}, {last}]}}")
    rows = shown(question=Question(1, "why", spec))["question"]["rows"]
    assert len(rows) == len(list(walk(spec.root))) - 1
    assert rows[-1]["label"] == "look"
    assert rows[-1]["about"] == "a left · skipped if: late · 500 times · up to 2 attempts"


def test_only_observations_are_shown_before_the_first_mission():
    found = shown(ev.Observed(0.0, 0, "p", FakeObservation(0.0, ("cup",))))
    assert found["mission"] is None
    assert found["sees"][0]["text"] == "cup"


@dataclass(frozen=True)
class Spoken(FakeObservation):
    def describe(self, language: str) -> str:
        return {"en": "door closed", "ko": "문 닫힘"}[language]


def test_observations_are_described_in_both_languages():
    found = shown(
        ev.MissionStarted(0.0, 0, "2026-01-01-0001", "가", "ko", "s"),
        ev.Observed(0.0, 0, "p", Spoken(0.0)),
    )
    assert found["sees"][0]["text"] == "문 닫힘"
    assert found["sees"][0]["said"] == {"en": "door closed", "ko": "문 닫힘"}


def test_observation_that_cannot_be_described_is_skipped_and_logged(caplog):
    found = shown(
        ev.MissionStarted(0.0, 0, "2026-01-01-0001", "x", "en", "s"),
        ev.Observed(0.0, 0, "p", Broken(0.0, ("cup",))),
        ev.Planned(0.5, 1, spec_of("", "{do: a}"), 1),
    )
    assert [row["label"] for row in found["mission"]["rows"]] == ["a"]
    assert "the page misses an event" in caplog.text


def test_newest_observations_are_the_situation_of_a_compiler():
    watching = PageState(Messages(), lambda: dict(STANDING))
    watching.open()
    watching.on(ev.Observed(0.0, 0, "p", FakeObservation(0.0, ("old",), {"door": "open"})))
    watching.on(ev.Observed(1.0, 0, "p", FakeObservation(1.0, ("cup",), {"door": "shut"})))
    watching.on(ev.Observed(1.0, 0, "q", FakeObservation(1.0, ("cup", "man"), {"hand": "empty"})))
    watching.close()
    now = watching.situation(Catalogue([]))
    assert now.labels == ("cup", "man")
    assert now.facts == {"door": "shut", "hand": "empty"}
    assert now.text == "cup · cup, man"
