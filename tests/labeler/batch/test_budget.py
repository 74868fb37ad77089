"""Budgets: reserved before a request is sent, across threads, resumes and the command line."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest

from bt_exec.batch.store import ResultStore
from bt_exec.cli.app import call
from bt_exec_labeler import commands
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.labelers import BudgetSpentError
from bt_exec_llm.testing.messages_server import MessagesServer, error
from tests.labeler.batch.recordings import answer


class Purse:
    """Spends at random from a ledger in several threads; counts what was spent."""

    def __init__(self, ledger: Ledger, seed: int, dearest: float) -> None:
        self.ledger, self.dearest = ledger, dearest
        self.spent = {"requests": 0.0, "cost": 0.0}
        self._chance = random.Random(seed)
        self._lock = threading.Lock()

    def work(self) -> None:
        while True:
            with self._lock:
                actual = self._chance.uniform(0, self.dearest)
            most = {"cost": self.dearest}
            try:
                self.ledger.reserve(most)
            except BudgetSpentError:
                return
            try:
                self.ledger.reserve({"requests": 1})
            except BudgetSpentError:
                self.ledger.settle(most, {})
                return
            with self._lock:
                self.spent["requests"] += 1
                self.spent["cost"] += actual
            self.ledger.settle(most, {"cost": actual})


@pytest.mark.parametrize("seed", range(4))
def test_ledger_never_exceeds_a_limit_across_threads_and_resumes(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    budget = Budget(requests=chance.randrange(1, 60), cost=chance.uniform(1, 20))
    spent = {"requests": 0.0, "cost": 0.0}
    for resume in range(3):
        store = ResultStore(tmp_path / "run.sqlite")
        ledger = Ledger(budget)
        ledger.keep_in(store)
        purse = Purse(ledger, seed + resume, 0.9)
        threads = [threading.Thread(target=purse.work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive()
        store.close()
        spent = {kind: spent[kind] + purse.spent[kind] for kind in spent}
        assert spent["requests"] <= budget.limits()["requests"]
        assert spent["cost"] <= budget.limits()["cost"] + 0.9  # at most one dearer request
        assert ledger.spent() == pytest.approx(spent)


def test_reservation_waits_until_another_is_settled() -> None:
    ledger = Ledger(Budget(cost=1.0))
    ledger.reserve({"cost": 0.9})
    waited = threading.Event()

    def second() -> None:
        ledger.reserve({"cost": 0.9})
        waited.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert not waited.is_set()
    ledger.settle({"cost": 0.9}, {"cost": 0.05})
    assert waited.wait(20)
    thread.join()


def test_request_in_flight_when_killed_stays_reserved(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "run.sqlite")
    ledger = Ledger(Budget(requests=2, cost=1.0))
    ledger.keep_in(store)
    ledger.reserve({"requests": 1})
    ledger.reserve({"cost": 0.4})
    store.close()  # killed here
    again = Ledger(Budget(requests=2, cost=1.0))
    again.keep_in(ResultStore(tmp_path / "run.sqlite"))
    assert again.spent() == {"requests": 1, "cost": 0.4}


@pytest.mark.parametrize("tier", ["auto", "text"])
@pytest.mark.parametrize("requests", [1, 4])
def test_server_receives_at_most_the_budget_of_requests(
    game: Path, tmp_path: Path, tier: str, requests: int
) -> None:
    """Retries after errors and wrong answers count, and so do runs that are resumed."""
    script: list[Any] = [answer, error(529), "nonsense", answer, error(500), answer]
    with MessagesServer(script) as server:
        options = {"client": {"base_url": server.url, "tier": tier}, "retries": 3}
        for resume in range(3):
            found = commands.run(
                game,
                game / "vocabulary.yaml",
                tmp_path / "run",
                labeler="model",
                role="controller",
                options=options,
                workers=4,
                budget={"requests": requests},
                no_cache=True,
                resume=bool(resume),
            )
            assert len(server.requests) <= requests
        assert len(server.requests) == requests
        assert found["stopped"] == f"the budget of {requests} requests is used up"


@pytest.mark.parametrize("workers", [1, 4])
def test_cost_stays_within_the_budget(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], workers: int
) -> None:
    """The most that a request may cost does not fit: requests are sent one at a time."""
    with MessagesServer([answer]) as server:
        words: tuple[Any, ...] = ("-v", game / "vocabulary.yaml", "-o", tmp_path / "run")
        client = f"client.base_url={server.url}"
        prices = ("-s", "client.prices.input=2.5", "-s", "client.prices.output=10")
        command = ("label", "run", game, *words, "-l", "model", "-s", client, *prices, "--no-cache")
        limits = ("--workers", workers, "--cost", 0.12)
        assert call([str(word) for word in (*command, *limits)]) == 4
        out = capsys.readouterr().out
        assert "the budget of 0.12 cost is used up" in out
        spent, dearest = ResultStore(tmp_path / "run" / "run.sqlite").spent()["cost"]
        assert 0.12 - dearest < spent <= 0.12
        first = len(server.requests)
        assert first > 2
        assert call([str(word) for word in (*command, *limits, "--resume")]) == 4
        assert len(server.requests) == first


def test_cost_is_refused_without_prices(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words: tuple[Any, ...] = ("-v", game / "vocabulary.yaml", "-o", tmp_path / "run")
    server = "client.base_url=http://127.0.0.1:9"
    command = ("label", "run", game, *words, "-l", "model", "-s", server, "--cost", 1)
    assert call([str(word) for word in command]) == 2
    assert "--cost needs the prices of" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    service = "url=http://127.0.0.1:9"
    command = ("label", "run", game, *words, "-l", "remote", "-s", service, "--cost", 1)
    assert call([str(word) for word in command]) == 2
    assert "--cost does not work with the labeler remote" in capsys.readouterr().err


def test_reservation_waits_if_one_of_its_kinds_may_be_given_back() -> None:
    """Tokens are in flight, cost is not: sending now could exceed the budget of tokens."""
    ledger = Ledger(Budget(tokens=100, cost=1.0))
    ledger.reserve({"tokens": 50})
    waited = threading.Event()

    def second() -> None:
        ledger.reserve({"tokens": 60, "cost": 2.0})
        waited.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert not waited.wait(0.1)
    assert ledger.spent()["tokens"] == 50
    ledger.settle({"tokens": 50}, {"tokens": 10})
    assert waited.wait(20)
    thread.join()


def test_second_run_is_answered_by_the_cache_unless_it_is_switched_off(
    game: Path, tmp_path: Path
) -> None:
    with MessagesServer([answer]) as server:
        asked = []
        for name, cached in (("first", True), ("second", True), ("third", False)):
            before = len(server.requests)
            commands.run(
                game,
                game / "vocabulary.yaml",
                tmp_path / name,
                labeler="model",
                role="controller",
                options={"client": {"base_url": server.url, "tier": "text"}},
                cache=tmp_path / "cache.sqlite",
                no_cache=not cached,
            )
            asked.append(len(server.requests) - before)
    assert asked[0] == asked[2] > asked[1] == 0
