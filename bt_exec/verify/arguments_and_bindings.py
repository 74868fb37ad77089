"""Layer 2, arguments: every value must have the right type, and every ``$name`` must be bound.

Codes: ``UNKNOWN_ARGUMENT``, ``MISSING_ARGUMENT``, ``WRONG_TYPE``, ``UNBOUND``, ``UNKNOWN_RESULT``,
``SKIPPED_SAVE``, ``SAVED_TWICE``, ``MAY_BE_ABSENT``, ``NAME_SHADOWED``, ``TOO_MANY_ITEMS``,
``BAD_TEMPLATE``.

A name saved by ``save`` is bound for all nodes that certainly run after it: later children of the
same sequence. After a fallback or a parallel, only names saved by every branch are bound. Branches
of a parallel cannot use each other's names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

from bt_exec.skill import SameType
from bt_exec.spec.abstract_run import AbstractRun, Ends, Step
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.model import Alternative, Do, Each, Param, Tree, TreeSpec, saved_names
from bt_exec.spec.node_paths import Located
from bt_exec.spec.yaml_source import Place
from bt_exec.verify.argument_values import Names, check_constant, check_value
from bt_exec.verify.context import Context
from bt_exec.verify.type_checks import is_assignable, item_types, type_name, without_metadata

__all__ = ["check_arguments"]

_FILLED = {"repeat": int, "timeout": str}
"""Type of the parameter to which a modifier may refer; a duration is a text with a unit."""


def check_arguments(context: Context) -> None:
    """Report every argument that is missing, unknown, of a wrong type or unbound."""
    document = context.document
    bound: Names = {}
    if isinstance(document, TreeSpec):
        for name, param in document.params.items():
            hint = param.value_type(context.catalogue.types)
            bound[name] = hint
            _check_parameter(context, name, param)
            if param.default is not None:
                check_constant(context, param.default, hint, ("params", name, "default"))
        for index, way in enumerate(document.otherwise):
            _check_alternative(context, document, way, ("otherwise", index))
    saved = _Names(context).run_node(context.root, bound).done
    if isinstance(document, TreeSpec):
        _check_returns(context, document, {k: v for k, v in saved.items() if k not in bound})


def _check_parameter(context: Context, name: str, param: Param) -> None:
    """Check the bounds and choices of a parameter against its type."""
    base = context.catalogue.types.get(param.type)
    if base is None:
        return
    if param.bounds_text and not is_assignable(float, base):
        message = f"'min' and 'max' bound a number; {param.type} is {type_name(base)}"
        place = ("params", name, "max" if param.least is None else "min")
        context.report_problem(
            "WRONG_TYPE", message, place, allowed=("integer", "number"), key=True
        )
    for bound, end in (("min", param.least), ("max", param.most)):
        if without_metadata(base) is int and end is not None and end % 1:
            message = f"{bound!r} of {param.type} must be a whole number"
            context.report_problem("WRONG_TYPE", message, ("params", name, bound), found=str(end))
    for index, value in enumerate(param.choices or ()):
        check_constant(context, value, base, ("params", name, "choices", index))


def _check_alternative(context: Context, tree: TreeSpec, way: Alternative, place: Place) -> None:
    """Check the arguments and return values of an alternative.

    Its tree receives the arguments of the failed tree with the same names, except those that
    ``with`` overrides.
    """
    target = tree
    if way.tree is not None and way.tree != tree.tree:
        if way.tree not in context.library:
            return
        target = context.library.get(way.tree)
    types = context.catalogue.types
    for name, value in way.args.items():
        where = (*place, "with", name)
        if name not in target.params:
            message = f"tree {target.tree!r} has no parameter {name!r}"
            known = target.params
            context.report_problem(
                "UNKNOWN_ARGUMENT", message, where, found=name, allowed=known, key=True
            )
        else:
            check_constant(context, value, target.params[name].value_type(types), where)
    for name, param in target.params.items():
        own = tree.params.get(name)
        if name in way.args:
            continue
        if param.required and (own is None or not own.required):
            message = f"tree {target.tree!r} needs {name!r} ({param.type})"
            context.report_problem("MISSING_ARGUMENT", message, place, allowed=(name,))
        elif own is not None and not is_assignable(param.value_type(types), own.value_type(types)):
            context.report_problem(
                "WRONG_TYPE",
                f"{name!r} is passed on as {own.type}, tree {target.tree!r} takes {param.type}",
                (*place, "tree"),
                found=own.type,
            )
    lost = [name for name in tree.returns if name not in target.returns]
    if lost:
        message = f"tree {target.tree!r} lacks the result {lost[0]!r} that this tree returns"
        context.report_problem("UNKNOWN_RESULT", message, (*place, "tree"), allowed=target.returns)


def _check_returns(context: Context, tree: TreeSpec, saved: Names) -> None:
    """Check that ``returns`` lists only results that are always saved, each only once."""
    given: dict[str, str] = {}
    for field, value in tree.returns.items():
        place: Place = ("returns", field)
        if not is_reference(value) or reference_name(value) not in saved:
            message = f"'returns' must name results that the tree always saves, not {value!r}"
            known = [f"${name}" for name in saved]
            context.report_problem("UNBOUND", message, place, found=value, allowed=known)
        elif value in given:
            message = f"{value} is returned already, as {given[value]!r}"
            context.report_problem("SAVED_TWICE", message, place, found=value)
        given.setdefault(value, field)


def _item_type(context: Context, each: Each, place: Place, bound: Names) -> Any:
    """Check the list of ``for_each``, and return the type of its items."""
    where = (*place, "for_each", each.item)
    params = getattr(context.document, "params", {})
    if each.item in bound or each.item in params:
        message = f"{each.item!r} is already defined; choose another name for the item"
        context.report_problem("NAME_SHADOWED", message, where, found=each.item, key=True)
    if isinstance(each.items, list):
        if len(each.items) > each.most:
            message = f"{len(each.items)} items; the limit is {each.most}"
            context.report_problem("TOO_MANY_ITEMS", message, where, found=str(len(each.items)))
        for index, item in enumerate(each.items):
            check_value(context, item, Any, (*where, index), bound)
        kinds = [
            bound.get(reference_name(item)) if is_reference(item) else type(item)
            for item in each.items
        ]
        return Union[tuple(kinds)] if kinds and None not in kinds else Any  # noqa: UP007 - dynamic
    check_value(context, each.items, Any, where, bound, optional=True)
    hint = bound.get(reference_name(each.items))
    parts = item_types(hint, 1) if is_reference(each.items) else None
    if parts is None:
        message = f"{each.items} is {type_name(hint)}, 'for_each' takes a list"
        context.report_problem("WRONG_TYPE", message, where, found=str(each.items))
    return parts[0] if parts else Any


_IMPOSSIBLE: Names = {"": None}
"""Value of an impossible execution, marked by an empty name, which cannot occur otherwise."""


class _Names(AbstractRun[Names]):
    """Abstract run whose values are the names that are certainly bound, with their types."""

    nothing = _IMPOSSIBLE

    def __init__(self, context: Context) -> None:
        self._context = context

    def join_values(self, *values: Names) -> Names:
        """Return the names that are bound in all values, each with the union of its types."""
        first, *rest = [value for value in values if value != self.nothing] or [self.nothing]
        common = (name for name in first if all(name in other for other in rest))
        return {
            name: _union_type([first[name], *(other[name] for other in rest)]) for name in common
        }

    def run_for_item(self, step: Step, before: Names) -> Ends[Names]:
        """Check the conditions and modifiers of a node, with the item of ``for_each`` bound."""
        context, node, bound = self._context, step.node, dict(before)
        if node.for_each is not None:
            bound[node.for_each.item] = _item_type(context, node.for_each, step.place, bound)
        for part, where in step.conditions():
            if (condition := context.catalogue.conditions.get(part.name)) is not None:
                what = f"condition {part.name!r}"
                hints, required = condition.arguments, condition.required
                _check_arguments_at(context, what, hints, required, part.args, where, where, bound)
        for name, value in node.open_modifiers.items():
            params = getattr(context.document, "params", {})
            own = {param: bound[param] for param in params if param in bound}
            check_value(context, value, _FILLED[name], (*step.place, name), own, optional=True)
        return super().run_for_item(step, bound)

    def run_skill(self, step: Located[Do], before: Names) -> Ends[Names]:
        """Check the arguments of a skill, and bind its saved results."""
        bound, node, name = dict(before), step.node, step.node.do
        if (skill := self._context.catalogue.skills.get(name)) is None:
            return self.known_ends(bound, bound)
        what, place = f"skill {name!r}", (*step.place, "with")
        hints, required = skill.arguments, skill.required
        _check_arguments_at(
            self._context, what, hints, required, node.args, place, step.place, bound
        )
        saved = _saves(self._context, step, skill.results, what)
        return self.known_ends({**bound, **saved}, bound)

    def run_unexpanded_tree(self, step: Located[Tree], before: Names) -> Ends[Names]:
        """Check the arguments of a tree, and bind its saved results."""
        bound, node, library = dict(before), step.node, self._context.library
        if node.tree not in library:
            return self.known_ends(bound, bound)
        tree, what, place = library.get(node.tree), f"tree {node.tree!r}", (*step.place, "with")
        hints = {
            name: p.value_type(self._context.catalogue.types) for name, p in tree.params.items()
        }
        required = {name for name, param in tree.params.items() if param.required}
        _check_arguments_at(
            self._context, what, hints, required, node.args, place, step.place, bound
        )
        saved = _saves(self._context, step, dict.fromkeys(tree.returns, Any), what)
        return self.known_ends({**bound, **saved}, bound)

    def run_parallel(self, step: Step, before: Names) -> Ends[Names]:
        """Check each branch without the names that others save; these names must be distinct."""
        ends = [self.run_node(child, before).done for child in step.children]
        taken: set[str] = set()
        for child in step.children:
            names = set(saved_names(child.node))
            for name in sorted(names & taken):
                message = f"{name!r} is saved by two branches that run at once"
                self._context.report_problem("SAVED_TWICE", message, child.place, found=name)
            taken |= names
        node: Any = step.node
        if node.needed < len(ends):
            return self.known_ends(self.join_values(*ends), before)
        every = dict.fromkeys(name for names in ends for name in names)
        kinds = {name: _union_type([one[name] for one in ends if name in one]) for name in every}
        return self.known_ends(kinds, before)


def _union_type(kinds: list[Any]) -> Any:
    """Return the union of several types."""
    if all(kind is kinds[0] for kind in kinds):
        return kinds[0]
    return Union[tuple(kinds)]  # noqa: UP007 - the number of types is dynamic


def _saves(
    context: Context, step: Located[Do] | Located[Tree], results: Mapping[str, Any], what: str
) -> Names:
    saved: Names = {}
    node, place = step.node, step.place
    params = getattr(context.document, "params", {})
    for field, name in node.save.items():
        where = (*place, "save", field)
        if field not in results:
            context.report_problem(
                "UNKNOWN_RESULT",
                f"{what} has no result {field!r}",
                where,
                found=field,
                allowed=results,
                key=True,
            )
        elif name in saved:
            context.report_problem(
                "SAVED_TWICE", f"{name!r} is saved twice here", where, found=name
            )
        elif name in params:
            message = f"{name!r} is a parameter; save under another name"
            context.report_problem("SAVED_TWICE", message, where, found=name)
        saved[name] = results.get(field, Any)
    if node.save and node.skip_if is not None:
        message = "a node that may be skipped cannot save: nothing would be bound"
        context.report_problem("SKIPPED_SAVE", message, (*place, "save"), key=True)
    return saved


def _argument_type(
    hints: Mapping[str, Any], name: str, args: Mapping[str, Any], bound: Names
) -> Any:
    """Return the type of an argument; a `SameType` is replaced by the type of its argument."""
    hint = hints[name]
    marks = (mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, SameType))
    given = args.get(getattr(next(marks, None), "argument", ""))
    kind = bound.get(reference_name(str(given))) if is_reference(given) else None
    if kind is None:
        return hint
    is_list = item_types(hint, 1) == [Any] and without_metadata(hint) is not Any
    return list[kind] if is_list else kind  # type: ignore[valid-type]


def _check_arguments_at(
    context: Context,
    what: str,
    hints: Mapping[str, Any],
    required: frozenset[str] | set[str],
    args: Mapping[str, Any],
    place: Place,
    owner: Place,
    bound: Names,
) -> None:
    """Check the arguments of a skill, condition or tree.

    Args:
        context: The document.
        what: Name of the skill, condition or tree for messages, such as ``skill 'grasp'``.
        hints: Types of the parameters, by name.
        required: Names of the required parameters.
        args: The arguments.
        place: Place of the arguments.
        owner: Place at which missing arguments are reported if `args` is empty.
        bound: Types of the bound names.
    """
    hints = {name: _argument_type(hints, name, args, bound) for name in hints}
    for name, value in args.items():
        where = (*place, name)
        if name not in hints:
            context.report_problem(
                "UNKNOWN_ARGUMENT",
                f"{what} has no argument {name!r}",
                where,
                found=name,
                allowed=hints,
                key=True,
            )
        else:
            may_lack = name not in required
            check_value(context, value, hints[name], where, bound, optional=may_lack)
    for name in hints:
        if name in required and name not in args:
            message = f"{what} needs {name!r} ({type_name(hints[name])})"
            missing = place if args else owner
            context.report_problem("MISSING_ARGUMENT", message, missing, allowed=(name,))
