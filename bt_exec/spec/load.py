"""Loading of tree and mission specs; all mistakes of a document are reported at once.

Loading checks the syntax: node kinds, fields and values. Names are checked by `bt_exec.verify`,
which takes the positions of problems from the same `Source`.

Codes: those of `bt_exec.spec.yaml_source`, and ``NOT_A_TREE``, ``NO_KIND``, ``SEVERAL_KINDS``,
``BAD_NODE``, ``UNKNOWN_FIELD``, ``MISSING_FIELD``, ``BAD_NAME``, ``BAD_CODE``, ``BAD_TIME``,
``BAD_CONDITION``, ``BAD_VALUE``, ``TOO_LONG``, ``TOO_FEW``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bt_exec.failure import Problem, SpecError, nearest_first, nearest_names
from bt_exec.spec.model import (
    KINDS,
    Alternative,
    Check,
    Do,
    Document,
    Fallback,
    Mission,
    MissionSpec,
    Parallel,
    Param,
    Sequence,
    Tree,
    TreeSpec,
)
from bt_exec.spec.yaml_source import Place, Source, scan_file, scan_text, sorted_by_position

__all__ = ["Loaded", "load_file", "load_text", "parse"]

_NODES = {
    "<do>": Do,
    "<check>": Check,
    "<tree>": Tree,
    "<sequence>": Sequence,
    "<fallback>": Fallback,
    "<parallel>": Parallel,
}
_PARTS = {"params": Param, "otherwise": Alternative, "mission": Mission}
_SAID: Mapping[type, str] = {
    **{model: f"a {tag[1:-1]!r} node" for tag, model in _NODES.items()},
    TreeSpec: "a tree",
    MissionSpec: "a mission",
    Mission: "the header of a mission",
    Param: "a parameter",
    Alternative: "an alternative",
}
_NAME_FORM = "letters, digits and _, not starting with a digit"
_CODE_FORM = "capitals, digits and _, such as NOT_FOUND"
_ARGUMENTS_HINT = "; put arguments under the name of the condition: {NAME: {ARGUMENT: value}}"


class Loaded(NamedTuple):
    """A document with its source text."""

    document: Document
    source: Source


def load_file(path: Path) -> Loaded:
    """Load a tree or mission file.

    Raises:
        SpecError: Contains every syntax error, with line and column.
    """
    return parse(scan_file(path))


def load_text(text: str, file: str = "<text>") -> Loaded:
    """Load a tree or mission from text; `file` is its name in messages.

    Raises:
        SpecError: Contains every syntax error, with line and column.
    """
    return parse(scan_text(text, file))


def parse(source: Source) -> Loaded:
    """Validate the plain data of a source, and return it as a document.

    Raises:
        SpecError: Contains every syntax error, including those found by `scan_text`.
    """
    if any(refused.code == "KEY_NOT_TEXT" for refused in source.refused):
        raise SpecError(source.refused)  # validation errors of incomplete data are misleading
    document, problems = _validate(source)
    spots = {(refused.line, refused.column) for refused in source.refused}
    problems = [problem for problem in problems if (problem.line, problem.column) not in spots]
    if document is None or problems or source.refused:
        raise SpecError(sorted_by_position([*source.refused, *problems]))
    return Loaded(document, source)


def _validate(source: Source) -> tuple[Document | None, list[Problem]]:
    """Return the document, or None and the problems if it is invalid."""
    data = source.data
    if not isinstance(data, dict):
        message = "a document must be a mapping that starts with 'tree: NAME' or 'mission:'"
        return None, [source.problem("NOT_A_TREE", message, found=_shown_value(data))]
    if ("tree" in data) == ("mission" in data):
        return None, [_header_problem(data, source)]
    model: type[TreeSpec] | type[MissionSpec] = TreeSpec if "tree" in data else MissionSpec
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, _problems_of_errors(error, source, model)
    except RecursionError:
        message = "nodes are nested too deeply to be read"
        return None, [source.problem("TOO_DEEP", message, ("root",))]


def _header_problem(data: Mapping[str, Any], source: Source) -> Problem:
    """Return a problem for a document with neither or both of ``tree`` and ``mission``."""
    message = "a document must start with 'tree: NAME' (a tree) or with 'mission:' (a plan)"
    if "tree" in data:
        message = "a document is a tree or a mission; leave 'tree' or 'mission' out"
        return source.problem("NOT_A_TREE", message, ("mission",), found="both", key=True)
    allowed = ("tree", "mission")
    close = next((key for key in data if nearest_names(key, allowed)), None)
    place = () if close is None else (close,)
    found = close or ", ".join(data)[:80] or "an empty mapping"
    known = nearest_first(close or "", allowed)
    has_key = close is not None
    return source.problem("NOT_A_TREE", message, place, found=found, allowed=known, key=has_key)


def _problems_of_errors(error: ValidationError, source: Source, top: type) -> list[Problem]:
    """Convert pydantic's errors to problems with positions, in the terms of the tree language."""
    findings = error.errors(include_url=False)
    places = [_error_place(finding, source.data) for finding in findings]
    problems = []
    for finding, place in zip(findings, places, strict=True):
        inside = any(other[: len(place)] == place and other != place for other in places)
        if finding["type"] == "too_short" and inside:
            continue  # a consequence of errors in the items, which are reported themselves
        if finding["type"] == "missing" and _is_misspelt(findings, places, place):
            continue  # the misspelt field is reported instead, with the missing one as suggestion
        problems.append(_problem_of_error(finding, place, source, top))
    return problems


