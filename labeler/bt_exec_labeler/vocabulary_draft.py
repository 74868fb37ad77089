"""Generator of a vocabulary draft from a site's skills, for the author to edit."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args, get_origin

import yaml

from bt_exec.site.site import Site, load_site
from bt_exec.skill import Skill
from bt_exec.verify.effects_on_facts import fill_arguments

__all__ = ["draft_vocabulary"]

_FEWEST, _MOST = 10, 30
_PLURALS = {"person": "people"}
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.:=-]{0,63}")
_NO_WORD = re.compile(r"[^A-Za-z0-9_.:=-]")  # such as the space in the value "qr code"
_LARGEST = 64  # maximum number of argument combinations for which evidence is listed


def draft_vocabulary(site: str) -> str:
    """Return the draft of a vocabulary as YAML, with mid steps for the skills of a site.

    There is one mid step for each skill and each combination of its argument values. The values
    come from the argument's type or from names in the site's settings. If there are too many mid
    steps, some arguments are ignored. If there are too few, examples are added.
    """
    loaded = load_site(site)
    known = loaded.catalogue.skills.items()
    skills = {name: skill for name, skill in known if loaded.catalogue.owner(name)}
    choices = {skill.name: _argument_choices(skill, loaded) for skill in skills.values()}
    steps = _limited_steps(skills, choices)
    evidence: dict[str, None] = {}
    ops = {}
    for name, skill in skills.items():
        found = _possible_evidence(skill, choices[name]) or [f"{name}_done"]
        evidence |= dict.fromkeys(found)
        ops[name] = _operation(skill)
        if found == [f"{name}_done"]:  # the skill declares no usable facts
            ops[name]["done_evidence"] = found
    data = {
        "version": "plan_v1.0",
        "site": loaded.name,
        "languages": ["en"],
        "mid_steps": steps,
        "ops": ops,
        "done_evidence": sorted(evidence),
        "fallbacks": sorted(skills),
        "limits": {"step_s": 0.5, "horizon_s": 10.0, "goal_ops": 5, "words": 6},
    }
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=100)


_Choices: TypeAlias = dict[str, tuple[Any, ...]]


def _limited_steps(
    skills: Mapping[str, Skill[..., Any]], choices: Mapping[str, _Choices]
) -> dict[str, dict[str, Any]]:
    """Return the mid steps of all skills; arguments are ignored until there are few enough."""
    split = {name: dict(found) for name, found in choices.items()}
    while True:
        steps = {
            n: s for skill in skills.values() for n, s in _mid_steps_of(skill, split[skill.name])
        }
        largest = max(reversed(split), key=lambda name: math.prod(map(len, split[name].values())))
        if len(steps) <= _MOST or not split[largest]:
            break
        dearest = max(split[largest], key=lambda key: len(split[largest][key]))
        del split[largest][dearest]
    examples = itertools.cycle((skill, arg) for skill in skills.values() for arg in skill.required)
    number = itertools.count(1)
    while len(steps) < _FEWEST and any(skill.required for skill in skills.values()):
        skill, arg = next(examples)
        value = f"EXAMPLE_{next(number)}"
        text = f"{skill.summary} ({arg}: replace {value} by a value that is used)"
        step = {"text": {"en": text}, "ops": [skill.name], "args": {arg: value}}
        # the first match counts, so the general step must come last
        steps = {f"{skill.name}_{value}": step, **steps}
    return steps


def _argument_choices(skill: Skill[..., Any], site: Site) -> _Choices:
    """Return the values of each argument that has two or more known values."""
    found = {
        name: _literal_values(hint) or _listed_names(hint, site)
        for name, hint in skill.arguments.items()
    }
    return {name: values for name, values in found.items() if len(values) > 1}


def _listed_names(hint: Any, site: Site) -> tuple[str, ...]:
    """Return the names that a site's settings list for a type, such as ``places`` for Place."""
    plurals = {
        _PLURALS.get(name.lower(), f"{name.lower()}s")
        for name, known in site.catalogue.types.items()
        if known == hint and known is not str
    }
    listed = (
        value
        for settings in site.settings().values()
        for key, value in settings.items()
        if key in plurals and isinstance(value, Mapping)
    )
    words = (str(name) for names in listed for name in names)
    return tuple(word for word in dict.fromkeys(words) if _WORD.fullmatch(word))


def _mid_steps_of(
    skill: Skill[..., Any], choices: Mapping[str, tuple[Any, ...]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the mid steps of a skill, one for each combination of argument values."""
    for chosen in itertools.islice(itertools.product(*choices.values()), _LARGEST):
        args = dict(zip(choices, chosen, strict=True))
        name = _NO_WORD.sub("_", "_".join([skill.name, *map(str, args.values())]))
        said = f"{skill.summary} ({', '.join(map(str, args.values()))})"
        step = {"text": {"en": said if args else skill.summary}, "ops": [skill.name]}
        yield name, {**step, "args": args} if args else step


def _operation(skill: Skill[..., Any]) -> dict[str, Any]:
    args = {name: _argument(skill, name, hint) for name, hint in skill.arguments.items()}
    return {"text": skill.summary, "skill": skill.name, "args": args}


def _argument(skill: Skill[..., Any], name: str, hint: Any) -> dict[str, Any]:
    plain = {str: "text", int: "integer", float: "number", bool: "boolean"}
    found: dict[str, Any] = {"type": plain.get(_without_metadata(hint), "text")}
    if values := _literal_values(hint):
        found["values"] = list(values)
    if name not in skill.required:
        found["required"] = False
    return found


def _possible_evidence(skill: Skill[..., Any], choices: Mapping[str, tuple[Any, ...]]) -> list[str]:
    """Return the facts that a skill may establish, with every listed value of its arguments."""
    known = {name: _literal_values(hint) for name, hint in skill.arguments.items()}
    counted = {**{name: values for name, values in known.items() if values}, **choices}
    words: list[str] = []
    for chosen in itertools.islice(itertools.product(*counted.values()), _LARGEST):
        args = dict(zip(counted, chosen, strict=True))
        for fact, value in skill.effects.items():
            try:
                words.append(f"{fill_arguments(fact, args)}={fill_arguments(value, args)}")
            except (KeyError, IndexError):
                continue  # the value depends on an argument with unknown values
    return [w for w in dict.fromkeys(words) if not w.endswith("=?") and _WORD.fullmatch(w)]


def _without_metadata(hint: Any) -> Any:
    if get_origin(hint) is Literal:
        return type(get_args(hint)[0])
    args = get_args(hint)
    return _without_metadata(args[0]) if args else hint


def _literal_values(hint: Any) -> tuple[Any, ...]:
    """Return the values of a `Literal` in a type, or an empty tuple."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return next((found for arg in get_args(hint) if (found := _literal_values(arg))), ())
