"""The offline compiler: commands of the tree library, without a model, a key or a network.

Words become pieces (`korean_words`, `english_words`), pieces become clauses (`korean`, `english`),
clauses become a meaning (`interpret`), and a meaning becomes trees of the library (`bind`). Every
word of a command has a place in its meaning, or the command is refused and the word is named.
"""

from bt_exec_llm.offline.compiler import OfflineCompiler, create

__all__ = ["OfflineCompiler", "create"]
