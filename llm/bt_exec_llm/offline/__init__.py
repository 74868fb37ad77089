"""Offline compiler: selects trees of the library for a command, without a model, key or network.

A command is split into words and phrases (`korean_words`, `english_words`), which are parsed into
clauses (`korean`, `english`). Clauses are interpreted as steps (`steps`), and steps are bound to
trees of the library (`bind`). A command with a word that has no use in its meaning is refused, and
the refusal names the word.
"""

from bt_exec_llm.offline.compiler import OfflineCompiler, create

__all__ = ["OfflineCompiler", "create"]
