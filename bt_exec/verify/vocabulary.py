"""Layer 1, vocabulary: every name means something on this site.

Codes: ``UNKNOWN_SKILL``, ``UNKNOWN_CONDITION``, ``UNKNOWN_TREE``, ``UNKNOWN_TYPE``, ``TREE_CYCLE``,
``ELSE_WITH_TELL``, ``TOO_MANY_NEEDED``.
"""

from __future__ import annotations

from bt_exec.spec.model import Check, Do, Parallel, Tree, TreeSpec, walk
from bt_exec.verify.context import Context, conditions_of, nodes_of

__all__ = ["check_vocabulary"]


def check_vocabulary(context: Context) -> None:
    """Report every name that nothing on the site answers to."""
    document = context.document
    if isinstance(document, TreeSpec):
        for name, param in document.params.items():
            if param.type not in context.catalogue.types:
                context.report(
                    "UNKNOWN_TYPE",
                    f"there is no type {param.type!r}",
                    ("params", name, "type"),
                    found=param.type,
                    allowed=context.catalogue.types,
                )
        cycle = _cycle(document, context, (document.tree,))
        if cycle:
            message = f"a tree runs itself: {' → '.join(cycle)}"
            context.report("TREE_CYCLE", message, ("tree",), found=cycle[1])
    for node, place in nodes_of(document.root):
        if isinstance(node, Do) and node.do not in context.catalogue.skills:
            hint = ""
            if node.do in context.library:
                hint = f"; {node.do!r} is a tree: write 'tree: {node.do}'"
            context.report(
                "UNKNOWN_SKILL",
                f"there is no skill {node.do!r}{hint}",
                (*place, "do"),
                found=node.do,
                allowed=context.catalogue.skills,
            )
        if isinstance(node, Tree) and node.body is None and node.tree not in context.library:
            own = document.tree if isinstance(document, TreeSpec) else ""
            if node.tree != own:
                hint = (
                    "; it is a skill: write 'do'" if node.tree in context.catalogue.skills else ""
                )
                context.report(
                    "UNKNOWN_TREE",
                    f"there is no tree {node.tree!r}{hint}",
                    (*place, "tree"),
                    found=node.tree,
                    allowed=context.library.names(),
                )
        if isinstance(node, Check) and node.tell and node.code:
            message = "a question that is told has no 'else': either answer succeeds"
            context.report("ELSE_WITH_TELL", message, (*place, "else"), key=True)
        if isinstance(node, Parallel) and node.needed > len(node.parallel):
            context.report(
                "TOO_MANY_NEEDED",
                f"only {len(node.parallel)} children can succeed",
                (*place, "succeed_when"),
                found=str(node.needed),
                allowed=("all", "any", *map(str, range(1, len(node.parallel) + 1))),
            )
        for part, where in conditions_of(node, place):
            if part.name not in context.catalogue.conditions:
                context.report(
                    "UNKNOWN_CONDITION",
                    f"there is no condition {part.name!r}",
                    where,
                    found=part.name,
                    allowed=context.catalogue.conditions,
                    key=bool(part.args),
                )


def _cycle(tree: TreeSpec, context: Context, above: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a cycle of subtrees, or nothing."""
    for node in walk(tree.root):
        if not isinstance(node, Tree):
            continue
        if node.tree == above[0]:
            return (*above, node.tree)
        if node.tree in context.library and node.tree not in above:
            found = _cycle(context.library.get(node.tree), context, (*above, node.tree))
            if found:
                return found
    return ()
