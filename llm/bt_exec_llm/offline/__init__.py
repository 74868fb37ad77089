"""Offline compiler: selects library trees for a command, without a model, key or network.

The reading engine parses a command with the words of the site (`reader`). Its meaning is converted
to steps, each an act or question (`meaning_to_steps`), and steps are bound to trees of the library
(`bind`). If a word of the command has no use in its meaning, the command is refused, and the
refusal names the word.
"""

from bt_exec_llm.offline.compiler import OfflineCompiler, create

__all__ = ["OfflineCompiler", "create"]
