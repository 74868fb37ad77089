"""Labeler that queries a vision model through the Messages client.

A batch is one dialogue. Records that violate a rule are requested again, with all breaches; valid
records are kept. If the server is unreachable, the request is repeated after 1, 2 and 4 seconds. In
total, there are at most ``1 + retries`` requests for a batch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from tenacity import RetryCallState, Retrying, retry_if_exception, retry_if_result

from bt_exec.failure import UsageError
from bt_exec.spec.user_data_validation import UserData, read_settings
from bt_exec_labeler.labeler_items import Item, Role
from bt_exec_labeler.labelers import (
    BACKOFF_S,
    BudgetSpentError,
    Labeler,
    LabelerFailure,
    LabelerSettings,
    Labelled,
    RequestThreads,
    retry_controller,
)
from bt_exec_labeler.labelers.answer_parser import answer_schema, read_records, without_wrapping
from bt_exec_labeler.labelers.prompt import items_turn, system_prompt
from bt_exec_labeler.plan_record import Breach, Record
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client import (
    Answer,
    Model,
    ModelClient,
    ModelFailure,
    ModelSettings,
    Prices,
    Question,
    Turn,
    Usage,
)

__all__ = ["ModelLabeler", "Options", "create"]

_ONE_BY_ONE = frozenset({"MODEL_CONTEXT_FULL", "MODEL_CUT_OFF", "MODEL_REFUSED", "MODEL_TOO_BIG"})
"""Failure codes after which the items of a batch are requested one by one."""


class Options(UserData):
    """Settings of the labeler, including those of the model client.

    Attributes:
        items: Largest number of items in a request.
        retries: Number of further attempts for a batch.
        sheet: Whether contact sheets of 16 frames are sent instead of single frames.
        strict: Whether a thinking block or a fence around the JSON is a breach.
        language: Language of the mid steps' texts; if empty, the vocabulary's first language.
        client: Settings of the model client.
    """

    items: Annotated[int, Field(ge=1, le=64)] = 8
    retries: Annotated[int, Field(ge=0, le=10)] = 3
    sheet: bool = True
    strict: bool = False
    language: str = ""
    client: ModelSettings = ModelSettings()


class ModelLabeler:
    """Labeler that queries a model about moments.

    Args:
        model: Vision model, configured without retries, since the labeler retries.
        role: Role that the records are for.
        vocabulary: Vocabulary of the records.
        options: Settings of the labeler.
        sleep: Replacement of `time.sleep` in tests.

    Attributes:
        overbilled: Number of requests that the server billed above their maximum cost.
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
        self.rules = system_prompt(vocabulary, role, self.language)
        self._schema = answer_schema(vocabulary)
        self.overbilled = 0
        self._sleep = sleep
        self._lock = threading.Lock()
        self._usage = Usage()
        self._requests = RequestThreads()

    def limit_requests(self, at_once: int) -> None:
        """Implement `Pipelined.limit_requests`."""
        self._requests.limit(at_once)

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """Implement `Labeler.label`."""
        results: dict[int, Labelled] = {}
        numbered = list(enumerate(items))
        for start in range(0, len(items), self.options.items):
            self._label_in_dialogue(dict(numbered[start : start + self.options.items]), results)
        return [results[number] for number in range(len(items))]

    def usage(self) -> Mapping[str, float]:
        """Return the expenses of all requests so far."""
        with self._lock:
            overbilled = {"overbilled": self.overbilled} if self.overbilled else {}
            return self._usage.to_dict() | overbilled

    def _label_in_dialogue(self, items: Mapping[int, Item], results: dict[int, Labelled]) -> None:
        """Request items in one dialogue and add their results.

        Raises:
            LabelerFailure: If some items got no answer; contains the results so far.
        """
        dialogue = _Dialogue(self, items)
        try:
            dialogue.run()
        except ModelFailure as failure:
            results.update(dialogue.final_results())
            left = {number: item for number, item in items.items() if number not in results}
            if failure.code in _ONE_BY_ONE and len(items) > 1:
                for number, item in left.items():
                    self._label_in_dialogue({number: item}, results)
            elif failure.code in _ONE_BY_ONE:
                breach = Breach(failure.code, "answer", failure.message)
                results.update(dict.fromkeys(left, Labelled(None, (breach,))))
            elif failure.code == "MODEL_CANCELLED":
                raise LabelerFailure("BUDGET_SPENT", failure.message, results) from failure
            else:
                raise LabelerFailure(failure.code, failure.say("en"), results) from failure
        else:
            results.update(dialogue.results)

    def ask(self, dialogue: Sequence[Turn]) -> Answer:
        """Send one request and count its cost, even if no answer arrives."""
        try:
            answer = self._requests.call(
                self.model.ask, Question(self.rules, dialogue, self._schema)
            )
        except ModelFailure as failure:
            self._account(failure.usage)
            raise
        self._account(answer.usage)
        return answer

    def retry_controller(self) -> Retrying:
        """Return the controller for a batch's attempts: delays follow only unanswered requests."""
        return retry_controller(
            self.options.retries,
            self._sleep,
            wait=_pause,
            retry=retry_if_exception(_is_transient) | retry_if_result(bool),
            retry_error_callback=_last_result,
        )

    def _account(self, usage: Usage) -> None:
        with self._lock:
            self._usage += usage


