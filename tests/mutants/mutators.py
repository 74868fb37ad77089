"""Small faults in operators, constants and statements of a module.

A mutant changes a few characters of the text, so that its diff is readable. Annotations,
decorators, docstrings, asserts, exported names and log calls are not mutated.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Mutant", "mutants_of"]

_COMPARE = {
    "==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="],
    ">=": [">", "<"], "is not": ["is"], "is": ["is not"], "not in": ["in"], "in": ["not in"],
}  # fmt: skip
_BINARY = {"+": "-", "-": "+", "*": "/", "/": "*", "|": "&", "&": "|"}
_SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_LOGGERS = {"_log", "log", "logger", "logging"}


@dataclass(frozen=True)
class Mutant:
    """One small fault.

    Args:
        file: The module, relative to the root.
        line: First changed line, from 1.
        last: Last changed line.
        kind: Name of the mutator.
        text: The whole module with the fault.
        was: The original lines, joined.
        now: The changed lines, joined.
    """

    file: str
    line: int
    last: int
    kind: str
    text: str
    was: str
    now: str


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Return every mutant of a module, in order of lines."""
    tree = ast.parse(source)
    raw = source.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    plain = ast.dump(tree)
    found: dict[str, Mutant] = {}
    for kind, node, begin, end, new in _changes(tree, raw, starts):
        text = (raw[:begin] + new.encode() + raw[end:]).decode()
        try:
            if text in found or ast.dump(ast.parse(text)) == plain:
                continue
        except SyntaxError:
            continue
        was, now = _difference(source, text)
        found[text] = Mutant(file, node.lineno, node.end_lineno or 0, kind, text, was, now)
    return sorted(found.values(), key=lambda each: each.line)


def _difference(source: str, text: str) -> tuple[str, str]:
    """Return the lines that differ, before and after, each joined."""
    before, after = source.splitlines(), text.splitlines()
    while before and after and before[-1] == after[-1]:
        before.pop(), after.pop()
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    was, now = (" ".join(" ".join(side[first:]).split()) for side in (before, after))
    return was, now


_Change = tuple[str, ast.AST, int, int, str]


def _changes(tree: ast.Module, raw: bytes, starts: list[int]) -> Iterator[_Change]:
    def begin(node: ast.AST) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end(node: ast.AST) -> int:
        return starts[node.end_lineno - 1] + node.end_col_offset

    def between(left: ast.AST, right: ast.AST, sign: str, new: str) -> Iterator[tuple[int, int]]:
        gap = raw[end(left) : begin(right)]
        pattern = rb"\s+".join(re.escape(word.encode()) for word in sign.split())
        if found := re.search(rb"(?<![\w<>=])" + pattern + rb"(?![\w=])", gap):
            yield end(left) + found.start(), end(left) + found.end()

    for node in _walk(tree):
        here = (begin(node), end(node)) if hasattr(node, "lineno") else (0, 0)
        match node:
            case ast.Compare(left=left, comparators=others):
                for a, b, op in zip([left, *others], others, node.ops, strict=False):
                    sign = _sign(op)
                    for new in _COMPARE[sign]:
                        for place in between(a, b, sign, new):
                            yield "comparison", node, *place, new
            case ast.BoolOp(values=values):
                sign, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for a, b in itertools.pairwise(values):
                    for place in between(a, b, sign, new):
                        yield "and/or", node, *place, new
            case ast.BinOp(left=left, right=right):
                for sign, new in _BINARY.items():
                    if sign == _sign(node.op):
                        for place in between(left, right, sign, new):
                            yield "arithmetic", node, *place, new
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield "not", node, *here, f"({ast.unparse(operand)})"
            case ast.Constant(value=bool(value)):
                yield "constant", node, *here, str(not value)
            case ast.Constant(value=int(value) | float(value)):
                yield "number", node, *here, repr(value + 1)
            case ast.Call(func=func, keywords=keywords):
                if isinstance(func, ast.Name) and func.id in _SWAPPED:
                    yield "swapped", node, begin(func), end(func), _SWAPPED[func.id]
                for keyword in keywords:
                    if keyword.arg is not None:
                        comma = re.match(rb"\s*,\s*", raw[end(keyword) :])
                        length = comma.end() if comma else 0
                        yield "keyword", keyword, begin(keyword), end(keyword) + length, ""
            case ast.If(test=test) | ast.IfExp(test=test):
                for new in ("True", "False"):
                    yield "condition", test, begin(test), end(test), new
            case ast.While(test=test):
                yield "condition", test, begin(test), end(test), "False"
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield "condition", test, begin(test), end(test), "True"
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Delete():
                yield "dropped", node, *here, "pass"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield "dropped", node, *here, "pass"
            case ast.Raise():
                yield "dropped", node, *here, "pass"
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield "returned", node, *here, "return None"
            case ast.Break():
                yield "loop", node, *here, "continue"
            case ast.Continue():
                yield "loop", node, *here, "break"


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may be mutated, outermost first."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _left_alone(child):
                yield from _walk(child)


def _left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.JoinedStr():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in _LOGGERS
        case ast.Expr(value=ast.Call() as call):
            return _left_alone(call)
    return False


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _sign(op: ast.AST) -> str:
    names = {
        "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is",
        "IsNot": "is not", "In": "in", "NotIn": "not in", "Add": "+", "Sub": "-", "Mult": "*",
        "Div": "/", "BitOr": "|", "BitAnd": "&",
    }  # fmt: skip
    return names.get(type(op).__name__, "")
