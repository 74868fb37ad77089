"""Review page in a real browser: twenty clips by keyboard, in Korean, after a kill.

Any Chromium of the system is used (``apt install chromium``); without one the tests are skipped.
``BT_EXEC_SCREENSHOTS=FOLDER`` saves screenshots.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bt_exec.web.server import AppServer
from bt_exec_labeler.batch.output_and_answer_cache import Output
from bt_exec_labeler.batch.run import label_moments
from bt_exec_labeler.labeler_items import items_of
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.review.app import make_app
from bt_exec_labeler.review.decisions import Decisions, decisions_of
from bt_exec_labeler.review.review_cards import Card, cards_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Vocabulary
from tests.browser import expect, keep_pictures, needs_chromium, watch
from tests.cases import cases

pytestmark = [needs_chromium, pytest.mark.sampled]


@pytest.fixture
def look(
    browser: Any,
    request: pytest.FixtureRequest,
    labelled: Path,
    cards: Sequence[Card],
    vocabulary: Vocabulary,
) -> Iterator[Callable[..., Any]]:
    """Open the page of a reviewer. Errors and foreign requests fail the test."""
    ends: list[Callable[[], Any]] = []
    wrong: list[str] = []
    pages: list[Any] = []

    def open_(reviewer: str, language: str = "", **how: Any) -> Any:
        decisions = Decisions(labelled, reviewer)
        made = make_app(cards, vocabulary, decisions, "127.0.0.1", language)
        server = AppServer(made, "127.0.0.1", 0)
        server.start()
        url = f"http://127.0.0.1:{server.port}"
        context = browser.new_context(**{"locale": "en-US", **how})
        context.set_default_timeout(20_000)
        ends.extend((decisions.close, server.stop, context.close))
        page = context.new_page()
        watch(page, url, wrong)
        page.goto(url)
        expect(page.locator("main")).to_be_visible()
        pages.append(page)
        return page

    yield open_
    keep_pictures(pages, f"review-{request.node.originalname}")
    for end in reversed(ends):
        end()
    assert [text for text in wrong if "422" not in text] == []  # a wrong correction is a 422


def as_json(page: Any) -> Any:
    """Open the record as JSON with keys, and return its text."""
    page.locator("#json summary").focus()
    page.keyboard.press("Enter")
    return page.locator("#text")


def test_record_is_corrected_with_choices_of_the_vocabulary(
    look: Callable[..., Any], labelled: Path, cards: Sequence[Card]
) -> None:
    page = look("ann")
    page.keyboard.press("c")
    operation = page.locator("#choice-op-0")
    expect(operation).to_be_focused()
    assert operation.locator("option").all_inner_texts() == list(VOCABULARY["ops"])
    (first, *_) = page.locator("#choices label", has_text="step_back").all()
    assert first.evaluate("label => label.firstChild.type") == "checkbox"
    assert all(page.locator("#choices legend").all_inner_texts())
    page.locator("#choice-uncertainty").focus()
    page.keyboard.type("mid")
    page.locator("#choice-horizon").focus()
    page.keyboard.press("ArrowUp")
    page.get_by_label("step_back").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#editor")).to_be_hidden()
    before = cards[0].line["record"]
    (decision,) = decisions_of(labelled)["ann"].values()
    kept = {name: before[name] for name in decision["record"]}
    assert decision["record"] == {
        **kept,
        "uncertainty": "mid",
        "horizon_steps": before["horizon_steps"] + 1,
        "fallback_if_failed": [*before["fallback_if_failed"], "step_back"],
    }
    page.keyboard.press("c")
    page.locator("#choice-op-0").focus()
    page.keyboard.type("REST")
    expect(page.locator("#choice-op-0")).to_have_value("REST")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problems li")).to_contain_text("REST does not belong to")


@pytest.mark.slow
def test_twenty_clips_are_reviewed_by_keyboard(
    look: Callable[..., Any], labelled: Path, cards: Sequence[Card]
) -> None:
    assert len(cards) >= 20
    page = look("ann")
    for number, card in enumerate(cards):
        expect(page.locator("#where")).to_contain_text(f"{number + 1} of {len(cards)}")
        images = page.locator("#clips img")
        expect(images).to_have_count(len(card.clips["recent"].frames))
        expect(images.first).to_have_js_property("naturalWidth", 96)
        key = "r" if number % 7 == 6 else "c" if number % 7 == 3 else "a"
        page.keyboard.press(key)
        if key == "c":
            expect(page.locator("#choice-op-0")).to_be_focused()
            text = as_json(page)
            record = json.loads(text.input_value())
            if number == 3:  # an error is reported, and nothing is stored
                text.fill(json.dumps({**record, "uncertainty": "sure", "plan_id": "mine"}))
                page.keyboard.press("Control+Enter")
                problems = page.locator("#problems li")
                expect(problems).to_have_count(2)
                expect(problems.nth(1)).to_contain_text("low, mid, high")
                text.fill("{")
                page.keyboard.press("Control+Enter")
                expect(problems).to_have_count(1)
                expect(problems.first).to_contain_text("not JSON")
            text.fill(json.dumps({**record, "uncertainty": "mid"}))
            page.keyboard.press("Control+Enter")
            expect(page.locator("#editor")).to_be_hidden()
        done = f"{number + 1} of {len(cards)} reviewed"
        expect(page.locator("#count")).to_have_text(
            done if number + 1 < len(cards) else "All are reviewed. Thank you."
        )
    found = decisions_of(labelled)["ann"]
    assert list(found) == [card.line["item"] for card in cards]
    kinds = [decision["decision"] for decision in found.values()]
    assert kinds[:7] == ["accept", "accept", "accept", "correct", "accept", "accept", "reject"]
    assert found[cards[3].line["item"]]["record"]["uncertainty"] == "mid"


def test_keys_of_a_korean_keyboard_record_a_decision(
    look: Callable[..., Any], labelled: Path, cards: Sequence[Card], vocabulary: Vocabulary
) -> None:
    page = look("민지", locale="ko-KR", viewport={"width": 380, "height": 800})
    expect(page.locator("#accept")).to_have_text("승인A")
    said = vocabulary.mid_steps[cards[0].line["mid_step_id"]].said("ko")
    expect(page.locator("#step")).to_have_text(said)
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'ㅁ', code: 'KeyA', bubbles: true}))"
    )
    expect(page.locator("#count")).to_have_text(f"{len(cards)}건 중 1건 검토")
    assert decisions_of(labelled)["민지"][cards[0].line["item"]]["decision"] == "accept"
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 380


def test_errors_are_in_the_language_of_the_page(look: Callable[..., Any]) -> None:
    page = look("민지", locale="ko-KR")
    page.keyboard.press("c")
    text = as_json(page)
    record = json.loads(text.input_value())
    text.fill(json.dumps({**record, "uncertainty": "sure", "plan_id": "mine"}))
    page.keyboard.press("Control+Enter")
    problems = page.locator("#problems li")
    expect(problems).to_have_text(
        [
            "plan_id: 데이터 세트를 만들 때만 넣는 항목입니다. 빼십시오",
            "uncertainty: 목록에 없는 값입니다: 'sure'. 쓸 수 있는 값: low, mid, high",
        ]
    )


@pytest.mark.slow
def test_command_selects_the_initial_language_of_the_page(look: Callable[..., Any]) -> None:
    page = look("ann", "ko")
    expect(page.locator("#accept")).to_have_text("승인A")
    page.locator("#language").select_option("en")
    expect(page.locator("#accept")).to_have_text("AcceptA")


@pytest.mark.slow
def test_records_can_be_viewed_without_a_decision(
    look: Callable[..., Any], labelled: Path, cards: Sequence[Card]
) -> None:
    page = look("bo", color_scheme="dark", reduced_motion="reduce")
    expect(page.locator("#play")).to_have_text("PlaySpace")
    page.keyboard.press("s")
    expect(page.locator("#frame")).to_contain_text("summary clip")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#where")).to_contain_text("2 of")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("PauseSpace")
    page.keyboard.press("c")
    page.keyboard.press("Escape")
    expect(page.locator("#editor")).to_be_hidden()
    assert decisions_of(labelled)["bo"] == {}
    page.keyboard.press("r")
    expect(page.locator("#where")).to_contain_text("2 of")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#decided")).to_have_text("✗ rejected")
    page.keyboard.press("a")
    expect(page.locator("#where")).to_contain_text("2 of")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#decided")).to_have_text("✓ accepted")
    assert decisions_of(labelled)["bo"][cards[0].line["item"]]["decision"] == "accept"


MOMENTS = cases(500, 150)


@pytest.mark.slow
def test_whole_episode_is_reviewed_with_keys(
    browser: Any, played: Path, tmp_path: Path, vocabulary: Vocabulary
) -> None:
    (episode, *_) = read_source(played)
    items = list(items_of(episode, vocabulary, "controller", stride_s=0.04))[:MOMENTS]
    assert len(items) == MOMENTS
    with Output(tmp_path / "run").create_or_resume({"role": "controller"}, resume=False) as output:
        label_moments(items, RulesLabeler(vocabulary), vocabulary, output)
        output.write_json_lines()
    cards = cards_of(tmp_path / "run", vocabulary, {episode.id: episode}, episode.id)
    assert [card.line["t"] for card in cards] == sorted(item.t for item in items)
    decisions = Decisions(tmp_path / "run", "ann")
    server = AppServer(make_app(cards, vocabulary, decisions, "127.0.0.1"), "127.0.0.1", 0)
    server.start()
    context = browser.new_context(locale="en-US", reduced_motion="reduce")
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.port}")
        expect(page.locator("#strip img")).to_have_count(12)
        expect(page.locator("#lanes .span")).not_to_have_count(0)
        expect(page.locator("#lanes .record")).to_have_count(MOMENTS)
        expect(page.locator("#lanes .horizon")).to_have_count(1)
        expect(page.locator("#span")).to_contain_text("this record reaches from")
        for number in range(MOMENTS):
            expect(page.locator("#where")).to_contain_text(f"{number + 1} of {MOMENTS} ")
            page.keyboard.press("r" if number % 50 == 49 else "a")
        expect(page.locator("#count")).to_contain_text("All are reviewed")
        expect(page.locator("#lanes .accept")).to_have_count(MOMENTS - MOMENTS // 50)
        keep_pictures([page], "review-whole-episode")
    finally:
        context.close()
        server.stop()
        decisions.close()
    found = decisions_of(tmp_path / "run")["ann"]
    assert len(found) == MOMENTS
    assert sum(one["decision"] == "reject" for one in found.values()) == MOMENTS // 50
