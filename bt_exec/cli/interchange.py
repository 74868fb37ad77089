"""Commands ``export`` and ``import``: exchange of trees with BehaviorTree.CPP and Groot2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.output_streams import write_data
from bt_exec.files import expand_home, write_user_file

if TYPE_CHECKING:
    from bt_exec.interchange.report import Report
    from bt_exec.spec.model import Document

__all__ = ["COMMANDS", "export", "import_"]


def export(
    tree: Annotated[
        str,
        typer.Argument(
            metavar="TREE|FILE",
            help="A tree of the site, or a tree or plan file.",
            autocompletion=opt.complete_trees,
        ),
    ],
    site: opt.SiteName = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; standard output if none.")
    ] = None,
) -> None:
    """Write a tree, and all trees it uses, as BehaviorTree.CPP 4 XML.

    Features that BehaviorTree.CPP lacks are listed on standard error and kept in attributes that
    begin with '_', so that `bt-exec import` gives the same tree back.
    """
    from bt_exec.cli.site_contents import find_document
    from bt_exec.interchange.btcpp_export import export_btcpp
    from bt_exec.site.site import load_site

    loaded = load_site(site)
    document = find_document(tree, loaded)
    text, report = export_btcpp(document, loaded.library, loaded.catalogue)
    if output is None:
        write_data(text)
    else:
        write_user_file(output, text)
    _print_unsupported(report, "not supported by BehaviorTree.CPP:")


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="XML files of one project, including node models."),
    ],
    site: opt.SiteName = "",
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="DIR",
            help="Output folder, one YAML file per tree; existing files are not overwritten.",
        ),
    ] = None,
) -> None:
    """Read BehaviorTree.CPP XML (version 3 or 4) and print its trees as YAML.

    Features that the tree language lacks are listed on standard error. Leaves without a description
    in a TreeNodesModel or a site become skills.
    """
    from bt_exec.interchange.btcpp_import import import_btcpp
    from bt_exec.interchange.xml_text import read_xml_file
    from bt_exec.site.site import load_site
    from bt_exec.spec.dump import dump_yaml

    catalogue = load_site(site).catalogue
    roots = [(str(file), read_xml_file(expand_home(file))) for file in files]
    documents, report = import_btcpp(roots, catalogue)
    texts = {_file_name(document): dump_yaml(document) for document in documents}
    if to is None:
        write_data("---\n".join(texts.values()))
    else:
        _write_all(expand_home(to), texts)
    _print_unsupported(report, "not supported by the tree language:")


def _file_name(document: Document) -> str:
    return f"{getattr(document, 'tree', 'mission')}.yaml"


def _write_all(folder: Path, texts: Mapping[str, str]) -> None:
    from bt_exec.cli.output_streams import localized, operator_painter
    from bt_exec.failure import UsageError

    taken = [str(folder / name) for name in texts if (folder / name).exists()]
    if taken:
        raise UsageError(f"--to: existing files are not overwritten: {', '.join(taken)}")
    for name, text in texts.items():
        write_user_file(folder / name, text, folders=True)
        operator_painter().write_text(localized(f"wrote {folder / name}"))


def _print_unsupported(report: Report, head: str) -> None:
    """Print the unsupported features for the operator."""
    from bt_exec.cli.output_streams import operator_painter

    if report.notes:
        operator_painter(beside=True).write_text("\n".join([head, *report.lines()]))


COMMANDS: Mapping[str, Callable[..., None]] = {"export": export, "import": import_}
