"""Parts defined by a site itself: trees, skills, words and sentences.

They are in files next to the site file and replace the parts named in ``overrides:``. Trees, words
and sentences form a pack called `OWN`; skills and conditions are added to a pack of the site
(`bt_exec.site.own_tools`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bt_exec.failure import Problem, nearest_first
from bt_exec.pack import Catalogue, Pack
from bt_exec.spec.library import Library
from bt_exec.spec.source import Source

__all__ = ["OWN", "load_library", "own_pack", "replaced_parts", "unused_overrides"]

OWN = "site"
"""Name of the pack of a site's own trees, words and sentences."""


def own_pack(
    folder: Path, packs: Sequence[Pack], trees: str, lexicon: str, messages: str
) -> tuple[Pack, ...]:
    """Return the pack of a site's own files; empty if there are none.

    Args:
        folder: Folder of the site file.
        packs: The packs of the site, to which the files may refer.
        trees: Folder of trees, relative to `folder`; may be empty.
        lexicon: File of further words, likewise.
        messages: File of further sentences, likewise.
    """
    if not (trees or lexicon or messages):
        return ()
    files = {"trees": trees, "lexicon": lexicon, "messages": messages}
    found = {name: folder / file for name, file in files.items() if file}
    return (Pack(OWN, requires=tuple(pack.name for pack in packs), **found),)  # type: ignore[arg-type]


def load_library(catalogue: Catalogue, overrides: Collection[str]) -> Library:
    """Return the trees of the packs of a catalogue, with overridden ones replaced.

    Args:
        catalogue: The packs.
        overrides: Names of trees that the site replaces.

    Raises:
        SpecError: Contains every mistake of every file.
    """
    packs: dict[Path, list[Pack]] = {}
    for pack in catalogue.packs:
        if pack.trees is not None:
            packs.setdefault(pack.trees, []).append(pack)
            if catalogue.is_robot(pack.name):
                catalogue.trees[pack.name] = _tree_names(pack.trees)
    return Library.load(
        packs,
        lambda folder, tree: [catalogue.with_own_names(pack.name, tree) for pack in packs[folder]],
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
    """Yield the names under ``overrides:`` of a site file that replace nothing.

    Args:
        source: The site file.
        overrides: The names.
        known: Names that could be replaced.
        used: Names that are.
    """
    for at, name in enumerate(overrides):
        if name in used:
            continue
        if name in known:
            message = f"the site brings no {name!r}; put it into its 'trees' or 'tools'"
            yield source.problem("UNUSED_OVERRIDE", message, ("overrides", at), found=name)
        else:
            allowed = nearest_first(name, sorted(known))
            message = f"no pack of the site has {name!r}"
            place = ("overrides", at)
            yield source.problem("UNUSED_OVERRIDE", message, place, found=name, allowed=allowed)


def replaced_parts(library: Library, tools: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence for each tree, skill and condition that replaces another.

    Args:
        library: The trees.
        tools: Names of packs by the skills and conditions in them that were replaced.
    """
    trees = (
        f"tree {name} of {library.source(name).file} replaces that of {file}"
        for name, file in library.replaced.items()
    )
    parts = (f"{name} of the site replaces that of pack {pack}" for name, pack in tools.items())
    return (*trees, *parts)
