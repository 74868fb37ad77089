"""Description of a site for a model: skills, conditions, trees and rules of the domain.

The text is generated from the registries, so it always matches what verification accepts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from bt_exec.language.messages import language_of
from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Request
from bt_exec.skill import Condition, Signature, Skill
from bt_exec.spec.dump import to_data
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec.verify.type_checks import type_name

__all__ = [
    "as_yaml",
    "cached_text",
    "describe_site",
    "describe_skill",
    "describe_trees",
    "without_number_lists",
]


_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_MOST_TREES = 60
"""Maximum number of trees that are described in full; of the others, only the summary is given."""
_LONGEST_DOC = 500


def describe_site(request: Request) -> str:
    """Return the part of the site's description that is the same for every command."""
    catalogue = request.catalogue
    parts = ["# Skills", *map(describe_skill, catalogue.skills.values())]
    parts += ["", "# Conditions", *map(_condition, catalogue.conditions.values())]
    parts += ["", "# Library", *_trees(request.library, catalogue)]
    for pack in catalogue.packs:
        if text := _domain(pack):
            parts += ["", f"# Rules of the domain {pack.name!r}", text]
    return "\n".join([*parts, *_settings_lines(request)])


def describe_trees(request: Request) -> str:
    """Return the description of a site's trees, with their arguments and utterances."""
    parts = ["# Trees"]
    for tree in request.library:
        if tree.utterances:
            parts.append(f"- {_tree_signature(tree, request.catalogue)}: {tree.summary}")
            parts.append(f"  said: {' | '.join(_one_per_language(tree.utterances))}")
    return "\n".join([*parts, *_settings_lines(request)])


def _one_per_language(utterances: Sequence[str]) -> list[str]:
    """Return the first utterance in each language."""
    return list({language_of(text): text for text in reversed(utterances)}.values())


def _settings_lines(request: Request) -> list[str]:
    """Return the lines about the settings of the site, without lists of numbers."""
    found = {pack: without_number_lists(own.to_data()) for pack, own in request.settings.items()}
    found = {pack: own for pack, own in found.items() if own}
    return ["", "# Names and settings of the site", as_yaml(found)] if found else []


def without_number_lists(value: Any) -> Any:
    """Return settings without lists of numbers (poses, areas), which a model cannot use."""
    if isinstance(value, Mapping):
        kept = {str(key): without_number_lists(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner not in (None, {}, [], "")}
    if isinstance(value, list | tuple):
        if all(_is_number(inner) for inner in value):
            return []
        kept_items = [without_number_lists(inner) for inner in value]
        return [inner for inner in kept_items if inner not in (None, {}, [], "")]
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_yaml(data: Any) -> str:
    """Return plain data as compact YAML."""
    text: str = yaml.dump(
        data,
        Dumper=_DUMPER,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,
    )
    return text.strip()


def describe_skill(skill: Skill) -> str:
    """Return the description of a skill: arguments, needs, effects and failure codes."""
    lines = [f"- {_call(skill)}: {_doc(skill)}"]
    for word, facts in (("needs", skill.needs), ("makes", skill.effects)):
        if facts:
            lines.append(f"  {word} " + ", ".join(f"{k}={v}" for k, v in facts.items()))
    if skill.uses:
        lines.append(f"  uses {', '.join(sorted(skill.uses))}")
    if skill.results:
        lines.append(f"  results {', '.join(skill.results)}")
    if skill.fails:
        lines.append(f"  may fail with {', '.join(sorted(skill.fails))}")
    return "\n".join(lines)


def _condition(condition: Condition) -> str:
    return f"- {_call(condition)}: {condition.summary}"


def _call(signature: Signature) -> str:
    args = ", ".join(
        f"{name}: {type_name(hint)}" + ("" if name in signature.required else " (optional)")
        for name, hint in signature.arguments.items()
    )
    return f"{signature.name}({args})"


def _doc(signature: Signature) -> str:
    text = " ".join(signature.doc.split())
    return text if len(text) <= _LONGEST_DOC else signature.summary


def _trees(library: Library, catalogue: Catalogue) -> Iterator[str]:
    for index, tree in enumerate(library):
        yield f"- {_tree_signature(tree, catalogue)}: {tree.summary}"
        if index < _MOST_TREES:
            body = to_data(tree)["root"]
            yield "    " + as_yaml({"root": body}).replace("\n", "\n    ")


def _tree_signature(tree: TreeSpec, catalogue: Catalogue) -> str:
    params = []
    for name, param in tree.params.items():
        kind = " ".join((type_name(param.value_type(catalogue.types) or str), *param.bounds_text))
        given = " (optional)" if param.optional else f" = {param.default}"
        params.append(f"{name}: {kind}" + ("" if param.required else given))
    return f"{tree.tree}({', '.join(params)})"


def _domain(pack: Pack) -> str:
    return "" if pack.prompt is None else pack.prompt.read_text(encoding="utf-8").strip()


_MADE: dict[tuple[int, int, int, str, str], tuple[Catalogue, Library, str]] = {}
"""Cached texts of recent sites, by `id` of catalogue and library.

Catalogue and library are stored, too, so that their ids are not reused.
"""
_MOST_MADE = 12


def cached_text(request: Request, kind: str, make: Callable[[], str]) -> str:
    """Return the cached text called `kind` for the site of a request; `make` creates it."""
    settings = json.dumps(
        {pack: own.to_data() for pack, own in request.settings.items()}, sort_keys=True
    )
    site = (id(request.catalogue), id(request.library), len(request.library))
    key = (*site, settings, kind)
    if key in _MADE:
        return _MADE[key][2]
    text = make()
    while len(_MADE) >= _MOST_MADE:
        _MADE.pop(next(iter(_MADE)))
    _MADE[key] = (request.catalogue, request.library, text)
    return text
