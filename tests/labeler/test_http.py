"""Review page and labelling service as processes: start, request, end by a signal."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

import httpx2
import pytest

from bt_exec.cli.app import run_command_line
from bt_exec.web.server import AppServer, serve_until_stopped
from bt_exec_labeler.review import command
from bt_exec_labeler.review.decisions import Decisions
from bt_exec_labeler.review.review_cards import cards_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.vocabulary import load_vocabulary


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_review_ends_on_a_signal(game: Path, tmp_path: Path, number: int) -> None:
    words, out = str(game / "vocabulary.yaml"), str(tmp_path / "run")
    assert run_command_line(["label", "run", str(game), "-v", words, "-o", out]) == 0
    command = ["label", "review", out, "--source", str(game), "-v", words, "-r", "ann"]
    with subprocess.Popen(
        [sys.executable, "-m", "bt_exec", *command, "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        began = process.stdout.readline()
        url = began.split(": ")[1].split(" ")[0]
        cards = httpx2.get(f"{url}review").json()["cards"]
        assert began.startswith(f"{len(cards)} of {len(cards)} ")
        item = cards[0]["item"]
        kept = httpx2.post(f"{url}decisions", json={"item": item, "decision": "accept"})
        assert kept.status_code == 200
        stranger = {"Origin": "http://elsewhere.example"}
        assert httpx2.get(f"{url}review", headers=stranger).status_code == 403
        process.send_signal(number)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert said.startswith("1 of ")
    assert (tmp_path / "run" / "review" / "ann.jsonl").read_text().count("\n") == 1


class ShortServer:
    """Server that ends by itself after three queries whether it is alive."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    @property
    def alive(self) -> bool:
        self.calls.append("alive")
        return self.calls.count("alive") < 4

    def start(self) -> None:
        self.calls.append("start")

    def stop(self) -> None:
        self.calls.append("stop")


def test_serve_returns_when_the_server_has_ended() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    server = ShortServer()
    serve_until_stopped(cast(AppServer, server), lambda: server.calls.append("began"))
    assert server.calls == ["start", "began", *["alive"] * 4, "stop"]
    assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def serve_briefly(server: AppServer, began: Callable[[], None]) -> None:
    server.start()
    began()
    server.stop()


def test_review_prints_how_many_records_are_left(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The review ends at once, before any decision and after one."""
    words, out, said = game / "vocabulary.yaml", tmp_path / "run", list[str]()
    assert run_command_line(["label", "run", str(game), "-v", str(words), "-o", str(out)]) == 0
    monkeypatch.setattr("bt_exec.web.server.serve_until_stopped", serve_briefly)
    review = partial(command.review, out, game, words, "ann", 0, said.append)
    review()
    vocabulary, known = load_vocabulary(words), {one.id: one for one in read_source(game)}
    cards = cards_of(out, vocabulary, known)
    decisions = Decisions(out, "ann")
    decisions.add({"item": cards[0].line["item"], "decision": "accept"})
    decisions.close()
    review()
    count = len(cards)
    starts = [f"{left} of {count} " for left in (count, 0, count - 1, 1)]
    assert [text.startswith(start) for text, start in zip(said, starts, strict=True)] == [True] * 4