def _error_place(finding: ErrorDetails, data: Any) -> Place:
    """Return the place of an error in the document: pydantic's location without union tags."""
    place: list[str | int] = []
    for part in finding["loc"]:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            continue  # a union tag of pydantic
        place.append(part)
    if finding["type"] == "missing":
        place.append(finding["loc"][-1])
    return (*place, *finding.get("ctx", {}).get("at", ()))


def _is_misspelt(findings: Iterable[ErrorDetails], places: Iterable[Place], missing: Place) -> bool:
    """Return True if an unknown field is probably a misspelling of the missing one."""
    return any(
        finding["type"] == "extra_forbidden"
        and place[:-1] == missing[:-1]
        and nearest_names(str(place[-1]), (str(missing[-1]),))
        for finding, place in zip(findings, places, strict=True)
    )


def _owning_model(finding: ErrorDetails, top: type) -> type:
    """Return the model to which the field of an error belongs."""
    loc = finding["loc"]
    for part in reversed(loc[:-1]):
        if part in _NODES:
            return _NODES[str(part)]
    return _PARTS.get(str(loc[0]), top) if len(loc) > 1 else top


def _problem_of_error(finding: ErrorDetails, place: Place, source: Source, top: type) -> Problem:
    kind, ctx = finding["type"], finding.get("ctx", {})
    value = _shown_value(finding["input"])
    field = str(place[-1]) if place else ""
    if kind == "extra_forbidden":
        return _unknown_field(finding, place, source, top)
    if kind == "missing":
        message = f"{_SAID[_owning_model(finding, top)]} needs the field {field!r}"
        return source.problem("MISSING_FIELD", message, place[:-1])
    if kind == "until":
        where = (*place, "until")
        return source.problem("MISSING_FIELD", str(finding["msg"]), where, key=True)
    if kind == "way":
        message = str(finding["msg"])
        return source.problem("MISSING_FIELD", message, place, allowed=("tree", "with"))
    if kind == "node_kind":
        return _kind_problem(finding, place, source)
    if kind == "node_form":
        message = "a node must be a mapping that starts with its kind, such as 'do: SKILL'"
        return source.problem("BAD_NODE", message, place, found=value, allowed=KINDS)
    key = "[key]" in finding["loc"]
    if kind == "string_pattern_mismatch":
        code = ctx["pattern"].startswith("^[A-Z]")
        form = f"a reason code: {_CODE_FORM}" if code else f"a name: {_NAME_FORM}"
        code = "BAD_CODE" if code else "BAD_NAME"
        return source.problem(code, f"must be {form}", place, found=value, key=key)
    if kind in ("string_too_long", "too_long"):
        unit = "characters" if kind == "string_too_long" else "entries"
        message = f"is too long: {len(finding['input'])} {unit}, at most {ctx['max_length']}"
        return source.problem("TOO_LONG", message, place, found=value, key=key)
    if kind in ("too_short", "string_too_short"):
        return source.problem("TOO_FEW", _too_few(kind, ctx, place), place, found=value)
    if kind == "literal_error":
        known = tuple(str(ctx["expected"]).replace("'", "").split(" or "))
        allowed = nearest_first(str(finding["input"]), known)
        message = f"{field!r} must be one of these"
        return source.problem("BAD_VALUE", message, place, found=value, allowed=allowed)
    return _value_problem(finding, place, source)


