"""Declared facts and claims as templates over arguments, filled in with the known ones.

``arm.{arm}`` with ``arm: right`` is ``arm.right``; with ``arm: $which`` it is any ``arm.…``.
"""

from __future__ import annotations

import contextlib
import re
import string
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from bt_exec.skill import Signature
from bt_exec.spec.expand import has_reference

__all__ = ["fill", "form_of", "is_known", "known_args"]


def fill(template: str, args: Mapping[str, Any]) -> str:
    """Return a declared fact with the arguments filled in."""
    return template.format(**args)


def is_known(template: str, args: Mapping[str, Any]) -> bool:
    """Return whether every argument that a template names is known."""
    return all(name in args for name in _names(template))


def form_of(template: str, args: Mapping[str, Any]) -> re.Pattern[str]:
    """Return the pattern of all facts that a template may stand for if arguments are unknown."""
    pattern = ""
    for text, name, _, _ in string.Formatter().parse(template):
        pattern += re.escape(text)
        if name is not None:
            pattern += re.escape(str(args[name])) if name in args else ".+"
    return re.compile(pattern)


def known_args(signature: Signature, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments whose values are known before the mission runs, with defaults."""
    given = {key: value for key, value in args.items() if not has_reference(value)}
    if len(given) == len(args):
        with contextlib.suppress(ValidationError):  # reported by the previous layer
            return _validated(signature, args)
    fields = signature.model.model_fields.items()
    left = {key: field.default for key, field in fields if not field.is_required()}
    return {**{key: value for key, value in left.items() if key not in args}, **given}


def _validated(signature: Signature, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of ``signature.validate``, cached because large plans repeat arguments."""
    given = tuple((name, type(value), value) for name, value in args.items())
    try:
        hash(given)
    except TypeError:  # an argument is a list
        return signature.validate(args)
    return dict(_once(signature.model, given))


@lru_cache(maxsize=4096)
def _once(model: Any, given: tuple[tuple[str, type, Any], ...]) -> dict[str, Any]:
    checked = model.model_validate({name: value for name, _, value in given})
    return {name: getattr(checked, name) for name in model.model_fields}


@lru_cache(maxsize=4096)  # there are few templates, because they are declared
def _names(template: str) -> tuple[str, ...]:
    return tuple(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)
