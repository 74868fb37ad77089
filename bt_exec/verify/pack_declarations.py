"""Mistakes in the declarations of packs, with positions in the Python source.

Codes: ``UNKNOWN_FACT`` and ``UNKNOWN_FACT_VALUE`` for needs, effects and established facts that the
pack does not declare; ``UNDECLARED_CODE`` for a failure code that a skill raises and its decorator
does not list; ``BLOCKING_CALL`` for a call in a skill that would delay the tick. A site with an
undeclared fact does not load, because a misspelt need would have no effect.

The source code is parsed, never run. Codes are followed through functions of the same module that a
skill calls. Helpers in other modules are not followed, because their codes depend on the arguments.
The body of a ``try`` with handlers is not followed either, because the skill may translate the
exceptions.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bt_exec.failure import STOPPED, Failed, Problem, nearest_first
from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Signature, Skill

__all__ = [
    "Position",
    "RaisedCode",
    "blocking_calls",
    "fact_problems",
    "position_of",
    "raised_codes",
    "skill_problems",
]


def fact_problems(catalogue: Catalogue) -> list[Problem]:
    """Return a problem for each use of a fact or value that the packs do not declare."""
    return [
        problem
        for pack in {pack.kind: pack for pack in catalogue.packs}.values()
        for part in (*_skill_facts(pack), *_condition_facts(pack))
        for problem in _problems_of_facts(catalogue, pack, *part)
    ]


def skill_problems(catalogue: Catalogue) -> list[Problem]:
    """Return a problem for each undeclared failure code and each blocking call of a skill."""
    return [
        problem
        for pack in {pack.kind: pack for pack in catalogue.packs}.values()
        for one in pack.skills
        for problem in _codes(pack, one)
    ]


_Uses: TypeAlias = tuple[Signature, str, Mapping[str, str]]
"""Skill or condition, name of an option of its decorator, and the facts in that option."""


def _skill_facts(pack: Pack) -> Iterator[_Uses]:
    for skill in pack.skills:
        yield skill, "needs", skill.needs
        yield skill, "effects", skill.effects


def _condition_facts(pack: Pack) -> Iterator[_Uses]:
    for condition in pack.conditions:
        yield condition, "establishes", condition.establishes


def _problems_of_facts(
    catalogue: Catalogue, pack: Pack, part: Signature, keyword: str, facts: Mapping[str, str]
) -> Iterator[Problem]:
    declared = catalogue.facts_usable_by(pack.name)
    kind = type(part).__name__.lower()
    for name, value in facts.items():
        found = declared.mistakes(name, value, part.arguments, may_be_unknown=keyword == "effects")
        for mistake in found:
            message = f"{kind} {part.name!r} of pack {pack.name!r}: {mistake.message}"
            if not declared.names():
                message += '; list the facts of the pack: Pack(facts={"door": ("open", …)})'
            text = name if mistake.code == "UNKNOWN_FACT" else value
            yield _problem(
                mistake.code,
                message,
                f"{part.name}/{keyword}",
                mistake.found,
                mistake.allowed,
                position_of(part, keyword, text),
            )


def _codes(pack: Pack, skill: Skill) -> Iterator[Problem]:
    declared = sorted(skill.fails)
    for code, position in raised_codes(skill):
        if code not in skill.fails and code != STOPPED:
            message = (
                f"skill {skill.name!r} of pack {pack.name!r} raises {code!r} without declaring it; "
                f"add it to fails={{…}} of its decorator"
            )
            allowed = nearest_first(code, declared)
            yield _problem("UNDECLARED_CODE", message, skill.name, code, allowed, position)
    for name, position in blocking_calls(skill):
        message = (
            f"skill {skill.name!r} of pack {pack.name!r} blocks the tick with {name}; yield "
            "Running() instead, or write: yield from run_in_thread(lambda: …)"
        )
        yield _problem("BLOCKING_CALL", message, skill.name, name, (), position)


def _problem(
    code: str,
    message: str,
    place: str,
    found: str,
    allowed: tuple[str, ...],
    position: Position | None,
) -> Problem:
    file, line, column = position if position is not None else ("", None, None)
    return Problem(code, message, place, found, allowed, file, line, column)


_DEEPEST = 6
"""Maximum depth of calls followed from a skill into its helpers."""


class Position(NamedTuple):
    """Position in a Python file; line and column are counted from 1."""

    file: str
    line: int
    column: int


_BLOCKING = frozenset(
    (
        "time.sleep",
        "subprocess.run",
        "subprocess.check_call",
        "subprocess.check_output",
        "urllib.request.urlopen",
        "requests.api.get",
        "requests.api.post",
    )
)
"""Functions that block: they wait for a time, a process or a network."""


class RaisedCode(NamedTuple):
    """A failure code that a skill raises, with its position."""

    code: str
    position: Position


class _Call(NamedTuple):
    """A function call in the source of a skill.

    Attributes:
        node: Syntax node of the call.
        target: The called object; None if it is unknown.
        names: Values of the global and enclosing names at the call.
        position: Position of the call.
        is_inner: Whether the call is in a function or lambda inside another function.
    """

    node: ast.Call
    target: Any
    names: Mapping[str, Any]
    position: Position
    is_inner: bool


def position_of(part: Signature, keyword: str = "", text: str = "") -> Position | None:
    """Return the position of `text` in an option of the decorator, or of the function by default.

    The result is None if the source cannot be read.
    """
    found = _definition(part.function)
    if found is None:
        return None
    file, node = found
    named = (
        inner
        for decorator in node.decorator_list
        for argument in getattr(decorator, "keywords", ())
        if argument.arg == keyword
        for inner in ast.walk(argument.value)
        if isinstance(inner, ast.Constant) and inner.value == text
    )
    spot = next(named, node)
    return Position(file, spot.lineno, spot.col_offset + 1)


def raised_codes(part: Signature) -> tuple[RaisedCode, ...]:
    """Return the failure codes that a skill raises with `Failed`, in the order of the source."""
    found = (
        RaisedCode(text, position)
        for call, target, names, position, _ in _calls_in(part.function, set(), _DEEPEST)
        if isinstance(target, type) and issubclass(target, Failed)
        for text in _possible_texts(call.args[0] if target is Failed and call.args else None, names)
    )
    return tuple(dict.fromkeys(found))


def blocking_calls(part: Signature) -> tuple[tuple[str, Position], ...]:
    """Return the function name and position of each blocking call in a skill."""
    found = (
        (f"{getattr(target, '__module__', '')}.{getattr(target, '__qualname__', '')}", position)
        for _, target, _, position, inner in _calls_in(part.function, set(), _DEEPEST)
        if not inner  # a nested function may run on a worker thread
    )
    return tuple(dict.fromkeys(one for one in found if one[0] in _BLOCKING))


def _calls_in(function: Any, seen: set[Any], depth: int) -> Iterator[_Call]:
    """Yield the calls in a function, and those in functions of its module that it calls."""
    code = getattr(function, "__code__", None)
    if code is None or code in seen or depth == 0:
        return
    seen.add(code)
    found = _definition(function)
    if found is None:
        return
    file, definition = found
    names = _names_of(function)
    for call, inner in _uncaught_calls(definition):
        target = _resolve(call.func, names)
        yield _Call(call, target, names, Position(file, call.lineno, call.col_offset + 1), inner)
        if getattr(target, "__module__", None) == function.__module__:
            yield from _calls_in(target, seen, depth - 1)


def _uncaught_calls(definition: ast.AST, inner: bool = False) -> Iterator[tuple[ast.Call, bool]]:
    """Yield every call outside the body of a ``try`` with handlers.

    The second value is True if the call is in a function or lambda inside the definition.
    """
    for child in ast.iter_child_nodes(definition):
        if isinstance(child, ast.Try) and child.handlers:
            for part in (*child.handlers, *child.orelse, *child.finalbody):
                yield from _uncaught_calls(part, inner)
            continue
        if isinstance(child, ast.Call):
            yield child, inner
        yield from _uncaught_calls(child, inner or isinstance(child, ast.Lambda | ast.FunctionDef))


def _possible_texts(node: ast.AST | None, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield the constant strings to which an expression may evaluate."""
    if isinstance(node, ast.IfExp):
        yield from _possible_texts(node.body, names)
        yield from _possible_texts(node.orelse, names)
    elif isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from _possible_texts(part, names)
    elif node is not None:
        text = node.value if isinstance(node, ast.Constant) else _resolve(node, names)
        if isinstance(text, str):
            yield text


def _resolve(node: ast.AST, names: Mapping[str, Any]) -> Any:
    """Return the value of a name, or of an attribute of a module or class; None if unknown."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolve(node.value, names)
        if isinstance(owner, types.ModuleType | type):
            return vars(owner).get(node.attr)
    return None


def _names_of(function: Any) -> Mapping[str, Any]:
    """Return the values of a function's global and enclosing names, without its own variables."""
    closed = inspect.getclosurevars(function)
    local = set(function.__code__.co_varnames)
    names = {**function.__globals__, **closed.nonlocals}
    return {name: value for name, value in names.items() if name not in local}


def _definition(function: Any) -> tuple[str, ast.FunctionDef] | None:
    """Return the file of a function, and the syntax tree of its definition; None if unreadable."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return None
    for node in _functions(code.co_filename):
        first = min((one.lineno for one in node.decorator_list), default=node.lineno)
        if node.name == code.co_name and first == code.co_firstlineno:
            return code.co_filename, node
    return None


def _functions(file: str) -> tuple[ast.FunctionDef, ...]:
    try:
        return _parsed(Path(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ()


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[ast.FunctionDef, ...]:
    return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
