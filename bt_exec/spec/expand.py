"""Expansion of a mission: subtrees inlined, parameters bound, saved names made unique.

An expanded mission is independent of the library. A `Tree` node keeps its name and arguments and
gets its expanded root as ``body``, so that the subtree can be displayed and a re-plan can locate
the failed part. Names saved by a subtree are local to it: they are renamed if two subtrees use the
same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from bt_exec.failure import Problem, SpecError, nearest_first, nearest_names
from bt_exec.spec.condition_expression import Is, map_named_conditions
from bt_exec.spec.field_types import Count, Duration
from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, Each, MissionSpec, NodeBase, Sequence, Tree, saved_names, walk
from bt_exec.spec.node_paths import children_with_places
from bt_exec.spec.text_template import fill_template, is_template
from bt_exec.spec.yaml_source import Place, Source

__all__ = [
    "MAX_NESTING",
    "MAX_NODES",
    "expand",
    "fill_results",
    "has_reference",
    "is_reference",
    "reference_name",
]

MAX_NODES = 10_000
"""Maximum number of nodes in an expanded mission; more indicate a mistake or an attack."""

MAX_NESTING = 80
"""Maximum nesting depth while subtrees are expanded.

`bt_exec.verify.bounds_and_claims` allows only half of this depth.
"""


def is_reference(value: Any) -> bool:
    """Return True if a value is a reference, ``$name``; ``$$text`` is the literal ``$text``."""
    if not isinstance(value, str) or not value.startswith("$") or value.startswith("$$"):
        return False
    return not is_template(value)


def reference_name(value: str) -> str:
    """Return the name in a reference: ``name`` for ``$name``."""
    return value[1:]


def has_reference(value: Any) -> bool:
    """Return True if an argument is a reference or a template, or a list with one."""
    if isinstance(value, list):
        return any(map(has_reference, value))
    return is_reference(value) or is_template(value)


def fill_results(args: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, with actual values for those that contain references or templates.

    Args:
        args: The arguments as written.
        given: Actual values, by name of the argument.
    """
    return {
        name: given.get(name, value) if has_reference(value) else value
        for name, value in args.items()
    }


def expand(spec: MissionSpec, library: Library, source: Source | None = None) -> MissionSpec:
    """Return `spec` with every subtree expanded and every parameter bound.

    If the root is a tree with ``returns``, its return values are saved for the outcome. Expansion
    is idempotent.

    Raises:
        SpecError: ``UNKNOWN_TREE``, ``TREE_CYCLE``, ``MISSING_ARGUMENT``, ``UNKNOWN_ARGUMENT``,
            ``UNBOUND``, ``WRONG_TYPE``, ``TOO_MANY_ITEMS``, ``TOO_BIG`` or ``TOO_DEEP``.
    """
    worker = _Expander(library, source or Source("the plan"))
    top = _with_saved_returns(spec.root, library)
    worker.saved = {*saved_names(top)}
    worker.saved |= {node.for_each.item for node in walk(top) if node.for_each is not None}
    root = worker.node(top, _Scope({}, {}, ()), ("root",))
    if worker.problems:
        raise SpecError(worker.problems)
    return spec.model_copy(update={"root": root})


def _with_saved_returns(root: NodeBase, library: Library) -> NodeBase:
    """Return the root; if it is an unexpanded tree, all its return values are saved."""
    if not isinstance(root, Tree) or root.body is not None or root.tree not in library:
        return root
    returned = {field: field for field in library.get(root.tree).returns}
    missing = {field: name for field, name in returned.items() if field not in root.save}
    return root.model_copy(update={"save": {**root.save, **missing}}) if missing else root


ABSENT: Final = object()
"""Value of an optional parameter that the caller omitted."""

_SHOWN_PLACE = 8
_MODIFIERS: Mapping[str, TypeAdapter[Any]] = {
    "repeat": TypeAdapter(Count),
    "timeout": TypeAdapter(Duration),
}
"""Types of the modifiers whose value may be a parameter."""


