"""Routes of the review page, behind the executive's request guard."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path as File
from typing import Annotated, Any, Literal

import cv2
from fastapi import FastAPI, Path, Response
from fastapi.responses import JSONResponse

from bt_exec.serve.guard import Guard
from bt_exec.serve.login import Login
from bt_exec.serve.page import PAGE
from bt_exec.spec.user_data import UserData
from bt_exec_labeler.episode import Frame, Image
from bt_exec_labeler.review.decisions import Decisions, read_decision
from bt_exec_labeler.review.job import Card, words_of
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["make_app"]

_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
_FRESH = {"Cache-Control": "no-store"}


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
) -> Guard:
    """Return the page as an ASGI application.

    Args:
        cards: Records to review.
        vocabulary: Words of corrected records.
        decisions: Store of the decisions.
        host: The address that it listens at: one of this machine's own.
        language: Of the page; the browser's if empty.
    """
    app = FastAPI(title="bt-exec label review", docs_url=None, redoc_url=None, openapi_url=None)
    by_item = {card.line["item"]: card for card in cards}
    one_at_a_time = threading.Lock()
    _add_page(app)

    @app.get("/review")
    def review() -> Any:
        """Return the records to review, the reviewer, and the decisions so far."""
        data = {
            "reviewer": decisions.reviewer,
            "language": language,
            "words": words_of(vocabulary),
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
        """Return a frame of a clip, or of the film strip of the episode."""
        frames = _frames(cards[card], clip) if card < len(cards) else ()
        if number >= len(frames):
            return _error_response(404, "NO_FRAME", "there is no such frame")
        try:
            return Response(_png(frames[number].image()), media_type="image/png", headers=_FRESH)
        except (OSError, ValueError) as error:
            return _error_response(404, "DAMAGED_FRAME", str(error))

    @app.post("/decisions")
    def decide(asked: Asked) -> Any:
        """Store a decision. It is on disk when this answers."""
        if asked.item not in by_item:
            return _error_response(404, "NO_RECORD", f"{asked.item} is not part of this review")
        found = read_decision(asked.model_dump(), by_item[asked.item].line, vocabulary)
        if isinstance(found, tuple):
            problems = [
                {"code": b.code, "where": b.where, "message": b.said(asked.language)} for b in found
            ]
            return JSONResponse({"problems": problems}, 422)
        try:
            with one_at_a_time:
                return decisions.add(found)
        except OSError as error:
            return _error_response(507, "NOT_KEPT", f"{decisions.path}: {error.strerror}")

    return Guard(app, Login(""), host)


def _frames(card: Card, clip: str) -> Sequence[Frame]:
    if clip == "strip":
        return card.strip
    return card.clips[clip].frames if clip in card.clips else ()


def _add_page(app: FastAPI) -> None:
    folder = File(__file__).with_name("page")
    parts = {path: ((folder / name).read_bytes(), kind) for path, (name, kind) in _FILES.items()}
    for path, (data, kind) in {**parts, "/icon.svg": PAGE["/icon.svg"]}.items():

        @app.get(path)
        async def part(data: bytes = data, kind: str = kind) -> Response:
            return Response(data, media_type=kind, headers={"Cache-Control": "no-cache"})


def _png(image: Image) -> bytes:
    done, coded = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    assert done
    return coded.tobytes()


def _error_response(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message}}, status)
