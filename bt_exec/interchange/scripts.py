"""Conditions in the script language of BehaviorTree.CPP: names, ``!``, ``&&``, ``||``, brackets."""

from __future__ import annotations

import re
from typing import Any

from bt_exec.interchange.values import own_name

__all__ = ["read_condition"]

_TOKEN = re.compile(r"\s*(&&|\|\||!(?!=)|[()]|[A-Za-z_@][A-Za-z0-9_.]*|\S)")
_MOST_TOKENS = 200


def read_condition(script: str) -> Any:
    """Return a script as a condition expression; None if it contains anything else."""
    tokens = _TOKEN.findall(script)
    if not tokens or len(tokens) > _MOST_TOKENS:
        return None
    try:
        found, rest = _parse_or(tokens)
    except (_NotACondition, IndexError):
        return None
    return found if not rest else None


class _NotACondition(Exception):  # noqa: N818 - internal, becomes None above
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
