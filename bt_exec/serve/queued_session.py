"""Queue of commands for one session; commands are recorded and run one after another.

The session is created, used and closed on one separate thread. Other threads only submit commands,
query the state, or request a stop; the session's thread never waits for them.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from bt_exec.events import Event, Finished, MissionStarted, Observed
from bt_exec.failure import UsageError, describe_exception
from bt_exec.journal import Booking, Journal
from bt_exec.mission.self_questions import asks_to_stop, only_stops
from bt_exec.mission.session import Session
from bt_exec.mission_outcome import Outcome
from bt_exec.models import Speech, TextSpeech
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.page_state import PageState
from bt_exec.serve.plan_confirmation_questions import Questions
from bt_exec.site.site import Site

__all__ = ["BookedMission", "QueuedSession"]

_STEP_S = 0.2  # polling period for the end of the service [s]
_CLOSE_S = 25.0  # time limit for ending both the mission and the session [s]
_HUNG_S = 1.0  # same limit if part of the mission hangs and cannot be interrupted [s]
_CONFIRM_S = 300.0  # time limit for the operator's answer to a question [s]

_log = logging.getLogger("bt_exec")


@dataclass
class BookedMission:
    """An accepted command, which waits, runs or has ended.

    Attributes:
        booking: Entry in the journal.
        command: The command as typed.
        ended: Future of the outcome.
        stop: Reason for a stop that was requested before the mission could handle the request;
            otherwise empty.
        stopped: Whether an operator requested a stop.
    """

    booking: Booking
    command: str
    ended: Future[Outcome] = field(default_factory=Future, repr=False)
    stop: str = ""
    stopped: bool = False

    def __post_init__(self) -> None:
        self.ended.set_running_or_notify_cancel()  # a running future cannot be cancelled

    @property
    def mission_id(self) -> str:
        """Identifier of the mission, such as ``2026-11-20-0007``."""
        return self.booking.mission_id


class QueuedSession:
    """One session with a queue of commands.

    Args:
        site: The site.
        journal: Journal in which missions are recorded.
        queue: Maximum number of waiting commands.
        world: Initial state of the simulated world.
        fast: Whether simulations run as fast as possible.
        faults: Faults to inject, each as ``SKILL[:N]=CODE``.
        frames: Whether the journal also keeps pictures.
        compiler: Overrides the site's compiler.
        speech: Recognizes and synthesizes speech; by default, only text is exchanged.
        guard: Whether a guardian is started even if everything is simulated.
        confirm_s: Time limit of an answer to a question [s].

    Attributes:
        watching: Listener that maintains the state of the page.
        questions: Open questions to operators.
        held: Identifier of the stopped mission after which the queue is held until `resume_queue`,
            or ``operator`` if the operator held it. Empty if the queue is not held.
        hung: Identifier of a mission that hangs and cannot be interrupted; no other mission can
            run until the service is restarted. Empty if there is none.
    """

    def __init__(
        self,
        site: Site,
        journal: Journal,
        *,
        queue: int = 16,
        world: Mapping[str, str] | None = None,
        fast: bool = False,
        faults: Sequence[str] = (),
        frames: bool = False,
        compiler: str | None = None,
        speech: Speech | None = None,
        guard: bool = False,
        confirm_s: float = _CONFIRM_S,
    ) -> None:
        self.site = site
        self.journal = journal
        self.queue = queue
        self.compiler = compiler
        self.speech = speech or TextSpeech()
        self.watching = PageState(site.messages, self._queue_state)
        self.questions = Questions(confirm_s, self.watching.refresh)
        self._settings: dict[str, Any] = {
            "world": world,
            "fast": fast,
            "faults": faults,
            "frames": frames,
            "compiler": compiler,
            "guard": guard,
        }
        # tells the page that numbers of pictures from an earlier service are invalid
        self._name = secrets.token_hex(4)
        self._session: Session | None = None
        self._waiting: deque[BookedMission] = deque()
        self._current: BookedMission | None = None
        self._changed = threading.Condition()
        self._switch = threading.Lock()  # held while a mission is stopped or the next one starts
        self._close_by: float | None = None
        self.held = ""
        self.hung = ""
        self._closing = ""
        self._opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._run_queue, name="missions", daemon=True)

    # -- called from any thread --------------------------------------------------------------

    def open(self) -> None:
        """Start the session's thread and wait until it has opened the robots.

        Raises:
            BtExecError: If a robot is unavailable; all threads have ended.
        """
        self.watching.open()
        self._thread.start()
        try:
            self._opened.result()
        except BaseException:
            self.watching.close()
            raise

    @property
    def session(self) -> Session:
        """Session of the open service."""
        assert self._session is not None, "the service is not open"
        return self._session

    @property
    def running_mission(self) -> BookedMission | None:
        """The running mission; None if no mission runs."""
        return self._current

    @property
    def waiting_missions(self) -> tuple[BookedMission, ...]:
        """The waiting missions, the next one first."""
        return tuple(self._waiting)

    def why_unavailable(self) -> str:
        """Return why no command can be run now; empty if commands can be run."""
        if self._closing:
            return "the service is ending"
        if not self._opened.done():
            return "the robots are being made ready"
        if not self._thread.is_alive():
            return "the thread that runs missions has ended"
        if self.hung:
            return f"a part of mission {self.hung} hangs permanently; restart the service"
        part = self.session.hanging_part()
        return f"{part} hangs" if part else ""

    def submit(self, command: str) -> BookedMission:
        """Record a command and append it to the queue.

        A command such as "stop" is not queued: it stops the running mission at once.

        Raises:
            ServiceError: If the command cannot be accepted now.
            UsageError: If the journal cannot be written.
        """
        if (ended := self._stop_by_command(command)) is not None:
            return ended
        with self._changed:
            if self._closing:
                raise ServiceError("CLOSING")
            if trouble := self.why_unavailable():
                raise ServiceError("NOT_READY", why=trouble)
            ahead = len(self._waiting) + (self._current is not None)
            if ahead > self.queue:
                if self._current is not None and not self.queue:
                    raise ServiceError("BUSY", mission_id=self._current.mission_id)
                raise ServiceError("QUEUE_FULL", waiting=len(self._waiting))
            booked = BookedMission(self.session.book(command), command)
            self._waiting.append(booked)
            self._changed.notify_all()
        self.watching.refresh()
        return booked

    def _stop_by_command(self, command: str) -> BookedMission | None:
        """Stop the running mission if a command asks for it; return the mission of the command.

        The result is None if no mission runs, or if the command requests more than a stop. A
        command that requests more is queued like any other, and the queue is held after a stop.
        """
        current = self._current
        if current is None or not asks_to_stop(command):
            return None
        with contextlib.suppress(ServiceError):  # the mission has just ended
            self.abort(current.mission_id)
        if not only_stops(command):
            return None
        booked = BookedMission(self.session.book(command), command)
        said = ServiceError.sentences.say(
            "STOPPED_IT", booked.booking.language, mission_id=current.mission_id
        )
        self._record_end(booked, "satisfied", "DONE", said)
        return booked

    def find(self, mission_id: str) -> BookedMission | None:
        """Return a running or waiting mission; None if there is no such mission."""
        current = self._current
        found = (*((current,) if current is not None else ()), *tuple(self._waiting))
        return next((one for one in found if one.mission_id == mission_id), None)

    def hold_waiting(self) -> None:
        """Hold all waiting missions until `resume_queue`."""
        with self._changed:
            if self._waiting:
                self.held = self.held or "operator"
        self.watching.refresh()

    def move_in_queue(self, mission_id: str, to: int) -> tuple[str, ...]:
        """Move a waiting mission to another place in the queue; return the queue.

        Args:
            mission_id: The mission.
            to: Number of missions that come before it in the new order; the mission is moved to
                the end of the queue if there are fewer.

        Raises:
            ServiceError: If the mission is not waiting.
        """
        with self._changed:
            booked = next((one for one in self._waiting if one.mission_id == mission_id), None)
            if booked is None:
                raise ServiceError("NOT_WAITING", mission_id=mission_id)
            self._waiting.remove(booked)
            self._waiting.insert(to, booked)
            order = tuple(one.mission_id for one in self._waiting)
        self.watching.refresh()
        return order

    def inspection_reason(self) -> str:
        """Return why the robots must be inspected; empty if no inspection is required."""
        return self._session.life.why if self._session is not None else ""

    def resume_queue(self, *, inspected: bool = False) -> bool:
        """Start the held missions; return False if the queue was not held.

        Args:
            inspected: Whether the operator has inspected the robots.

        Raises:
            ServiceError: If an inspection is required.
            UsageError: If the inspection cannot be recorded.
        """
        if why := self.inspection_reason():
            if not inspected:
                raise ServiceError("INSPECT", why=why)
            self.session.life.mark_inspected()
        with self._changed:
            held, self.held = self.held, ""
            self._changed.notify_all()
        self.watching.refresh()
        return bool(held)

    def abort(self, mission_id: str, reason: str = "operator") -> str:
        """Stop a running mission, or withdraw a waiting one.

        The first call stops the mission cleanly, a second one stops the robots at once. After a
        stop, the waiting missions are held until `resume_queue`.

        Returns:
            ``stopping`` or ``withdrawn``.

        Raises:
            ServiceError: If the mission is neither running nor waiting.
        """
        with self._switch:  # otherwise the next mission could start before the stop
            current = self._current
            if current is not None and current.mission_id == mission_id:
                current.stopped = True
                self._stop(current, reason)
                return "stopping"
        with self._changed:
            booked = next((one for one in self._waiting if one.mission_id == mission_id), None)
            if booked is not None:
                self._waiting.remove(booked)
        if booked is not None:
            self._record_unstarted_end(booked, "WITHDRAWN")
            return "withdrawn"
        if self.find(mission_id) is not None:  # the mission started in the meantime
            return self.abort(mission_id, reason)
        raise ServiceError("NOT_RUNNING", mission_id=mission_id)

    def stop(self, reason: str) -> None:
        """Stop the running mission and reject new commands; a second call stops the robots at once.

        Safe from signal handlers: it takes no lock and does not wait.
        """
        self._closing = reason or "operator"
        if self._close_by is None:
            self._close_by = time.monotonic() + _CLOSE_S
        current = self._current
        if current is not None:
            self._stop(current, self._closing)
        elif self._session is not None:
            self._session.abort(self._closing)

    def close(self, reason: str = "operator") -> bool:
        """Stop the running mission, close the robots, and record the end of every mission.

        Returns:
            True if the session's thread ended in time.
        """
        if not self._closing:
            self.stop(reason)
        with self._changed:
            self._changed.notify_all()
        while self._thread.is_alive() and time.monotonic() < self._deadline():
            self._thread.join(_STEP_S)
        in_time = not self._thread.is_alive()
        if not in_time:
            self._end_without_thread()
        self.watching.close()
        return in_time

    def _deadline(self) -> float:
        close_by = self._close_by or 0.0
        return close_by - _CLOSE_S + _HUNG_S if self.hung else close_by

    def _end_without_thread(self) -> None:
        """Record the endings that the session's thread can no longer record."""
        current = self._current
        if current is not None and not current.ended.done():
            said = ServiceError.sentences.say("DID_NOT_END", current.booking.language)
            self._record_end(current, "failed", "STEP_HUNG", said)
        while self._waiting:
            self._record_unstarted_end(self._waiting.popleft(), "ENDED_FIRST")

    # -- on the session's thread ------------------------------------------------------------

    def on(self, event: Event) -> None:
        """Stop a mission that starts, if a stop was requested before it could be handled."""
        current = self._current
        reason = self._closing or ("" if current is None else current.stop)
        if reason and isinstance(event, MissionStarted):
            self.session.abort(reason)

    def _run_queue(self) -> None:
        try:
            session = Session(
                self.site,
                journal=self.journal,
                listeners=[self, self.watching],
                confirm=self.questions,
                **self._settings,
            )
        except BaseException as error:  # noqa: BLE001 - `open` raises it on the caller's thread
            self._opened.set_exception(error)
            return
        with session:
            self._session = session
            session.abandoned = self._on_hung_end
            self._observe_first()
            self._opened.set_result(None)
            while (booked := self._next_mission()) is not None:
                self._run(booked)
        while self._waiting:
            self._record_unstarted_end(self._waiting.popleft(), "ENDED_FIRST")

    def _observe_first(self) -> None:
        """Make an observation before the first command, if possible."""
        try:
            for pack, observation in self.session.observe().items():
                self.watching.on(Observed(observation.t, 0, pack, observation))
        except UsageError as error:
            _log.warning("%s", error)

    def _next_mission(self) -> BookedMission | None:
        """Wait for the next mission and return it; None when the service ends."""
        with self._changed:
            with self._switch:
                before, self._current = self._current, None
            if before is not None and self._waiting and self._requires_consent(before):
                self.held = before.mission_id
            self.watching.refresh()
            while not self._closing:
                if not self._waiting:
                    self.held = ""
                elif not self.held:
                    with self._switch:
                        self._current = self._waiting.popleft()
                    return self._current
                self._changed.wait(_STEP_S)
        return None

    def _requires_consent(self, before: BookedMission) -> bool:
        """Return True if the operator must release the waiting missions now that `before` ended."""
        return before.stopped or before.ended.result().is_stop or bool(self.inspection_reason())

    def _on_hung_end(self, outcome: Outcome) -> None:
        """Record that a mission hangs and cannot be interrupted; called on another thread."""
        with self._switch:
            booked, self._current = self._current, None
        self.hung = outcome.mission_id
        _log.error("mission %s: %s; restart the service", outcome.mission_id, outcome.message)
        if booked is not None and not booked.ended.done():
            booked.ended.set_result(outcome)
        self.watching.refresh()

    def _run(self, booked: BookedMission) -> None:
        try:
            outcome = self.session.run(booked.command, booking=booked.booking)
        except BaseException as error:  # noqa: BLE001 - one failed mission must not end the queue
            _log.error("mission %s was not run: %s", booked.mission_id, describe_exception(error))
            said = ServiceError("CANNOT", message=str(error)).sentence(booked.booking.language)
            self._record_end(booked, "failed", "EXECUTIVE_CRASHED", said)
        else:
            if not booked.ended.done():
                booked.ended.set_result(outcome)

    def _stop(self, booked: BookedMission, reason: str) -> None:
        """Stop a mission; if it has not begun yet, it is stopped by `on` when it begins."""
        booked.stop = reason
        if self.session.abort(reason):
            booked.stop = ""

    def _record_unstarted_end(self, booked: BookedMission, code: str) -> None:
        """Record the end of a mission that has not begun."""
        said = ServiceError.sentences.say(code, booked.booking.language)
        self._record_end(booked, "aborted", "ABORTED", said)
        self.watching.refresh()

    def _record_end(self, booked: BookedMission, status: Any, code: str, said: str) -> None:
        where = str(self.journal.path)
        outcome = Outcome(booked.mission_id, booked.command, status, code, said, journal=where)
        try:
            with self.journal.record(booked.booking, tell=_log.warning) as recorder:
                recorder.on(Finished(0.0, 0, outcome))
        except UsageError as error:
            _log.error("the end of %s is not on record: %s", booked.mission_id, error)
        if not booked.ended.done():
            booked.ended.set_result(outcome)

    def _queue_state(self) -> dict[str, Any]:
        """Return the state of the service that belongs to no mission: queue and open question."""
        current, question = self._current, self.questions.pending
        return {
            "service": self._name,
            "site": self.site.name,
            "running": current.mission_id if current is not None else None,
            "held": self.held,
            "inspect": self.inspection_reason(),
            "trouble": self.why_unavailable(),
            "waiting": [
                {"mission_id": one.mission_id, "command": one.command}
                for one in self.waiting_missions
            ],
            "question": question,
        }
