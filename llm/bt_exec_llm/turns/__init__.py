"""Planning turn by turn, in which a model calls tools and reads their results."""

from __future__ import annotations

from bt_exec_llm.turns.compiler import TurnCompiler, create

__all__ = ["TurnCompiler", "create"]
