"""Labeler with a model: settings, pauses and accounts, without a server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.labelers import LabelerSettings
from bt_exec_labeler.labelers import model_labeler as module
from bt_exec_labeler.labelers.model_labeler import ModelLabeler, Options, create
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client import ModelFailure, ModelSettings, Usage

LOCAL = {"base_url": "http://127.0.0.1:9"}


def test_options_default_to_eight_items_and_three_retries(vocabulary: Vocabulary) -> None:
    labeler = create(LabelerSettings("controller", vocabulary, {"client": LOCAL}))
    assert isinstance(labeler, ModelLabeler)
    options = labeler.options
    assert (options.items, options.retries, options.language) == (8, 3, "")
    assert (options.sheet, options.strict) == (True, False)


@pytest.mark.parametrize(("name", "least", "most"), [("items", 1, 64), ("retries", 0, 10)])
def test_options_outside_their_bounds_are_refused(
    name: str, least: int, most: int, vocabulary: Vocabulary
) -> None:
    for value in (least, most):
        assert getattr(Options.model_validate({name: value}), name) == value
    for value in (least - 1, most + 1):
        options = {name: value, "client": LOCAL}
        with pytest.raises(UsageError, match=f"setting '{name}' of the labeler model"):
            create(LabelerSettings("controller", vocabulary, options))


def state(number: int, error: BaseException | None = None, result: Any = None) -> Any:
    outcome = SimpleNamespace(exception=lambda: error, result=lambda: result)
    return SimpleNamespace(attempt_number=number, outcome=outcome)


def test_pause_grows_to_four_seconds_or_the_delay_requested_by_the_server() -> None:
    away = ModelFailure("MODEL_OVERLOADED", "busy")
    assert [module._pause(state(n, away)) for n in (1, 2, 3, 4, 9)] == [1, 2, 4, 4, 4]
    wanted = ModelFailure("MODEL_OVERLOADED", "busy", retry_after_s=3.0)
    assert [module._pause(state(n, wanted)) for n in (1, 2, 3)] == [3, 3, 4]
    assert module._pause(state(2)) == 0.0
    assert module._pause(state(2, ValueError())) == 0.0
    nothing: Any = SimpleNamespace(attempt_number=1, outcome=None)
    assert (module._pause(nothing), module._last_result(nothing)) == (0.0, None)
    assert module._last_result(state(4, result=True)) is True


@pytest.mark.parametrize(
    ("code", "passes"),
    [
        ("MODEL_TIMEOUT", True),
        ("MODEL_NOT_JSON", True),
        ("MODEL_OVERLOADED", True),
        ("MODEL_AUTH", False),
    ],
)
def test_temporary_failures_are_retried(code: str, passes: bool) -> None:
    assert module._is_transient(ModelFailure(code, "no answer")) is passes
    assert not module._is_transient(ValueError(code))


def test_items_with_equal_breaches_share_a_line_of_the_retry_message() -> None:
    late, odd = Breach("A", "x", "is late"), Breach("B", "y", "is odd")
    said = module._breach_message({1: (late,), 2: (odd, late), 4: (late,)})
    assert said == (
        "This was wrong:\n"
        f"- item 1, item 4: {late}\n- item 2: {odd}\n- item 2: {late}\n"
        "Answer again about item 1, item 2, item 4 alone, in the same form, with JSON alone."
    )


def test_token_budget_includes_cached_tokens() -> None:
    usage = Usage(
        requests=2, input_tokens=1000, output_tokens=200, cache_write_tokens=30,
        cache_read_tokens=4, cost=0.5,
    )  # fmt: skip
    assert module._amounts(usage) == {"requests": 2, "tokens": 1234, "cost": 0.5}


def created(vocabulary: Vocabulary, ledger: Ledger, **client: Any) -> Any:
    """Return a labeler with the function that reserves its requests."""
    options = {"client": {**LOCAL, **client}}
    labeler = create(LabelerSettings("controller", vocabulary, options, ledger))
    assert isinstance(labeler, ModelLabeler)
    return labeler


def test_maximum_cost_of_a_request_is_reserved_and_settled(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, Any] = {}

    def client(settings: ModelSettings, *, reserve: Any) -> Any:
        kept.update(settings=settings, reserve=reserve)

    monkeypatch.setattr(module, "ModelClient", client)
    ledger = Ledger(Budget(tokens=1000, requests=4))
    labeler = created(vocabulary, ledger, retries=5)
    assert kept["settings"].retries == 0  # the labeler retries itself
    most = Usage(requests=1, input_tokens=300, output_tokens=100)
    kept["reserve"](most)(Usage(requests=1, input_tokens=150, output_tokens=50))
    assert ledger.spent() == {"requests": 1, "tokens": 200, "cost": 0}
    kept["reserve"](most)(None)  # of unknown cost: the reservation stays
    assert ledger.spent()["tokens"] == 600
    kept["reserve"](most)(most)
    assert (labeler.overbilled, labeler.usage().get("overbilled")) == (0, None)
    with pytest.raises(ModelFailure, match="the budget of 1000 tokens does not cover") as caught:
        kept["reserve"](most)
    assert caught.value.code == "MODEL_CANCELLED"


def test_bills_above_the_maximum_are_counted(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(module, "ModelClient", lambda _, reserve: kept.append(reserve))
    labeler = created(vocabulary, Ledger(Budget(tokens=1000, requests=9)))
    first, second = (kept[0](Usage(requests=1, input_tokens=100)) for _ in range(2))
    first(Usage(requests=1, input_tokens=101))
    second(Usage(requests=1, input_tokens=102))
    assert labeler.overbilled == 2
    assert labeler.usage()["overbilled"] == 2


def test_api_key_and_prices_for_a_cost_budget_are_required(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(UsageError, match=r"needs a key: export \w+_KEY=…, or name a server"):
        create(LabelerSettings("controller", vocabulary))
    with pytest.raises(UsageError, match=r"^--cost needs the prices of "):
        created(vocabulary, Ledger(Budget(cost=1.0)))
    assert created(vocabulary, Ledger(Budget(cost=1.0)), prices={"input": 1, "output": 2})
    assert created(vocabulary, Ledger(Budget(tokens=1)))
