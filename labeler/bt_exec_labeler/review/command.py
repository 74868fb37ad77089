"""Implementation of ``bt-exec label review``, ``label export`` and ``label import``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bt_exec.failure import UnknownName
from bt_exec.language.messages import LANGUAGES
from bt_exec_labeler.answer_violation import catalogue_sentence as said
from bt_exec_labeler.batch.output_and_answer_cache import Output
from bt_exec_labeler.review.decisions import Decisions
from bt_exec_labeler.review.review_cards import Card, cards_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.vocabulary import Vocabulary, vocabulary_of

__all__ = ["export", "import_decisions", "review"]

_HOST = "127.0.0.1"


def review(
    folder: Path,
    source: Path,
    words: Path,
    reviewer: str,
    port: int,
    say: Callable[[str], None],
    language: str = "",
    episode: str = "",
) -> None:
    """Serve the review page until interrupted.

    Raises:
        UsageError: If an argument is invalid, or the port cannot be used.
        UnknownName: If there is no such language or episode.
    """
    from bt_exec.web.server import AppServer, serve_until_stopped
    from bt_exec_labeler.review.app import make_app

    if language not in ("", *LANGUAGES):
        raise UnknownName("language", language, LANGUAGES)
    tongue = language or "en"
    vocabulary, cards = _vocabulary_and_cards(folder, source, words, episode)
    decisions = Decisions(folder, reviewer)
    try:
        server = AppServer(make_app(cards, vocabulary, decisions, _HOST, language), _HOST, port)
        left = sum(card.line["item"] not in decisions.by_item for card in cards)
        about = {"left": left, "count": len(cards), "reviewer": reviewer, "place": server.url}
        serve_until_stopped(server, lambda: say(said("left", tongue, **about)))
        done = sum(card.line["item"] in decisions.by_item for card in cards)
        say(said("reviewed", tongue, done=done, count=len(cards), path=decisions.path))
    finally:
        decisions.close()


def export(folder: Path, source: Path, words: Path, out: Path) -> dict[str, Any]:
    """Write the review sample in the format of Label Studio.

    Raises:
        UsageError: If an argument is invalid, or the folder exists.
    """
    from bt_exec_labeler.review.label_studio import write_tasks

    vocabulary, cards = _vocabulary_and_cards(folder, source, words)
    damaged = write_tasks(out, cards, vocabulary)
    lines = [f"! {where}" for where in damaged]
    lines.append(f"{out}: {len(cards)} tasks in tasks.json, the interface in interface.xml")
    return {"folder": str(out), "tasks": len(cards), "damaged": damaged, "lines": lines}


def import_decisions(folder: Path, annotations: Path, source: Path, words: Path) -> dict[str, Any]:
    """Import decisions from an export of Label Studio.

    Raises:
        UsageError: If the file is not such an export.
    """
    from bt_exec_labeler.review.label_studio import read_annotations

    vocabulary, cards = _vocabulary_and_cards(folder, source, words)
    by_reviewer, refused = read_annotations(annotations, cards, vocabulary)
    taken = 0
    for reviewer, found in by_reviewer.items():
        decisions = Decisions(folder, reviewer)
        try:
            fresh = [
                one
                for one in found
                if {**decisions.by_item.get(one["item"], {}), **one}
                != decisions.by_item.get(one["item"])
            ]
            for one in fresh:
                decisions.add(one)
            taken += len(fresh)
        finally:
            decisions.close()
    known = sum(map(len, by_reviewer.values())) - taken
    lines = [f"! {problem}" for problem in refused]
    lines.append(f"{taken} decisions of {', '.join(by_reviewer) or 'nobody'}, {known} known before")
    return {
        "taken": taken,
        "known": known,
        "refused": refused,
        "reviewers": list(by_reviewer),
        "lines": lines,
    }


def _vocabulary_and_cards(
    folder: Path, source: Path, words: Path, episode: str = ""
) -> tuple[Vocabulary, list[Card]]:
    vocabulary = vocabulary_of(folder, words, Output(folder).run_settings())
    episodes = {episode.id: episode for episode in read_source(source)}
    return vocabulary, cards_of(folder, vocabulary, episodes, episode)
