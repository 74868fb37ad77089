"""Condition expressions: a name, a name with arguments, ``not``, ``all``, ``any``.

An expression names registered conditions and combines their verdicts; there are no operators on
values. Expressions are evaluated by `bt_exec.nodes.condition_evaluation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer
from pydantic_core import PydanticCustomError

from bt_exec.failure import nearest_names

__all__ = [
    "All",
    "Any_",
    "Expression",
    "Is",
    "Not",
    "direct_parts",
    "dump_expression",
    "map_named_conditions",
    "named_conditions",
    "named_conditions_with_places",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Is(_Part):
    """A named condition with its arguments, such as ``material_visible`` or ``{door_is: {…}}``."""

    name: str
    args: Mapping[str, Any] = Field(default_factory=dict)

    def __str__(self) -> str:
        """Return text for display, such as ``door_is open``."""
        return " ".join((self.name, *(str(value) for value in self.args.values())))


class Not(_Part):
    """Negation; unknown if the negated expression is unknown."""

    word: ClassVar[str] = "not"

    of: Expression

    def __str__(self) -> str:
        """Return text for display, such as ``not door_is open``."""
        return f"not {self.of}"


class All(_Part):
    """Conjunction: holds if every operand holds; false at the first operand that does not."""

    word: ClassVar[str] = "all"

    of: tuple[Expression, ...]

    def __str__(self) -> str:
        """Return text for display, such as ``a and b``."""
        return " and ".join(map(str, self.of))


class Any_(_Part):  # noqa: N801 - `Any` is taken
    """Disjunction: holds at the first operand that holds; false if no operand holds."""

    word: ClassVar[str] = "any"

    of: tuple[Expression, ...]

    def __str__(self) -> str:
        """Return text for display, such as ``a or b``."""
        return " or ".join(map(str, self.of))


class _Wrong(Exception):  # noqa: N818 - internal: converted to a pydantic error below
    """Raised for an invalid condition expression, with the place of the mistake."""

    def __init__(
        self,
        kind: str,
        message: str,
        at: tuple[str | int, ...],
        allowed: tuple[str, ...] = (),
    ) -> None:
        self.kind, self.message, self.at, self.allowed = kind, message, at, allowed


_FORMS = "a condition is a name, {name: {arguments}}, {not: …}, {all: […]} or {any: […]}"


def _parse(value: Any, at: tuple[str | int, ...] = ()) -> Is | Not | All | Any_:
    """Parse the plain data of a YAML expression into the model."""
    if isinstance(value, Is | Not | All | Any_):
        return value
    if isinstance(value, str):
        return Is(name=value)
    if not isinstance(value, dict):
        raise _Wrong("condition_form", _FORMS, at)
    if len(value) != 1:
        several = (
            "only one condition is allowed here; combine several with {all: […]} or {any: […]}"
        )
        raise _Wrong("condition_form", several if value else _FORMS, at)
    ((name, inner),) = value.items()
    if name == "not":
        return Not(of=_parse(inner, (*at, "not")))
    if name in ("all", "any"):
        if not isinstance(inner, list) or not inner:
            message = f"{name!r} takes a list of conditions: {{{name}: [NAME, …]}}"
            raise _Wrong("condition_list", message, (*at, name))
        parts = tuple(_parse(part, (*at, name, index)) for index, part in enumerate(inner))
        return All(of=parts) if name == "all" else Any_(of=parts)
    if not isinstance(inner, dict | None):
        message = f"the arguments of {name!r} are names with values: {{{name}: {{NAME: value}}}}"
        near = nearest_names(name, ("all", "any", "not")) if isinstance(inner, list) else ()
        raise _Wrong("condition_args", message, (*at, name), near)
    return Is(name=name, args=inner or {})


def _validate(value: Any) -> Any:
    try:
        return _parse(value)
    except _Wrong as wrong:
        facts = {"at": wrong.at, "near": wrong.allowed}
        raise PydanticCustomError(wrong.kind, wrong.message, facts) from None


def dump_expression(value: Any) -> Any:
    """Return an expression as plain data for YAML; `_parse` is the inverse."""
    if isinstance(value, Is):
        return {value.name: dict(value.args)} if value.args else value.name
    parts = [dump_expression(part) for part, _ in direct_parts(value)]
    return {value.word: parts[0] if isinstance(value, Not) else parts}


Expression: TypeAlias = Annotated[
    Is | Not | All | Any_, BeforeValidator(_validate), PlainSerializer(dump_expression)
]

for _model in (Not, All, Any_):
    _model.model_rebuild()


def direct_parts(expression: Any) -> Iterator[tuple[Any, tuple[str | int, ...]]]:
    """Yield the operands of an expression, each with its place in the expression."""
    if isinstance(expression, Not):
        yield expression.of, (Not.word,)
    elif isinstance(expression, All | Any_):
        yield from ((part, (expression.word, at)) for at, part in enumerate(expression.of))


def named_conditions(expression: Any) -> Iterator[Is]:
    """Yield every named condition of an expression, left to right; nothing if it is None."""
    return (leaf for leaf, _ in named_conditions_with_places(expression))


def named_conditions_with_places(
    expression: Any, place: tuple[str | int, ...] = ()
) -> Iterator[tuple[Is, tuple[str | int, ...]]]:
    """Yield every named condition of an expression with its place."""
    if isinstance(expression, Is):
        yield expression, (*place, expression.name) if expression.args else place
    for part, inner in direct_parts(expression):
        yield from named_conditions_with_places(part, (*place, *inner))


def map_named_conditions(
    expression: Any,
    change: Callable[[Is, tuple[str | int, ...]], Any],
    place: tuple[str | int, ...] = (),
) -> Any:
    """Return an expression in which each named condition is replaced by the result of `change`.

    Args:
        expression: The expression.
        change: Receives a named condition and its place.
        place: Place of the expression.
    """
    if isinstance(expression, Is):
        return change(expression, place)
    parts = [
        map_named_conditions(part, change, (*place, *at)) for part, at in direct_parts(expression)
    ]
    return Not(of=parts[0]) if isinstance(expression, Not) else type(expression)(of=tuple(parts))
