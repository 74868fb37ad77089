"""Budget of a run: every request is reserved before it is sent, and stays spent across resumes.

Requests are counted one by one. What a request costs is known only afterwards: the most that it
may cost is reserved, and corrected when the answer has come. Where the most does not fit any more,
requests are sent one at a time, as long as one that is as dear as the dearest so far still fits.
A request that was under way when a run was killed counts with the most that it may have cost.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from bt_exec.batch.store import ResultStore
from bt_exec_labeler.labelers import BudgetSpentError

__all__ = ["Budget", "Ledger"]

_SLACK = 1e-9  # sums of floats


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run; None means no limit.

    Attributes:
        requests: Number of requests.
        tokens: Number of tokens in and out.
        cost: Amount of money, in the currency of the prices.
    """

    requests: float | None = None
    tokens: float | None = None
    cost: float | None = None

    def limits(self) -> dict[str, float]:
        """Return the limits that there are, by kind."""
        named = {"requests": self.requests, "tokens": self.tokens, "cost": self.cost}
        return {kind: limit for kind, limit in named.items() if limit is not None}

    def exceeded(self, usage: Mapping[str, float]) -> str:
        """Return which limit the usage of a labeler has reached, in words; empty if none.

        Labelers that reserve what they send never get here; others are stopped after a batch.
        """
        tokens = sum(value for name, value in usage.items() if name.endswith("_tokens"))
        used = {"requests": usage.get("requests", 0.0), "cost": usage.get("cost", 0.0)}
        used["tokens"] = tokens
        reached = [(k, limit) for k, limit in self.limits().items() if used[k] >= limit]
        return str(BudgetSpentError(*reached[0])) if reached else ""


class Ledger:
    """Account of a run; an `Allowance` for labelers in any thread of this process.

    Args:
        budget: The limits.
    """

    def __init__(self, budget: Budget) -> None:
        self._limits = budget.limits()
        self._spent = dict.fromkeys(self._limits, 0.0)
        self._dearest = dict.fromkeys(self._limits, 0.0)
        self._in_flight = dict.fromkeys(self._limits, 0)
        self._store: ResultStore | None = None
        self._changed = threading.Condition()

    @property
    def limited(self) -> frozenset[str]:
        """Kinds of expenses that have a limit."""
        return frozenset(self._limits)

    def keep_in(self, store: ResultStore) -> None:
        """Go on with the amounts of a store, and write every change there."""
        with self._changed:
            self._store = store
            for kind, (amount, dearest) in store.spent().items():
                if kind in self._limits:
                    self._spent[kind], self._dearest[kind] = amount, dearest

    def spent(self) -> dict[str, float]:
        """Return the amount spent by kind, of those that have a limit."""
        with self._changed:
            return dict(self._spent)

    def reserve(self, amounts: Mapping[str, float]) -> None:
        """See `Allowance.reserve`."""
        wanted = {kind: amounts[kind] for kind in self._limits if kind in amounts}
        if not wanted:
            return
        with self._changed:
            while short := [kind for kind in wanted if not self._fits(kind, wanted[kind])]:
                if any(self._in_flight[kind] for kind in short):
                    self._changed.wait()
                elif all(self._fits(kind, self._dearest[kind], alone=True) for kind in short):
                    break
                else:
                    raise BudgetSpentError(short[0], self._limits[short[0]])
            for kind, amount in wanted.items():
                self._spent[kind] += amount
                if kind != "requests":  # one that was sent is never given back
                    self._in_flight[kind] += 1
            self._write()

    def settle(self, reserved: Mapping[str, float], actual: Mapping[str, float]) -> None:
        """See `Allowance.settle`."""
        with self._changed:
            for kind in self._limits:
                if kind in reserved:
                    spent = actual.get(kind, 0.0)
                    self._spent[kind] += spent - reserved[kind]
                    self._in_flight[kind] = max(0, self._in_flight[kind] - 1)
                    self._dearest[kind] = max(self._dearest[kind], spent)
            self._write()
            self._changed.notify_all()

    def _fits(self, kind: str, amount: float, *, alone: bool = False) -> bool:
        if alone and (kind == "requests" or self._spent[kind] >= self._limits[kind]):
            return False
        return self._spent[kind] + amount <= self._limits[kind] + _SLACK

    def _write(self) -> None:
        if self._store is not None:
            self._store.spend({k: (self._spent[k], self._dearest[k]) for k in self._limits})
