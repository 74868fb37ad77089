"""Plans from files: a mission of ours, or a form that a pack of the site reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bt_exec.failure import UnknownName, UsageError

if TYPE_CHECKING:
    from bt_exec.pack import PlanFormat
    from bt_exec.site import Site
    from bt_exec.spec.model import MissionSpec

__all__ = ["format_of", "is_other_form", "load_plan"]

_LARGEST = 1_000_000


def load_plan(path: Path, site: Site, command: str) -> MissionSpec:
    """Return the plan in a file, as a first plan: what an earlier run kept is done again.

    Raises:
        UsageError: If the file cannot be read, or holds a tree instead of a plan.
        SpecError: If it is wrong; every mistake of it.
    """
    from bt_exec.spec.load import load_text
    from bt_exec.spec.model import MissionSpec

    path = path.expanduser()
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"--plan {path}: is larger than {_LARGEST} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"--plan {path}: cannot be read: {why}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--plan {path}: is not UTF-8 text; save it as UTF-8") from None
    if _other_form(path, text):
        for name in _names(site):
            return format_of(name, site).read(text, str(path), command)
        where = f"site {site.name!r}"
        hint = "try another with --site NAME"
        raise UsageError(f"--plan {path}: no pack of {where} reads plans of this form; {hint}")
    document = load_text(text, str(path)).document
    if not isinstance(document, MissionSpec):
        raise UsageError(f"--plan {path}: is a tree; a plan starts with 'mission:'")
    anew = document.mission.model_copy(update={"plan_version": 1, "parent": None, "kept": ()})
    return document.model_copy(update={"mission": anew})


def is_other_form(path: Path) -> bool:
    """Whether a file holds a plan in a form that packs read; false for what cannot be read."""
    if path.suffix != ".json" or not path.is_file() or path.stat().st_size > _LARGEST:
        return False
    return _other_form(path, path.read_text(encoding="utf-8-sig", errors="replace"))


def _other_form(path: Path, text: str) -> bool:
    return path.suffix == ".json" and '"plan"' in text and '"mission"' not in text


def format_of(name: str, site: Site) -> PlanFormat:
    """Return the form of a plan called `name`.

    Raises:
        UnknownName: If no pack of the site brings it.
    """
    for pack in site.catalogue.packs:
        if name in pack.formats:
            return pack.formats[name]
    raise UnknownName("format", name, ("yaml", "json", *_names(site)))


def _names(site: Site) -> tuple[str, ...]:
    return tuple(name for pack in site.catalogue.packs for name in pack.formats)
