"""Commands ``show``, ``trees``, ``skills`` and ``schema``: the contents of a site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.output_streams import write_data
from bt_exec.files import expand_home

if TYPE_CHECKING:
    from bt_exec.site.site import Site
    from bt_exec.spec.model import Document
    from bt_exec.tui.terminal_text import Line

__all__ = ["COMMANDS", "find_document", "schema", "show", "skills", "trees"]


class ShowFormat(StrEnum):
    """Formats in which a tree is shown."""

    text = "text"
    mermaid = "mermaid"
    dot = "dot"
    svg = "svg"
    html = "html"


class ThemeName(StrEnum):
    """Names of the colour themes of a picture."""

    auto = "auto"
    light = "light"
    dark = "dark"


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
    form: Annotated[
        ShowFormat, typer.Option("--format", help="Format: text for the terminal, or a picture.")
    ] = ShowFormat.text,
    closed: Annotated[
        bool, typer.Option("--closed", help="Draw subtrees as one node; pictures only.")
    ] = False,
    theme: Annotated[
        ThemeName,
        typer.Option("--theme", help="Colours of the SVG; auto follows the viewer's theme."),
    ] = ThemeName.auto,
) -> None:
    """Show a tree: as text with its steps in words, or as a picture on standard output.

    bt-exec show get_material --format svg > get_material.svg
    """
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.site.site import load_site
    from bt_exec.spec.dump import to_data
    from bt_exec.tui.static_tree_display import document_lines

    loaded = load_site(site)
    document = find_document(tree, loaded)
    if json:
        write_json(to_data(document))
    elif form is not ShowFormat.text:
        write_data(_picture(document, loaded, form, theme, closed=closed))
    else:
        painter = operator_painter()
        painter.write_lines(document_lines(document, loaded.library, painter.width, painter.glyphs))


def _picture(
    document: Document, site: Site, form: ShowFormat, theme: ThemeName, *, closed: bool
) -> str:
    from bt_exec.drawing.diagram_nodes import boxes_of, title_of
    from bt_exec.drawing.graph_text import dot_text, mermaid_text
    from bt_exec.drawing.svg import html_text, svg_text
    from bt_exec.spec.model import TreeSpec
    from bt_exec.tui.node_text import describe_parameter

    root, title = boxes_of(document, site.library, closed=closed), title_of(document)
    if form is ShowFormat.mermaid:
        return mermaid_text(root, title)
    if form is ShowFormat.dot:
        return dot_text(root, title)
    if form is ShowFormat.svg:
        return svg_text(root, title, theme.value)
    if not isinstance(document, TreeSpec):
        return html_text(root, title)
    facts = [("say", " · ".join(document.utterances))] if document.utterances else []
    for name, param in document.params.items():
        facts.append((name, " · ".join(filter(None, (describe_parameter(param), param.summary)))))
    return html_text(root, title, document.summary, tuple(facts))


def find_document(name: str, site: Site) -> Document:
    """Return the document called `name`: a tree of the site, or the contents of a file.

    Raises:
        UnknownName: If it is neither.
        SpecError: If the file is invalid.
    """
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
    """List the trees of a site with their commands."""
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.site.site import load_site
    from bt_exec.tui.site_listing import tree_data, tree_entry
    from bt_exec.tui.terminal_text import entry_lines

    loaded = load_site(site)
    library = loaded.library
    if json:
        write_json([tree_data(tree, library) for tree in library])
        return
    painter = operator_painter()
    entries = [tree_entry(tree, library, verbose=verbose) for tree in library]
    painter.write_lines(entry_lines(entries, painter.width, painter.glyphs))
    for line in loaded.replaced:
        painter.write_text(line)


def skills(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Only this skill or condition, with its full documentation.",
            autocompletion=opt.complete_skills,
        ),
    ] = None,
    site: opt.SiteName = "",
    tools: opt.ToolFiles = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """List the skills of a robot and the conditions that it can check."""
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.failure import UnknownName
    from bt_exec.site.site import load_site
    from bt_exec.tui.site_listing import condition_data, condition_entry, skill_data, skill_entry
    from bt_exec.tui.terminal_text import entry_lines, safe_line, wrap

    catalogue = load_site(site, tools or ()).catalogue
    can, tells = dict(catalogue.skills), dict(catalogue.conditions)
    if name is not None:
        if name not in can and name not in tells:
            raise UnknownName("skill or condition", name, (*can, *tells))
        can = {key: part for key, part in can.items() if key == name}
        tells = {key: part for key, part in tells.items() if key == name}
    if json:
        write_json(
            {
                "skills": [skill_data(skill, catalogue) for skill in can.values()],
                "conditions": [condition_data(one, catalogue) for one in tells.values()],
            }
        )
        return
    painter = operator_painter()
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
            text = painter.glyphs.text(safe_line(paragraph))
            lines += [(), *(((f"   {line}", ""),) for line in wrap(text, painter.width - 4))]
    painter.write_lines(lines)


def schema(
    site: opt.SiteName = "",
    sites: Annotated[
        bool, typer.Option("--sites", help="Schema of site files, with all installed packs.")
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Write all schemas of the site to this folder."),
    ] = None,
) -> None:
    """Print the JSON Schema of tree files, or of site files, for editors and models."""
    from bt_exec.cli.output_streams import to_json
    from bt_exec.pack import find_pack, pack_names
    from bt_exec.planning.compiler import compiler_names
    from bt_exec.site.site import load_site
    from bt_exec.site.site_schema import site_schema
    from bt_exec.site.tree_schema import tree_schema

    if to is not None:
        from bt_exec.scaffold.schema_lines import write_schemas

        write_data("".join(f"{file}\n" for file in write_schemas(load_site(site), to)))
        return
    if sites:
        found = site_schema(map(find_pack, pack_names()), compiler_names())
    else:
        loaded = load_site(site)
        found = tree_schema(loaded.catalogue, loaded.library)
    write_data(to_json(found, indent=2) + "\n")


COMMANDS: Mapping[str, Callable[..., None]] = {
    "show": show,
    "trees": trees,
    "skills": skills,
    "schema": schema,
}
