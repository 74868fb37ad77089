"""Labeler on a cluster, with a stand-in for Ray that runs tasks in this process when awaited."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from bt_exec.batch.store import ResultStore
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.batch.command import _Maker
from bt_exec_labeler.batch.output_and_answer_cache import read_lines
from bt_exec_labeler.labeler_items import Item
from bt_exec_labeler.labelers import (
    Allowance,
    BudgetSpentError,
    LabelerFailure,
    LabelerSettings,
    Labelled,
)
from bt_exec_labeler.labelers.on_ray import RayLabeler
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.labeler.batch.recordings import answer


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


class StandIn(ModuleType):
    """Module ``ray`` with the functions that the labeler uses.

    Attributes:
        begun: Arguments of `init`.
        ended: Whether `shutdown` was called.
        placed: Options of the tasks and actors.
    """

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self) -> None:
        super().__init__("ray")
        self.begun: dict[str, Any] = {}
        self.ended = False
        self.placed: list[dict[str, Any]] = []

    def init(self, **how: Any) -> None:
        self.begun = how

    def shutdown(self) -> None:
        self.ended = True

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: "head")

    @staticmethod
    def put(value: Any) -> Any:
        return value

    @staticmethod
    def get(task: Callable[[], Any]) -> Any:
        return task()

    def remote(self, **options: Any) -> Callable[[Any], Any]:
        self.placed.append(options)

        def wrap(made: Any) -> Any:
            if not isinstance(made, type):
                return _Task(made)
            return SimpleNamespace(remote=lambda *args: _Actor(made(*args)))

        return wrap


class _Task:
    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def remote(self, *args: Any) -> Callable[[], Any]:
        return lambda: self._function(*args)


class _Actor:
    def __init__(self, held: Any) -> None:
        self._held = held

    def __getattr__(self, name: str) -> _Task:
        return _Task(getattr(self._held, name))


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made, strategies = StandIn(), ModuleType("ray.util.scheduling_strategies")
    strategies.NodeAffinitySchedulingStrategy = (  # type: ignore[attr-defined]
        lambda node, soft: ("node", node, soft)
    )
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setitem(sys.modules, "ray.util", ModuleType("ray.util"))
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", strategies)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return made


class Scripted(RulesLabeler):
    """Labeler that reserves before each batch, and then follows its script.

    Args:
        vocabulary: Vocabulary of the records.
        allowance: Account of the run.
        script: Exceptions to raise, or None to answer; answers when it is used up.
    """

    def __init__(
        self, vocabulary: Vocabulary, allowance: Allowance, script: Iterator[Exception | None]
    ) -> None:
        super().__init__(vocabulary)
        self._allowance, self._script, self._requests = allowance, script, 0

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        try:
            reserved = self._allowance.reserve({"requests": 1, "cost": 0.5})
        except BudgetSpentError as error:
            raise LabelerFailure("BUDGET_SPENT", str(error)) from error
        self._requests += 1
        raised = next(self._script, None)
        if raised is not None:
            raise raised
        self._allowance.settle(reserved, {"requests": 1, "cost": 0.2})
        return super().label(items)

    def usage(self) -> Mapping[str, float]:
        return {"requests": self._requests}


def cluster(
    vocabulary: Vocabulary, script: Sequence[Exception | None] = (), **budget: Any
) -> RayLabeler:
    left = iter(script)
    return RayLabeler(
        RulesLabeler(vocabulary),
        lambda allowance: Scripted(vocabulary, allowance, left),
        3,
        **budget,
    )


def test_batches_get_the_answers_of_the_labeler(
    ray: StandIn, vocabulary: Vocabulary, items: Sequence[Item]
) -> None:
    labeler = cluster(vocabulary)
    assert labeler.name == "rules"
    for count in (1, 3):
        wanted = RulesLabeler(vocabulary).label(items[:count])
        assert list(labeler.label(items[:count])) == list(wanted)
    assert labeler.usage() == {"requests": 2}
    assert ray.begun["num_cpus"] == 3
    assert not ray.ended
    labeler.close()
    assert ray.ended


def test_batch_of_a_dead_worker_is_repeated_at_most_three_times(
    ray: StandIn, vocabulary: Vocabulary, items: Sequence[Item]
) -> None:
    died = [RayError("the worker died\nno memory")] * 3
    labeler = cluster(vocabulary, died)
    assert list(labeler.label(items)) == list(RulesLabeler(vocabulary).label(items))
    with pytest.raises(LabelerFailure, match=r"^no worker could do it: no memory$") as raised:
        cluster(vocabulary, [*died, died[0]]).label(items)
    assert raised.value.code == "RAY_FAILED"
    with pytest.raises(LabelerFailure, match=r"^no worker could do it: RayTaskError$"):
        cluster(vocabulary, [RayTaskError()]).label(items)


def test_request_of_a_dead_worker_stays_charged_and_blocks_no_other(
    ray: StandIn, vocabulary: Vocabulary, items: Sequence[Item], tmp_path: Path
) -> None:
    store = tmp_path / "run.sqlite"
    script = [RayError("died"), None, RayError("died")]
    labeler = cluster(vocabulary, script, budget=Budget(cost=1.5), store=store)
    labeler.label(items)
    with pytest.raises(LabelerFailure, match=r"the budget of 1\.5 cost does not cover") as raised:
        labeler.label(items)
    assert raised.value.code == "BUDGET_SPENT"
    assert ResultStore(store).spent() == {"requests": 3, "cost": pytest.approx(1.2)}
    account, task = ray.placed  # the account is on the node of the caller, and never restarts
    assert account.pop("max_concurrency") > 100
    assert account == {
        "num_cpus": 0,
        "scheduling_strategy": ("node", "head", False),
        "max_restarts": 0,
    }
    assert task == {"num_cpus": 1, "max_retries": 0}


def test_failure_in_a_worker_is_returned_with_the_answers_so_far(
    ray: StandIn, vocabulary: Vocabulary, items: Sequence[Item]
) -> None:
    done = dict(enumerate(RulesLabeler(vocabulary).label(items[:1])))
    labeler = cluster(vocabulary, [LabelerFailure("MODEL_AWAY", "no answer", done)])
    with pytest.raises(LabelerFailure, match=r"^no answer$") as raised:
        labeler.label(items)
    assert (raised.value.code, raised.value.done) == ("MODEL_AWAY", done)
    assert labeler.usage() == {"requests": 1}


def test_run_on_a_cluster_writes_the_same_output_as_a_run_in_threads(
    ray: StandIn, game: Path, tmp_path: Path
) -> None:
    with MessagesServer([answer]) as server:
        client = {"base_url": server.url, "tier": "text"}
        for engine in ("threads", "ray"):
            cli_commands.run(
                game,
                game / "vocabulary.yaml",
                tmp_path / engine,
                labeler="model",
                role="controller",
                options={"client": client},
                no_cache=True,
                engine=engine,
            )
        spent = ResultStore(tmp_path / "ray" / "run.sqlite").spent()
        assert spent["requests"] == len(server.requests) / 2
    assert ray.ended
    names = ("records", "drops")
    found = [
        [list(read_lines(tmp_path / engine / f"{name}.jsonl")) for name in names]
        for engine in ("threads", "ray")
    ]
    assert found[0] == found[1]


def test_pickled_labeler_factory_contains_no_ledger(vocabulary: Vocabulary) -> None:

    settings = LabelerSettings("controller", vocabulary, {}, Ledger(Budget(requests=1)))
    sent = pickle.loads(pickle.dumps(_Maker("rules", settings, Budget(requests=1), Path("x"))))
    assert (sent.labeler, sent.budget, sent.store) == ("rules", Budget(requests=1), Path("x"))
    assert not sent.settings.allowance.limited_kinds
    assert sent(settings.allowance).vocabulary == vocabulary


def test_worker_creates_a_labeler_once_for_each_run(
    ray: StandIn, vocabulary: Vocabulary, items: Sequence[Item]
) -> None:
    """All batches of a run share the limits of the labeler and the connections of its client."""
    made: list[Allowance] = []

    def make(allowance: Allowance) -> RulesLabeler:
        made.append(allowance)
        return Scripted(vocabulary, allowance, iter(()))

    runs = [RayLabeler(RulesLabeler(vocabulary), make, 1) for _ in range(2)]
    for labeler in (runs[0], runs[0], runs[1], runs[0]):
        labeler.label(items[:1])
    assert len(made) == 2
    assert [labeler.usage() for labeler in runs] == [{"requests": 3}, {"requests": 1}]
    assert [allowance.limited_kinds for allowance in made] == [frozenset(), frozenset()]


def test_limits_of_a_cluster_budget_are_passed_to_its_workers(
    ray: StandIn, vocabulary: Vocabulary, items: Sequence[Item]
) -> None:
    seen: list[frozenset[str]] = []

    def make(allowance: Allowance) -> RulesLabeler:
        seen.append(allowance.limited_kinds)
        return Scripted(vocabulary, allowance, iter(()))

    labeler = RayLabeler(RulesLabeler(vocabulary), make, 1, budget=Budget(requests=1))
    labeler.label(items[:1])
    with pytest.raises(LabelerFailure, match=r"^the budget of 1 requests is used up$"):
        labeler.label(items[:1])
    assert seen == [{"requests"}]
