"""Code that clients send, read as data: an allow-list over its syntax tree. It is never executed.

What clients of the protocol send is a few lines such as ``result = pick_object([1, 2, 0.6], 0.1,
0.2)``. A program here is a generator: it yields the calls of the robot that it asks for, is sent
what each returned, and ends with its variables. Everything that is not on the list is refused, with
what is.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Mapping
from typing import Any, NamedTuple, TypeAlias

__all__ = ["CALLS", "Call", "CodeRefused", "Program", "program_of"]

CALLS: Mapping[str, tuple[str, ...]] = {
    "get_object_positions": (),
    "get_mobile_position": (),
    "get_arm_joint_position": (),
    "get_ee_position": (),
    "plan_mobile_path": ("position", "simplify"),
    "follow_mobile_path": ("path", "timeout_per_waypoint", "verbose"),
    "pick_object": (
        *("position", "approach_height", "lift_height", "return_to_home", "timeout", "verbose"),
    ),
    "place_object": (
        *("position", "approach_height", "retract_height", "return_to_home", "timeout", "verbose"),
    ),
}
"""What may be called, with the names of its arguments in order."""
_LONGEST = 4000
_MOST_STEPS = 500
_MOST_ROUNDS = 50


class CodeRefused(Exception):  # noqa: N818 - an answer for whoever sent the code
    """Raised for code that is not on the list."""


class Call(NamedTuple):
    """A call of the robot."""

    name: str
    args: dict[str, Any]


Program: TypeAlias = Generator[Call, Any, dict[str, Any]]


def program_of(code: str) -> Program:
    """Return the program of a piece of code, checked as a whole; nothing has been called yet.

    Raises:
        CodeRefused: If anything in it is not allowed.
    """
    if len(code) > _LONGEST:
        raise CodeRefused(f"the code has {len(code)} characters; {_LONGEST} are allowed")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CodeRefused(f"the code is no Python: {type(error).__name__}") from error
    for statement in tree.body:
        _check(statement, depth=0)
    return _Reader().run(tree.body)


def _refuse(node: ast.AST, found: str) -> CodeRefused:
    calls = ", ".join(sorted(CALLS))
    return CodeRefused(
        f"line {getattr(node, 'lineno', 1)}: {found} is not allowed; allowed are assignments to "
        f"names, numbers, lists, print, for over range, and calls of {calls}"
    )


def _check(node: ast.AST, depth: int) -> None:
    """Refuse what is not on the list, before anything is called."""
    if depth > 12:
        raise _refuse(node, "such deep nesting")
    match node:
        case ast.Assign(targets=[ast.Name()], value=value):
            _check(value, depth + 1)
        case ast.Expr(value=value):
            _check(value, depth + 1)
        case ast.For(target=ast.Name(), iter=ast.Call(func=ast.Name(id="range")), orelse=[]):
            for part in (*node.iter.args, *node.body):  # type: ignore[attr-defined]  # a call
                _check(part, depth + 1)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            if name not in CALLS and name != "print":
                raise _refuse(node, f"the call of {name!r}")
            if name in CALLS and len(args) > len(CALLS[name]):
                raise _refuse(node, f"{name} with {len(args)} arguments")
            for keyword in keywords:
                if name == "print" or keyword.arg not in CALLS[name]:
                    raise _refuse(node, f"the argument {keyword.arg!r} of {name}")
            for part in (*args, *(keyword.value for keyword in keywords)):
                _check(part, depth + 1)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                _check(part, depth + 1)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            _check(operand, depth + 1)
        case ast.Subscript(value=ast.Name(), slice=index):
            _check(index, depth + 1)
        case ast.Constant(value=value):
            if not (value is None or isinstance(value, bool | int | float | str)):
                raise _refuse(node, f"the value {value!r:.20}")
        case ast.Name(ctx=ast.Load()) | ast.Pass():
            pass
        case _:
            raise _refuse(node, _named(node))


def _named(node: ast.AST) -> str:
    names = {ast.Import: "import", ast.ImportFrom: "import", ast.Attribute: "an attribute"}
    return names.get(type(node), type(node).__name__)


class _Reader:
    """Walks a checked program and asks for its calls, in a bounded number of steps."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}
        self._steps = 0

    def run(self, body: list[ast.stmt]) -> Program:
        yield from self._block(body)
        return self._names

    def _block(self, body: list[ast.stmt]) -> Generator[Call, Any, None]:
        for statement in body:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise CodeRefused(f"the code takes more than {_MOST_STEPS} steps")
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._names[name] = yield from self._value(value)
                case ast.Expr(value=value):
                    yield from self._value(value)
                case ast.For(target=ast.Name(id=name), iter=ast.Call(args=args)):
                    bounds = []
                    for arg in args:
                        bounds.append((yield from self._value(arg)))  # noqa: PERF401 - it yields
                    if not 1 <= len(bounds) <= 3 or not all(type(b) is int for b in bounds):
                        raise CodeRefused(f"line {statement.lineno}: range takes 1 to 3 integers")
                    rounds = range(*bounds)
                    if len(rounds) > _MOST_ROUNDS:
                        raise CodeRefused(f"line {statement.lineno}: at most {_MOST_ROUNDS} rounds")
                    for number in rounds:
                        self._names[name] = number
                        yield from self._block(statement.body)

    def _value(self, node: ast.expr) -> Generator[Call, Any, Any]:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                if name not in self._names:
                    raise CodeRefused(f"line {node.lineno}: {name!r} has no value yet")
                return self._names[name]
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                found = []
                for part in parts:
                    found.append((yield from self._value(part)))  # noqa: PERF401 - it yields
                return found
            case ast.UnaryOp(op=op, operand=operand):
                value = yield from self._value(operand)
                if type(value) not in (int, float):
                    raise CodeRefused(f"line {node.lineno}: a sign needs a number")
                return -value if isinstance(op, ast.USub) else value
            case ast.Subscript(value=value, slice=index):
                of = yield from self._value(value)
                key = yield from self._value(index)
                try:
                    return of[key]
                except (TypeError, KeyError, IndexError) as error:
                    raise CodeRefused(
                        f"line {node.lineno}: there is no item {key!r:.40}"
                    ) from error
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                values = []
                for arg in args:
                    values.append((yield from self._value(arg)))  # noqa: PERF401 - it yields
                if name == "print":
                    return None
                given = dict(zip(CALLS[name], values, strict=False))
                for keyword in keywords:
                    assert keyword.arg is not None
                    given[keyword.arg] = yield from self._value(keyword.value)
                return (yield Call(name, given))
        raise _refuse(node, _named(node))
