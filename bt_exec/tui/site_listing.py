"""Lists of the skills, conditions and trees of a site, for display and as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from bt_exec.language.messages import language_of
from bt_exec.pack import Catalogue
from bt_exec.skill import Condition, Signature, Skill
from bt_exec.spec.dump import to_data
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec.tui.terminal_text import Entry
from bt_exec.verify.type_checks import type_name

__all__ = [
    "condition_data",
    "condition_entry",
    "first_utterances",
    "skill_data",
    "skill_entry",
    "tree_data",
    "tree_entry",
    "type_words",
]


def type_words(hint: Any) -> str:
    """Return a type for display, such as ``left | right``, ``text`` or ``number``."""
    return type_name(hint).replace("|", " | ")


def _arguments(part: Signature, catalogue: Catalogue) -> dict[str, dict[str, Any]]:
    parameters = inspect.signature(part.function).parameters
    found: dict[str, dict[str, Any]] = {}
    for name, hint in part.arguments.items():
        named = next((key for key, known in catalogue.types.items() if known == hint), None)
        entry: dict[str, Any] = {"type": named or type_words(hint), "allowed": type_words(hint)}
        entry["required"] = name in part.required
        if name not in part.required:
            entry["default"] = parameters[name].default
        found[name] = entry
    return found


def _declaration_data(part: Signature, catalogue: Catalogue) -> dict[str, Any]:
    return {
        "name": part.name,
        "pack": catalogue.owner(part.name),
        "summary": part.summary,
        "arguments": _arguments(part, catalogue),
    }


def skill_data(skill: Skill, catalogue: Catalogue) -> dict[str, Any]:
    """Return a skill as plain data."""
    return {
        **_declaration_data(skill, catalogue),
        "fails": sorted(skill.fails),
        "needs": dict(skill.needs),
        "effects": dict(skill.effects),
        "uses": sorted(skill.uses),
        "results": {name: type_words(hint) for name, hint in skill.results.items()},
        "timeout_s": skill.timeout_s,
    }


def condition_data(condition: Condition, catalogue: Catalogue) -> dict[str, Any]:
    """Return a condition as plain data."""
    return {
        **_declaration_data(condition, catalogue),
        "establishes": dict(condition.establishes),
        "skip_reason": condition.skip_reason,
        "unknown": condition.unknown,
        "patience_s": condition.patience_s,
    }


def tree_data(tree: TreeSpec, library: Library) -> dict[str, Any]:
    """Return a tree as plain data, without its nodes."""
    data = to_data(tree)
    data.pop("root")
    return {
        "summary": "",
        "utterances": [],
        "params": {},
        **data,
        "file": str(library.source(tree.tree).file),
    }


def skill_entry(skill: Skill, catalogue: Catalogue, *, verbose: bool = False) -> Entry:
    """Return the list entry of a skill."""
    facts = [
        *_argument_facts(skill, catalogue),
        ("needs", _facts(skill.needs)),
        ("leaves", _facts(skill.effects)),
        ("fails", ", ".join(sorted(skill.fails))),
        ("gives", ", ".join(skill.results)),
    ]
    if verbose:
        facts += [("uses", ", ".join(sorted(skill.uses))), ("module", skill.function.__module__)]
    remark = " · ".join(filter(None, (catalogue.owner(skill.name), f"{skill.timeout_s:g} s")))
    return Entry(skill.name, ", ".join(skill.arguments), remark, skill.summary, facts)


def condition_entry(condition: Condition, catalogue: Catalogue, *, verbose: bool = False) -> Entry:
    """Return the list entry of a condition."""
    facts = [
        *_argument_facts(condition, catalogue),
        ("tells", _facts(condition.establishes)),
        ("skips", condition.skip_reason),
        ("doubt", f"{condition.unknown} after {condition.patience_s:g} s"),
    ]
    if verbose:
        facts.append(("module", condition.function.__module__))
    remark = catalogue.owner(condition.name)
    return Entry(condition.name, ", ".join(condition.arguments), remark, condition.summary, facts)


def tree_entry(tree: TreeSpec, library: Library, *, verbose: bool = False) -> Entry:
    """Return the list entry of a tree."""
    params = [
        name + "?" * param.optional + (f" = {param.default}" if param.default is not None else "")
        for name, param in tree.params.items()
    ]
    said = tree.utterances if verbose else _first_utterances_and_count(tree.utterances)
    facts = [("say", " · ".join(said)), ("with", ", ".join(params))]
    if verbose:
        facts.append(("file", str(library.source(tree.tree).file)))
    return Entry(tree.tree, summary=tree.summary, facts=facts)


def first_utterances(utterances: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first utterance of each language."""
    first = {language_of(text): text for text in reversed(utterances)}
    return tuple(text for text in utterances if text in first.values())


def _first_utterances_and_count(utterances: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first utterance of each language and the number of others, if several."""
    shown = first_utterances(utterances)
    rest = len(utterances) - len(shown)
    return (*shown, f"and {rest} more ways") if rest > 1 else utterances


def _argument_facts(part: Signature, catalogue: Catalogue) -> list[tuple[str, str]]:
    found = []
    for name, argument in _arguments(part, catalogue).items():
        given = argument.get("default")
        default = "" if argument["required"] else f"  (default {given if given != '' else '“”'})"
        found.append((name, f"{argument['allowed']}{default}"))
    return found


def _facts(facts: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value.replace('|', ' or ')}" for name, value in facts.items())
