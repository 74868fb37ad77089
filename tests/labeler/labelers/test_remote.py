"""Remote labeler: settings, and parsing of a service's results without a server."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.labelers import (
    LabelerFailure,
    LabelerSettings,
    RequestThreads,
    retry_controller,
)
from bt_exec_labeler.labelers.remote import Options, RemoteLabeler, create
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.vocabulary import Vocabulary

from .test_answer_parser import GOOD

URL = "http://127.0.0.1:9"


def test_settings_have_defaults_and_bounds(vocabulary: Vocabulary) -> None:
    options = Options(url=URL)
    assert (options.token_variable, options.timeout_s, options.retries) == (
        "BT_EXEC_TOKEN", 300, 3
    )  # fmt: skip
    for name, good, bad in (("timeout_s", 3600, 3601), ("retries", 10, 11), ("retries", 0, -1)):
        assert getattr(Options.model_validate({"url": URL, name: good}), name) == good
        with pytest.raises(UsageError, match=name):
            create(LabelerSettings("controller", vocabulary, {"url": URL, name: bad}))
    with pytest.raises(UsageError, match="timeout_s"):
        create(LabelerSettings("controller", vocabulary, {"url": URL, "timeout_s": 0}))


@pytest.mark.parametrize(
    ("limits", "flag"),
    [
        ({}, ""),
        ({"requests": 1}, ""),
        ({"tokens": 1}, "tokens"),
        ({"cost": 1, "tokens": 1}, "cost"),
    ],
)
def test_remote_labeler_supports_only_a_budget_of_requests(
    limits: dict[str, float], flag: str, vocabulary: Vocabulary
) -> None:
    ledger = Ledger(Budget(**limits))
    settings = LabelerSettings("controller", vocabulary, {"url": URL}, ledger)
    if not flag:
        labeler = create(settings)
        assert isinstance(labeler, RemoteLabeler)
        assert (labeler.options.url, labeler.allowance) == (URL, ledger)
        return
    with pytest.raises(UsageError, match=f"^--{flag} does not work with the labeler remote: "):
        create(settings)


def read(vocabulary: Vocabulary, answer: Any) -> Any:
    item: Any = SimpleNamespace(mid_step_id="rest")
    return RemoteLabeler(vocabulary, Options(url=URL))._read_answer(answer, item)


def test_record_of_a_service_is_validated(vocabulary: Vocabulary) -> None:
    found = read(vocabulary, {"record": GOOD, "attempts": 3, "provenance": {"model": "m"}})
    assert found.record.to_dict() == GOOD
    assert (found.breaches, found.attempts) == ((), 3)
    assert found.provenance == {"service": URL, "by": {"model": "m"}}
    wrong = read(vocabulary, {"record": {**GOOD, "mid_step_id": "go_home"}, "attempts": "2"})
    assert (wrong.record, wrong.attempts) == (None, 1)
    assert {breach.code for breach in wrong.breaches} == {"OTHER_MID_STEP"}
    assert wrong.provenance == {"service": URL, "by": {}}
    odd = read(vocabulary, [])
    assert odd.breaches == (Breach("REMOTE_FORM", "item", "is not an object"),)


def test_breach_list_of_a_service_is_truncated(vocabulary: Vocabulary) -> None:
    listed = [{"code": n, "where": "w", "message": "x" * 600} for n in range(30)]
    found = read(vocabulary, {"breaches": listed, "attempts": 2, "provenance": 7})
    assert (found.record, found.attempts, len(found.breaches)) == (None, 2, 20)
    assert found.breaches[19] == Breach("19", "w", "x" * 500)
    assert found.provenance == {"service": URL, "by": {}}
    nothing = Breach("ITEM_MISSING", "item", "has neither a record nor a reason")
    for answer in ({}, {"breaches": "none"}, {"breaches": [7]}):
        assert read(vocabulary, answer).breaches == (nothing,)
    assert read(vocabulary, {"breaches": [{}, 7]}).breaches == (Breach("", "", ""),)


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        ([], "REMOTE_FORM", "did not return 2 items"),
        ({"items": "ab"}, "REMOTE_FORM", "did not return 2 items"),
        ({"items": [1]}, "REMOTE_FORM", "did not return 2 items"),
        (
            {"items": [1, 2], "schema_version": "v" * 99},
            "REMOTE_SCHEMA",
            f"{'v' * 60}; ours is plan_v1.0",
        ),
        ({"items": [1, 2]}, "REMOTE_SCHEMA", "has schema None; ours is plan_v1.0"),
    ],
)
def test_malformed_answer_of_a_labelling_service_is_refused(
    data: Any, code: str, said: str, vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    labeler = RemoteLabeler(vocabulary, Options(url=URL))
    monkeypatch.setattr(labeler, "_post", lambda body: data)
    with pytest.raises(LabelerFailure) as failure:
        labeler._request_answers({}, 2)
    assert failure.value.code == code
    assert str(failure.value).startswith(URL)
    assert str(failure.value).endswith(said)


def test_token_is_sent_only_if_it_is_set(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "secret")
    with_token = RemoteLabeler(vocabulary, Options(url=URL, token_variable="MY_TOKEN"))
    assert with_token._headers == {"Authorization": "Bearer secret"}
    monkeypatch.setenv("MY_TOKEN", "")
    assert RemoteLabeler(vocabulary, Options(url=URL, token_variable="MY_TOKEN"))._headers == {}


def test_limited_requests_run_on_separate_threads() -> None:
    requests = RequestThreads()
    assert requests.call(threading.current_thread) is threading.current_thread()
    requests.limit(2)
    names = {requests.call(lambda: threading.current_thread().name) for _ in range(6)}
    assert names <= {"request_0", "request_1"}
    assert requests.call(max, 3, 7) == 7


@pytest.mark.parametrize("retries", [0, 2])
def test_number_of_attempts_is_one_more_than_the_retries(retries: int) -> None:
    pauses: list[float] = []
    tried: list[int] = []

    def fail() -> None:
        tried.append(1)
        raise ValueError("away")

    with pytest.raises(ValueError, match="away"):
        retry_controller(retries, pauses.append, reraise=True)(fail)
    assert (len(tried), len(pauses)) == (retries + 1, retries)
