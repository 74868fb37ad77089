"""Expand a mission: every subtree in place, every parameter bound, every saved name unique.

What is run, journalled and replayed does not depend on the library any more. A `Tree` node keeps
its name and arguments and gets its expanded root as ``body``, so that people still see the parts
and a re-plan knows which part failed. Names saved by a subtree are its own: they are renamed where
two subtrees use the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bt_exec.failure import Problem, SpecError, nearest
from bt_exec.spec.expression import All, Any_, Is, Not
from bt_exec.spec.field_types import Count, Duration
from bt_exec.spec.library import Library
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    Tree,
    walk,
)
from bt_exec.spec.paths import place_of_children
from bt_exec.spec.source import Place, Source

__all__ = [
    "MAX_NESTING",
    "MAX_NODES",
    "expand",
    "has_reference",
    "is_reference",
    "reference_name",
    "with_results",
]

MAX_NODES = 10_000
"""Nodes of an expanded mission; more is a mistake or an attack."""

MAX_NESTING = 80
"""Nesting of nodes while subtrees are expanded; `bt_exec.verify.bounds` allows half of it."""


def is_reference(value: Any) -> bool:
    """Whether an argument is ``$name``; ``$$text`` is the text ``$text``."""
    return isinstance(value, str) and value.startswith("$") and not value.startswith("$$")


def reference_name(value: str) -> str:
    """Return the name in ``$name``."""
    return value[1:]


def has_reference(value: Any) -> bool:
    """Return True if an argument is a reference or a list with one."""
    return any(map(has_reference, value)) if isinstance(value, list) else is_reference(value)


def with_results(args: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as written, those that name a saved result with the value `given` for it."""
    return {
        name: given.get(name, value) if has_reference(value) else value
        for name, value in args.items()
    }


def expand(spec: MissionSpec, library: Library, source: Source | None = None) -> MissionSpec:
    """Return `spec` with every subtree expanded and every parameter bound.

    What a tree that is the whole mission returns is saved, for the outcome. Expanding twice
    changes nothing.

    Raises:
        SpecError: ``UNKNOWN_TREE``, ``TREE_CYCLE``, ``MISSING_ARGUMENT``, ``UNKNOWN_ARGUMENT``,
            ``UNBOUND``, ``WRONG_TYPE``, ``TOO_BIG`` or ``TOO_DEEP``.
    """
    worker = _Expander(library, source or Source("the plan"))
    top = _saves_what_it_returns(spec.root, library)
    saved = (getattr(node, "save", {}) for node in walk(top))
    worker.saved = {name for save in saved for name in save.values()}
    root = worker.node(top, _Scope({}, {}, ()), ("root",))
    if worker.problems:
        raise SpecError(worker.problems)
    return spec.model_copy(update={"root": root})


def _saves_what_it_returns(root: NodeBase, library: Library) -> NodeBase:
    """Return the root; a tree that is not yet expanded gets ``save`` for all that it returns."""
    if not isinstance(root, Tree) or root.body is not None or root.tree not in library:
        return root
    returned = {field: field for field in library.get(root.tree).returns}
    missing = {field: name for field, name in returned.items() if field not in root.save}
    return root.model_copy(update={"save": {**root.save, **missing}}) if missing else root


_SHOWN_PLACE = 8
_MODIFIERS: Mapping[str, TypeAdapter[Any]] = {
    "repeat": TypeAdapter(Count),
    "timeout": TypeAdapter(Duration),
}
"""What a parameter must be to fill a modifier."""


