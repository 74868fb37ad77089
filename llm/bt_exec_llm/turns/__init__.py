"""Planning turn by turn: the model calls a few tools, reads their results, and continues."""

from __future__ import annotations

from bt_exec_llm.turns.compiler import TurnCompiler, create

__all__ = ["TurnCompiler", "create"]
