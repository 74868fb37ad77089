"""Validation of the fields of a pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from bt_exec.declarations.declared_facts import declared_facts_of
from bt_exec.failure import RegistrationError
from bt_exec.rig import PackSettings, WorldSettings

__all__ = ["BUILT_IN_TYPES", "check_field_types"]

BUILT_IN_TYPES: Mapping[str, Any] = MappingProxyType(
    {"text": str, "number": float, "integer": int, "boolean": bool}
)
"""Types that every pack can use."""

_MAPPINGS = {
    "types": 'names to types, {"Arm": Literal["left", "right"]}',
    "services": 'names to types, {"site_map": SiteMap}',
    "robots": 'names to functions that make a Rig, {"sim": make_rig}',
    "identities": 'names of robots to functions, {"arm": lambda settings: settings.address}',
    "formats": 'names to forms of a plan, {"plan-json": PlanFormat(read, write)}',
}
_FUNCTIONS = ("words", "names", "called", "reporter", "doctor")
_FILES = ("prompt", "messages", "lexicon")
_MODELS = {"settings": PackSettings, "world": WorldSettings}


def check_field_types(pack: Any) -> None:
    """Check the types of the fields of a pack.

    Raises:
        RegistrationError: If a field has a wrong type; the message gives the allowed form.
    """

    def require(field: str, form: str, fits: bool) -> None:
        if not fits:
            found = getattr(pack, field)
            raise RegistrationError(f"pack {pack.name}: {field} {form}; found {found!r:.60}")

    for field, form in _MAPPINGS.items():
        given = getattr(pack, field)
        require(field, f"must map {form}", isinstance(given, Mapping) and all(map(_is_name, given)))
    for field in ("requires", "passes", "checkers"):
        given = getattr(pack, field)
        require(
            field, "must be a tuple, (one,)", isinstance(given, Iterable) and not _is_text(given)
        )
    require("requires", 'must be a tuple of names, ("door",)', all(map(_is_name, pack.requires)))
    require("recovery", "must be the name of a tree, or empty", isinstance(pack.recovery, str))
    require("checkers", "must be a tuple of functions, (check,)", all(map(callable, pack.checkers)))
    require("robots", f"must map {_MAPPINGS['robots']}", all(map(callable, pack.robots.values())))
    known = all(name in pack.robots for name in pack.identities)
    fits = known and all(map(callable, pack.identities.values()))
    require("identities", f"must map {_MAPPINGS['identities']}", fits)
    for field in _FUNCTIONS:
        given = getattr(pack, field)
        require(field, "must be a function, or None", given is None or callable(given))
    for field, base in _MODELS.items():
        given = getattr(pack, field)
        fits = isinstance(given, type) and issubclass(given, base)
        require(field, f"must be a class that derives from {base.__name__}", fits)
    for field in (*_FILES, "trees"):
        given = getattr(pack, field)
        require(field, "must be a pathlib.Path, or None", given is None or isinstance(given, Path))
        if given is not None and not (given.is_dir() if field == "trees" else given.is_file()):
            kind = "folder" if field == "trees" else "file"
            raise RegistrationError(f"pack {pack.name}: {field}: there is no {kind} {given}")
    for name, hint in pack.types.items():
        _check_type(f"pack {pack.name}: type {name!r}", hint)
    declared_facts_of(pack.facts, {**BUILT_IN_TYPES, **pack.types}, f"pack {pack.name}")


def _check_type(what: str, hint: Any) -> None:
    """Raise RegistrationError for a type that cannot be used to validate YAML values."""
    try:
        TypeAdapter(None if isinstance(hint, str) else hint)
    except PydanticUserError:
        fits = False
    else:
        fits = not isinstance(hint, str)
    if not fits:
        form = "must be a type with values in YAML: Literal, str, float or a pydantic model"
        raise RegistrationError(f"{what} {form}; found {hint!r:.60}")


def _is_text(given: Any) -> bool:
    return isinstance(given, str | bytes)


def _is_name(given: Any) -> bool:
    return isinstance(given, str)
