"""Messages to the user, in the language of the question."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages
from bt_exec_llm.turns.conversation import Conversation
from bt_exec_llm.turns.settings import TurnSettings

__all__ = ["say", "spent"]


@lru_cache(maxsize=1)
def _sentences() -> Messages:
    return Messages.load([Path(__file__).with_name("sentences.yaml")])


def say(code: str, language: str, **facts: Any) -> str:
    """Return a sentence of this package."""
    return _sentences().say(code, language, **facts)


def spent(talk: Conversation, settings: TurnSettings) -> Refusal | None:
    """Return the budget of a conversation that is spent, or None."""
    budgets = (
        ("TURNS_SPENT", len(talk.turns), settings.turns),
        ("TOKENS_SPENT", talk.tokens, settings.tokens),
        ("SECONDS_SPENT", talk.seconds, settings.seconds),
    )
    for code, used, limit in budgets:
        if used >= limit:
            return Refusal(code, say(code, talk.language, limit=f"{limit:g}"))
    return None
