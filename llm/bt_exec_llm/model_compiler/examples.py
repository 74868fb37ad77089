"""Examples for a prompt: commands of the tree library like the one at hand, with their plans."""

from __future__ import annotations

import difflib

from bt_exec.language.messages import language_of
from bt_exec.planning.compiler import Request
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.model_compiler.catalogue import as_yaml

__all__ = ["examples_for", "nearest_trees"]

_SHOWN = 3


def nearest_trees(request: Request, count: int = _SHOWN) -> tuple[tuple[str, TreeSpec], ...]:
    """Return the trees whose utterances are most like the command, each with that utterance."""
    typed = request.command.casefold()[:500]
    best: list[tuple[float, int, str, TreeSpec]] = []
    for index, tree in enumerate(request.library):
        own = [text for text in tree.utterances if language_of(text) == request.language]
        scored = [
            (difflib.SequenceMatcher(None, typed, text.casefold()).ratio(), text)
            for text in own or tree.utterances
        ]
        if scored:
            score, text = max(scored)
            best.append((-score, index, text, tree))
    return tuple((text, tree) for _, _, text, tree in sorted(best, key=lambda b: b[:2])[:count])


def examples_for(request: Request) -> str:
    """Return the examples as text: command and answer."""
    shown = []
    for text, tree in nearest_trees(request):
        answer = as_yaml({"explanation": tree.summary, "root": {"tree": tree.tree}})
        shown.append(f"command: {text}\n{answer}")
    return "\n\n".join(shown)
