"""Trees, skills, conditions, words and sentences that a site itself defines.

They are in files next to the site file and replace the trees, skills and conditions named in
``overrides:``. Trees, words and sentences form a pack called `OWN`; skills and conditions are added
to a pack of the site.

Skills and conditions may also come from a user's file, ``--tools FILE``. A file with one decorated
function is enough; no package has to be installed. They are added to the first pack of the site and
can use that pack's services.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from bt_exec.declarations.exception_description import describe_error, is_interrupt
from bt_exec.failure import BtExecError, Problem, UsageError, nearest_first
from bt_exec.pack import Catalogue, Pack
from bt_exec.site.shipped_data import data_path
from bt_exec.skill import Condition, Skill
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec.spec.yaml_source import Source

__all__ = [
    "OWN",
    "load_library",
    "own_pack",
    "replaced_parts",
    "unused_overrides",
    "with_tool_files",
]

OWN = "site"
"""Name of the pack of a site's own trees, words and sentences."""


def own_pack(
    folder: Path, packs: Sequence[Pack], trees: str, lexicon: str, messages: str
) -> tuple[Pack, ...]:
    """Return a tuple with the pack of a site's own files; empty if the site has no such files.

    Args:
        folder: Folder of the site file.
        packs: The packs of the site, to which the files may refer.
        trees: Folder of trees, relative to `folder`; may be empty.
        lexicon: File of further words, relative to `folder`; may be empty.
        messages: File of further sentences, relative to `folder`; may be empty.
    """
    if not (trees or lexicon or messages):
        return ()
    files = {"trees": trees, "lexicon": lexicon, "messages": messages}
    found = {name: folder / file for name, file in files.items() if file}
    return (Pack(OWN, requires=tuple(pack.name for pack in packs), **found),)  # type: ignore[arg-type]


def load_library(catalogue: Catalogue, overrides: Collection[str]) -> Library:
    """Return the trees of a catalogue's packs and the trees common to all, with overrides applied.

    Args:
        catalogue: The packs.
        overrides: Names of trees that the site replaces.

    Raises:
        SpecError: Contains every mistake of every file.
    """
    common = data_path("trees", "common")
    packs: dict[Path, list[Pack]] = {}
    for pack in catalogue.packs:
        if pack.trees is not None:
            packs.setdefault(pack.trees, []).append(pack)
            if catalogue.is_robot(pack.name):
                catalogue.trees[pack.name] = _tree_names(pack.trees)

    own: list[TreeSpec] = []

    def own_names(folder: Path, tree: TreeSpec) -> Iterable[TreeSpec]:
        # common trees are added only if a pack has utterances, and never replace trees of packs
        if folder == common:
            taken = any(one.tree == tree.tree for one in own)
            return [tree] if not taken and any(one.utterances for one in own) else []
        trees = [catalogue.with_site_names(pack.name, tree) for pack in packs[folder]]
        own.extend(trees)
        return trees

    return Library.load(
        [*packs, common],
        own_names,
        {
            folder: overrides if pack.name == OWN else pack.overrides
            for folder, (pack, *_) in packs.items()
        },
    )


def _tree_names(folder: Path) -> frozenset[str]:
    """Return the names of the trees of a folder.

    Raises:
        SpecError: Contains every mistake of every file.
    """
    return frozenset(Library.load([folder]).names())


def unused_overrides(
    source: Source, overrides: Sequence[str], known: Collection[str], used: Collection[str]
) -> Iterator[Problem]:
    """Yield a problem for each name under ``overrides:`` that replaces no part of a pack.

    Args:
        source: The site file.
        overrides: The names.
        known: Names that could be replaced.
        used: Names that were replaced.
    """
    for at, name in enumerate(overrides):
        if name in used:
            continue
        if name in known:
            message = f"the site defines no {name!r}; add it to its 'trees' or 'tools'"
            yield source.problem("UNUSED_OVERRIDE", message, ("overrides", at), found=name)
        else:
            allowed = nearest_first(name, sorted(known))
            message = f"no pack of the site has {name!r}"
            place = ("overrides", at)
            yield source.problem("UNUSED_OVERRIDE", message, place, found=name, allowed=allowed)


def replaced_parts(library: Library, tools: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence for each tree, skill and condition of a pack that was replaced.

    Args:
        library: The trees.
        tools: Names of the replaced skills and conditions, each with the name of its pack.
    """
    trees = (
        f"tree {name} of {library.source(name).file} replaces that of {file}"
        for name, file in library.replaced.items()
    )
    parts = (f"{name} of the site replaces that of pack {pack}" for name, pack in tools.items())
    return (*trees, *parts)


def with_tool_files(
    packs: Sequence[Pack], files: Iterable[Path], overrides: Collection[str] = ()
) -> list[Pack]:
    """Return the packs of a site, with the skills and conditions of `files` added.

    They are added to the first pack. If several robots share it, each robot gets them.

    Args:
        packs: The packs.
        files: Python files.
        overrides: Names of those skills and conditions of the packs that `files` may replace.

    Raises:
        UsageError: If a file is missing, cannot be run, or contains no skill and no condition.
        RegistrationError: If a name exists already and is not in `overrides`.
    """
    changed = list(packs)
    for file in files:
        found, facts = _parts_of_file(file)
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
    """Return a pack with a skill or condition added.

    Args:
        pack: The pack.
        part: The skill or condition.
        replaces: Whether to remove the pack's skill or condition of the same name.
    """

    def other_parts(parts: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(one for one in parts if not (replaces and one.name == part.name))

    skills, conditions = other_parts(pack.skills), other_parts(pack.conditions)
    if isinstance(part, Skill):
        return replace(pack, skills=(*skills, part), conditions=conditions)
    return replace(pack, skills=skills, conditions=(*conditions, part))


class _UncachedLoader(SourceFileLoader):
    """Module loader that ignores cached bytecode.

    Cached bytecode is validated by file size and time in whole seconds, so an edit of the same
    length within a second would not be noticed.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _parts_of_file(file: Path) -> tuple[list[Skill | Condition], Mapping[str, Iterable[str]]]:
    """Return the skills and conditions of a file, and the facts that it declares in ``FACTS``."""
    if not file.is_file():
        raise UsageError(f"tools {file}: there is no such file")
    if file.suffix != ".py":
        raise UsageError(f"tools {file} is not a Python file; its name must end in .py")
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
        why = describe_error(error) if exits else f"{type(error).__name__}: {error}"
        raise UsageError(f"tools {file}: {why}") from error
    own = [
        part
        for part in vars(module).values()
        if isinstance(part, Skill | Condition) and part.function.__module__ == name
    ]
    if not own:
        raise UsageError(
            f"tools {file} contains no skill and no condition; decorate a function with "
            "@bt_exec.skill or @bt_exec.condition"
        )
    return own, getattr(module, "FACTS", {})
