"""The labeler that asks a vision model, through the Messages client.

A batch is one dialogue. What breaks a rule is sent back with the name of every breach, for the
items that broke it alone; records that were right are kept. A server that is away is asked again
after 1, 2 and 4 seconds. Both together, a batch is asked about at most ``1 + retries`` times.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from tenacity import RetryCallState, Retrying, retry_if_exception, retry_if_result

from bt_exec.failure import UsageError
from bt_exec_labeler.items import Item, Role
from bt_exec_labeler.labelers import Labeler, LabelerFailure, LabelerSettings, Labelled
from bt_exec_labeler.labelers.answer import answer_schema, read_records
from bt_exec_labeler.labelers.asking import BACKOFF_S, attempts, damaged, read_options
from bt_exec_labeler.labelers.prompt import ask_about, rules_of
from bt_exec_labeler.record import Breach, Record
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client import (
    Answer,
    Model,
    ModelClient,
    ModelFailure,
    ModelSettings,
    Turn,
    Usage,
)

__all__ = ["ModelLabeler", "Options", "create"]

_ONE_BY_ONE = frozenset({"MODEL_CONTEXT_FULL", "MODEL_CUT_OFF", "MODEL_REFUSED", "MODEL_TOO_BIG"})
"""Failures of a batch that a smaller one may not have."""


class Options(BaseModel):
    """Settings of the labeler, beside those of the model client.

    Attributes:
        items: How many items a request asks about at most.
        retries: How often a batch is asked about again.
        sheet: One contact sheet for a clip instead of a picture for each frame.
        language: Of the texts of mid steps; the vocabulary's first if empty.
        client: Which model, where: the settings of the model client.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: Annotated[int, Field(ge=1, le=64)] = 8
    retries: Annotated[int, Field(ge=0, le=10)] = 3
    sheet: bool = True
    language: str = ""
    client: ModelSettings = ModelSettings()