def _value_problem(finding: ErrorDetails, place: Place, source: Source) -> Problem:
    """Return the problem for a field with an invalid value."""
    kind, value, ctx = finding["type"], finding["input"], finding.get("ctx", {})
    message, allowed = str(finding["msg"]), tuple(ctx.get("near", ()))
    code = {"duration": "BAD_TIME"}.get(kind, "BAD_VALUE")
    if kind.startswith("condition_"):
        code = "BAD_CONDITION"
        for part in ctx["at"]:
            value = value[part]
        if kind == "condition_form" and isinstance(value, dict) and value:
            return source.problem(code, message, place, found=", ".join(value)[:80])
    elif kind == "duration" and type(value) in (int, float) and value > 0:
        allowed = tuple(f"{value}{unit}" for unit in ("s", "ms", "min"))
    elif kind == "needed":
        allowed = nearest_first(str(value), ("all", "any"))
    elif kind != "default":
        message = _message_in_plain_words(finding)
    return source.problem(code, message, place, found=_shown_value(value), allowed=allowed)


def _unknown_field(finding: ErrorDetails, place: Place, source: Source, top: type) -> Problem:
    owner, field = _owning_model(finding, top), str(place[-1])
    fields = _fields(owner)
    message = f"{_SAID[owner]} has no field {field!r}"
    if owner is Check and field in ("with", "args"):
        message += _ARGUMENTS_HINT
    allowed = nearest_first(field, fields)
    return source.problem("UNKNOWN_FIELD", message, place, found=field, allowed=allowed, key=True)


def _kind_problem(finding: ErrorDetails, place: Place, source: Source) -> Problem:
    data: Mapping[str, Any] = finding["input"]
    kinds = finding.get("ctx", {}).get("kinds", [])
    if kinds:
        message = "a node has exactly one kind; put the others into separate nodes"
        found = " and ".join(kinds)
        return source.problem("SEVERAL_KINDS", message, (*place, kinds[1]), found=found, key=True)
    modifiers = _fields(Do)
    strange = [key for key in data if key not in modifiers]
    close = next((key for key in strange if nearest_names(key, KINDS)), None)
    message = f"there is no kind {close!r}" if close else "a node needs a kind"
    if len(strange) == 1 and isinstance(data[strange[0]], dict | None):
        close = strange[0]
        message = f"there is no kind {close!r}; to run a skill of that name write 'do: {close}'"
    found = close or ", ".join(data)[:80] or "an empty mapping"
    return source.problem(
        "NO_KIND",
        message,
        (*place, close) if close else place,
        found=found,
        allowed=nearest_first(close or "", KINDS),
        key=close is not None,
    )


def _too_few(kind: str, ctx: Mapping[str, Any], place: Place) -> str:
    least = int(ctx.get("min_length", 1))
    field = next((part for part in reversed(place) if isinstance(part, str)), "")
    if kind == "string_too_short":
        what = repr(field) if place[-1] == field else f"an entry of {field!r}"
        return f"{what} must not be empty"
    return f"{field!r} needs at least {least} " + ("entries" if least > 1 else "entry")


def _message_in_plain_words(finding: ErrorDetails) -> str:
    """Return the message of a pydantic error, with the allowed values in plain words."""
    kind, ctx, value = finding["type"], finding.get("ctx", {}), finding["input"]
    words = {
        "string": "text" + ("; put it into quotes" if type(value) in (int, float, bool) else ""),
        "int": "a whole number" + (" without quotes" if str(value).isdigit() else ""),
        "bool": "true or false",
        "tuple": "a list",
        "mapping": "a mapping of names to values",
        "dict": "a mapping of names to values",
        "model": "a mapping with fields",
        "greater_than_equal": f"at least {ctx.get('ge')}",
        "less_than_equal": f"at most {ctx.get('le')}",
    }
    said = words.get(kind) or words.get(kind.split("_")[0])
    return f"must be {said}" if said else str(finding["msg"])


def _fields(model: Any) -> tuple[str, ...]:
    return tuple(info.alias or name for name, info in model.model_fields.items() if name != "body")


def _shown_value(value: Any) -> str:
    """Return a value for messages: shortened, or only its kind if it is a mapping or a list."""
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…'"
