"""``show``, ``trees``, ``skills`` and ``schema``: what a site has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.expand_home import expand_home

if TYPE_CHECKING:
    from bt_exec.site.site import Site
    from bt_exec.spec.model import Document
    from bt_exec.tui.text import Line

__all__ = ["COMMANDS", "schema", "show", "skills", "trees"]


def show(
    tree: Annotated[
        str,
        typer.Argument(
            metavar="TREE|FILE",
            help="A tree of the site, or a tree or plan file.",
            autocompletion=opt.complete_trees,
        ),
    ],
    site: opt.SiteName = "",
    json: opt.Json = False,
) -> None:
    """Show a tree as it is written: its steps, subtrees open, modifiers in words."""
    from bt_exec.cli.output import emit, for_people
    from bt_exec.site.site import load_site
    from bt_exec.spec.dump import to_data
    from bt_exec.tui.static import document_lines

    loaded = load_site(site)
    document = _document(tree, loaded)
    if json:
        emit(to_data(document))
        return
    painter = for_people()
    painter.lines(document_lines(document, loaded.library, painter.width, painter.glyphs))


def _document(name: str, site: Site) -> Document:
    from bt_exec.spec.load import load_file

    path = expand_home(name)
    if path.suffix.lower() in (".yaml", ".yml", ".json") or (
        path.is_file() and name not in site.library
    ):
        return load_file(path).document
    return site.library.get(name)


def trees(
    site: opt.SiteName = "",
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """List the trees of a site, and what to say to get them."""
    from bt_exec.cli.output import emit, for_people
    from bt_exec.site.site import load_site
    from bt_exec.tui.catalogue import tree_data, tree_entry
    from bt_exec.tui.table import entry_lines

    library = load_site(site).library
    if json:
        emit([tree_data(tree, library) for tree in library])
        return
    painter = for_people()
    entries = [tree_entry(tree, library, verbose=verbose) for tree in library]
    painter.lines(entry_lines(entries, painter.width, painter.glyphs))


def skills(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Only this skill or condition, with all that is written about it.",
            autocompletion=opt.complete_skills,
        ),
    ] = None,
    site: opt.SiteName = "",
    tools: opt.ToolFiles = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """List what a robot can do (skills) and what it can tell (conditions)."""
    from bt_exec.cli.output import emit, for_people
    from bt_exec.failure import UnknownName
    from bt_exec.site.site import load_site
    from bt_exec.tui.catalogue import condition_data, condition_entry, skill_data, skill_entry
    from bt_exec.tui.table import entry_lines
    from bt_exec.tui.text import clean, wrap

    catalogue = load_site(site, tools or ()).catalogue
    can, tells = dict(catalogue.skills), dict(catalogue.conditions)
    if name is not None:
        if name not in can and name not in tells:
            raise UnknownName("skill or condition", name, (*can, *tells))
        can = {key: part for key, part in can.items() if key == name}
        tells = {key: part for key, part in tells.items() if key == name}
    if json:
        emit(
            {
                "skills": [skill_data(skill, catalogue) for skill in can.values()],
                "conditions": [condition_data(one, catalogue) for one in tells.values()],
            }
        )
        return
    painter = for_people()
    lines: list[Line] = []
    for title, entries in (
        ("skills", [skill_entry(part, catalogue, verbose=verbose) for part in can.values()]),
        (
            "conditions",
            [condition_entry(part, catalogue, verbose=verbose) for part in tells.values()],
        ),
    ):
        if entries and name is None:
            lines += [*([()] if lines else []), ((f" {title}", "running"),)]
        lines += entry_lines(entries, painter.width, painter.glyphs)
    if name is not None:  # the whole docstring, paragraph by paragraph
        doc = (can.get(name) or tells[name]).doc.partition("\n")[2]
        for paragraph in filter(str.strip, doc.split("\n\n")):
            text = painter.glyphs.text(clean(paragraph))
            lines += [(), *(((f"   {line}", ""),) for line in wrap(text, painter.width - 4))]
    painter.lines(lines)


def schema(
    site: opt.SiteName = "",
    sites: Annotated[
        bool, typer.Option("--sites", help="Of site files, with all installed packs.")
    ] = False,
) -> None:
    """Print the JSON Schema of tree files, or of site files, for editors and models."""
    import sys

    from bt_exec.cli.output import to_json
    from bt_exec.pack import find_pack, pack_names
    from bt_exec.planning.compiler import compiler_names
    from bt_exec.site.schema import site_schema
    from bt_exec.site.site import load_site
    from bt_exec.spec.schema import tree_schema

    if sites:
        found = site_schema(map(find_pack, pack_names()), compiler_names())
    else:
        loaded = load_site(site)
        found = tree_schema(loaded.catalogue, loaded.library)
    sys.stdout.write(to_json(found, indent=2) + "\n")


COMMANDS: Mapping[str, Callable[..., None]] = {
    "show": show,
    "trees": trees,
    "skills": skills,
    "schema": schema,
}
