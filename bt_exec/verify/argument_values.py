"""Checks of argument values, which are literals, references to bound names, or templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, Union

from pydantic_core import to_json

from bt_exec.spec.expand import has_reference, is_reference, reference_name
from bt_exec.spec.model import saved_names
from bt_exec.spec.text_template import is_template, names_in_template, template_problem
from bt_exec.spec.yaml_source import Place
from bt_exec.verify.context import Context
from bt_exec.verify.type_checks import (
    is_assignable,
    item_types,
    listed_values,
    type_mismatch,
    type_name,
    without_metadata,
)

__all__ = ["Names", "check_constant", "check_not_optional", "check_value"]

Names: TypeAlias = dict[str, Any]
"""Types of the bound names, by name."""

_INSIDE = re.compile(r"(?<!\$)\$([A-Za-z_][A-Za-z0-9_]*)")


def check_value(
    context: Context, value: Any, hint: Any, place: Place, bound: Names, *, optional: bool = False
) -> None:
    """Report a problem unless a value fits the type of an argument.

    Args:
        context: The document.
        value: The value: a literal, a reference, a template, or a list of these.
        hint: Type of the argument.
        place: Place of the value in the document.
        bound: Types of the bound names.
        optional: Whether the argument may be omitted; only then may the value refer to an optional
            parameter.
    """
    if is_template(value):
        _check_template(context, value, hint, place, bound)
    elif is_reference(value):
        _reference(context, value, hint, place, bound)
        if not optional:
            check_not_optional(context, reference_name(value), place)
    elif isinstance(value, list) and any(map(has_reference, value)):
        parts = item_types(hint, len(value))
        if parts is None:
            context.report_problem(
                "WRONG_TYPE", f"{_argument_name(place)} takes {type_name(hint)}", place
            )
            return
        for index, (item, part) in enumerate(zip(value, parts, strict=True)):
            check_value(context, item, part, (*place, index), bound)
    else:
        hidden = list(_references(value, place))
        for where, name in hidden:
            message = f"{name} is not filled in inside a mapping; give a whole argument as $name"
            context.report_problem("UNBOUND", message, where, found=name)
        inside = list(_names_inside_texts(context, value, place, bound))
        for where, name in inside:
            message = (
                f'${name} is not filled in inside a text; write $"… {{{name}}} …" as the text, or '
                f"give the whole argument as ${name}"
            )
            context.report_problem(
                "UNBOUND", message, where, found=f"${name}", allowed=[f"${name}"]
            )
        if not hidden and not inside:
            _literal(context, value, hint, place)


_PRINTED = Union[str, int, float]  # noqa: UP007 - used as a value at run time
"""Types of values that a text template may contain."""


def _check_template(context: Context, value: str, hint: Any, place: Place, bound: Names) -> None:
    """Report problems in a template: syntax, unbound names, values that cannot be printed."""
    if rest := template_problem(value):
        message = "write a literal brace twice: {{ or }}"
        context.report_problem("BAD_TEMPLATE", message, place, found=rest)
    if not is_assignable(hint, str):
        message = f"{_argument_name(place)} takes {type_name(hint)}, and this is a text"
        context.report_problem("WRONG_TYPE", message, place, found=value[1:41])
    for name in dict.fromkeys(names_in_template(value)):
        _reference(context, f"${name}", Any, place, bound)
        check_not_optional(context, name, place)
        kind = bound.get(name)
        if kind is not None and (
            without_metadata(kind) is bool or not is_assignable(_PRINTED, kind)
        ):
            message = f"a text can contain only words and numbers; {{{name}}} is {type_name(kind)}"
            context.report_problem("WRONG_TYPE", message, place, found=name)


def check_not_optional(context: Context, name: str, place: Place) -> None:
    """Report a problem if `name` is an optional parameter, because a value is required here."""
    param = getattr(context.document, "params", {}).get(name)
    if param is not None and param.optional:
        message = (
            f"${name} is optional, and {_argument_name(place)} needs a value; give the parameter "
            "a default, or leave 'optional' out"
        )
        context.report_problem("MAY_BE_ABSENT", message, place, found=f"${name}")


def _names_inside_texts(
    context: Context, value: Any, place: Place, bound: Names
) -> Iterator[tuple[Place, str]]:
    """Yield each bound ``$name`` in the middle of a text, where it is not replaced."""
    if isinstance(value, str) and not value.startswith("$"):
        known = {*bound, *saved_names(context.document.root)} if "$" in value else set()
        yield from ((place, name) for name in _INSIDE.findall(value) if name in known)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _names_inside_texts(context, item, (*place, index), bound)


def _reference(context: Context, value: str, hint: Any, place: Place, bound: Names) -> None:
    name = reference_name(value)
    if name not in bound:
        message = f"{value} is neither a parameter nor a result saved before"
        if name in saved_names(context.document.root):
            message = (
                f"{value} may have no value here: the node that saves it may be skipped or "
                "fail, runs at the same time, or comes later"
            )
        elif not name.isidentifier():
            message = f"{value} is not a reference; text that starts with '$' is written '$${name}'"
        known = [f"${other}" for other in bound]
        context.report_problem("UNBOUND", message, place, found=value, allowed=known)
    elif not is_assignable(hint, bound[name]):
        message = (
            f"{value} is {type_name(bound[name])}, {_argument_name(place)} takes {type_name(hint)}"
        )
        context.report_problem("WRONG_TYPE", message, place, found=value)


def check_constant(context: Context, value: Any, hint: Any, place: Place) -> None:
    """Report problems in a value that must not contain references, such as a default."""
    found = False
    for where, name in _references(value, place):
        message = f"{name} is not defined here; text that starts with '$' is written '$${name[1:]}'"
        context.report_problem("UNBOUND", message, where, found=name)
        found = True
    if not found:
        _literal(context, value, hint, place)


def _references(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Yield every ``$name`` in a value, with its place."""
    if is_reference(value):
        yield place, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _references(item, (*place, index))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _references(item, (*place, key))


def _literal(context: Context, value: Any, hint: Any, place: Place) -> None:
    unfit = type_mismatch(hint, value)
    if unfit is None:
        return
    message = f"{_argument_name(place)} takes {type_name(hint)}"
    if unfit.reason:
        message += f": {unfit.reason}"
    for part in unfit.place:
        value = value[part]
    found = to_json(value, fallback=str).decode()
    if listed_values(hint):  # the allowed values are displayed without quotes
        found = found.strip('"')
    found = found if len(found) <= 40 else f"{found[:39]}…"
    where = (*place, *unfit.place)
    context.report_problem("WRONG_TYPE", message, where, found=found, allowed=listed_values(hint))


def _argument_name(place: Place) -> str:
    """Return the name of the argument at `place`, or of the argument that contains it."""
    return repr(next(part for part in reversed(place) if isinstance(part, str)))
