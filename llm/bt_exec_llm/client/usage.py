"""Cost accounts of questions: requests, tokens, cache, seconds, money. Accounts add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from bt_exec_llm.client.settings import Prices

__all__ = ["Usage"]

_MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost account; ``a + b`` is their sum, ``b - a`` the increase from `a` to `b`.

    Attributes:
        requests: HTTP requests sent, including failed ones.
        input_tokens: Input tokens neither written to nor read from the cache.
        output_tokens: Output tokens.
        cache_write_tokens: Input tokens written to the server's cache.
        cache_read_tokens: Input tokens read from the server's cache.
        seconds: Time spent waiting [s].
        cost: Cost in the currency of the configured prices; 0 without prices.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    @classmethod
    def read(cls, told: Any, prices: Prices) -> Usage:
        """Return the account of one answer from its ``usage``; invalid values count as 0."""
        counts = told if isinstance(told, Mapping) else {}
        fresh = _count(counts.get("input_tokens"))
        output = _count(counts.get("output_tokens"))
        written = _count(counts.get("cache_creation_input_tokens"))
        read = _count(counts.get("cache_read_input_tokens"))
        cost = prices.cost(fresh, output, written, read)
        return cls(0, fresh, output, written, read, 0.0, cost)

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of two accounts."""
        sums = {
            item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(self)
        }
        return Usage(**sums)

    def __sub__(self, before: Usage) -> Usage:
        """Return the increase since an earlier account."""
        rest = {
            item.name: getattr(self, item.name) - getattr(before, item.name)
            for item in fields(self)
        }
        return Usage(**rest)

    def to_dict(self) -> dict[str, float]:
        """Return plain data, the ``usage`` of a plan."""
        return asdict(self)

    def __str__(self) -> str:
        """Return one line: ``2 requests, 1200 in (900 from cache), 300 out, 4.2 s, cost 0.01``."""
        total = self.input_tokens + self.cache_write_tokens + self.cache_read_tokens
        cached = f" ({self.cache_read_tokens} from cache)" if self.cache_read_tokens else ""
        requests = f"{self.requests} request" + ("" if self.requests == 1 else "s")
        line = f"{requests}, {total} in{cached}, {self.output_tokens} out, {self.seconds:.1f} s"
        return line + (f", cost {self.cost:.4f}" if self.cost else "")


def _count(value: Any) -> int:
    """Return a number of tokens, or 0 for an invalid value."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST:
        return value
    return 0
