"""Files and texts into tree and mission specs; every mistake of a document at once.

Loading checks the form: kinds, fields, values. Whether names mean anything to a site is checked by
`bt_exec.verify`, which reports through the same `Source` and so with the same positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bt_exec.failure import Problem, SpecError, nearest
from bt_exec.spec.model import (
    KINDS,
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
    Way,
)
from bt_exec.spec.source import Place, Source, read_file, read_text

__all__ = ["Loaded", "load_file", "load_text", "parse"]

_MODELS = {
    "<do>": Do,
    "<check>": Check,
    "<tree>": Tree,
    "<sequence>": Sequence,
    "<fallback>": Fallback,
    "<parallel>": Parallel,
}


class Loaded(NamedTuple):
    """A document and the text it came from."""

    document: Document
    source: Source


def load_file(path: Path) -> Loaded:
    """Load a tree or mission file.

    Raises:
        SpecError: Holding every mistake of the form, with line and column.
    """
    return parse(read_file(path))


def load_text(text: str, file: str = "<text>") -> Loaded:
    """Load a tree or mission from text; `file` is what messages call it.

    Raises:
        SpecError: Holding every mistake of the form, with line and column.
    """
    return parse(read_text(text, file))


def parse(source: Source) -> Loaded:
    """Turn read data into a document.

    Raises:
        SpecError: Holding every mistake of the form, with line and column.
    """
    data = source.data
    if not isinstance(data, dict):
        found = "a list" if isinstance(data, list) else f"{data!r}"[:40]
        message = "a document is a mapping that starts with 'tree:' or 'mission:'"
        raise SpecError([source.problem("NOT_A_TREE", message, found=found)])
    if ("tree" in data) == ("mission" in data):
        message = "a document starts with 'tree: NAME' (a tree) or with 'mission:' (a plan)"
        found = "both" if "tree" in data else ", ".join(map(str, data)) or "nothing"
        near = [key for key in data if nearest(key, ("tree", "mission"))]
        raise SpecError(
            [
                source.problem(
                    "NOT_A_TREE",
                    message,
                    (near[0],) if near else (),
                    found=found[:80],
                    allowed=("tree", "mission"),
                    key=bool(near),
                )
            ]
        )
    model: type[TreeSpec] | type[MissionSpec] = TreeSpec if "tree" in data else MissionSpec
    try:
        return Loaded(model.model_validate(data), source)
    except ValidationError as error:
        raise SpecError(list(_explain(error, source, model))) from None
    except RecursionError:
        raise SpecError([source.problem("TOO_DEEP", "is nested too deeply")]) from None


def _explain(error: ValidationError, source: Source, top: type) -> Iterator[Problem]:
    """Turn pydantic's findings into problems with places of the text and words of the language."""
    findings = error.errors(include_url=False)
    places = [_place(finding) for finding in findings]
    for finding, place in zip(findings, places, strict=True):
        inside = any(other[: len(place)] == place and other != place for other in places)
        if finding["type"] == "too_short" and inside:
            continue  # its items are wrong, so pydantic counts none
        yield _problem(finding, place, source, top)


def _place(finding: ErrorDetails) -> Place:
    """Return where a finding is in the document: its location without the union's tags."""
    tags = {*_MODELS, "[key]", "function-before", "literal['all','any']", "constrained-int", "int"}
    place = tuple(part for part in finding["loc"] if part not in tags)
    return place + tuple(finding.get("ctx", {}).get("at", ()))


def _owner(finding: ErrorDetails, top: type) -> type:
    """Return the model whose field a finding is about."""
    owner: type = top
    for part in finding["loc"][:-1]:
        if part in _MODELS:
            owner = _MODELS[str(part)]
        elif part == "params":
            owner = Param
        elif part == "otherwise":
            owner = Way
        elif part == "mission":
            owner = Mission
    return owner


