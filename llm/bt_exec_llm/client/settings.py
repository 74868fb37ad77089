"""Settings of the model client: model, address, limits and prices."""

from __future__ import annotations

import os
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bt_exec.spec.user_data_validation import UserData

__all__ = ["ANTHROPIC_URL", "LARGEST_ANSWER", "ModelSettings", "Prices", "Tier"]

ANTHROPIC_URL = "https://api.anthropic.com"
LARGEST_ANSWER = 1_000_000
"""Maximum size of an answer [bytes]."""

Tier: TypeAlias = Literal["schema", "tool", "text"]
"""Method that requests an output format: schema, forced tool, or description in the prompt."""

Price: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Prices(UserData):
    """Prices per million tokens, in any currency.

    Attributes:
        input: Price of uncached input.
        output: Price of output.
        cache_write: Price of input that is written to the cache; by default 1.25 times `input`.
        cache_read: Price of input that is read from the cache; by default 0.1 times `input`.
    """

    input: Price = 0.0
    output: Price = 0.0
    cache_write: Price | None = None
    cache_read: Price | None = None

    def cost(self, fresh: int, output: int, written: int, read: int) -> float:
        """Return the cost of one request.

        Args:
            fresh: Number of input tokens neither written to nor read from the cache.
            output: Number of output tokens.
            written: Number of input tokens written to the cache.
            read: Number of input tokens read from the cache.
        """
        write = self.input * 1.25 if self.cache_write is None else self.cache_write
        reread = self.input * 0.1 if self.cache_read is None else self.cache_read
        total = fresh * self.input + output * self.output + written * write + read * reread
        return total / 1_000_000


class ModelSettings(BaseModel):
    """Settings of the client; no field contains a secret.

    Attributes:
        model: Name of the model on the server.
        base_url: Address of a server with the Messages protocol, without ``/v1/messages``.
        api_key_env: Name of the environment variable with the key. The default is
            ``ANTHROPIC_API_KEY`` for Anthropic's own address. Other addresses get no key by
            default, so that a key is never sent to the wrong server.
        max_tokens: Maximum length of the answer [tokens].
        timeout_s: Time limit of one question, including retries and requests in other tiers [s].
        retries: Maximum number of retries of a question after transient failures.
        backoff_s: Delay before the first retry [s]; doubled for each further retry, up to 8 s, with
            jitter.
        tier: Method that requests the output format; ``auto`` detects which one the server
            supports.
        stream: Whether to receive answers as streams, so that proxies do not time out on slow
            models.
        temperature: Sampling temperature; by default 0, and not sent to Anthropic's own server.
        cache: Whether to mark blocks that rarely change for the server's prompt cache.
        prices: Prices of tokens, from which costs are computed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    model: Annotated[str, Field(min_length=1, max_length=200)] = "claude-sonnet-5-5"
    base_url: str = ANTHROPIC_URL
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 8000
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    backoff_s: Annotated[float, Field(ge=0, le=60)] = 0.5
    tier: Literal["auto"] | Tier = "auto"
    stream: bool = False
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    cache: bool = True
    prices: Prices = Prices()

    @field_validator("base_url")
    @classmethod
    def _check_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an address such as http://localhost:11434")
        if parts.username or parts.password or parts.query:
            raise ValueError(
                "must not contain a user name, a password or a query; use api_key_env for keys"
            )
        return value.rstrip("/").removesuffix("/v1/messages").removesuffix("/v1")

    @property
    def is_anthropic(self) -> bool:
        """Whether the address is Anthropic's own."""
        host = urlsplit(self.base_url).hostname or ""
        return host == "anthropic.com" or host.endswith(".anthropic.com")

    @property
    def key_variable(self) -> str | None:
        """Name of the environment variable with the key; None if no key is sent."""
        return self.api_key_env or ("ANTHROPIC_API_KEY" if self.is_anthropic else None)

    def has_key(self) -> bool:
        """Return True if the key is set or no key is needed."""
        variable = self.key_variable
        return variable is None or bool(os.environ.get(variable, "").strip())
