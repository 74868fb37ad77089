"""Eyes: perception between ticks, on a worker, when somebody asked.

A capture is taken on the loop's thread between two ticks and interpreted on a worker while time
passes; the scene is there before the next tick. With a simulation the loop waits for it, so that
the same world gives the same ticks on every machine; a real robot is never waited for, and its
scene arrives with its age.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from bt_exec.robot import Perception, Scene
from bt_exec.site import Rates
from bt_exec.world import Sight

__all__ = ["Eyes"]


class Eyes:
    """The eyes of one rig.

    Args:
        pack: Whose eyes these are.
        perception: Captures and interprets.
        sight: Where scenes go.
        rates: How often to look.
        wait: Whether to wait for a scene before the next tick (simulations).
    """

    def __init__(
        self, pack: str, perception: Perception[Any], sight: Sight[Any], rates: Rates, *, wait: bool
    ) -> None:
        self.pack = pack
        self.sight = sight
        self.wait = wait
        self._perception = perception
        self._rates = rates
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"eyes-{pack}")
        self._pending: Future[Any] | None = None
        self._last = float("-inf")

    def start(self, *, now: bool = False) -> None:
        """Take a capture and hand it to the worker, if a look is due (or `now`)."""
        if self._pending is not None:
            return
        since = self.sight.now() - self._last + 1e-9
        due = self.sight.asked and since >= 1 / self._rates.look_hz
        idle = self._rates.idle_look_hz > 0 and since >= 1 / self._rates.idle_look_hz
        if not (now or due or idle):
            return
        self._last = self.sight.now()
        capture = self._perception.capture()
        self._pending = self._pool.submit(self._perception.interpret, capture)

    def collect(self, limit_s: float, wake: threading.Event | None = None) -> Scene | None:
        """Return the scene that has arrived and keep it in the sight; None if there is none.

        Raises:
            TimeoutError: If a simulation's scene took longer than `limit_s`.
            Exception: Whatever the perception raised.
        """
        if self._pending is None:
            return None
        if self.wait:
            self._wait(limit_s, wake)
        if not self._pending.done():
            return None
        pending, self._pending = self._pending, None
        scene: Scene = pending.result()
        self.sight.add(scene)
        return scene

    def _wait(self, limit_s: float, wake: threading.Event | None) -> None:
        """Wait for the worker in short steps, so that an abort is not held up."""
        assert self._pending is not None
        waited = 0.0
        while not self._pending.done():
            try:
                self._pending.exception(timeout=0.05)
            except FutureTimeout:
                waited += 0.05
                if wake is not None and wake.is_set():
                    return
                if waited >= limit_s:
                    pending, self._pending = self._pending, None
                    pending.cancel()
                    raise TimeoutError(f"no scene after {limit_s:g} s") from None

    def close(self) -> None:
        """Let the worker go."""
        self._pool.shutdown(wait=False, cancel_futures=True)
