"""Commands ``new`` and ``fmt``: creation of files from templates, and formatting of YAML files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from bt_exec.cli import options as opt

__all__ = ["COMMANDS", "NEW", "fmt"]


NEW = typer.Typer(
    help="Create a pack, a skill, a condition, a tree or a site: complete, documented, tested.",
    no_args_is_help=True,
)

_Name = Annotated[str, typer.Argument(metavar="NAME", help="Lower-case letters, digits and '_'.")]
_Folder = Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder for the new files.")]


@NEW.command("pack")
def new_pack(name: _Name, to: _Folder = Path()) -> None:
    """Create a distribution with a pack: robot, skill, condition, trees, words, tests."""
    from bt_exec.scaffold.create import create_pack

    files = create_pack(name, to)
    _print_created(files, f"next: cd {to / name} && pip install -e . && pytest")


@NEW.command("skill")
def new_skill(name: _Name, to: _Folder = Path()) -> None:
    """Create a file with a skill, and its test."""
    from bt_exec.scaffold.create import create_skill

    _print_created(create_skill(name, to), f"next: bt-exec check {to / name}.py")


@NEW.command("condition")
def new_condition(name: _Name, to: _Folder = Path()) -> None:
    """Create a file with a condition, and its test."""
    from bt_exec.scaffold.create import create_condition

    _print_created(create_condition(name, to), f"next: bt-exec check {to / name}.py")


@NEW.command("tree")
def new_tree(
    name: _Name,
    to: _Folder = Path(),
    site: opt.SiteName = "",
    do: Annotated[
        str,
        typer.Option("--do", metavar="SKILL", help="Skill that it runs; a simple one by default."),
    ] = "",
) -> None:
    """Create a tree file that runs a skill of the site, and its test."""
    from bt_exec.scaffold.create import create_tree
    from bt_exec.site.site import load_site

    loaded = load_site(site)
    chosen = f" --site {site}" if site else ""
    _print_created(
        create_tree(name, to, loaded, do), f"next: bt-exec check {to / name}.yaml{chosen}"
    )


@NEW.command("site")
def new_site(
    name: _Name,
    to: _Folder = Path(),
    pack: Annotated[
        str, typer.Option("--pack", metavar="NAME", help="Pack that it uses; the first by default.")
    ] = "",
) -> None:
    """Create a site file for an installed pack."""
    from bt_exec.scaffold.create import create_site

    _print_created(create_site(name, to, pack), f"next: bt-exec check {to / name}.yaml")


def _print_created(files: tuple[Path, ...], following: str) -> None:
    from bt_exec.cli.output_streams import localized, operator_painter

    painter = operator_painter()
    for path in files:
        painter.write_text(localized(f"created {path}"))
    painter.write_text(localized(following))


def fmt(
    files: Annotated[
        list[Path],
        typer.Argument(help="Tree, plan or site files, or folders of them.", metavar="FILE|DIR..."),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 2 if a file would change.")
    ] = False,
) -> None:
    """Format files in the style of the documentation; comments and data are unchanged."""
    from bt_exec.cli.check import files_in
    from bt_exec.cli.output_streams import localized, operator_painter
    from bt_exec.failure import SpecError
    from bt_exec.files import write_user_file
    from bt_exec.scaffold.format_and_correct_yaml import format_source
    from bt_exec.scaffold.schema_lines import with_schema_line
    from bt_exec.spec.yaml_source import read_file

    painter = operator_painter()
    changed = 0
    wrong: list[str] = []
    found = [path for path in files_in(files)[0] if path.suffix.lower() in (".yaml", ".yml")]
    for path in found:
        try:
            source = read_file(path)
            formatted = with_schema_line(format_source(source), path)
        except SpecError as error:
            wrong += map(str, error.problems)
            continue
        if formatted != source.text:
            changed += 1
            if not check:
                write_user_file(path, formatted)
            painter.write_text(localized(f"{'would change' if check else 'formatted'} {path}"))
    for line in wrong:
        painter.write_text(line)
    same = len(found) - changed - len(wrong)
    painter.write_text(
        localized(f"{changed} {'to change' if check else 'changed'}, {same} in order")
    )
    raise typer.Exit(2 if wrong or (check and changed) else 0)


COMMANDS: Mapping[str, Callable[..., None]] = {"fmt": fmt}
