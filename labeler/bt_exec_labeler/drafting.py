"""A first vocabulary from a site's skills: people go over it, it is not meant to stay as it is."""

from __future__ import annotations

import itertools
from typing import Any, Literal, get_args, get_origin

import yaml

from bt_exec.site.site import load_site
from bt_exec.skill import Skill
from bt_exec.verify.templates import fill

__all__ = ["draft_vocabulary"]

_FEWEST, _MOST = 10, 30
_LARGEST = 64  # combinations of arguments that evidence is written out for


def draft_vocabulary(site: str) -> str:
    """Return the draft as YAML: a mid step for each skill and choice of arguments, what it changes.

    Where that gives fewer than 10 mid steps, or more than 30, a comment says what to do.
    """
    loaded = load_site(site)
    skills = loaded.catalogue.skills
    steps = dict(step for skill in skills.values() for step in _steps(skill))
    evidence = sorted({word for skill in skills.values() for word in _evidence(skill)})
    data = {
        "version": "plan_v1.0",
        "site": loaded.name,
        "languages": ["en"],
        "mid_steps": steps,
        "ops": {name: _operation(skill) for name, skill in skills.items()},
        "done_evidence": evidence or ["done"],
        "fallbacks": sorted(skills),
        "limits": {"step_s": 0.5, "horizon_s": 10.0, "goal_ops": 5, "words": 6},
    }
    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=100)
    if _FEWEST <= len(steps) <= _MOST:
        return text
    advice = (
        "split them by the values of an argument, as in  args: {target: lounge}"
        if len(steps) < _FEWEST
        else "join some: a step may list several ops, and needs no args"
    )
    return f"# {len(steps)} mid steps; a vocabulary has {_FEWEST} to {_MOST}: {advice}\n{text}"


def _steps(skill: Skill[..., Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the mid steps of a skill: one for each choice where arguments can be counted."""
    choices = {name: found for name, hint in skill.arguments.items() if (found := _values(hint))}
    steps = []
    for chosen in itertools.islice(itertools.product(*choices.values()), _LARGEST):
        args = dict(zip(choices, chosen, strict=True))
        telling = {name: v for name, v in args.items() if len(choices[name]) > 1}
        name = "_".join([skill.name, *map(str, telling.values())])
        said = f"{skill.summary} ({', '.join(map(str, telling.values()))})"
        step = {"text": {"en": said if telling else skill.summary}, "ops": [skill.name]}
        steps.append((name, {**step, "args": telling} if telling else step))
    return steps


def _operation(skill: Skill[..., Any]) -> dict[str, Any]:
    args = {name: _argument(skill, name, hint) for name, hint in skill.arguments.items()}
    return {"text": skill.summary, "skill": skill.name, "args": args}


def _argument(skill: Skill[..., Any], name: str, hint: Any) -> dict[str, Any]:
    plain = {str: "text", int: "integer", float: "number", bool: "boolean"}
    found: dict[str, Any] = {"type": plain.get(_bare(hint), "text")}
    if values := _values(hint):
        found["values"] = list(values)
    if name not in skill.required:
        found["required"] = False
    return found


def _evidence(skill: Skill[..., Any]) -> list[str]:
    """Return the facts that a skill may establish, as far as its arguments can be counted."""
    choices = {name: _values(hint) for name, hint in skill.arguments.items()}
    known = {name: values for name, values in choices.items() if values}
    words: list[str] = []
    combined = itertools.islice(itertools.product(*known.values()), _LARGEST)
    for chosen in combined:
        args = dict(zip(known, chosen, strict=True))
        for fact, value in skill.effects.items():
            try:
                words.append(f"{fill(fact, args)}={fill(value, args)}")
            except (KeyError, IndexError):
                continue  # a value that only the command knows
    return [word for word in words if not word.endswith("=?")]


def _bare(hint: Any) -> Any:
    if get_origin(hint) is Literal:
        return type(get_args(hint)[0])
    args = get_args(hint)
    return _bare(args[0]) if args else hint


def _values(hint: Any) -> tuple[Any, ...]:
    """Return the only values that a type allows, or none."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return next((found for arg in get_args(hint) if (found := _values(arg))), ())