class _Scope:
    """What ``$name`` means inside one tree: bound parameters, renamed results, trees above."""

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

    def deeper(self) -> _Scope:
        """Return the same scope one node further down; names saved in one are seen in both."""
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
        if node.skip_if is not None:
            update["skip_if"] = self._expression(node.skip_if, scope, (*place, "skip_if"))
        if node.guarded is not None:
            condition = self._expression(node.guarded.condition, scope, (*place, "while"))
            update["guarded"] = node.guarded.model_copy(update={"condition": condition})
        match node:
            case Do():
                update["args"] = self._args(node.args, scope, place)
                update["save"] = self._save(node.save, scope)
            case Check():
                update["check"] = self._expression(node.check, scope, (*place, "check"))
            case Tree(body=None):
                update["args"] = args = self._args(node.args, scope, place)
                update["body"] = self._subtree(node, args, scope, place)
                update["save"] = self._save(node.save, scope)  # for a re-plan that expands it anew
            case Tree(body=body):
                assert body is not None
                update["body"] = self.node(body, scope, (*place, "body"))
            case Sequence() | Fallback() | Parallel():
                update[type(node).__name__.lower()] = tuple(
                    self.node(child, scope, where)
                    for child, where in place_of_children(node, place)
                )
        expanded = node.model_copy(update=update)
        if not node.filled:
            return expanded
        return expanded.with_filled(
            {
                name: self._modifier(name, value, scope, (*place, name))
                for name, value in node.filled.items()
            }
        )

    def _modifier(self, name: str, value: str, scope: _Scope, place: Place) -> Any:
        """Return the value of a parameter as the modifier that it fills; None if it is none."""
        own = reference_name(value)
        if own not in scope.params:
            allowed = tuple(f"${known}" for known in scope.params)
            message = f"{name!r} takes a value or a parameter of the tree, and {value} is none"
            self._report("UNBOUND", message, place, value, allowed)
            return None
        given = scope.params[own]
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
            known = self.library.names()
            near = nearest(name, known)
            self._report(
                "UNKNOWN_TREE",
                f"there is no tree {name!r}",
                (*place, "tree"),
                name,
                (*near, *(other for other in known if other not in near)),
            )
            return None
        if name in scope.above:
            cycle = " → ".join((*scope.above[scope.above.index(name) :], name))
            self._report("TREE_CYCLE", f"a tree runs itself: {cycle}", (*place, "tree"), name)
            return None
        tree = self.library.get(name)
        params = {key: param.default for key, param in tree.params.items() if not param.required}
        for key in args:
            if key not in tree.params:
                near = nearest(key, tree.params) or tuple(tree.params)
                message = f"tree {name!r} has no parameter {key!r}"
                self._report("UNKNOWN_ARGUMENT", message, (*place, "with", key), key, near)
        params.update(args)
        for key, param in tree.params.items():
            if param.required and key not in args:
                message = f"tree {name!r} needs {key!r} ({param.type})"
                where = (*place, "with") if args else place  # where verification reports it, too
                self._report("MISSING_ARGUMENT", message, where, "", (key,))
        names = {
            reference_name(tree.returns[field]): self._result_name(outer, scope)
            for field, outer in node.save.items()
            if field in tree.returns
        }
        inner = _Scope(params, names, (*scope.above, name), scope.depth)
        return self.node(tree.root, inner, (*place, "body"))

    def _args(self, args: Mapping[str, Any], scope: _Scope, place: Place) -> dict[str, Any]:
        return {
            key: self._value(value, scope, (*place, "with", key)) for key, value in args.items()
        }

    def _value(self, value: Any, scope: _Scope, place: Place) -> Any:
        if isinstance(value, list):
            return [self._value(item, scope, (*place, n)) for n, item in enumerate(value)]
        if not is_reference(value):
            return value
        name = reference_name(value)
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

    def _expression(self, part: Any, scope: _Scope, place: Place) -> Any:
        if isinstance(part, Is):
            args = {
                key: self._value(value, scope, (*place, part.name, key))
                for key, value in part.args.items()
            }
            return Is(name=part.name, args=args)
        if isinstance(part, Not):
            return Not(of=self._expression(part.of, scope, (*place, "not")))
        assert isinstance(part, All | Any_)
        word = "all" if isinstance(part, All) else "any"
        parts = (self._expression(p, scope, (*place, word, n)) for n, p in enumerate(part.of))
        return type(part)(of=tuple(parts))

    def _report(
        self, code: str, message: str, place: Place, found: str, allowed: tuple[str, ...] = ()
    ) -> None:
        problem = self.source.problem(code, message, place, found=found, allowed=allowed)
        if problem not in self.problems:
            self.problems.append(problem)
