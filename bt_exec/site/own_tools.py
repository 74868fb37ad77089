"""Skills and conditions from a user's file: ``--tools FILE``.

A file with one decorated function is enough; no package has to be installed. Its skills and
conditions are added to the first pack of the site and can use that pack's services.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from bt_exec.declarations.pack_errors import is_interrupt, slip
from bt_exec.failure import BtExecError, UsageError
from bt_exec.pack import Pack
from bt_exec.skill import Condition, Skill

__all__ = ["with_tools"]


def with_tools(
    packs: Sequence[Pack], files: Iterable[Path], overrides: Collection[str] = ()
) -> list[Pack]:
    """Return the packs of a site, with the tools of `files` added to the first one and its robots.

    Args:
        packs: The packs.
        files: Python files.
        overrides: Names of skills and conditions that tools replace, each in its own pack.

    Raises:
        UsageError: If a file is missing, cannot be run, or contains no skill and no condition.
        RegistrationError: If a tool has the name of another one.
    """
    changed = list(packs)
    for file in files:
        found, facts = _parts(file)
        changed = [
            replace(pack, facts={**pack.facts, **facts}) if pack.kind == changed[0].kind else pack
            for pack in changed
        ]
        for part in found:
            replaces = part.name in overrides
            kinds = (pack.kind for pack in changed if replaces and part.name in _names(pack))
            kind = next(kinds, changed[0].kind)
            changed = [
                _with_part(pack, part, replaces=replaces) if pack.kind == kind else pack
                for pack in changed
            ]
    return changed


def _names(pack: Pack) -> set[str]:
    return {part.name for part in (*pack.skills, *pack.conditions)}


def _with_part(pack: Pack, part: Skill | Condition, *, replaces: bool) -> Pack:
    """Return a pack with an additional part, which replaces the one of its name if `replaces`."""

    def rest(parts: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(one for one in parts if not (replaces and one.name == part.name))

    skills, conditions = rest(pack.skills), rest(pack.conditions)
    if isinstance(part, Skill):
        return replace(pack, skills=(*skills, part), conditions=conditions)
    return replace(pack, skills=skills, conditions=(*conditions, part))


class _UncachedLoader(SourceFileLoader):
    """Loader that compiles a file at each load.

    Cached bytecode is validated by size and whole seconds, so an edit of the same length within a
    second would not be noticed.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _parts(file: Path) -> tuple[list[Skill | Condition], Mapping[str, Iterable[str]]]:
    """Return the skills and conditions of a file, and the facts that it declares in ``FACTS``."""
    if not file.is_file():
        raise UsageError(f"tools {file}: there is no such file")
    if file.suffix != ".py":
        raise UsageError(f"tools {file} is not a Python file; its name ends in .py")
    name = f"bt_exec_tools_{file.stem}"
    spec = importlib.util.spec_from_file_location(
        name, file, loader=_UncachedLoader(name, str(file))
    )
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BtExecError as error:
        raise UsageError(f"tools {file}: {error}") from error
    except BaseException as error:  # user code may raise anything
        if is_interrupt(error):
            raise
        exits = isinstance(error, SystemExit | KeyboardInterrupt)
        why = slip(error) if exits else f"{type(error).__name__}: {error}"
        raise UsageError(f"tools {file}: {why}") from error
    own = [
        part
        for part in vars(module).values()
        if isinstance(part, Skill | Condition) and part.function.__module__ == name
    ]
    if not own:
        raise UsageError(
            f"tools {file} holds no skill and no condition; decorate a function with "
            "@bt_exec.skill or @bt_exec.condition"
        )
    return own, getattr(module, "FACTS", {})
