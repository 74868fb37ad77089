"""Creation of new files from templates.

A template is a folder under ``templates``. The names and texts of its files contain ``${name}`` and
further placeholders. Existing files are never overwritten.
"""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import yaml

from bt_exec.failure import UnknownName, UsageError
from bt_exec.files import write_user_file
from bt_exec.pack import Pack, find_pack, pack_names
from bt_exec.scaffold.schema_lines import with_schema_line
from bt_exec.site.shipped_data import site_names, site_path
from bt_exec.site.site import Site
from bt_exec.skill import Skill
from bt_exec.spec.yaml_source import read_file

__all__ = ["create_condition", "create_pack", "create_site", "create_skill", "create_tree"]

_TEMPLATES = Path(__file__).with_name("templates")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")


def create_pack(name: str, folder: Path) -> tuple[Path, ...]:
    """Create a Python distribution with a pack (robot, skill, condition, trees, words) and tests.

    Raises:
        UsageError: If the name is invalid or taken, or the files exist.
    """
    _check_name(name)
    if name in pack_names():
        raise UsageError(f"a pack called {name!r} is installed already; choose another name")
    facts = {"name": name, "dashed": name.replace("_", "-")}
    return _write_template("pack", facts, folder / name)


def create_skill(name: str, folder: Path) -> tuple[Path, ...]:
    """Create a file with a skill, and its test."""
    _check_name(name)
    return _write_template("skill", {"name": name, "CODE": name.upper()}, folder)


def create_condition(name: str, folder: Path) -> tuple[Path, ...]:
    """Create a file with a condition, and its test."""
    _check_name(name)
    return _write_template("condition", {"name": name}, folder)


def create_tree(name: str, folder: Path, site: Site, skill: str = "") -> tuple[Path, ...]:
    """Create a tree that runs one skill of a site, and its test.

    Args:
        name: Name of the tree.
        folder: Destination.
        site: The site.
        skill: Name of the skill; if empty, the skill with the fewest arguments is used.
    """
    _check_name(name)
    if name in site.library:
        raise UsageError(f"site {site.name!r} has a tree {name!r} already; choose another name")
    skills = site.catalogue.skills
    if skill and skill not in skills:
        raise UnknownName("skill", skill, skills)
    chosen = skills[skill] if skill else min(skills.values(), key=lambda one: len(one.required))
    facts = {
        "name": name,
        "skill": chosen.name,
        "arguments": _example_arguments(chosen),
        "site": _site_name(site),
    }
    return _write_template("tree", facts, folder)


def create_site(name: str, folder: Path, pack: str = "") -> tuple[Path, ...]:
    """Create a site file for an installed pack.

    Args:
        name: Name of the site.
        folder: Destination.
        pack: Name of the pack; if empty, the first installed pack is used.
    """
    _check_name(name)
    known = pack_names()
    if not known:
        raise UsageError("no pack is installed; 'bt-exec new pack NAME' creates one")
    if pack and pack not in known:
        raise UnknownName("pack", pack, known)
    found = find_pack(pack or known[0])
    return _write_template("site", {"name": name, "packs": _site_entries(found)}, folder)


def _site_entries(pack: Pack) -> str:
    """Return the ``packs:`` entries for a pack and the packs it requires.

    They are copied from a shipped site that uses the pack. Without such a site, the first robot of
    each pack is used.
    """
    for file in map(site_path, site_names()):
        written = read_file(file).data["packs"]
        if pack.name in written:
            return _indented(written)
    names = [*pack.requires, pack.name]
    robots = {name: next(iter(find_pack(name).robots), "none") for name in names}
    return _indented({name: {"robot": robot} for name, robot in robots.items()})


def _indented(data: Any) -> str:
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None)
    return textwrap.indent(text, "  ").rstrip()


def _site_name(site: Site) -> str:
    """Return the name of a shipped site, or the path of any other site."""
    shipped = site.name in site_names() and site_path(site.name) == site.file
    return site.name if shipped else str(site.file.resolve())


def _check_name(name: str) -> None:
    if not _NAME.match(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} is not a valid name; use lower-case letters, digits and '_', begin with a "
            "letter, and avoid keywords of Python: my_robot"
        )


def _write_template(kind: str, facts: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """Write the files of a template, and return their paths.

    Raises:
        UsageError: If one of the files exists or cannot be written.
    """
    root = _TEMPLATES / kind
    texts: dict[Path, str] = {}
    for template in sorted(path for path in root.rglob("*.txt")):
        place = Template(str(template.relative_to(root))).substitute(facts).removesuffix(".txt")
        texts[folder / place] = Template(template.read_text(encoding="utf-8")).substitute(facts)
    taken = [str(path) for path in texts if path.exists()]
    if taken:
        raise UsageError(f"existing files are not overwritten: {', '.join(taken)}")
    for path, text in texts.items():
        text = with_schema_line(text, path) if path.suffix == ".yaml" else text
        write_user_file(path, text, folders=True)
    return tuple(texts)


def _example_arguments(skill: Skill) -> str:
    """Return a ``with:`` line with examples of all required arguments; empty if there are none."""
    schema: Mapping[str, Any] = skill.model.model_json_schema()
    values = {
        name: _example_value(schema["properties"][name], schema)
        for name in skill.arguments
        if name in skill.required
    }
    if not values:
        return ""
    return f"\n      with: {json.dumps(values, ensure_ascii=False)}"


def _example_value(hint: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """Return a value that matches the type or enumeration of a JSON Schema; bounds are ignored."""
    if "$ref" in hint:
        return _example_value(schema["$defs"][hint["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in hint:
        return _example_value(hint["anyOf"][0], schema)
    if "const" in hint:
        return hint["const"]
    if "enum" in hint:
        return hint["enum"][0]
    examples = {"integer": 1, "number": 1.0, "boolean": True, "object": {}}
    if hint.get("type") == "array":
        return [_example_value(hint.get("items", {}), schema)]
    return examples.get(str(hint.get("type")), "something")
