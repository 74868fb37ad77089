"""Model requests over the network with one overall deadline and immediate cancellation.

A question runs on a separate daemon thread. The caller waits for the answer, the deadline or a
cancellation, whichever comes first, and then closes the connection. Therefore, a server that hangs
or sends slowly cannot block the caller, and no thread outlives its connection.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bt_exec.files import expand_home
from bt_exec.spec.user_data_validation import read_settings
from bt_exec_llm.client.answer_replay import ReplayClient
from bt_exec_llm.client.connection import Connection
from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.exchange_recorder import Exchange, Recorder
from bt_exec_llm.client.model_interface import Answer, Model, Question, Usage
from bt_exec_llm.client.output_tiers import REMEMBERED, TierMemory
from bt_exec_llm.client.request_runner import RequestRunner, Reserve, reserve_nothing
from bt_exec_llm.client.settings import ModelSettings, Tier

__all__ = ["ModelClient", "make_model_client"]


_POLL_S = 0.02


class ModelClient:
    """Client for one model on a server with the Messages protocol.

    Several threads may call `ask` at the same time.

    Args:
        settings: Model, address and limits.
        record: Called with every exchange, whether it succeeded or failed, before `ask` returns.
        memory: Known capabilities of servers; by default shared by all clients of the process.
        reserve: Called before every HTTP request, including retries and requests in another tier,
            on the thread that sends the request; see `Reserve`. The deadline is extended by the
            duration of the call.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        record: Callable[[Exchange], None] | None = None,
        memory: TierMemory = REMEMBERED,
        reserve: Reserve = reserve_nothing,
    ) -> None:
        self.settings = settings
        self._record = record
        self._memory = memory
        self._reserve = reserve
        self._lock = threading.Lock()
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        """Total cost of all questions."""
        with self._lock:
            return self._usage

    @property
    def tier(self) -> Tier:
        """First tier that is tried for the next question with a schema."""
        return self._memory.get(self.settings)

    def ask(self, question: Question, cancel: threading.Event | None = None) -> Answer:
        """Send a question and wait for the answer.

        Args:
            question: The question.
            cancel: Event that cancels it within 50 ms after it is set.

        Raises:
            ModelFailure: With one of the codes of `bt_exec_llm.client.errors`.
        """
        digest = question.digest()
        start = time.monotonic()
        try:
            answer, usage = self._wait(question, start, cancel)
        except ModelFailure as failure:
            failure.request_digest = digest
            failure.seconds = time.monotonic() - start
            failure.usage += Usage(seconds=failure.seconds)
            self._account(failure.usage)
            self._note(Exchange(question, self.settings.model, failure=failure))
            raise
        seconds = time.monotonic() - start
        usage += Usage(seconds=seconds)
        self._account(usage)
        model = answer.model or self.settings.model
        answer = replace(answer, usage=usage, request_digest=digest, seconds=seconds, model=model)
        self._note(Exchange(question, self.settings.model, answer=answer))
        return answer

    def _wait(
        self, question: Question, start: float, cancel: threading.Event | None
    ) -> tuple[Answer, Usage]:
        """Run the question on a thread; return the answer and its cost.

        Raises:
            ModelFailure: If the question fails, is cancelled, or reaches its deadline.
        """
        if cancel is not None and cancel.is_set():
            raise ModelFailure("MODEL_CANCELLED", "asked to stop")
        line = Connection(start + self.settings.timeout_s)
        run = RequestRunner(self.settings, self._memory, question, line, self._reserve)
        threading.Thread(target=run.ask_and_store, name="bt-exec-model", daemon=True).start()
        while not run.done.wait(min(_POLL_S, line.remaining_time())):
            if cancel is not None and cancel.is_set():
                run.stop()
                raise ModelFailure("MODEL_CANCELLED", "asked to stop", usage=run.usage)
            if line.remaining_time() <= 0:
                latest = run.latest  # before `stop`, which causes another failure
                run.stop()
                message = f"no answer within {self.settings.timeout_s:g} s"
                if not run.usage.requests:
                    message = f"no request could be sent within {self.settings.timeout_s:g} s"
                if latest is not None:
                    message += f"; before that: {latest.message}"
                raise ModelFailure("MODEL_TIMEOUT", message, usage=run.usage)
        if run.failure is not None:
            run.failure.usage = run.usage
            raise run.failure
        assert run.answer is not None
        return run.answer, run.usage

    def _account(self, usage: Usage) -> None:
        with self._lock:
            self._usage += usage

    def _note(self, exchange: Exchange) -> None:
        if self._record is None:
            return
        try:
            self._record(exchange)
        except OSError as error:
            raise ModelFailure("MODEL_NOT_RECORDED", error.strerror or str(error)) from None


def make_model_client(settings: Mapping[str, Any], kind: str, **defaults: Any) -> Model:
    """Return the model client or the replay that a site's settings describe.

    In addition to the settings of the client, ``record: FILE`` appends every exchange to a file,
    and ``replay: FILE`` repeats the answers of such a file.

    Args:
        settings: Settings in the site file.
        kind: Task of the model, for error messages.
        defaults: Values of omitted settings.

    Raises:
        UsageError: If a setting is unknown or invalid.
    """
    given = dict(settings)
    replay, record = given.pop("replay", None), given.pop("record", None)
    if replay is not None:
        return ReplayClient(expand_home(str(replay)))
    recorder = None if record is None else Recorder(expand_home(str(record)))
    asked = read_settings(ModelSettings, {**defaults, **given}, f"the {kind} model claude")
    return ModelClient(asked, record=recorder)
