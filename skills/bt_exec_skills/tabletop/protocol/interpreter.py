"""Interpreter of the subset of Python in which clients of the simulator send code.

It runs on a syntax tree that `submitted_code_parser` has checked. Values are numbers, strings,
lists and dictionaries. Steps, numbers and sizes are bounded, so that every program ends.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias

from bt_exec_skills.tabletop.protocol.published_functions import (
    CALLS,
    FUNCTIONS,
    LARGEST,
    METHODS,
    MODULES,
    TYPES,
    Call,
    CodeRefused,
    argument_name,
)

__all__ = ["Interpreter", "Program", "is_supported"]

_MOST_STEPS = 5000
_MOST_ITEMS = 20_000
_ITEMS_PER_STEP = 100
"""Number of items whose check costs as much as one step; a value is checked at each use."""
_LARGEST_EXPONENT = 8


Program: TypeAlias = Generator[Call, Any, dict[str, Any]]
Value: TypeAlias = Generator[Call, Any, Any]


def _power(base: float, exponent: float) -> Any:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise ValueError(f"an exponent must be at most {_LARGEST_EXPONENT}; found {exponent:g}")
    if base < 0 and exponent != int(exponent):
        raise ValueError(f"a power of {base:g} needs an integer exponent; found {exponent:g}")
    return base**exponent


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


def is_supported(node: ast.AST) -> bool:
    """Return True if the interpreter supports the type of a node, and its operators."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            return type(op) in _BINARY
        case ast.UnaryOp(op=op):
            return not isinstance(op, ast.Invert)
        case ast.comprehension(is_async=asynchronous):
            return not asynchronous
        case ast.For() | ast.While():
            return not node.orelse
    return hasattr(Interpreter, f"_{type(node).__name__.lower()}")


class _Break(Exception):  # noqa: N818 - control flow of the interpreted code
    pass


class _Continue(Exception):  # noqa: N818 - control flow of the interpreted code
    pass


