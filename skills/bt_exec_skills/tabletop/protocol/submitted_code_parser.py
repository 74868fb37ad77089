"""Parser of code from clients: an allow-list over the syntax tree; the code is never executed.

Clients of the protocol send a few lines such as ``result = pick_object([1, 2, 0.6], 0.1, 0.2)``.
`parse_program` parses them, refuses everything that is not on the list, and returns a generator.
The generator yields the robot calls, receives their results, and returns the variables of the code.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from bt_exec.failure import nearest_names
from bt_exec_skills.tabletop.protocol.interpreter import Interpreter, Program, is_supported
from bt_exec_skills.tabletop.protocol.published_functions import (
    CALLS,
    FUNCTIONS,
    METHODS,
    MODULES,
    Call,
    CodeRefused,
    argument_name,
)

__all__ = ["Call", "CodeRefused", "Program", "parse_program"]

_LONGEST = 4000
_DEEPEST = 12
_REASONS: Mapping[type[ast.AST], str] = {
    ast.Import: "import (only time, math and json)",
    ast.ImportFrom: "import (only time, math and json)",
    ast.Attribute: "an attribute",
    ast.FunctionDef: "a function definition",
    ast.AsyncFunctionDef: "a function definition",
    ast.ClassDef: "a class definition",
    ast.Lambda: "a lambda",
    ast.With: "with",
    ast.Try: "try",
    ast.Global: "global",
    ast.Await: "await",
    ast.NamedExpr: "an assignment within an expression",
}


def parse_program(code: str) -> Program:
    """Parse and check code completely, and return it as a program.

    Raises:
        CodeRefused: If the code contains anything that is not allowed.
    """
    if len(code) > _LONGEST:
        raise CodeRefused(f"the code has {len(code)} characters; the limit is {_LONGEST}")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CodeRefused(f"the code is not valid Python: {type(error).__name__}") from error
    for statement in tree.body:
        _check_node(statement, depth=0)
    return Interpreter().run(tree.body)


def _check_node(node: ast.AST, depth: int) -> None:
    """Raise CodeRefused if a node or its descendants contain anything not on the allow-list."""
    if depth > _DEEPEST:
        raise _refusal(node, "nesting this deep")
    match node:
        case ast.Import(names=names):
            if any(alias.name not in MODULES or alias.asname for alias in names):
                raise _refusal(node, _REASONS[ast.Import])
            return
        case ast.Call():
            _check_call(node)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            if name not in MODULES.get(module, {}):
                raise _refusal(node, _REASONS[ast.Attribute])
            return
        case ast.Attribute():
            raise _refusal(node, _REASONS[ast.Attribute])
        case ast.Constant(value=value):
            if not (value is None or isinstance(value, bool | int | float | str)):
                raise _refusal(node, f"the value {value!r:.20}")
        case _ if not is_supported(node):
            found = _REASONS.get(type(node), type(node).__name__)
            raise _refusal(node, found)
        case _:
            pass
    for child in _nodes_to_check(node):
        _check_node(child, depth + 1)


def _nodes_to_check(node: ast.AST) -> list[ast.AST]:
    """Return the child nodes that have to be checked."""
    if isinstance(node, ast.Call):
        within: list[ast.AST] = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func):
            within.append(node.func.value)
        return within
    operators = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
    return [part for part in ast.iter_child_nodes(node) if not isinstance(part, operators)]


def _is_module(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in MODULES


def _check_call(node: ast.Call) -> None:
    """Raise CodeRefused for an unknown function, method or argument."""
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        raise _refusal(node, "a starred argument")
    if isinstance(node.func, ast.Attribute):
        if _is_module(node.func):
            _check_node(node.func, 0)
        elif node.func.attr not in METHODS:
            raise _refusal(node, f"the method {node.func.attr!r}")
        if node.keywords and not _is_module(node.func):
            raise _refusal(node, f"a keyword of {node.func.attr}")
        return
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in CALLS and name not in FUNCTIONS:
        raise _refusal(
            node, f"the call of {name!r}{_name_suggestion(name)}" if name else "such a call"
        )
    if name not in CALLS:
        return
    if len(node.args) > len(CALLS[name]):
        raise _refusal(node, f"{name} with {len(node.args)} arguments")
    given = list(CALLS[name][: len(node.args)])
    for keyword in node.keywords:
        argument = argument_name(name, keyword.arg) if keyword.arg is not None else None
        if argument is None or argument in given:
            allowed = ", ".join(CALLS[name]) or "none"
            raise _refusal(node, f"the argument {keyword.arg!r} of {name} (arguments: {allowed})")
        given.append(argument)


def _name_suggestion(name: str) -> str:
    found = nearest_names(name, CALLS, count=1)
    return f" (did you mean {found[0]}?)" if found else ""


def _refusal(node: Any, found: str) -> CodeRefused:
    return CodeRefused(
        f"line {getattr(node, 'lineno', 1)}: {found} is not allowed; code is read and never "
        "executed. Allowed are assignments, numbers, texts, lists, dictionaries, indexing, "
        f"arithmetic, comparisons, if, for, while, {', '.join(sorted(FUNCTIONS))}, and calls of "
        f"{', '.join(sorted(CALLS))}"
    )
