"""Loading and merging of lexicon files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from bt_exec.failure import Problem, RegistrationError
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec.spec.yaml_mistakes import explain
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.lexicon_reference_checks import find_reference_mistakes
from bt_exec_llm.offline.lexicon_validation_errors import find_mistakes

__all__ = ["extend_lexicon", "load_lexicon"]


def _merge_sections(left: Any, right: Any) -> Any:
    """Return the union of two sections: mappings are merged by key, lists are concatenated."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        both = dict(left)
        for key, value in right.items():
            both[key] = _merge_sections(both[key], value) if key in both else value
        return both
    if isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    return right


@lru_cache(maxsize=16)
def load_lexicon(paths: tuple[Path, ...]) -> Lexicon:
    """Return the merged lexicon of all files in `paths`.

    Raises:
        RegistrationError: If a file is missing or invalid; the message names file, position and
            reason.
    """
    merged: Any = {}
    for path in paths:
        text = ""
        try:
            text = path.read_text(encoding="utf-8")
            data = parse_yaml(text) or {}
        except yaml.MarkedYAMLError as error:
            why = explain(error, text, str(path))
            message = f"cannot be read as a lexicon: {why.message}"
            raise RegistrationError([replace(why, message=message)]) from None
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            message = f"cannot be read as a lexicon: {error}"
            raise RegistrationError([Problem("UNREADABLE", message, file=str(path))]) from error
        try:
            Lexicon.model_validate(data)
        except ValidationError as error:
            raise RegistrationError(find_mistakes(error, Lexicon, text, str(path))) from None
        merged = _merge_sections(merged, data)
    return Lexicon.model_validate(merged)


@lru_cache(maxsize=16)
def extend_lexicon(paths: tuple[Path, ...], more: tuple[tuple[str, str], ...]) -> Lexicon:
    """Return the lexicon of `paths` with further sections, given as (owner, YAML or JSON text).

    Raises:
        RegistrationError: If a file or section is missing or invalid, or a name in it is unknown.
    """
    lexicon = load_lexicon(paths)
    merged: Any = lexicon.model_dump() if more else {}
    for owner, text in more:
        data = parse_yaml(text) or {}
        try:
            Lexicon.model_validate(data)
        except ValidationError as error:
            raise RegistrationError(
                find_mistakes(error, Lexicon, text, f"words of {owner}")
            ) from None
        merged = _merge_sections(merged, data)
    lexicon = Lexicon.model_validate(merged) if more else lexicon
    sources = [(str(path), path.read_text(encoding="utf-8")) for path in paths]
    sources += [(f"words of {owner}", text) for owner, text in more]
    for file, text in sources:
        own = Lexicon.model_validate(parse_yaml(text) or {})
        if found := find_reference_mistakes(own, lexicon, text, file):
            raise RegistrationError(found)
    return lexicon
