"""Conversion of values, names and conditions to and from BehaviorTree.CPP's text forms."""

from __future__ import annotations

import json
import re
from typing import Any

from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.yaml_source import parse_scalar

__all__ = [
    "BUILT_IN",
    "FORMAT_MARK",
    "decode",
    "encode",
    "entry_name",
    "is_exact",
    "own_name",
    "port_name",
    "read_condition",
    "to_json",
]


BUILT_IN = frozenset(
    {
        *("Action", "Condition", "Control", "Decorator", "SubTree", "SubTreePlus", "BehaviorTree"),
        *("root", "TreeNodesModel", "include"),
        *("Sequence", "SequenceWithMemory", "SequenceStar", "AsyncSequence", "ReactiveSequence"),
        *("Fallback", "FallbackStar", "AsyncFallback", "ReactiveFallback"),
        *("Parallel", "ParallelAll", "IfThenElse", "WhileDoElse", "ManualSelector", "TryCatch"),
        *("Switch2", "Switch3", "Switch4", "Switch5", "Switch6"),
        *("Inverter", "RetryUntilSuccessful", "RetryUntilSuccesful", "Repeat", "Timeout", "Delay"),
        *("KeepRunningUntilFailure", "ForceSuccess", "ForceFailure", "RunOnce", "Precondition"),
        *("LoopInt", "LoopDouble", "LoopString", "LoopBool", "EntryUpdated", "UpdatedAction"),
        *("SkipUnlessUpdated", "WaitValueUpdate", "WasEntryUpdated", "Loop", "ConsumeQueue"),
        *("AlwaysSuccess", "AlwaysFailure", "SetBlackboard", "UnsetBlackboard", "Script"),
        *("ScriptCondition", "Sleep", "TestNode"),
    }
)
"""Reserved names of nodes and elements of BehaviorTree.CPP."""

FORMAT_MARK = "_bt_exec"
"""Attribute that marks trees written by bt-exec; its value is the version of the metadata."""

_RESERVED = ("name", "ID", "_autoremap")
_PREFIX = "x__"
"""Prefix of entries and ports whose name is reserved by BehaviorTree.CPP."""

_POINTER = re.compile(r"\{\s*([^{}\s]+)\s*\}\Z")


def encode(value: Any) -> str:
    """Return a value of a tree as the text of an attribute."""
    if is_reference(value):
        return f"{{{entry_name(reference_name(value))}}}"
    if isinstance(value, str):
        return value[1:] if value.startswith("$$") else value
    return to_json(value)


def decode(text: str, port: str = "") -> Any:
    """Return the text of an attribute as a value of a tree.

    Args:
        text: The text.
        port: Name of the port, to which ``{=}`` refers.
    """
    if found := _POINTER.match(text):
        return f"${own_name(port if found[1] == '=' else found[1].removeprefix('@'))}"
    if text.startswith("$"):
        return f"${text}"
    return parse_scalar(text) if text else ""


def is_exact(value: Any) -> bool:
    """Return True if `encode` and `decode` preserve a value exactly."""
    back = decode(encode(value))
    return type(back) is type(value) and bool(back == value)


def to_json(value: Any) -> str:
    """Return plain data as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def entry_name(name: str) -> str:
    """Return the blackboard entry or port for a name; `own_name` is the inverse."""
    if name in _RESERVED or name.startswith(("_", _PREFIX)):
        return _PREFIX + name
    return name


def own_name(entry: str) -> str:
    """Return the name in a tree for a blackboard entry: letters, digits and ``_``."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", entry.removeprefix(_PREFIX))[:64] or "entry"
    return f"_{name}"[:64] if name[0].isdigit() else name


def port_name(name: str, number: int) -> str:
    """Return the port name for an argument.

    Args:
        name: Name of the argument.
        number: Number of the port, used if the name is not an ASCII identifier.
    """
    plain = name.isascii() and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None
    return entry_name(name) if plain else f"{_PREFIX}{number}"


_TOKEN = re.compile(r"\s*(&&|\|\||!(?!=)|[()]|[A-Za-z_@][A-Za-z0-9_.]*|\S)")
_MOST_TOKENS = 200


def read_condition(script: str) -> Any:
    """Return a script as a condition expression; None if it is not a condition."""
    tokens = _TOKEN.findall(script)
    if not tokens or len(tokens) > _MOST_TOKENS:
        return None
    try:
        found, rest = _parse_or(tokens)
    except (_NotACondition, IndexError):
        return None
    return found if not rest else None


class _NotACondition(Exception):  # noqa: N818 - internal; `read_condition` returns None for it
    pass


def _parse_or(tokens: list[str]) -> tuple[Any, list[str]]:
    return _parse_joined(tokens, "||", "any", _parse_and)


def _parse_and(tokens: list[str]) -> tuple[Any, list[str]]:
    return _parse_joined(tokens, "&&", "all", _parse_term)


def _parse_joined(tokens: list[str], sign: str, word: str, part: Any) -> tuple[Any, list[str]]:
    first, rest = part(tokens)
    parts = [first]
    while rest and rest[0] == sign:
        following, rest = part(rest[1:])
        parts.append(following)
    return (parts[0] if len(parts) == 1 else {word: parts}), rest


def _parse_term(tokens: list[str]) -> tuple[Any, list[str]]:
    head, rest = tokens[0], tokens[1:]
    if head == "!":
        inner, rest = _parse_term(rest)
        return {"not": inner}, rest
    if head == "(":
        inner, rest = _parse_or(rest)
        if rest[0] != ")":
            raise _NotACondition
        return inner, rest[1:]
    if head in ("true", "false") or not re.match(r"[A-Za-z_@]", head):
        raise _NotACondition
    return own_name(head), rest
