"""Budgets: reservations before requests, across threads, resumes and the command line."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest

from bt_exec.batch.store import ResultStore
from bt_exec.cli.app import run_command_line
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.labelers import BudgetSpentError, Reservation
from bt_exec_labeler.labelers.on_ray import _SharedLedger
from bt_exec_llm.client import Prices
from bt_exec_llm.client.request_runner import largest_usage
from bt_exec_llm.testing.messages_replies import error, text
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.labeler.batch.recordings import answer

pytestmark = pytest.mark.sampled


class Purse:
    """Threads that spend randomly from a ledger, and count the amounts."""

    def __init__(self, ledger: Ledger, seed: int, most: float) -> None:
        self.ledger, self.most = ledger, most
        self.spent = {"requests": 0.0, "cost": 0.0}
        self._chance = random.Random(seed)
        self._lock = threading.Lock()

    def work(self) -> None:
        while True:
            try:
                reserved = self.ledger.reserve({"requests": 1, "cost": self.most})
            except BudgetSpentError:
                return
            with self._lock:
                known = self._chance.random() < 0.8
                actual = self._chance.uniform(0, self.most) if known else self.most
                self.spent["requests"] += 1
                self.spent["cost"] += actual
            self.ledger.settle(reserved, {"requests": 1, "cost": actual} if known else None)


@pytest.mark.parametrize("seed", range(4))
def test_ledger_never_exceeds_a_limit_across_threads_and_resumes(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    budget = Budget(requests=chance.randrange(1, 60), cost=chance.uniform(1, 20))
    spent = {"requests": 0.0, "cost": 0.0}
    for resume in range(3):
        store = ResultStore(tmp_path / "run.sqlite")
        ledger = Ledger(budget)
        ledger.persist_in(store)
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
        assert spent["cost"] <= budget.limits()["cost"] + 1e-6
        assert ledger.spent() == pytest.approx(spent)
    assert spent["requests"] == budget.requests or spent["cost"] > budget.limits()["cost"] - 0.9


def test_reservation_waits_until_another_is_settled() -> None:
    ledger = Ledger(Budget(cost=1.0))
    first = ledger.reserve({"cost": 0.9})
    waited = threading.Event()

    def second() -> None:
        ledger.reserve({"cost": 0.9})
        waited.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert not waited.is_set()
    ledger.settle(first, {"cost": 0.05})
    assert waited.wait(20)
    thread.join()


def test_request_in_flight_when_the_run_is_killed_stays_reserved(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "run.sqlite")
    ledger = Ledger(Budget(requests=2, cost=1.0))
    ledger.persist_in(store)
    ledger.reserve({"requests": 1})
    ledger.reserve({"cost": 0.4})
    store.close()  # killed here
    again = Ledger(Budget(requests=2, cost=1.0))
    again.persist_in(ResultStore(tmp_path / "run.sqlite"))
    assert again.spent() == {"requests": 1, "cost": 0.4}


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["auto", "text"])
@pytest.mark.parametrize("requests", [1, 4])
def test_server_receives_at_most_the_budget_of_requests(
    game: Path, tmp_path: Path, tier: str, requests: int
) -> None:
    """Retries after errors and wrong answers count, and so do resumed runs."""
    script: list[Any] = [answer, error(529), "nonsense", answer, error(500), answer]
    with MessagesServer(script) as server:
        options = {"client": {"base_url": server.url, "tier": tier}, "retries": 3}
        for resume in range(3):
            found = cli_commands.run(
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
        assert (
            f"budget used by all runs in this folder: {requests} of {requests} requests"
            in found["lines"]
        )


@pytest.mark.parametrize("first", [{"tokens": 60_000}, {}])
def test_expenses_of_earlier_runs_count_towards_new_limits(
    game: Path, tmp_path: Path, first: dict[str, int]
) -> None:
    script = [answer, answer, error(400, "invalid_request_error", "no")]
    with MessagesServer(script if not first else [answer]) as server:
        how: dict[str, Any] = {"labeler": "model", "role": "controller", "no_cache": True}
        how["options"] = {
            "client": {"base_url": server.url, "tier": "text"},
            "items": 2,
            "retries": 0,
        }
        paths = (game, game / "vocabulary.yaml", tmp_path / "run")
        begun = cli_commands.run(*paths, **how, budget=first)
        sent = len(server.requests)
        assert sent > 0
        assert begun["left"]
        server.script([answer])
        found = cli_commands.run(*paths, **how, budget={"requests": sent + 2}, resume=True)
        assert len(server.requests) == sent + 2
        assert found["stopped"] == f"the budget of {sent + 2} requests is used up"


PRICES = {"input": 2.5, "output": 10}


def label(
    game: Path, out: Path, server: MessagesServer, cost: float, workers: int = 1, **client: Any
) -> dict[str, Any]:
    """Label a game with a cost budget; an answer may have 500 tokens."""
    settings = {"base_url": server.url, "prices": PRICES, "max_tokens": 500, **client}
    return cli_commands.run(
        game,
        game / "vocabulary.yaml",
        out,
        labeler="model",
        role="controller",
        options={"client": settings, "retries": 1},
        workers=workers,
        budget={"cost": cost},
        no_cache=True,
        resume=out.exists(),
    )


def most(server: MessagesServer) -> float:
    """Return the maximum cost of the requests that a server received."""
    prices = Prices.model_validate(PRICES)
    return max(largest_usage(received.body, prices).cost for received in server.requests)


def billed(tokens_in: int, tokens_out: int) -> Any:
    """Return a reply of a server that bills the given number of tokens per answer."""
    usage = {"input_tokens": tokens_in, "output_tokens": tokens_out}
    return lambda body: text(answer(body), usage=usage)


@pytest.mark.parametrize("workers", [1, 4])
def test_cost_never_exceeds_the_budget(game: Path, tmp_path: Path, workers: int) -> None:
    with MessagesServer([billed(3000, 400)]) as server:
        price = Prices.model_validate(PRICES).cost(3000, 400, 0, 0)
        for _ in range(2):
            found = label(game, tmp_path / "run", server, 0.12, workers)
            assert len(server.requests) * price <= 0.12
            assert len(server.requests) * price > 0.12 - most(server)
        assert "the budget of 0.12 cost does not cover another request" in found["stopped"]


def test_request_with_a_too_high_maximum_cost_is_never_sent(game: Path, tmp_path: Path) -> None:
    with MessagesServer([answer]) as server:
        found = label(game, tmp_path / "run", server, 0.12, max_tokens=20_000)
        assert "0.12 left, 0.2" in found["stopped"]
        assert not server.requests


def test_answer_without_a_token_count_is_charged_its_maximum_cost(
    game: Path, tmp_path: Path
) -> None:
    with MessagesServer([text("nonsense", usage={})]) as server:
        label(game, tmp_path / "run", server, 0.2, tier="text")
        bounds = [
            largest_usage(r.body, Prices.model_validate(PRICES)).cost for r in server.requests
        ]
        spent = ResultStore(tmp_path / "run" / "run.sqlite").spent()["cost"]
        assert spent == pytest.approx(sum(bounds), rel=0.01)
        assert len(bounds) == 2


def test_refused_request_costs_nothing(game: Path, tmp_path: Path) -> None:
    with MessagesServer([error(400, "invalid_request_error", "no")]) as server:
        label(game, tmp_path / "run", server, 0.12, tier="text")
        assert server.requests
        assert ResultStore(tmp_path / "run" / "run.sqlite").spent()["cost"] == 0


@pytest.mark.parametrize(("kind", "limit"), [("cost", 1000.0), ("tokens", 10_000_000)])
def test_run_stops_when_a_server_bills_more_than_the_maximum(
    game: Path, tmp_path: Path, kind: str, limit: float
) -> None:
    with MessagesServer([billed(3000, 600_000)]) as server:
        options = {"client": {"base_url": server.url, "prices": PRICES, "max_tokens": 500}}
        found = cli_commands.run(
            game,
            game / "vocabulary.yaml",
            tmp_path / "run",
            labeler="model",
            role="controller",
            options=options,
            budget={kind: limit},
            no_cache=True,
        )
        assert len(server.requests) == 1
        assert found["records"] > 0  # the paid answer is kept
        said = "the server billed 6.008 cost" if kind == "cost" else "the server billed 6.03e+05"
        assert said in found["stopped"]
        assert any("billed 1 requests more than they may cost" in line for line in found["lines"])


def test_cost_is_refused_without_prices(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words: tuple[Any, ...] = ("-v", game / "vocabulary.yaml", "-o", tmp_path / "run")
    server = "client.base_url=http://127.0.0.1:9"
    command = ("label", "run", game, *words, "-l", "model", "-s", server, "--cost", 1)
    assert run_command_line([str(word) for word in command]) == 2
    assert "--cost needs the prices of" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    service = "url=http://127.0.0.1:9"
    command = ("label", "run", game, *words, "-l", "remote", "-s", service, "--cost", 1)
    assert run_command_line([str(word) for word in command]) == 2
    assert "--cost does not work with the labeler remote" in capsys.readouterr().err


def test_reservation_fails_at_once_if_an_exhausted_kind_is_never_released() -> None:
    ledger = Ledger(Budget(requests=1, tokens=100))
    ledger.reserve({"requests": 1, "tokens": 60})
    with pytest.raises(BudgetSpentError, match=r"^the budget of 1 requests is used up$"):
        ledger.reserve({"requests": 1, "tokens": 60})


def test_reservation_waits_for_the_exhausted_kind() -> None:
    ledger = Ledger(Budget(tokens=100, cost=1.0))
    first = ledger.reserve({"tokens": 50})
    waited = threading.Event()

    def second() -> None:
        ledger.reserve({"tokens": 60, "cost": 0.5})
        waited.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert not waited.wait(0.1)
    assert ledger.spent()["tokens"] == 50
    ledger.settle(first, {"tokens": 10})
    assert waited.wait(20)
    thread.join()


def test_second_run_is_answered_by_the_cache_unless_it_is_switched_off(
    game: Path, tmp_path: Path
) -> None:
    with MessagesServer([answer]) as server:
        asked = []
        for name, cached in (("first", True), ("second", True), ("third", False)):
            before = len(server.requests)
            cli_commands.run(
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


def test_reservations_of_a_dead_worker_stay_charged_and_block_no_others() -> None:
    """The account of a cluster, tested locally: reservations of worker `a` count in full."""
    account = _SharedLedger(Budget(requests=5, cost=1.0), None)
    dead, live = (account.reserve(owner, {"requests": 1, "cost": 0.4}) for owner in "ab")
    assert isinstance(dead, Reservation)
    assert isinstance(live, Reservation)
    assert (dead.owner, account.limited_kinds()) == ("a", {"requests", "cost"})
    account.settle(live, {"requests": 1, "cost": 0.1})
    account.settle(live, {"requests": 1, "cost": 0.1})  # duplicate settlement
    account.abandon("a")
    account.settle(dead, {"requests": 1, "cost": 0.0})  # too late
    assert isinstance(account.reserve("b", {"requests": 1, "cost": 0.5}), Reservation)
    refused = account.reserve("b", {"requests": 4, "cost": 0.0})
    assert refused == "the budget of 5 requests is used up"


def test_refusal_contains_the_remaining_and_required_amounts() -> None:
    ledger = Ledger(Budget(cost=1.0))
    ledger.settle(ledger.reserve({"cost": 0.9}), {"cost": 0.75})
    with pytest.raises(BudgetSpentError) as refused:
        ledger.reserve({"cost": 0.5})
    assert str(refused.value) == (
        "the budget of 1 cost does not cover another request: 0.25 left, 0.5 needed at most"
    )


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        ({}, ""),
        ({"requests": 2, "input_tokens": 5, "output_tokens": 4, "cost": 0.9}, ""),
        ({"requests": 3, "cost": 2}, "the budget of 3 requests is used up"),
        ({"input_tokens": 5, "cache_read_tokens": 5}, "the budget of 10 tokens is used up"),
        ({"cost": 1.0}, "the budget of 1 cost is used up"),
    ],
)
def test_message_names_the_limit_that_usage_has_reached(usage: dict[str, float], said: str) -> None:
    assert Budget(requests=3, tokens=10, cost=1.0).exceeded_limit(usage) == said
    assert Budget().exceeded_limit(usage) == ""


def test_labeler_without_expenses_reaches_no_limit() -> None:
    for limit in (Budget(requests=1), Budget(tokens=1), Budget(cost=1.0)):
        assert limit.exceeded_limit({}) == ""
        assert limit.exceeded_limit({"words": 9.0}) == ""
    assert Budget(tokens=2).exceeded_limit({"input_tokens": 1, "batches": 5.0}) == ""
    assert Budget(cost=2.0, requests=5).limits() == {"requests": 5, "cost": 2.0}
    both = Budget(requests=1, cost=1.0).exceeded_limit({"requests": 1, "cost": 1.0})
    assert both == "the budget of 1 requests is used up"


def test_rounding_errors_do_not_exceed_a_budget() -> None:
    ledger = Ledger(Budget(cost=0.3))
    for _ in range(3):
        ledger.settle(ledger.reserve({"cost": 0.1}), {"cost": 0.1})
    with pytest.raises(BudgetSpentError, match=r"0 left, 0\.001 needed at most"):
        ledger.reserve({"cost": 0.001})


def test_bill_equal_to_the_maximum_is_not_an_overcharge() -> None:
    ledger = Ledger(Budget(cost=9.0))
    ledger.settle(ledger.reserve({"cost": 0.5, "tokens": 3}), {"cost": 0.5, "tokens": 9})
    assert isinstance(ledger.reserve({"cost": 0.5}), Reservation)  # tokens have no limit
    ledger.settle(Reservation({"cost": 0.5}), {"cost": 0.6})
    said = "the server billed 0.6 cost for a request of at most 0.5, so no budget can be kept"
    with pytest.raises(BudgetSpentError, match=f"^{said}$"):
        ledger.reserve({"cost": 0.1})