def _problem(finding: ErrorDetails, place: Place, source: Source, top: type) -> Problem:
    kind, ctx = finding["type"], finding.get("ctx", {})
    value = _shown(finding["input"])
    field = str(place[-1]) if place else ""
    if kind == "extra_forbidden":
        fields = _fields(_owner(finding, top))
        near = nearest(field, fields)
        message = f"there is no field {field!r} here"
        allowed = (*near, *(name for name in fields if name not in near))
        return source.problem(
            "UNKNOWN_FIELD", message, place, found=field, allowed=allowed, key=True
        )
    if kind == "missing":
        message = f"the field {field!r} is missing"
        return source.problem("MISSING_FIELD", message, place[:-1])
    if kind == "node_kind":
        return _kind_problem(finding, place, source)
    if "[key]" in finding["loc"]:
        message = f"{field!r} is no name: letters, digits and _, not starting with a digit"
        return source.problem("BAD_NAME", message, place, found=field, key=True)
    if kind == "string_pattern_mismatch":
        code = "BAD_CODE" if ctx.get("pattern", "").startswith("^[A-Z]") else "BAD_NAME"
        form = (
            "a reason code: capitals, digits and _, such as NOT_FOUND"
            if code == "BAD_CODE"
            else "a name: letters, digits and _, not starting with a digit"
        )
        return source.problem(code, f"must be {form}", place, found=value)
    if kind in ("string_too_long", "too_long"):
        message = f"is too long: at most {ctx.get('max_length')}"
        return source.problem("TOO_LONG", message, place, found=value)
    if kind in ("too_short", "string_too_short"):
        least = ctx.get("min_length", 1)
        what = f"{field!r} needs at least {least} " + ("character" if "string" in kind else "entry")
        return source.problem("TOO_FEW", what.replace("2 entry", "2 entries"), place, found=value)
    if kind == "literal_error":
        allowed = tuple(str(ctx.get("expected", "")).replace("'", "").split(" or "))
        return source.problem(
            "BAD_VALUE", "is not one of these", place, found=value, allowed=allowed
        )
    words = {
        "duration": "BAD_TIME",
        "condition_form": "BAD_CONDITION",
        "condition_list": "BAD_CONDITION",
        "condition_args": "BAD_CONDITION",
        "node_form": "BAD_NODE",
    }
    message = finding["msg"]
    if kind not in words:
        message = _plain_words(kind, ctx, message)
    return source.problem(words.get(kind, "BAD_VALUE"), message, place, found=value)


def _kind_problem(finding: ErrorDetails, place: Place, source: Source) -> Problem:
    data: Mapping[str, Any] = finding["input"]
    kinds = finding.get("ctx", {}).get("kinds", [])
    if kinds:
        message = "a node has exactly one kind; put the others into nodes of their own"
        found = " and ".join(kinds)
        return source.problem("SEVERAL_KINDS", message, (*place, kinds[1]), found=found, key=True)
    near = [(key, nearest(str(key), KINDS)) for key in data]
    close = next(((key, names) for key, names in near if names), None)
    spot = (*place, close[0]) if close else place
    first = close[1] if close else ()
    allowed = (*first, *(kind for kind in KINDS if kind not in first))
    found = ", ".join(map(str, data)) or "nothing"
    message = "a node needs one kind"
    return source.problem("NO_KIND", message, spot, found=found, allowed=allowed, key=bool(close))


def _plain_words(kind: str, ctx: Mapping[str, Any], message: str) -> str:
    """Say what a value must be, without pydantic's vocabulary."""
    types = {
        "string_type": "must be text",
        "int_type": "must be a whole number",
        "int_from_float": "must be a whole number",
        "int_parsing": "must be a whole number",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "tuple_type": "must be a list",
        "mapping_type": "must be a mapping of names to values",
        "dict_type": "must be a mapping of names to values",
        "model_type": "must be a mapping with fields",
        "model_attributes_type": "must be a mapping with fields",
    }
    bounds = {
        "greater_than_equal": f"must be at least {ctx.get('ge')}",
        "less_than_equal": f"must be at most {ctx.get('le')}",
        "greater_than": f"must be more than {ctx.get('gt')}",
    }
    return types.get(kind) or bounds.get(kind) or message


def _fields(model: Any) -> tuple[str, ...]:
    return tuple(info.alias or name for name, info in model.model_fields.items() if name != "body")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "…'"
