"""Probable mistakes in valid trees, reported by `bt_exec.verify.verify_file` only.

Codes: ``UNKNOWN_CODE``, ``UNUSED_PARAMETER``. A way of ``otherwise`` after a code that nothing on
the site fails with is never taken; a parameter that no node takes changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.failure import OWN_CODES
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.expression import leaves
from bt_exec.spec.model import Check, Do, NodeBase, Tree, TreeSpec, Way, walk
from bt_exec.spec.text_template import is_template, names_in_template
from bt_exec.verify.context import Context

__all__ = ["check_authoring", "codes_of"]


def check_authoring(context: Context) -> None:
    """Report codes that nothing fails with, and parameters that nothing takes."""
    tree = context.document
    if not isinstance(tree, TreeSpec):
        return
    known: set[str] = set()
    for index, way in enumerate(tree.otherwise):
        known = known or _codes_of_site(context)
        for number, code in enumerate(way.after):
            if code not in known:
                message = f"nothing on this site fails with {code!r}, so this way is never taken"
                place = ("otherwise", index, "after", number)
                context.report("UNKNOWN_CODE", message, place, found=code, allowed=sorted(known))
    used = set(_used(tree.root)) | set(_passed_on(context, tree))
    for name, param in tree.params.items():
        if name not in used and not param.spoken:
            message = (
                f"no node takes the parameter {name!r}; write ${name} where it is meant, or "
                "'spoken: true' if only commands name it"
            )
            context.report("UNUSED_PARAMETER", message, ("params", name), found=name, key=True)


def codes_of(root: NodeBase) -> Iterator[str]:
    """Yield the codes that ``else`` gives under a node."""
    for node in walk(root):
        if isinstance(node, Check) and node.code:
            yield node.code
        for guard in (node.guarded, node.until):
            if guard is not None and guard.code:
                yield guard.code


def _codes_of_site(context: Context) -> set[str]:
    """Return every code that a node of the site's trees may fail with."""
    codes = {*OWN_CODES, *codes_of(context.document.root)}
    for skill in context.catalogue.skills.values():
        codes |= skill.fails
    codes |= {condition.unknown for condition in context.catalogue.conditions.values()}
    for tree in context.library:
        codes.update(codes_of(tree.root))
    return codes


def _used(root: NodeBase) -> Iterator[str]:
    """Yield every name that is referred to under a node."""
    for node in walk(root):
        values = list(node.args.values()) if isinstance(node, Do | Tree) else []
        values += node.filled.values()
        values += [node.for_each.items] if node.for_each is not None else []
        for expression in node.conditions.values():
            for leaf in leaves(expression):
                values += leaf.args.values()
        yield from _names(values)


def _names(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif is_template(value):
        yield from names_in_template(str(value))
    elif is_reference(value):
        yield reference_name(str(value))


def _passed_on(context: Context, tree: TreeSpec) -> Iterator[str]:
    """Yield the parameters that another way takes over: its tree has one of the same name."""
    ways: tuple[Way, ...] = tree.otherwise
    for way in ways:
        if way.tree is not None and way.tree != tree.tree and way.tree in context.library:
            yield from set(context.library.get(way.tree).params) - set(way.args)
