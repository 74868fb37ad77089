"""Sites: packs with their robots, a compiler, rates and limits, loaded from a YAML file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bt_exec.failure import Problem, SpecError, nearest_first, nearest_names
from bt_exec.guardian.stop_action import Guard
from bt_exec.language.messages import OWN_MESSAGES, Messages, language_of
from bt_exec.pack import Catalogue, Pack, find_pack, pack_names
from bt_exec.planning.compiler import compiler_names
from bt_exec.planning.confirmation import ConfirmMode
from bt_exec.rig import PackSettings
from bt_exec.site.own_parts import (
    OWN,
    load_library,
    own_pack,
    replaced_parts,
    unused_overrides,
    with_tool_files,
)
from bt_exec.site.shipped_data import site_path
from bt_exec.site.site_file_model import (
    CompilerSettings,
    GuardSettings,
    Keep,
    Limits,
    Rates,
    SiteFile,
    Summary,
)
from bt_exec.spec.library import Library
from bt_exec.spec.user_data_validation import validated_model
from bt_exec.spec.yaml_source import Place, Source, read_file
from bt_exec.verify import verify_library
from bt_exec.verify.pack_declarations import fact_problems

__all__ = [
    "CompilerSettings",
    "GuardSettings",
    "Keep",
    "Limits",
    "Rates",
    "Site",
    "SiteFile",
    "catalogue_messages",
    "load_site",
]


@dataclass(frozen=True)
class Site:
    """A loaded and validated site.

    Attributes:
        name: Name of the site.
        summary: Description in one line, or one for each language.
        file: Path of the site file.
        packs: Settings of each pack, or of each robot if several robots share a pack, by name.
        compiler: The compiler and its settings.
        rates: Tick and observation rates.
        limits: Budgets and deadlines.
        catalogue: Skills, conditions and types of the packs.
        library: Trees of the packs and of the site itself.
        messages: Sentences and display names.
        confirm: Rule for plans that need the operator's confirmation.
        keep: Retention of the site's missions in the journal.
        guard: Stop action of the guardian; None to use the stop actions of the drivers.
        replaced: A sentence for each tree, skill or condition of a pack that was replaced.
    """

    name: str
    summary: str | Summary
    file: Path
    packs: Mapping[str, PackSettings]
    compiler: CompilerSettings
    rates: Rates
    limits: Limits
    catalogue: Catalogue
    library: Library
    messages: Messages
    confirm: ConfirmMode = "unknown"
    guard: Guard | None = None
    keep: Keep = field(default_factory=Keep)
    replaced: tuple[str, ...] = ()

    @property
    def pack_kinds(self) -> tuple[str, ...]:
        """Distinct names of the installed packs that the site uses."""
        return tuple(dict.fromkeys(own.pack or name for name, own in self.packs.items()))

    def summary_in(self, language: str) -> str:
        """Return the description in a language; empty if it has none in that language."""
        if isinstance(self.summary, Summary):
            return self.summary.ko if language == "ko" else self.summary.en
        return self.summary if language_of(self.summary) == language else ""

    def settings(self) -> dict[str, dict[str, Any]]:
        """Return the settings of each pack in the site file, as plain data."""
        return {name: own.to_data() for name, own in self.packs.items()}


def load_site(name_or_file: str = "", tools: Sequence[Path] = ()) -> Site:
    """Load a site with its packs, and verify their trees.

    Args:
        name_or_file: Name of a shipped site, or path of a site file; empty for the default site.
        tools: Python files with skills and conditions to add to the first pack of the site.

    Raises:
        UnknownName: If there is no such site.
        UsageError: If a file in `tools` cannot be used.
        SpecError: If the site file or a tree of its packs is invalid; contains every mistake.
    """
    path = site_path(name_or_file)
    source = read_file(path)
    written = validated_model(SiteFile, source, whose="a site")
    folder, overrides = path.parent, written.overrides
    if missing := list(_missing_files(source, folder, written)):
        raise SpecError(missing)
    named = _load_packs(source, written)
    before = {part.name: pack.name for pack in named for part in (*pack.skills, *pack.conditions)}
    packs = with_tool_files(named, (*(folder / file for file in written.tools), *tools), overrides)
    settings = _validated_settings(source, written, packs)
    own = own_pack(folder, packs, written.trees, written.lexicon, written.messages)
    catalogue = Catalogue((*packs, *own))
    if wrong := fact_problems(catalogue):
        raise SpecError(wrong)
    library = load_library(catalogue, overrides)
    changed = {
        name: pack
        for name, pack in before.items()
        if name in overrides and _find_part(named, name) is not _find_part(packs, name)
    }
    known, used = {*before, *library.names()}, {*library.replaced, *changed}
    problems = (
        *unused_overrides(source, overrides, known, used),
        *verify_library(library, catalogue),
    )
    if problems:
        raise SpecError(problems)
    messages = catalogue_messages(catalogue, settings)
    return Site(
        written.site,
        written.summary,
        path,
        settings,
        written.compiler,
        written.rates,
        written.limits,
        catalogue,
        library,
        messages,
        written.confirm,
        written.guard.to_guard() if written.guard is not None else None,
        written.keep,
        replaced_parts(library, changed),
    )


def _missing_files(source: Source, folder: Path, written: SiteFile) -> Iterator[Problem]:
    """Yield a problem for each missing file or folder to which a site file refers."""
    named: list[tuple[Place, str]] = [
        *(((field,), getattr(written, field)) for field in ("trees", "lexicon", "messages")),
        *((("tools", number), file) for number, file in enumerate(written.tools)),
    ]
    for place, name in named:
        path = folder / name
        exists = path.is_dir() if place == ("trees",) else path.is_file()
        if name and not exists:
            kind = "folder" if place == ("trees",) else "file"
            message = f"there is no {kind} {path}; paths are relative to the site file"
            yield source.problem("UNREADABLE", message, place, found=name)


def _find_part(packs: Iterable[Pack], name: str) -> Any:
    """Return the first skill or condition called `name`; None if there is none."""
    parts = (part for pack in packs for part in (*pack.skills, *pack.conditions))
    return next((part for part in parts if part.name == name), None)


def catalogue_messages(
    catalogue: Catalogue, settings: Mapping[str, PackSettings] | None = None
) -> Messages:
    """Return the messages of bt-exec and of a catalogue's packs, with the site's display names."""
    names = {
        pack.name: pack.names(settings[pack.name])
        for pack in catalogue.packs
        if pack.names is not None and settings is not None and pack.name in settings
    }
    return Messages.load(
        [OWN_MESSAGES],
        {
            pack.name: pack.messages
            for pack in catalogue.packs
            if pack.messages is not None and pack.name != OWN
        },
        catalogue.owners,
        names,
        {pack.name: pack.called for pack in catalogue.packs if pack.called is not None},
        {pack.name: pack.lexicon for pack in catalogue.packs if pack.lexicon is not None},
        next((pack.messages for pack in catalogue.packs if pack.name == OWN), None),
        {
            name: (settings or {}).get(name, PackSettings()).robot_names(name)
            for name in catalogue.robots_sharing_pack
        },
    )


_ROBOT_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def _load_packs(source: Source, written: SiteFile) -> list[Pack]:
    """Return the packs that a site names.

    Raises:
        SpecError: If there is no such pack, robot or compiler, or a required pack is missing.
    """
    packs: list[Pack] = []
    problems: list[Problem] = []

    def report_unknown(
        kind: str, name: Any, known: Iterable[str], *place: str, key: bool = False
    ) -> None:
        if name not in (names := tuple(known)):
            allowed = nearest_first(str(name), names)
            code, message = f"UNKNOWN_{kind.upper()}", f"there is no {kind} {name!r}"
            if kind == "pack" and not nearest_names(name, names):
                message += "; if it is yours, install its package: pip install -e ."
            problems.append(source.problem(code, message, place, allowed=allowed, key=key))

    kinds = {name: settings.get("pack") or name for name, settings in written.packs.items()}
    for name, settings in written.packs.items():
        kind = kinds[name]
        if kind == name:
            report_unknown("pack", name, pack_names(), "packs", name, key=True)
        else:
            report_unknown("pack", kind, pack_names(), "packs", name, "pack")
            if not _ROBOT_NAME.fullmatch(name) or name == OWN:
                message = f"the name of a robot has letters, digits and _, and is not {OWN!r}"
                problems.append(source.problem("BAD_VALUE", message, ("packs", name), key=True))
        if not problems:
            packs.append(find_pack(kind).instance(name))
            if "robot" in settings:
                robots = packs[-1].robots
                report_unknown("robot", settings["robot"], robots, "packs", name, "robot")
    report_unknown("compiler", written.compiler.name, compiler_names(), "compiler", "name")
    for name, compiler in written.compiler.of.items():
        report_unknown("pack", name, written.packs, "compiler", "of", name, key=True)
        report_unknown("compiler", compiler, compiler_names(), "compiler", "of", name)
    problems += _requirement_problems(source, packs, kinds)
    if problems:
        raise SpecError(problems)
    return packs


def _requirement_problems(
    source: Source, packs: Iterable[Pack], kinds: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield a problem for each required pack that the site lacks or uses more than once."""
    for pack in packs:
        for name in pack.requires:
            found = [one for one, kind in kinds.items() if kind == name]
            if len(found) == 1:
                continue
            code, message = "MISSING_PACK", "; name it under 'packs', too"
            if found:
                code, message = "AMBIGUOUS_PACK", f", and the site has several: {', '.join(found)}"
            message = f"pack {pack.name!r} builds on pack {name!r}{message}"
            yield source.problem(code, message, ("packs", pack.name), key=True)


def _validated_settings(
    source: Source, written: SiteFile, packs: list[Pack]
) -> dict[str, PackSettings]:
    """Return the settings of each pack, validated by its own model."""
    settings: dict[str, PackSettings] = {}
    problems: list[Problem] = []
    for pack in packs:
        place, given = ("packs", pack.name), dict(written.packs[pack.name])
        whose = f"pack {pack.name}"
        try:
            settings[pack.name] = validated_model(pack.settings, source, place, given, whose)
        except SpecError as error:
            problems += error.problems
    if problems:
        raise SpecError(problems)
    problems.extend(_shared_name_problems(source, settings))
    if problems:
        raise SpecError(problems)
    return settings


def _shared_name_problems(
    source: Source, settings: Mapping[str, PackSettings]
) -> Iterator[Problem]:
    """Yield a problem for each robot name that is ambiguous in commands."""
    names: dict[str, str] = {}
    for robot, own in settings.items():
        for language, said in own.called.items():
            for name in said:
                other = names.setdefault("".join(name.casefold().split()), robot)
                if other != robot:
                    message = f"{name!r} is the name of {other!r} already"
                    called = ("packs", robot, "called", language)
                    yield source.problem("DUPLICATE_NAME", message, called, found=name)
