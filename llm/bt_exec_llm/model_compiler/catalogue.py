"""What a site can do, as text for a model: skills, conditions, trees, the domain's rules.

Generated from the registries, so that it never says more or less than verification accepts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Request
from bt_exec.skill import Condition, Signature, Skill
from bt_exec.spec.dump import to_data
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec.verify.types import type_name

__all__ = ["as_yaml", "describe_site"]

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_MOST_TREES = 60
"""Trees that are shown whole; further ones by their first line."""
_LONGEST_DOC = 500


def describe_site(request: Request) -> str:
    """Return everything that stays the same from command to command on a site."""
    catalogue = request.catalogue
    parts = ["# Skills", *map(_skill, catalogue.skills.values())]
    parts += ["", "# Conditions", *map(_condition, catalogue.conditions.values())]
    parts += ["", "# Library", *_trees(request.library, catalogue)]
    for pack in catalogue.packs:
        if text := _domain(pack):
            parts += ["", f"# Rules of the domain {pack.name!r}", text]
    return "\n".join(parts)


def as_yaml(data: Any) -> str:
    """Return plain data as short YAML."""
    text: str = yaml.dump(
        data,
        Dumper=_DUMPER,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,
    )
    return text.strip()


def _skill(skill: Skill) -> str:
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
        yield f"- {_head(tree, catalogue)}: {tree.summary}"
        if index < _MOST_TREES:
            body = to_data(tree)["root"]
            yield "    " + as_yaml({"root": body}).replace("\n", "\n    ")


def _head(tree: TreeSpec, catalogue: Catalogue) -> str:
    params = []
    for name, param in tree.params.items():
        kind = type_name(catalogue.types.get(param.type, str))
        params.append(f"{name}: {kind}" + ("" if param.required else f" = {param.default}"))
    return f"{tree.tree}({', '.join(params)})"


def _domain(pack: Pack) -> str:
    return "" if pack.prompt is None else pack.prompt.read_text(encoding="utf-8").strip()