class _Dialogue:
    """Dialogue about one batch, from the first request to the last correction."""

    def __init__(self, labeler: ModelLabeler, items: Mapping[int, Item]) -> None:
        self.labeler = labeler
        self.items = {number + 1: item for number, item in enumerate(items.values())}
        self._places = dict(zip(self.items, items, strict=True))
        self._found: dict[int, Labelled] = {}
        self.attempts = 0
        self.open: dict[int, Item] = {}
        self.turns: list[Turn] = []

    @property
    def results(self) -> dict[int, Labelled]:
        """Return the results of the items so far, by their index in the batch."""
        return {self._places[number]: found for number, found in self._found.items()}

    def final_results(self) -> dict[int, Labelled]:
        """Return the results of the items that are not requested again."""
        asked_again = {self._places[number] for number in self.open}
        return {place: found for place, found in self.results.items() if place not in asked_again}

    def run(self) -> None:
        """Send requests until every item has a valid record or the attempts are used up.

        Raises:
            ModelFailure: If no answer arrives.
        """
        labeler = self.labeler
        sheet = labeler.options.sheet
        first = items_turn(self.items, labeler.vocabulary, labeler.language, sheet=sheet)
        self.open, self.turns = self.items, [first]
        labeler.retry_controller()(self._request_once)

    def _request_once(self) -> bool:
        """Send one request; return True if some items still have no valid record."""
        self.attempts += 1
        answer = self.labeler.ask(self.turns)
        strict = self.labeler.options.strict
        text, taken_off = (answer.text, ()) if strict else without_wrapping(answer.text)
        found = read_records(text, self.open, self.labeler.vocabulary)
        said: dict[str, Any] = {"model": answer.model, "prompt": answer.request_digest}
        said |= {"lenient": list(taken_off)} if taken_off else {}
        wrong: dict[int, tuple[Breach, ...]] = {}
        for number, record in found.items():
            if isinstance(record, Record):
                self._found[number] = Labelled(record, (), self.attempts, said)
            else:
                wrong[number] = record
                self._found[number] = Labelled(None, record, self.attempts, said)
        if wrong:  # items that stay invalid are dropped, each with its breaches
            self.turns += [Turn.assistant(answer.text), Turn.user(_breach_message(wrong))]
        self.open = {number: self.open[number] for number in wrong}
        return bool(wrong)


def _breach_message(wrong: Mapping[int, tuple[Breach, ...]]) -> str:
    """Return the message to the model about the breaches in an answer.

    Items with equal breaches share their lines.
    """
    lines = ["This was wrong:"]
    for breaches, numbers in _grouped_by_breach(wrong).items():
        names = ", ".join(f"item {number}" for number in numbers)
        lines += [f"- {names}: {breach}" for breach in breaches]
    names = ", ".join(f"item {number}" for number in wrong)
    lines.append(f"Answer again about {names} alone, in the same form, with JSON alone.")
    return "\n".join(lines)


def _grouped_by_breach(
    wrong: Mapping[int, tuple[Breach, ...]],
) -> dict[tuple[Breach, ...], list[int]]:
    """Return the numbers of items, grouped by equal breaches."""
    found: dict[tuple[Breach, ...], list[int]] = {}
    for number, breaches in wrong.items():
        found.setdefault(breaches, []).append(number)
    return found


def _is_transient(error: BaseException) -> bool:
    """Return True if a batch is attempted again after this error."""
    patient = ("MODEL_TIMEOUT", "MODEL_NOT_JSON")
    return isinstance(error, ModelFailure) and (error.retryable or error.code in patient)


def _last_result(state: RetryCallState) -> Any:
    """Return the result of the last attempt, or raise its error."""
    return None if state.outcome is None else state.outcome.result()


def _pause(state: RetryCallState) -> float:
    """Return the pause before the next attempt [s]; 0 after an answer."""
    error = state.outcome.exception() if state.outcome is not None else None
    if not isinstance(error, ModelFailure):
        return 0.0
    wanted = error.retry_after_s or 0.0
    return max(wanted, BACKOFF_S[min(state.attempt_number, len(BACKOFF_S)) - 1])


def create(settings: LabelerSettings) -> Labeler:
    """Return a labeler that uses the model in the settings.

    Raises:
        UsageError: If a setting is unknown or invalid.
    """
    options = read_settings(Options, settings.options, "the labeler model")
    client = options.client.model_copy(update={"retries": 0})
    if not client.has_key():
        raise UsageError(
            f"the labeler model needs a key: export {client.key_variable}=…, or name a server of "
            "your own with -s client.base_url=http://…"
        )
    allowance = settings.allowance
    if "cost" in allowance.limited_kinds and client.prices == Prices():
        raise UsageError(
            f"--cost needs the prices of {client.model}: -s client.prices.input=… and "
            "-s client.prices.output=… (for a million tokens), or --site FILE whose compiler has "
            "them; without prices use --requests or --tokens"
        )

    def reserve(most: Usage) -> Callable[[Usage | None], None]:
        try:
            reserved = allowance.reserve(_amounts(most))
        except BudgetSpentError as error:
            raise ModelFailure("MODEL_CANCELLED", str(error)) from error

        def settle(spent: Usage | None) -> None:
            actual = None if spent is None else _amounts(spent)
            allowance.settle(reserved, actual)
            if actual and any(
                actual[kind] > reserved.amounts[kind] for kind in allowance.limited_kinds
            ):
                labeler.overbilled += 1

        return settle

    model = ModelClient(client, reserve=reserve)
    labeler = ModelLabeler(model, settings.role, settings.vocabulary, options)
    return labeler


def _amounts(usage: Usage) -> dict[str, float]:
    """Return the expenses in `usage` by kind of budget: requests, tokens, cost."""
    tokens = usage.input_tokens + usage.output_tokens
    tokens += usage.cache_write_tokens + usage.cache_read_tokens
    return {"requests": usage.requests, "tokens": tokens, "cost": usage.cost}
