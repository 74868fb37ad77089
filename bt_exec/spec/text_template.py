"""Text templates, such as ``$"there are {n} things"``.

A template begins with ``$"`` and ends with ``"``. ``{name}`` is replaced by a parameter or a saved
result; ``{{`` and ``}}`` are literal braces. A literal text that begins with ``$`` is written with
``$$``, so texts from commands and files are never templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["fill_template", "is_template", "names_in_template", "template_problem"]

_PART = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]")


def is_template(value: Any) -> bool:
    """Return True if an argument is a text template."""
    return isinstance(value, str) and len(value) > 2 and value.startswith('$"') and value[-1] == '"'


def names_in_template(value: str) -> Iterator[str]:
    """Yield the names used in a template."""
    yield from (match[1] for match in _PART.finditer(value[2:-1]) if match[1])


def template_problem(value: str) -> str:
    """Return the first unmatched brace with the text after it; empty if there is none."""
    text = value[2:-1]
    for match in _PART.finditer(text):
        if match[0] in ("{", "}"):
            return text[match.start() : match.start() + 20]
    return ""


def fill_template(value: str, known: Callable[[str], Any]) -> str:
    """Return a template with values filled in; the result is still a template if names remain.

    Args:
        value: The template.
        known: Returns what replaces a name: its value, ``$other`` to rename it, or a template,
            whose content is inserted.
    """
    left = False

    def fill_reference(match: re.Match[str]) -> str:
        nonlocal left
        if not match[1]:
            return match[0]
        found = known(match[1])
        if is_template(found):
            left = True
            return str(found)[2:-1]
        if isinstance(found, str) and found.startswith("$") and not found.startswith("$$"):
            left = True
            return f"{{{found[1:]}}}"
        said = found.removeprefix("$") if isinstance(found, str) else _number_text(found)
        return said.replace("{", "{{").replace("}", "}}")

    text = _PART.sub(fill_reference, value[2:-1])
    if left:
        return f'$"{text}"'
    plain = text.replace("{{", "{").replace("}}", "}")
    return f"${plain}" if plain.startswith("$") else plain


def _number_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
