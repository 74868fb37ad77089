"""Command ``doctor``: lists installed and missing parts, and how to install them."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.output_streams import reader_language

if TYPE_CHECKING:
    from bt_exec.tui.paint import Painter

__all__ = ["COMMANDS", "Finding", "doctor"]

_SIGNS = {"ok": "done", "missing": "failed", "optional": ""}


@dataclass(frozen=True)
class Finding:
    """Result of one check.

    Attributes:
        area: Heading in the report.
        name: Name of the checked part.
        state: ``ok``, ``missing`` (required) or ``optional`` (absent, but not required).
        detail: Version, path, or description of the problem.
        fix: How to fix it.
    """

    area: str
    name: str
    state: str
    detail: str = ""
    fix: str = ""


def doctor(
    site: opt.SiteName = "", json: opt.Json = False, journal: opt.JournalFile = None
) -> None:
    """Check the installation: installed and missing parts, and how to install them.

    --site FILE also checks a site of your own and its compiler. Exit code 1 if a required part is
    missing.
    """
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.site.shipped_data import default_site

    findings = list(_all_findings(site or default_site(), journal))
    if json:
        write_json([asdict(finding) for finding in findings])
    else:
        _show(findings, operator_painter())
    raise typer.Exit(any(finding.state == "missing" for finding in findings))


def _show(findings: list[Finding], painter: Painter) -> None:
    from bt_exec.tui.terminal_text import Entry, Line, entry_lines, fit

    lines: list[Line] = []
    area = ""
    for finding in findings:
        if finding.area != area:
            area = finding.area
            lines += [*([()] if lines else []), ((f" {area}", "strong"),)]
        style = _SIGNS[finding.state]
        sign = painter.glyphs.states[style]
        facts = [("", finding.detail)] if len(finding.detail) > 50 else []
        beside = "" if facts else finding.detail
        if finding.fix:
            facts.append(("do", finding.fix))
        entry = Entry(finding.name, beside, facts=facts, sign=sign, style=style)
        lines += entry_lines([entry], painter.width, painter.glyphs)
    missing = sum(finding.state == "missing" for finding in findings)
    verdict = f" {missing} missing" if missing else " all required parts are installed"
    verdict = fit(verdict, painter.width - 1, painter.glyphs.dots)
    painter.write_lines([*lines, (), ((verdict, "failed" if missing else "done"),)])


def _all_findings(site: str, journal: Path | None) -> Iterator[Finding]:
    yield from _program_findings()
    yield from _package_findings()
    yield from _plugin_findings(site)
    yield _journal(journal)
    yield _terminal()


def _program_findings() -> Iterator[Finding]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        yield Finding("program", "bt-exec", "ok", version("bt-exec"))
    except PackageNotFoundError:
        yield Finding("program", "bt-exec", "missing", "not installed", "pip install -e .")
    yield Finding("program", "Python", "ok", platform.python_version())
    yield Finding("program", "system", "ok", f"{platform.system()} {platform.machine()}")


def _package_findings() -> Iterator[Finding]:
    """Yield a finding for each package in bt-exec's metadata; packages of extras are optional."""
    from importlib.metadata import PackageNotFoundError, version

    from bt_exec.declarations.exception_description import declared_requirements

    for name, extra in declared_requirements():
        try:
            yield Finding("packages", name, "ok", version(name))
        except PackageNotFoundError:
            wanted = f"'bt-exec[{extra}]'" if extra else name
            state = "optional" if extra else "missing"
            yield Finding("packages", name, state, "not installed", f"pip install {wanted}")


def _plugin_findings(own: str) -> Iterator[Finding]:
    from bt_exec.failure import BtExecError
    from bt_exec.pack import find_pack, pack_names
    from bt_exec.planning.compiler import compiler_names, find_compiler

    packs = []
    for name in pack_names():
        try:
            packs.append(find_pack(name))
            yield Finding("packs", name, "ok", packs[-1].summary)
        except BtExecError as error:
            yield Finding("packs", name, "missing", str(error))
    compilers = {}
    for name in compiler_names():
        try:
            compilers[name] = find_compiler(name, {})
            yield Finding("compilers", name, "ok")
        except BtExecError as error:
            yield Finding("compilers", name, "optional", str(error))
    for name, compiler in compilers.items():
        yield from _run_checks(compiler, f"compiler {name}")
    yield from _site_findings(own)
    for pack in packs:
        yield from _run_checks(pack, f"pack {pack.name}")


def _site_findings(own: str) -> Iterator[Finding]:
    """Yield the findings about the shipped sites and `own`, and about their compilers."""
    from bt_exec.failure import BtExecError
    from bt_exec.site.check_utterances import check_utterances
    from bt_exec.site.compile_command import make_compiler
    from bt_exec.site.shipped_data import site_names
    from bt_exec.site.site import load_site

    try:
        sites = site_names()
    except BtExecError as error:
        yield Finding("sites", "shipped data", "missing", str(error), "pip install --force bt-exec")
        return
    asking = {}
    for name in dict.fromkeys((*sites, own)):
        try:
            site = load_site(name)
            broken = [str(problem) for problem in check_utterances(site, ())]
            if broken:
                yield Finding("sites", site.name, "missing", broken[0], "fix that lexicon file")
            else:
                yield Finding("sites", site.name, "ok", site.summary_in(reader_language()))
            if site.compiler.settings():
                asking[site.name] = make_compiler(site)
        except BtExecError as error:
            yield Finding("sites", name, "missing", str(error).partition("\n")[0])
    for name, compiler in asking.items():
        yield from _run_checks(compiler, f"compiler of site {name}")


def _run_checks(part: Any, area: str) -> Iterator[Finding]:
    """Run the checks of a pack or a compiler; an exception in them is a finding, too."""
    look: Callable[[], Iterable[tuple[str, str, str, str]]] | None = getattr(part, "doctor", None)
    if look is None:
        return
    try:
        for name, state, detail, fix in look():
            yield Finding(area, name, state, detail, fix)
    except Exception as error:  # noqa: BLE001 - third-party code
        yield Finding(area, "its own checks", "missing", f"{type(error).__name__}: {error}")


def _journal(path: Path | None) -> Finding:
    from bt_exec.failure import BtExecError
    from bt_exec.journal import Journal, default_path

    where = path or default_path()
    try:
        count = len(Journal.open(where).missions(10_000))
    except BtExecError as error:
        fix = "bt-exec run --journal FILE …, or --no-journal"
        return Finding("journal", "file", "missing", str(error), fix)
    kept = f"{count} mission{'s' * (count != 1)}"
    return Finding("journal", "file", "ok", f"{where} · writable, {kept}")


def _terminal() -> Finding:
    from bt_exec.cli.output_streams import operator_painter

    painter = operator_painter()
    size = painter.console.size
    facts = [
        f"{size.width} x {size.height}",
        "live view" if painter.can_redraw else "plain lines",
        "ASCII" if painter.is_ascii_only else "UTF-8",
        f"{painter.console.color_system or 'no'} colours",
        "" if sys.stdin is not None and sys.stdin.isatty() else "standard input is not a terminal",
    ]
    return Finding("terminal", "standard output", "ok", " · ".join(filter(None, facts)))


COMMANDS: Mapping[str, Callable[..., None]] = {"doctor": doctor}
