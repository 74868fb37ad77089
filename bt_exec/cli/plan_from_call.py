"""Plans that run one skill or tree, given as ``NAME KEY=VALUE…`` on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bt_exec.failure import SpecError, UnknownName, UsageError

if TYPE_CHECKING:
    from bt_exec.site.site import Site
    from bt_exec.spec.model import MissionSpec, NodeBase, TreeSpec

__all__ = ["parse_tree_arguments", "plan_of_skill", "plan_of_tree"]


def plan_of_skill(name: str, texts: Iterable[str], site: Site) -> MissionSpec:
    """Return a plan that runs one skill.

    Args:
        name: The skill.
        texts: ``KEY=VALUE`` strings; lists and mappings are JSON.
        site: The site.

    Raises:
        UnknownName: If the site has no such skill, or the skill no such argument.
        UsageError: If a text does not have this form, or a required argument is missing.
        SpecError: If a value has the wrong type.
    """
    from bt_exec.spec.model import Do

    skill = site.catalogue.skill(name)
    given = list(texts)
    args = _arguments(f"skill {name}", given, skill.arguments, skill.required)
    root = Do.model_validate({"do": name, "with": args})
    return _plan(" ".join((name, *given)), root, site)


def parse_tree_arguments(name: str, texts: Iterable[str], site: Site) -> dict[str, Any]:
    """Return the arguments of a tree from ``KEY=VALUE`` strings; required ones may be missing.

    Raises:
        UnknownName: If the site has no such tree, or the tree no such parameter.
        UsageError: If a text does not have this form.
    """
    return _arguments(f"tree {name}", texts, _parameter_types(site.library.get(name), site), ())


def plan_of_tree(name: str, texts: Iterable[str], site: Site) -> MissionSpec:
    """Return a plan that runs one tree of the site.

    Args:
        name: The tree.
        texts: ``KEY=VALUE`` strings; parameters that are not given have their defaults.
        site: The site.

    Raises:
        UnknownName: If the site has no such tree, or the tree no such parameter.
        UsageError: If a text does not have this form, or a required parameter is missing.
        SpecError: If a value has the wrong type.
    """
    from bt_exec.spec.model import Tree

    tree = site.library.get(name)
    required = {key for key, param in tree.params.items() if param.required}
    given = list(texts)
    args = _arguments(f"tree {name}", given, _parameter_types(tree, site), required)
    root = Tree.model_validate({"tree": name, "with": args})
    return _plan(" ".join((name, *given)), root, site)


def _parameter_types(tree: TreeSpec, site: Site) -> dict[str, Any]:
    return {key: param.value_type(site.catalogue.types) for key, param in tree.params.items()}


def _arguments(
    what: str, texts: Iterable[str], types: Mapping[str, Any], required: Iterable[str]
) -> dict[str, Any]:
    from bt_exec.verify.type_checks import type_name

    args: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"{text!r} must be KEY=VALUE: an argument of {what} and its value")
        if key not in types:
            raise UnknownName("argument", key, types, owner=what)
        if key in args:
            raise UsageError(f"{key} is given twice")
        args[key] = _parse_value(types[key], value)
    missing = [
        f"{key}={type_name(types[key])}" for key in types if key in required and key not in args
    ]
    if missing:
        raise UsageError(f"{what} needs {', '.join(missing)}")
    return args


def _parse_value(hint: Any, text: str) -> Any:
    """Return the value that a typed text stands for. Unlike in trees, ``$name`` is plain text."""
    from bt_exec.verify.type_checks import convert_word

    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except ValueError:
            return text
    word = convert_word(hint, text)
    return f"${word}" if isinstance(word, str) and word.startswith("$") else word


def _plan(command: str, root: NodeBase, site: Site) -> MissionSpec:
    from bt_exec.language.messages import language_of
    from bt_exec.spec.expand import expand
    from bt_exec.spec.model import Mission, MissionSpec
    from bt_exec.spec.yaml_source import Source
    from bt_exec.verify import verify_document

    header = Mission(command=command, language="ko" if language_of(command) == "ko" else "en")
    spec = MissionSpec.model_validate({"mission": header, "root": root})
    source = Source("the command line")
    if problems := verify_document(spec, site.catalogue, site.library, source):
        # the place is left out, because a command line has none and the messages name the argument
        raise SpecError([replace(problem, file="", place="") for problem in problems])
    return expand(spec, site.library, source)
