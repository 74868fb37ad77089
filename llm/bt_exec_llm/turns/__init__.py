"""A model that plans turn by turn: it asks for a few tools, sees what they found, and goes on."""

from __future__ import annotations

from bt_exec_llm.turns.compiler import TurnCompiler, create

__all__ = ["TurnCompiler", "create"]