class _Scope:
    """Scope of names in one tree: bound parameters, renamed results, names of enclosing trees."""

    def __init__(
        self,
        params: Mapping[str, Any],
        names: dict[str, str],
        above: tuple[str, ...],
        depth: int = 0,
    ) -> None:
        self.params = params
        self.names = names
        self.above = above
        self.depth = depth

    def with_own_names(self) -> _Scope:
        """Return a copy of the scope; names saved in the copy are not visible in the original."""
        return _Scope(self.params, dict(self.names), self.above, self.depth)

    def with_item(self, name: str, value: Any) -> _Scope:
        """Return a copy of the scope with an additional parameter and separate saved names."""
        params = {**self.params, name: value}
        names = {known: unique for known, unique in self.names.items() if known != name}
        return _Scope(params, names, self.above, self.depth)

    def deeper(self) -> _Scope:
        """Return a copy of the scope one level deeper, which shares the saved names."""
        return _Scope(self.params, self.names, self.above, self.depth + 1)


class _Expander:
    def __init__(self, library: Library, source: Source) -> None:
        self.library = library
        self.source = source
        self.count = 0
        self.saved: set[str] = set()
        self.problems: list[Problem] = []

    def node(self, node: NodeBase, scope: _Scope, place: Place) -> NodeBase:
        self.count += 1
        if self.count > MAX_NODES:
            message = f"expands to more than {MAX_NODES} nodes"
            raise SpecError([self.source.problem("TOO_BIG", message, place[:_SHOWN_PLACE])])
        if scope.depth > MAX_NESTING:
            message = f"subtrees are nested more than {MAX_NESTING} nodes deep"
            raise SpecError([self.source.problem("TOO_DEEP", message, place[:_SHOWN_PLACE])])
        scope = scope.deeper()
        update: dict[str, Any] = {}
        if node.for_each is not None:
            each, scope = self._expand_for_each(node.for_each, scope, (*place, "for_each"))
            if isinstance(each.items, list) and each.items:
                return self._copies_for_items(node, each, scope, place)
            update["for_each"] = each
        update |= node.with_conditions(
            lambda field, part: map_named_conditions(
                part, partial(self._leaf, scope), (*place, field)
            )
        )
        if isinstance(node, Do) or (isinstance(node, Tree) and node.body is None):
            update["args"] = args = self._bound_arguments(node.args, scope, (*place, "with"))
            # needed in an expanded plan, too, because a re-plan may expand one of its trees again
            update["save"] = self._save(node.save, scope)
            if isinstance(node, Tree):
                update["body"] = self._subtree(node, args, scope, place)
        under = (
            self.node(child, scope, where) for child, where in children_with_places(node, place)
        )
        expanded = node.with_children(under).model_copy(update=update)
        if not node.open_modifiers:
            return expanded
        return expanded.with_modifier_values(
            {
                name: self._modifier_value(name, value, scope, (*place, name))
                for name, value in node.open_modifiers.items()
            }
        )

    def _expand_for_each(self, each: Each, scope: _Scope, place: Place) -> tuple[Each, _Scope]:
        """Return ``for_each`` with its list bound, and the scope of the repeated node."""
        items = each.items
        if is_reference(items) and scope.params.get(reference_name(items)) is ABSENT:
            items = []
        items = self._value(items, scope, (*place, each.item))
        if isinstance(items, list) and len(items) > each.most:
            message = f"{len(items)} items; the limit is {each.most}, raise it with 'at_most'"
            self._report("TOO_MANY_ITEMS", message, (*place, each.item), str(len(items)))
            items = items[: each.most]
        if isinstance(items, list) and items:
            return each.model_copy(update={"items": items}), scope
        inner = scope.with_own_names()
        name = self._result_name(each.item, inner)
        return each.model_copy(update={"item": name, "items": items}), inner

    def _copies_for_items(
        self, node: NodeBase, each: Each, scope: _Scope, place: Place
    ) -> NodeBase:
        """Return a sequence with the node's name and one copy of the node per item."""
        once = node.model_copy(update={"for_each": None, "name": None})
        copies = tuple(
            self.node(once, scope.with_item(each.item, item), place) for item in each.items
        )
        return Sequence.model_construct(sequence=copies, name=node.name)

    def _modifier_value(self, name: str, value: str, scope: _Scope, place: Place) -> Any:
        """Return the value of a modifier that is a reference; None if the value is invalid."""
        own = reference_name(value)
        if own not in scope.params:
            allowed = tuple(f"${known}" for known in scope.params)
            message = f"{name!r} takes a value or a parameter of the tree; {value} is neither"
            self._report("UNBOUND", message, place, value, allowed)
            return None
        given = scope.params[own]
        if given is ABSENT:
            return 1 if name == "repeat" else None
        try:
            return _MODIFIERS[name].validate_python(given)
        except ValidationError as error:
            reason = str(error.errors()[0]["msg"]).replace("Input should", "must").lower()
            message = f"{value} stands for {name!r}: {reason}"
            self._report("WRONG_TYPE", message, place, str(given))
            return None

    def _subtree(
        self, node: Tree, args: Mapping[str, Any], scope: _Scope, place: Place
    ) -> NodeBase | None:
        name = node.tree
        if name not in self.library:
            known = nearest_first(name, self.library.names())
            message = f"there is no tree {name!r}"
            self._report("UNKNOWN_TREE", message, (*place, "tree"), name, known)
            return None
        if name in scope.above:
            cycle = " → ".join((*scope.above[scope.above.index(name) :], name))
            self._report("TREE_CYCLE", f"a tree runs itself: {cycle}", (*place, "tree"), name)
            return None
        tree = self.library.get(name)
        params = {
            key: ABSENT if param.optional else param.default
            for key, param in tree.params.items()
            if not param.required
        }
        for key in args:
            if key not in tree.params:
                near = nearest_names(key, tree.params) or tuple(tree.params)
                message = f"tree {name!r} has no parameter {key!r}"
                self._report("UNKNOWN_ARGUMENT", message, (*place, "with", key), key, near)
        params.update(args)
        for key, param in tree.params.items():
            if param.required and key not in args:
                message = f"tree {name!r} needs {key!r} ({param.type})"
                where = (*place, "with") if args else place  # as in verification
                self._report("MISSING_ARGUMENT", message, where, "", (key,))
            given = params.get(key)
            if given is ABSENT or has_reference(given):
                continue  # saved results are known only at run time
            if given is not None and (why := param.violation(given)):
                where = (*place, "with", key) if key in args else place
                allowed = tuple(map(str, param.choices or ()))
                self._report("WRONG_TYPE", f"{key!r} {why}", where, str(given), allowed)
        names = {
            reference_name(tree.returns[field]): self._result_name(outer, scope)
            for field, outer in node.save.items()
            if field in tree.returns
        }
        inner = _Scope(params, names, (*scope.above, name), scope.depth)
        return self.node(tree.root, inner, (*place, "body"))

    def _bound_arguments(
        self, args: Mapping[str, Any], scope: _Scope, place: Place
    ) -> dict[str, Any]:
        """Return the arguments with bound values, without those that refer to absent parameters."""
        return {
            key: self._value(value, scope, (*place, key))
            for key, value in args.items()
            if not (is_reference(value) and scope.params.get(reference_name(value)) is ABSENT)
        }

    def _value(self, value: Any, scope: _Scope, place: Place) -> Any:
        if isinstance(value, list):
            return [self._value(item, scope, (*place, n)) for n, item in enumerate(value)]
        if is_template(value):
            return fill_template(value, lambda name: self._value(f"${name}", scope, place))
        if not is_reference(value):
            return value
        name = reference_name(value)
        if scope.params.get(name) is ABSENT:
            message = f"{value} is optional and was not given; it can only be a whole argument"
            self._report("UNBOUND", message, place, value)
            return value
        if name in scope.params:
            return scope.params[name]
        if name in scope.names:
            return f"${scope.names[name]}"
        if not scope.above and name in self.saved:
            return value
        allowed = tuple(f"${known}" for known in (*scope.params, *scope.names))
        self._report(
            "UNBOUND", f"{value} is neither a parameter nor a saved result", place, value, allowed
        )
        return value

    def _save(self, save: Mapping[str, str], scope: _Scope) -> dict[str, str]:
        return {field: self._result_name(name, scope) for field, name in save.items()}

    def _result_name(self, name: str, scope: _Scope) -> str:
        """Return the mission-wide name of a result saved as `name` in this scope."""
        if not scope.above:
            scope.names.setdefault(name, name)
        if name not in scope.names:
            unique, count = name, 1
            while unique in self.saved:
                count += 1
                unique = f"{name}_{count}"
            scope.names[name] = unique
        self.saved.add(scope.names[name])
        return scope.names[name]

    def _leaf(self, scope: _Scope, leaf: Is, place: Place) -> Is:
        return Is(name=leaf.name, args=self._bound_arguments(leaf.args, scope, (*place, leaf.name)))

    def _report(
        self, code: str, message: str, place: Place, found: str, allowed: tuple[str, ...] = ()
    ) -> None:
        problem = self.source.problem(code, message, place, found=found, allowed=allowed)
        if problem not in self.problems:
            self.problems.append(problem)