class Interpreter:
    """Interpreter of a checked program with a bounded number of steps."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"PI": math.pi, "RESULT": {}}
        self._steps = 0

    def run(self, body: list[ast.stmt]) -> Program:
        """Yield the robot calls of a program, and return its variables."""
        yield from self._block(body)
        for value in self._names.values():
            _item_count(value)
        return self._names

    def _block(self, body: list[ast.stmt]) -> Generator[Call, Any, None]:
        for statement in body:
            yield from self._evaluate(statement)

    def _evaluate(self, node: ast.AST) -> Value:
        """Evaluate an expression or run a statement."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise CodeRefused(f"the code takes more than {_MOST_STEPS} steps")
        evaluate = getattr(self, f"_{type(node).__name__.lower()}")
        try:
            value = yield from evaluate(node)
        except (TypeError, ValueError, KeyError, IndexError, ArithmeticError) as error:
            line = getattr(node, "lineno", 1)
            raise CodeRefused(f"line {line}: {type(error).__name__}: {error}") from error
        self._steps += _item_count(value) // _ITEMS_PER_STEP
        return value

    def _values(self, nodes: list[ast.expr]) -> Generator[Call, Any, list[Any]]:
        found = []
        for node in nodes:
            found.append((yield from self._evaluate(node)))  # noqa: PERF401 - it yields
        return found

    # -- statements

    def _import(self, node: ast.Import) -> Value:  # noqa: ARG002 - the modules are always available
        return None
        yield

    def _pass(self, node: ast.Pass) -> Value:  # noqa: ARG002 - nothing to do
        return None
        yield

    def _break(self, node: ast.Break) -> Value:  # noqa: ARG002 - leaves the loop
        raise _Break
        yield

    def _continue(self, node: ast.Continue) -> Value:  # noqa: ARG002 - next iteration
        raise _Continue
        yield

    def _expr(self, node: ast.Expr) -> Value:
        return (yield from self._evaluate(node.value))

    def _assign(self, node: ast.Assign) -> Value:
        value = yield from self._evaluate(node.value)
        for target in node.targets:
            yield from self._assign_to(target, value)

    def _augassign(self, node: ast.AugAssign) -> Value:
        left = ast.copy_location(_target_value_expression(node.target), node)
        before = yield from self._evaluate(left)
        after = yield from self._evaluate(node.value)
        yield from self._assign_to(node.target, _binary(node.op, before, after))

    def _assign_to(self, target: ast.expr, value: Any) -> Value:
        """Assign a value to a name, an item, or several names."""
        match target:
            case ast.Name(id=name):
                self._names[name] = value
            case ast.Subscript(value=of, slice=index):
                container = yield from self._evaluate(of)
                container[(yield from self._evaluate(index))] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if not isinstance(value, list) or len(value) != len(parts):
                    raise ValueError(f"{len(parts)} values are expected; found {value!r:.40}")
                for part, item in zip(parts, value, strict=True):
                    yield from self._assign_to(part, item)
            case _:
                raise CodeRefused(f"line {target.lineno}: such an assignment is not allowed")

    def _if(self, node: ast.If) -> Value:
        holds = yield from self._evaluate(node.test)
        yield from self._block(node.body if holds else node.orelse)

    def _for(self, node: ast.For) -> Value:
        for item in _items_of_iterable((yield from self._evaluate(node.iter))):
            yield from self._assign_to(node.target, item)
            if (yield from self._run_loop_body(node.body)):
                break

    def _while(self, node: ast.While) -> Value:
        while (yield from self._evaluate(node.test)):
            if (yield from self._run_loop_body(node.body)):
                break

    def _run_loop_body(self, body: list[ast.stmt]) -> Generator[Call, Any, bool]:
        """Run the body of a loop once, and return True if ``break`` ended the loop."""
        try:
            yield from self._block(body)
        except _Break:
            return True
        except _Continue:
            return False
        return False

    # -- expressions

    def _constant(self, node: ast.Constant) -> Value:
        return node.value
        yield

    def _name(self, node: ast.Name) -> Value:
        if node.id in self._names:
            return self._names[node.id]
        raise CodeRefused(f"line {node.lineno}: {node.id!r} has no value yet")
        yield

    def _attribute(self, node: ast.Attribute) -> Value:
        assert isinstance(node.value, ast.Name)
        return MODULES[node.value.id][node.attr]
        yield

    def _list(self, node: ast.List | ast.Tuple) -> Value:
        return (yield from self._values(node.elts))

    _tuple = _list

    def _dict(self, node: ast.Dict) -> Value:
        keys = yield from self._values([key for key in node.keys if key is not None])
        values = yield from self._values(node.values)
        return dict(zip(keys, values, strict=True))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = yield from self._evaluate(node.operand)
        if isinstance(node.op, ast.Not):
            return not value
        return -_require_number(value) if isinstance(node.op, ast.USub) else _require_number(value)

    def _binop(self, node: ast.BinOp) -> Value:
        left = yield from self._evaluate(node.left)
        return _binary(node.op, left, (yield from self._evaluate(node.right)))

    def _boolop(self, node: ast.BoolOp) -> Value:
        decided = isinstance(node.op, ast.Or)
        value: Any = None
        for part in node.values:
            value = yield from self._evaluate(part)
            if bool(value) is decided:
                break
        return value

    def _compare(self, node: ast.Compare) -> Value:
        left = yield from self._evaluate(node.left)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = yield from self._evaluate(part)
            if not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node: ast.IfExp) -> Value:
        holds = yield from self._evaluate(node.test)
        return (yield from self._evaluate(node.body if holds else node.orelse))

    def _subscript(self, node: ast.Subscript) -> Value:
        of = yield from self._evaluate(node.value)
        key = yield from self._evaluate(node.slice)
        if not isinstance(of, list | dict | str):
            raise TypeError(f"{of!r:.40} has no items")
        return of[key]

    def _slice(self, node: ast.Slice) -> Value:
        none = ast.Constant(None)
        return slice(
            *(
                yield from self._values(
                    [part or none for part in (node.lower, node.upper, node.step)]
                )
            )
        )

    def _joinedstr(self, node: ast.JoinedStr) -> Value:
        parts = yield from self._values(node.values)
        return "".join(str(part) for part in parts)

    def _formattedvalue(self, node: ast.FormattedValue) -> Value:
        return str((yield from self._evaluate(node.value)))

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> Value:
        found: list[Any] = []
        yield from self._generate(node.generators, node.elt, found)
        return found

    _generatorexp = _listcomp

    def _generate(
        self, generators: list[ast.comprehension], element: ast.expr, found: list[Any]
    ) -> Generator[Call, Any, None]:
        if not generators:
            found.append((yield from self._evaluate(element)))
            return
        first, *others = generators
        for item in _items_of_iterable((yield from self._evaluate(first.iter))):
            yield from self._assign_to(first.target, item)
            conditions = yield from self._values(first.ifs)
            if all(conditions):
                yield from self._generate(others, element, found)

    # -- calls

    def _call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            value = yield from self._evaluate(node.args[0])
            return isinstance(value, _checked_types(node.args[1:]))
        args = yield from self._values(node.args)
        given = {}
        for keyword in node.keywords:
            given[str(keyword.arg)] = yield from self._evaluate(keyword.value)
        if isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name) and node.func.value.id in MODULES:
                function = MODULES[node.func.value.id][node.func.attr]
                if isinstance(function, str):
                    return (yield from self._call_robot(function, args, given))
                return _plain_data(function(*args, **given))
            of = yield from self._evaluate(node.func.value)
            return _method(of, node.func.attr, args)
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name in CALLS:
            return (yield from self._call_robot(name, args, given))
        return _plain_data(FUNCTIONS[name](*args, **given))

    def _call_robot(self, name: str, args: list[Any], given: dict[str, Any]) -> Value:
        """Yield a call of a robot function, and return its result."""
        bound = dict(zip(CALLS[name], args, strict=False))
        for keyword, value in given.items():
            bound[argument_name(name, keyword) or keyword] = value
        return _plain_data((yield Call(name, bound)))