class ModelLabeler:
    """Asks a model about moments.

    Args:
        model: Who looks; its own retries are switched off, for this has them.
        role: For whom it labels.
        vocabulary: What it may say.
        options: Its settings.
        sleep: Waits so many seconds; for tests.
    """

    name = "model"

    def __init__(
        self,
        model: Model,
        role: Role,
        vocabulary: Vocabulary,
        options: Options = Options(),  # noqa: B008 - a frozen model
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.model = model
        self.vocabulary = vocabulary
        self.options = options
        self.language = options.language or vocabulary.languages[0]
        self.rules = rules_of(vocabulary, role, self.language)
        self._schema = answer_schema(vocabulary)
        self._sleep = sleep
        self._lock = threading.Lock()
        self._usage = Usage()

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """See `Labeler.label`."""
        results: list[Labelled] = []
        for start in range(0, len(items), self.options.items):
            results += self._batch(items[start : start + self.options.items])
        return results

    def usage(self) -> Mapping[str, float]:
        """Return what all calls so far cost."""
        with self._lock:
            return self._usage.to_dict()

    def _batch(self, items: Sequence[Item]) -> Sequence[Labelled]:
        try:
            return _Dialogue(self, items).run()
        except ModelFailure as failure:
            if failure.code in _ONE_BY_ONE and len(items) > 1:
                return [found for item in items for found in self._batch([item])]
            if failure.code in _ONE_BY_ONE:
                return [Labelled(None, (Breach(failure.code, "answer", failure.message),))]
            raise LabelerFailure(failure.code, failure.say("en")) from failure

    def ask(self, dialogue: Sequence[Turn]) -> Answer:
        """Ask once; what it cost is counted whether it answers or not."""
        try:
            answer = self.model.ask(self.rules, dialogue, self._schema)
        except ModelFailure as failure:
            self._account(failure.usage)
            raise
        self._account(answer.usage)
        return answer

    def attempts(self) -> Retrying:
        """Return the attempts of one batch: at once after a breach, later when nobody answers."""
        return attempts(
            self.options.retries,
            self._sleep,
            wait=_pause,
            retry=retry_if_exception(_passes) | retry_if_result(bool),
            retry_error_callback=_last,
        )

    def _account(self, usage: Usage) -> None:
        with self._lock:
            self._usage += usage


class _Dialogue:
    """One batch, from the first question to the last correction."""

    def __init__(self, labeler: ModelLabeler, items: Sequence[Item]) -> None:
        self.labeler = labeler
        self.items = dict(enumerate(items, start=1))
        self.results: dict[int, Labelled] = {}
        self.attempts = 0
        self.open: dict[int, Item] = {}
        self.turns: list[Turn] = []

    def run(self) -> Sequence[Labelled]:
        """Return what became of each item.

        Raises:
            ModelFailure: If nobody answers.
        """
        labeler = self.labeler
        open_items = self._readable()
        if not open_items:
            return [self.results[number] for number in self.items]
        first = ask_about(
            open_items, labeler.vocabulary, labeler.language, sheet=labeler.options.sheet
        )
        self.open, self.turns = open_items, [first]
        labeler.attempts()(self._round)
        return [self.results[number] for number in self.items]

    def _readable(self) -> dict[int, Item]:
        """Return the items whose frames can be read; the others are dropped by name."""
        good: dict[int, Item] = {}
        for number, item in self.items.items():
            try:
                _ = item.clip_hash
            except (OSError, ValueError) as error:
                self.results[number] = damaged(error)
            else:
                good[number] = item
        return good

    def _round(self) -> bool:
        """Ask once; return whether some items have no good record yet."""
        self.attempts += 1
        answer = self.labeler.ask(self.turns)
        found = read_records(answer.text, self.open, self.labeler.vocabulary)
        said = {"model": answer.model, "prompt": answer.request_digest}
        wrong: dict[int, tuple[Breach, ...]] = {}
        for number, record in found.items():
            if isinstance(record, Record):
                self.results[number] = Labelled(record, (), self.attempts, said)
            else:
                wrong[number] = record
                self.results[number] = Labelled(None, record, self.attempts, said)
        if wrong:  # those that stay wrong are dropped, each with its breaches
            self.turns += [Turn.assistant(answer.text), Turn.user(_faults(wrong))]
        self.open = {number: self.open[number] for number in wrong}
        return bool(wrong)


def _faults(wrong: Mapping[int, tuple[Breach, ...]]) -> str:
    """Return what a model is told of its breaches, each named once."""
    lines = ["This was wrong:"]
    for breaches, numbers in _together(wrong).items():
        names = ", ".join(f"item {number}" for number in numbers)
        lines += [f"- {names}: {breach}" for breach in breaches]
    names = ", ".join(f"item {number}" for number in wrong)
    lines.append(f"Answer again about {names} alone, in the same form, with JSON alone.")
    return "\n".join(lines)


def _together(wrong: Mapping[int, tuple[Breach, ...]]) -> dict[tuple[Breach, ...], list[int]]:
    """Return items by their breaches: a fault of the whole answer is told once."""
    found: dict[tuple[Breach, ...], list[int]] = {}
    for number, breaches in wrong.items():
        found.setdefault(breaches, []).append(number)
    return found


def _passes(error: BaseException) -> bool:
    """Whether a batch is asked about again after an error."""
    patient = ("MODEL_TIMEOUT", "MODEL_NOT_JSON")
    return isinstance(error, ModelFailure) and (error.retryable or error.code in patient)


def _last(state: RetryCallState) -> Any:
    """Return what the last attempt gave, or raise what it raised."""
    return None if state.outcome is None else state.outcome.result()


def _pause(state: RetryCallState) -> float:
    """Return how long to wait before the next attempt [s]: nothing after an answer."""
    error = state.outcome.exception() if state.outcome is not None else None
    if not isinstance(error, ModelFailure):
        return 0.0
    wanted = error.retry_after_s or 0.0
    return max(wanted, BACKOFF_S[min(state.attempt_number, len(BACKOFF_S)) - 1])


def create(settings: LabelerSettings) -> Labeler:
    """Return the labeler, asking the model that its settings name.

    Raises:
        UsageError: If a setting is unknown or wrong.
    """
    options = read_options(Options, settings.options, "model")
    client = options.client.model_copy(update={"retries": 0})
    if not client.has_key():
        raise UsageError(
            f"the labeler model needs a key: export {client.key_variable}=…, or name a server of "
            "your own with -s client.base_url=http://…"
        )
    return ModelLabeler(ModelClient(client), settings.role, settings.vocabulary, options)
