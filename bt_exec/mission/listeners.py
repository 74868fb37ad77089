"""Event listeners of a mission, called in order: the record, the packs' reporters, then others."""

from __future__ import annotations

import logging

from bt_exec.events import Event, Listener
from bt_exec.failure import PartBroken, describe_exception
from bt_exec.mission.watchdog import Watchdog

__all__ = ["Listeners"]

_RECORD_S = 5.0  # time limit of the recorder, longer than its wait for a commit (2 s) [s]

_log = logging.getLogger("bt_exec")


class Listeners:
    """Ordered event listeners. A listener that raises is logged once and keeps receiving events.

    Args:
        recorder: Writes the record; receives every event first, even after it hung once.
        others: Further listeners; one that hangs receives no more events.
        watchdog: Watches the calls.
    """

    def __init__(
        self, recorder: Listener | None, others: list[Listener], watchdog: Watchdog
    ) -> None:
        self._others = others
        self._recorder = recorder
        self._watchdog = watchdog
        self._raised: set[int] = set()

    def notify(self, event: Event) -> None:
        """Call every listener with `event`.

        Raises:
            PartBroken: If a listener hung; the other listeners have received the event.
        """
        broken: PartBroken | None = None
        if self._recorder is not None:
            broken = self._deliver(self._recorder, event)
        for listener in self._others:
            broken = self._deliver(listener, event) or broken
        if broken is not None:
            raise broken

    def record_only(self, event: Event) -> None:
        """Pass `event` to the recorder only, without the watchdog; used when the loop hangs."""
        if self._recorder is not None:
            self._recorder.on(event)

    def _deliver(self, listener: Listener, event: Event) -> PartBroken | None:
        watchdog = self._watchdog
        part = f"the listener {type(listener).__name__}"
        try:
            if listener is self._recorder:
                watchdog.call_recorder(
                    watchdog.limit_s + _RECORD_S, "the record", listener.on, event
                )
            elif part not in watchdog.hung:
                watchdog.call(part, listener.on, event)
        except PartBroken as error:
            return error
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - listeners' errors must not end the mission
            if id(listener) not in self._raised:
                self._raised.add(id(listener))
                kind, _, said = describe_exception(error).partition(": ")
                _log.error("%s missed an event: %s", type(listener).__name__, said or kind)
        return None
