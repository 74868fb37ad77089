"""Layer 2, arguments: every value fits, every ``$name`` is bound and of the right type.

Codes: ``UNKNOWN_ARGUMENT``, ``MISSING_ARGUMENT``, ``WRONG_TYPE``, ``UNBOUND``, ``UNKNOWN_RESULT``,
``SKIPPED_SAVE``, ``SAVED_TWICE``.

A name saved by ``save`` is bound for everything that runs after it for sure: later children of the
same sequence. After a fallback or a parallel only what every branch saved is bound; inside a
parallel no branch sees another's.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from bt_exec.skill import Signature
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.model import Do, Fallback, NodeBase, Parallel, Sequence, Tree, TreeSpec
from bt_exec.spec.paths import place_of_children
from bt_exec.spec.source import Place
from bt_exec.verify.context import Context, conditions_of

__all__ = ["accepts", "check_arguments", "type_name"]

Names = dict[str, Any]
"""Types of the names that are bound, by name."""


def check_arguments(context: Context) -> None:
    """Report every argument that is missing, unknown, of a wrong type or unbound."""
    document = context.document
    bound: Names = {}
    if isinstance(document, TreeSpec):
        for name, param in document.params.items():
            hint = context.catalogue.types.get(param.type)
            bound[name] = hint
            if hint is not None and param.default is not None:
                _literal(context, param.default, hint, ("params", name, "default"))
        _check_ways(context, document)
    saved = _node(context, document.root, ("root",), bound)
    if isinstance(document, TreeSpec):
        for field, value in document.returns.items():
            if not is_reference(value) or reference_name(value) not in saved:
                context.report(
                    "UNBOUND",
                    f"'returns' gives a result that the tree saves for sure, not {value!r}",
                    ("returns", field),
                    found=value,
                    allowed=[f"${name}" for name in saved],
                )


def _check_ways(context: Context, tree: TreeSpec) -> None:
    """Check the other ways: arguments of the same name are passed on, ``with`` changes some."""
    for index, way in enumerate(tree.otherwise):
        here: Place = ("otherwise", index)
        if way.tree is None and not way.args:
            message = "another way names a 'tree', or changes arguments with 'with'"
            context.report("MISSING_FIELD", message, here)
        if way.tree is not None and way.tree not in (*context.library.names(), tree.tree):
            context.report(
                "UNKNOWN_TREE",
                f"there is no tree {way.tree!r}",
                (*here, "tree"),
                found=way.tree,
                allowed=context.library.names(),
            )
            continue
        target = tree if way.tree in (None, tree.tree) else context.library.get(str(way.tree))
        for name, value in way.args.items():
            if name not in target.params:
                message = f"tree {target.tree!r} has no parameter {name!r}"
                context.report(
                    "UNKNOWN_ARGUMENT",
                    message,
                    (*here, "with", name),
                    found=name,
                    allowed=target.params,
                    key=True,
                )
            else:
                hint = context.catalogue.types.get(target.params[name].type)
                _literal(context, value, hint, (*here, "with", name))


def _node(context: Context, node: NodeBase, place: Place, bound: Names) -> Names:
    """Check `node` with the names that are bound before it; return what it saves for sure."""
    for part, where in conditions_of(node, place):
        signature = context.catalogue.conditions.get(part.name)
        if signature is not None:
            _call(context, signature, part.args, where, bound)
    match node:
        case Do():
            return _do(context, node, place, bound)
        case Tree():
            return _tree(context, node, place, bound)
        case Sequence():
            after = dict(bound)
            for child, where in place_of_children(node, place):
                after.update(_node(context, child, where, after))
            return _unless_skipped(node, {k: v for k, v in after.items() if k not in bound})
        case Fallback() | Parallel():
            branches = [
                _node(context, child, where, bound)
                for child, where in place_of_children(node, place)
            ]
            every = isinstance(node, Parallel) and node.needed == len(branches)
            common = (
                {name for branch in branches for name in branch}
                if every
                else set.intersection(*(set(branch) for branch in branches))
            )
            merged = {name: b[name] for b in branches for name in b if name in common}
            return _unless_skipped(node, merged)
    return {}


def _unless_skipped(node: NodeBase, saved: Names) -> Names:
    return {} if node.skip_if is not None else saved


def _do(context: Context, node: Do, place: Place, bound: Names) -> Names:
    declared = context.catalogue.skills.get(node.do)
    if declared is None:
        return {}
    _call(context, declared, node.args, (*place, "with"), bound, owner=place)
    return _saves(context, node, place, bound, declared.results, f"skill {node.do!r}")


def _tree(context: Context, node: Tree, place: Place, bound: Names) -> Names:
    if node.body is not None:
        return _node(context, node.body, (*place, "body"), bound)
    if node.tree not in context.library:
        return {}
    tree = context.library.get(node.tree)
    hints = {name: context.catalogue.types.get(p.type) for name, p in tree.params.items()}
    required = {name for name, param in tree.params.items() if param.required}
    _arguments(context, f"tree {node.tree!r}", hints, required, node.args, place, bound)
    results = dict.fromkeys(tree.returns, Any)
    return _saves(context, node, place, bound, results, f"tree {node.tree!r}")


def _saves(
    context: Context,
    node: Do | Tree,
    place: Place,
    bound: Names,
    results: Mapping[str, Any],
    what: str,
) -> Names:
    saved: Names = {}
    for field, name in node.save.items():
        where = (*place, "save", field)
        if field not in results:
            context.report(
                "UNKNOWN_RESULT",
                f"{what} has no result {field!r}",
                where,
                found=field,
                allowed=results,
                key=True,
            )
        elif name in saved:
            context.report("SAVED_TWICE", f"{name!r} is saved twice here", where, found=name)
        saved[name] = results.get(field, Any)
    if node.save and node.skip_if is not None:
        message = "a node that may be skipped cannot save: nothing would be bound"
        context.report("SKIPPED_SAVE", message, (*place, "save"), key=True)
    params = context.document.params if isinstance(context.document, TreeSpec) else {}
    for name in saved:
        if name in params:
            message = f"{name!r} is a parameter; save under another name"
            context.report("SAVED_TWICE", message, (*place, "save"), found=name)
    return saved


def _call(
    context: Context,
    signature: Signature,
    args: Mapping[str, Any],
    place: Place,
    bound: Names,
    *,
    owner: Place | None = None,
) -> None:
    kind = "skill" if owner is not None else "condition"
    _arguments(
        context,
        f"{kind} {signature.name!r}",
        signature.arguments,
        signature.required,
        args,
        owner if owner is not None else place,
        bound,
        prefix=("with",) if owner is not None else (),
    )


def _arguments(
    context: Context,
    what: str,
    hints: Mapping[str, Any],
    required: frozenset[str] | set[str],
    args: Mapping[str, Any],
    place: Place,
    bound: Names,
    *,
    prefix: Place = ("with",),
) -> None:
    for name, value in args.items():
        where = (*place, *prefix, name)
        if name not in hints:
            context.report(
                "UNKNOWN_ARGUMENT",
                f"{what} has no argument {name!r}",
                where,
                found=name,
                allowed=hints,
                key=True,
            )
        else:
            _value(context, value, hints[name], where, bound)
    for name in hints:
        if name in required and name not in args:
            message = f"{what} needs {name!r} ({type_name(hints[name])})"
            missing = (*place, *prefix) if args else place
            context.report("MISSING_ARGUMENT", message, missing, allowed=(name,))


def _value(context: Context, value: Any, hint: Any, place: Place, bound: Names) -> None:
    if not is_reference(value):
        _literal(context, value, hint, place)
        return
    name = reference_name(value)
    if name not in bound:
        context.report(
            "UNBOUND",
            f"{value} is neither a parameter nor a result saved before",
            place,
            found=value,
            allowed=[f"${known}" for known in bound],
        )
    elif not accepts(hint, bound[name]):
        context.report(
            "WRONG_TYPE",
            f"{value} is {type_name(bound[name])}, {place[-1]!r} takes {type_name(hint)}",
            place,
            found=value,
        )


def _literal(context: Context, value: Any, hint: Any, place: Place) -> None:
    if hint is None or hint is Any:
        return
    plain = value[1:] if isinstance(value, str) and value.startswith("$$") else value
    try:
        TypeAdapter(hint).validate_python(plain)
    except ValidationError as error:
        plain_hint = _plain(hint)
        choices = get_args(plain_hint) if get_origin(plain_hint) is Literal else ()
        reason = "" if choices else f": {error.errors()[0]['msg'].lower()}"
        context.report(
            "WRONG_TYPE",
            f"{str(place[-1])!r} takes {type_name(hint)}{reason}",
            place,
            found=str(value),
            allowed=map(str, choices),
        )


def _plain(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def accepts(target: Any, source: Any) -> bool:
    """Whether every value of type `source` is one of type `target`."""
    target, source = _plain(target), _plain(source)
    if target == source or Any in (target, source) or None in (target, source):
        return True
    if get_origin(target) in (Union, types.UnionType):
        return any(accepts(part, source) for part in get_args(target))
    if get_origin(source) in (Union, types.UnionType):
        return all(accepts(target, part) for part in get_args(source))
    if get_origin(source) is Literal:
        values = get_args(source)
        if get_origin(target) is Literal:
            return set(values) <= set(get_args(target))
        return isinstance(target, type) and all(isinstance(value, target) for value in values)
    if target is float and source is int:
        return True
    return isinstance(target, type) and isinstance(source, type) and issubclass(source, target)


def type_name(hint: Any) -> str:
    """Return a type as people write it: ``left|right``, ``number``, ``text``."""
    plain = _plain(hint)
    if get_origin(plain) is Literal:
        return "|".join(map(str, get_args(plain)))
    if get_origin(plain) in (Union, types.UnionType):
        return " or ".join(type_name(part) for part in get_args(plain))
    words = {str: "text", float: "number", int: "integer", bool: "boolean", type(None): "nothing"}
    return words.get(plain) or str(getattr(plain, "__name__", plain))
