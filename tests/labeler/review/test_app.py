"""Routes of the review page, called without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bt_exec_labeler.episode import decode_picture
from bt_exec_labeler.review.app import make_app
from bt_exec_labeler.review.decisions import Decisions
from bt_exec_labeler.review.review_cards import Card
from bt_exec_labeler.vocabulary import Vocabulary


class Page:
    """The page of a reviewer; `get` and `post` return status, headers and body."""

    def __init__(self, cards: Sequence[Any], vocabulary: Vocabulary, decisions: Any) -> None:
        self.app = make_app(cards, vocabulary, decisions, "127.0.0.1", "ko")

    def get(self, path: str) -> tuple[int, Mapping[str, str], bytes]:
        return asyncio.run(self._call("GET", path, b""))

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        status, _, data = asyncio.run(self._call("POST", path, json.dumps(body).encode()))
        return status, json.loads(data)

    async def _call(self, method: str, path: str, body: bytes) -> tuple[int, Any, bytes]:
        headers = [(b"host", b"127.0.0.1:80"), (b"content-type", b"application/json")]
        headers += [(b"content-length", str(len(body)).encode())]
        headers += [(b"origin", b"http://127.0.0.1:80")] if method == "POST" else []
        scope = {"type": "http", "method": method, "path": path, "query_string": b""}
        scope |= {"headers": headers, "http_version": "1.1", "scheme": "http", "root_path": ""}
        scope |= {"server": ("127.0.0.1", 80), "client": ("127.0.0.1", 5), "asgi": {"version": "3"}}
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)  # type: ignore[arg-type]
        found = {k.decode().lower(): v.decode() for k, v in sent[0]["headers"]}
        return sent[0]["status"], found, b"".join(one.get("body", b"") for one in sent)


@pytest.fixture
def page(cards: Sequence[Card], labelled: Path, vocabulary: Vocabulary) -> Any:
    decisions = Decisions(labelled, "ann")
    yield Page(cards, vocabulary, decisions)
    decisions.close()


def error(status: int, code: str, message: str) -> Any:
    return status, (code, message)


def told(body: Any) -> Any:
    return body["error"]["code"], body["error"]["message"]


def test_frames_of_every_clip_are_pictures(page: Page, cards: Sequence[Card]) -> None:
    last = len(cards) - 1
    for clip, frames in (
        ("recent", cards[last].clips["recent"].frames),
        ("summary", cards[last].clips["summary"].frames),
        ("strip", cards[last].strip),
    ):
        for number in (0, len(frames) - 1):
            status, headers, data = page.get(f"/frames/{last}/{clip}/{number}.png")
            assert (status, headers["content-type"]) == (200, "image/png")
            assert headers["cache-control"] == "no-store"
            assert np.array_equal(decode_picture(data, "shown"), frames[number].image())
        status, _, data = page.get(f"/frames/{last}/{clip}/{len(frames)}.png")
        assert (status, told(json.loads(data))) == error(404, "NO_FRAME", "there is no such frame")
    assert page.get(f"/frames/{last + 1}/recent/0.png")[0] == 404
    for path in ("/frames/-1/recent/0.png", "/frames/0/front/0.png", "/frames/0/recent/1001.png"):
        assert page.get(path)[0] == 422
    assert page.get("/frames/0/recent/1000.png")[0] == 404


def test_damaged_frame_and_missing_clip_are_reported(vocabulary: Vocabulary) -> None:
    def image() -> Any:
        raise ValueError("a.png is damaged")

    clips = {"recent": SimpleNamespace(frames=[SimpleNamespace(image=image)])}
    card = SimpleNamespace(line={"item": "i"}, clips=clips, strip=())
    page = Page([card], vocabulary, SimpleNamespace(reviewer="ann", by_item={}))
    status, _, data = page.get("/frames/0/recent/0.png")
    assert (status, told(json.loads(data))) == error(404, "DAMAGED_FRAME", "a.png is damaged")
    assert page.get("/frames/0/summary/0.png")[0] == 404


def test_review_lists_the_cards_with_their_decisions(
    page: Page, cards: Sequence[Card], vocabulary: Vocabulary
) -> None:
    first = cards[0].line["item"]
    status, kept = page.post("/decisions", {"item": first, "decision": "reject"})
    assert (status, kept["decision"], kept["item"]) == (200, "reject", first)
    status, headers, body = page.get("/review")
    data = json.loads(body)
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert (data["reviewer"], data["language"]) == ("ann", "ko")
    assert [one["item"] for one in data["cards"]] == [card.line["item"] for card in cards]
    assert [one["decided"] for one in data["cards"]] == [kept, *[None] * (len(cards) - 1)]
    assert set(data["episodes"]) == {card.line["episode"] for card in cards}
    assert set(data["words"]["ops"]) == set(vocabulary.ops)


def test_error_for_an_invalid_decision_is_in_the_language_of_the_page(
    page: Page, cards: Sequence[Card]
) -> None:
    item = cards[0].line["item"]
    status, said = page.post("/decisions", {"item": "elsewhere", "decision": "accept"})
    assert (status, told(said)) == error(404, "NO_RECORD", "elsewhere is not part of this review")
    body = {"item": item, "decision": "correct", "record": 7}
    status, said = page.post("/decisions", body)
    (problem,) = said["problems"]
    assert (status, problem["code"], problem["where"]) == (422, "NOT_AN_OBJECT", "record")
    assert problem["message"].isascii()
    _, korean = page.post("/decisions", {**body, "language": "ko"})
    assert not korean["problems"][0]["message"].isascii()


def test_decision_that_cannot_be_written_is_refused(
    cards: Sequence[Card], vocabulary: Vocabulary
) -> None:
    def add(decision: Any) -> Any:
        raise OSError(28, "No space left on device")

    full = SimpleNamespace(reviewer="ann", by_item={}, add=add, path=Path("ann.jsonl"))
    body = {"item": cards[0].line["item"], "decision": "accept"}
    status, said = Page(cards, vocabulary, full).post("/decisions", body)
    assert (status, told(said)) == error(507, "NOT_KEPT", "ann.jsonl: No space left on device")


def test_review_page_script_and_icon_are_served(page: Page) -> None:
    for path, kind in (("/", "text/html"), ("/page.js", "javascript"), ("/icon.svg", "image/svg")):
        status, headers, data = page.get(path)
        assert (status, headers["cache-control"]) == (200, "no-cache"), path
        assert kind in headers["content-type"]
        assert data
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert page.get(path)[0] == 404
