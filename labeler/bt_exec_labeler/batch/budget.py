"""Budget of a run, which also counts the expenses before the run was resumed.

The maximum cost of a request is reserved before it is sent, and replaced by the actual cost when
the answer arrives. The reservation stays if the cost remains unknown, because the run was killed
while the request was in flight, no answer arrived, or the answer contains no token count.
A budget is exceeded only if a server bills more than the maximum; then no further request is sent.
"""

from __future__ import annotations

import math
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from bt_exec.batch.store import ResultStore
from bt_exec_labeler.labelers import BudgetSpentError, Reservation

__all__ = ["Budget", "Ledger"]

_SLACK = 1e-9  # tolerance for sums of floats


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run; None means no limit.

    Attributes:
        requests: Maximum number of requests.
        tokens: Maximum number of input and output tokens.
        cost: Maximum cost, in the currency of the prices.
    """

    requests: float | None = None
    tokens: float | None = None
    cost: float | None = None

    def limits(self) -> dict[str, float]:
        """Return the limits by kind; kinds without a limit are left out."""
        named = {"requests": self.requests, "tokens": self.tokens, "cost": self.cost}
        return {kind: limit for kind, limit in named.items() if limit is not None}

    def exceeded_limit(self, usage: Mapping[str, float]) -> str:
        """Return a message about the limit that a labeler's usage has reached; "" if there is none.

        This check is for labelers without reservations, which are stopped after the batch that
        reaches a limit.
        """
        tokens = sum(value for name, value in usage.items() if name.endswith("_tokens"))
        used = {"requests": usage.get("requests", 0.0), "cost": usage.get("cost", 0.0)}
        used["tokens"] = tokens
        reached = [kind for kind, limit in self.limits().items() if used[kind] >= limit]
        return _used_up(reached[0], self.limits()[reached[0]]) if reached else ""


class Ledger:
    """Account of a run's expenses; an `Allowance` for labelers in all threads of this process.

    Expenses without a limit are counted as well, because a resumed run may set a limit.

    Args:
        budget: The limits.
    """

    def __init__(self, budget: Budget) -> None:
        self._limits = budget.limits()
        self._spent: dict[str, float] = defaultdict(float)
        self._in_flight = Counter[str]()
        self._overbilled = ""
        self._store: ResultStore | None = None
        self._changed = threading.Condition()

    @property
    def limited_kinds(self) -> frozenset[str]:
        """Kinds of expenses that have a limit."""
        return frozenset(self._limits)

    def persist_in(self, store: ResultStore) -> None:
        """Load the amounts in a store, and write every further change to it."""
        with self._changed:
            self._store = store
            self._spent.update(store.spent())

    def spent(self) -> dict[str, float]:
        """Return the amounts spent, by kind."""
        with self._changed:
            return dict(self._spent)

    def reserve(self, amounts: Mapping[str, float]) -> Reservation:
        """Implement `Allowance.reserve`."""
        with self._changed:
            while short := [
                kind for kind in amounts if not self._is_within_limit(kind, amounts[kind])
            ]:
                if self._overbilled or not all(self._in_flight[kind] for kind in short):
                    break
                self._changed.wait()
            if self._overbilled:
                raise BudgetSpentError(self._overbilled)
            if short:
                raise BudgetSpentError(self._refusal(short[0], amounts[short[0]]))
            for kind, amount in amounts.items():
                self._spent[kind] += amount
                self._in_flight[kind] += kind != "requests"  # a sent request stays counted
            self._write()
        return Reservation(amounts)

    def settle(self, reserved: Reservation, actual: Mapping[str, float] | None) -> None:
        """Implement `Allowance.settle`."""
        with self._changed:
            for kind, most in reserved.amounts.items():
                if kind == "requests":
                    continue
                spent = most if actual is None else actual[kind]
                self._spent[kind] += spent - most
                self._in_flight[kind] -= 1
                if kind in self._limits and spent > most + _SLACK:
                    self._overbilled = (
                        f"the server billed {spent:.4g} {kind} for a request of at most "
                        f"{most:.4g}, so no budget can be kept"
                    )
            self._write()
            self._changed.notify_all()

    def _is_within_limit(self, kind: str, amount: float) -> bool:
        return self._spent[kind] + amount <= self._limits.get(kind, math.inf) + _SLACK

    def _refusal(self, kind: str, amount: float) -> str:
        limit = self._limits[kind]
        if kind == "requests":
            return _used_up(kind, limit)
        left = max(0.0, limit - self._spent[kind])
        return (
            f"the budget of {limit:g} {kind} does not cover another request: {left:.4g} left, "
            f"{amount:.4g} needed at most"
        )

    def _write(self) -> None:
        if self._store is not None:
            self._store.write_spent(self._spent)


def _used_up(kind: str, limit: float) -> str:
    return f"the budget of {limit:g} {kind} is used up"
