"""Routes of the review page, protected by the request guard of `bt_exec.web`."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path as File
from typing import Annotated, Any, ClassVar, Literal

from fastapi import Path, Response
from fastapi.responses import JSONResponse

from bt_exec.language.messages import Messages
from bt_exec.spec.user_data_validation import UserData
from bt_exec.web.app_factory import add_page, new_app, page_files
from bt_exec.web.errors import SENTENCES, WebError
from bt_exec.web.login import Login
from bt_exec.web.request_checks import RequestGuard
from bt_exec_labeler.episode import Frame, encode_png
from bt_exec_labeler.review.decisions import Decisions, parse_decision
from bt_exec_labeler.review.review_cards import Card, field_values
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["make_app"]

_FRESH = {"Cache-Control": "no-store"}


class ReviewError(WebError):
    """Raised if the review page cannot fulfil a request."""

    statuses: ClassVar[Mapping[str, int]] = {
        **WebError.statuses,
        "NO_FRAME": 404,
        "DAMAGED_FRAME": 404,
        "NO_RECORD": 404,
        "NOT_KEPT": 507,
    }
    sentences = Messages.load([SENTENCES, File(__file__).with_name("messages.yaml")])


class Asked(UserData):
    """Decision about a record, as requested by the page."""

    item: str
    decision: Literal["accept", "correct", "reject"]
    record: Any = None
    language: Literal["en", "ko"] = "en"


def make_app(
    cards: Sequence[Card],
    vocabulary: Vocabulary,
    decisions: Decisions,
    host: str,
    language: str = "",
) -> RequestGuard:
    """Return the page as an ASGI application.

    Args:
        cards: Records to review.
        vocabulary: Vocabulary of corrected records.
        decisions: Store of the decisions.
        host: Loopback address to listen on.
        language: Language of the page; the browser's if empty.
    """
    app = new_app("bt-exec label review", openapi_url=None)
    by_item = {card.line["item"]: card for card in cards}
    one_at_a_time = threading.Lock()
    add_page(app, page_files(File(__file__).with_name("page")))

    @app.get("/review")
    def review() -> Any:
        """Return the records to review, the reviewer, and the decisions so far."""
        data = {
            "reviewer": decisions.reviewer,
            "language": language,
            "words": field_values(vocabulary),
            "episodes": {
                name: card.timeline(vocabulary)
                for name, card in {card.line["episode"]: card for card in cards}.items()
            },
            "cards": [
                {**card.data(vocabulary), "decided": decisions.by_item.get(card.line["item"])}
                for card in cards
            ],
        }
        return JSONResponse(data, headers=_FRESH)

    @app.get("/frames/{card}/{clip}/{number}.png")
    def frame(
        card: Annotated[int, Path(ge=0, le=2**31)],
        clip: Literal["recent", "summary", "strip"],
        number: Annotated[int, Path(ge=0, le=1000)],
    ) -> Response:
        """Return a frame of a record's clip, or of its episode's film strip."""
        frames = _frames(cards[card], clip) if card < len(cards) else ()
        if number >= len(frames):
            raise ReviewError("NO_FRAME")
        try:
            return Response(
                encode_png(frames[number].image()), media_type="image/png", headers=_FRESH
            )
        except (OSError, ValueError) as error:
            raise ReviewError("DAMAGED_FRAME", message=str(error)) from None

    @app.post("/decisions")
    def decide(asked: Asked) -> Any:
        """Store a decision; the response is sent after it has been written to disk."""
        if asked.item not in by_item:
            raise ReviewError("NO_RECORD", item=asked.item)
        found = parse_decision(asked.model_dump(), by_item[asked.item].line, vocabulary)
        if isinstance(found, tuple):
            problems = [
                {"code": b.code, "where": b.where, "message": b.said(asked.language)} for b in found
            ]
            return JSONResponse({"problems": problems}, 422)
        try:
            with one_at_a_time:
                return decisions.add(found)
        except OSError as error:
            why = f"{decisions.path}: {error.strerror}"
            raise ReviewError("NOT_KEPT", message=why) from None

    return RequestGuard(app, Login(""), host)


def _frames(card: Card, clip: str) -> Sequence[Frame]:
    if clip == "strip":
        return card.strip
    return card.clips[clip].frames if clip in card.clips else ()
