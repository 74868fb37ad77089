"""Report of injected faults that never fired: the test that was meant did not happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bt_exec.nodes.fault_injection import Fault, Faults

__all__ = ["CountedFaults"]


class CountedFaults(Faults):
    """Faults that count the calls of skills, and which of the faults fired."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults.faults)
        self._calls: Counter[str] = Counter()
        self._fired: set[Fault] = set()

    def code_for(self, skill: str, call: int) -> str | None:
        """Return the code with which this call is to fail, or None; count the call."""
        self._calls[skill] += 1
        code = super().code_for(skill, call)
        if code is not None:
            matching = (f for f in self.faults if f.skill == skill and f.call in (None, call))
            self._fired.add(next(matching))
        return code

    def unused(self) -> Iterator[str]:
        """Yield a sentence for every fault that did not fire."""
        for fault in self.faults:
            if fault not in self._fired:
                text = next(iter(Faults([fault]).texts()))
                calls = self._calls[fault.skill]
                called = f"was called {calls} time{'s' * (calls != 1)}" if calls else "never ran"
                yield f"fault {text} did not fire: {fault.skill} {called}"
