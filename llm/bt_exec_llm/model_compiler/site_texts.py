"""Cache of texts about a site that are the same for every command."""

from __future__ import annotations

import json
from collections.abc import Callable

from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Request
from bt_exec.spec.library import Library

__all__ = ["made_once"]

_MADE: dict[tuple[int, int, int, str, str], tuple[Catalogue, Library, str]] = {}
"""Texts of recent sites, by identity; the site is kept so that its identity is not reused."""
_MOST_MADE = 12


def made_once(request: Request, kind: str, make: Callable[[], str]) -> str:
    """Return the cached text of a kind for the site of a request."""
    settings = json.dumps(
        {pack: own.written() for pack, own in request.settings.items()}, sort_keys=True
    )
    site = (id(request.catalogue), id(request.library), len(request.library))
    key = (*site, settings, kind)
    if key in _MADE:
        return _MADE[key][2]
    text = make()
    while len(_MADE) >= _MOST_MADE:
        _MADE.pop(next(iter(_MADE)))
    _MADE[key] = (request.catalogue, request.library, text)
    return text