def _target_value_expression(target: ast.expr) -> ast.expr:
    """Return the expression that reads the target of an assignment."""
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Subscript(value=of, slice=index):
            return ast.copy_location(ast.Subscript(of, index, ast.Load()), target)
    raise CodeRefused(f"line {target.lineno}: such an assignment is not allowed")


def _require_number(value: Any) -> int | float:
    if type(value) not in (int, float):
        raise TypeError(f"expected a number; found {value!r:.40}")
    return value  # type: ignore[no-any-return]  # checked above


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    joins = isinstance(op, ast.Add) and type(left) is type(right) and isinstance(left, list | str)
    if not joins:
        left, right = _require_number(left), _require_number(right)
    return _BINARY[type(op)](left, right)


def _checked_types(nodes: list[ast.expr]) -> tuple[type, ...]:
    """Return the types that are the second argument of an `isinstance` call."""
    parts = nodes[0].elts if len(nodes) == 1 and isinstance(nodes[0], ast.Tuple) else nodes
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    if len(names) != len(parts) or not set(names) <= set(TYPES):
        raise TypeError(f"isinstance takes a value and types; types: {', '.join(TYPES)}")
    return tuple(TYPES[name] for name in names)


def _items_of_iterable(value: Any) -> list[Any]:
    if not isinstance(value, list | dict | str):
        raise TypeError(f"{value!r:.40} cannot be iterated")
    return list(value)


def _method(of: Any, name: str, args: list[Any]) -> Any:
    if not isinstance(of, METHODS[name]):
        raise TypeError(f"{of!r:.40} has no method {name}")
    if name == "tolist":
        return of
    return _plain_data(getattr(of, name)(*args))


def _plain_data(value: Any) -> Any:
    """Return a value converted to lists, dictionaries, numbers and strings."""
    if isinstance(value, Mapping):
        return {key: _plain_data(item) for key, item in value.items()}
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return [_plain_data(item) for item in value]


def _item_count(value: Any) -> int:
    """Return the number of items of a value, including nested ones.

    Raises:
        CodeRefused: For values with too many items (including lists that contain themselves), for
            long strings, and for numbers that are NaN or above 1e12 in magnitude.
    """
    size = 0
    waiting = [value]
    while waiting:
        one = waiting.pop()
        size += 1 + (len(one) if isinstance(one, str) else 0) // _ITEMS_PER_STEP
        if type(one) in (int, float) and not abs(one) <= LARGEST:
            raise CodeRefused(f"a number must be at most {LARGEST:g}; found {one:g}")
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
        if size + len(waiting) > _MOST_ITEMS:
            raise CodeRefused(f"a value has more than {_MOST_ITEMS} items")
    return size
