"""Skills that the tree of a part runs, with the arguments that the part determines."""

from __future__ import annotations

from typing import Any, TypeAlias

from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, Tree, walk
from bt_exec_llm.offline.command_part import Part
from bt_exec_llm.offline.lexicon import Lexicon

__all__ = ["Doing", "skill_variants", "skills_of_part"]

Doing: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
"""A skill and its arguments."""


def skills_of_part(part: Part, library: Library) -> set[Doing]:
    """Return the skills in the tree of a part, with the arguments that the part determines."""
    found: set[Doing] = set()
    _collect_skills(library, part.tree, dict(part.args), found, 0)
    return found


def skill_variants(skills: set[Doing], lexicon: Lexicon) -> set[Doing]:
    """Return skills, and their variants in which a part of a value replaces the value."""
    found = set(skills)
    for name, args in skills:
        for at, (key, value) in enumerate(args):
            for kind in lexicon.list_types("each"):
                for part in lexicon.values_within(kind, value):
                    found.add((name, (*args[:at], (key, part), *args[at + 1 :])))
    return found


def _collect_skills(
    library: Library, name: str, args: dict[str, Any], found: set[Any], depth: int
) -> None:
    if depth > 8 or name not in library:
        return
    for node in walk(library.get(name).root):
        given = {
            key: args.get(str(value)[1:], "")
            if isinstance(value, str) and value.startswith("$")
            else value
            for key, value in (node.args.items() if isinstance(node, Do | Tree) else ())
        }
        if isinstance(node, Do):
            fixed = tuple(
                sorted(
                    (k, str(v)) for k, v in given.items() if k in ("target", "recipient", "object")
                )
            )
            found.add((node.do, fixed))
        elif isinstance(node, Tree):
            _collect_skills(library, node.tree, given, found, depth + 1)
