"""Facts about the world, and how skills and conditions change them.

Facts are strings by name: ``{"hand.right": "empty", "door": "open"}``. A missing fact is unknown:
it was never established, or a skill that sets it failed, was stopped, or declares ``"?"``.

Declared facts and claims are templates with arguments. With ``arm: right``, ``arm.{arm}`` is
``arm.right``; with ``arm: $which``, it stands for every name that begins with ``arm.``.
"""

from __future__ import annotations

import contextlib
import re
import string
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from bt_exec.pack import Catalogue
from bt_exec.skill import Signature, Skill
from bt_exec.spec.condition_expression import All, Any_, Is, Not
from bt_exec.spec.expand import has_reference
from bt_exec.spec.model import Do, NodeBase, walk

__all__ = [
    "NEED_NOT_MET",
    "UNKNOWN",
    "Facts",
    "contradicted_needs",
    "established_facts",
    "fact_pattern",
    "facts_after_failure",
    "facts_after_part",
    "facts_after_success",
    "fill_arguments",
    "has_known_arguments",
    "known_args",
    "needs_of",
    "touched_facts",
    "truth_value",
    "unmet_needs",
]

Facts = dict[str, str]

NEED_NOT_MET = "NEED_NOT_MET"
"""Code of a plan, or of a skill at run time, whose needs are contradicted by known facts."""

UNKNOWN = "?"
"""Value that a skill declares for a fact that is unknown after the skill."""


def facts_after_success(facts: Mapping[str, str], skill: Skill, args: Mapping[str, Any]) -> Facts:
    """Return the facts after `skill` succeeded.

    Args:
        facts: The facts before the skill.
        skill: The skill.
        args: Known arguments.
    """
    after = dict(facts)
    for key, value in skill.effects.items():
        known = (
            has_known_arguments(key, args)
            and has_known_arguments(value, args)
            and fill_arguments(value, args) != UNKNOWN
        )
        if known:
            after[fill_arguments(key, args)] = fill_arguments(value, args)
        else:
            _forget(after, key, args)
    return after


def facts_after_part(part: NodeBase, facts: Mapping[str, str], catalogue: Catalogue) -> Facts:
    """Return the facts after all skills in a part of a plan have succeeded."""
    after = dict(facts)
    for node in walk(part, Do, failing=False):
        skill = catalogue.skills.get(node.do)
        after = facts_after_success(after, skill, known_args(skill, node.args)) if skill else after
    return after


def facts_after_failure(facts: Mapping[str, str], skill: Skill, args: Mapping[str, Any]) -> Facts:
    """Return the facts after `skill` failed or was stopped, without those that it may set."""
    after = dict(facts)
    for key in skill.effects:
        _forget(after, key, args)
    return after


def _forget(facts: Facts, key: str, args: Mapping[str, Any]) -> None:
    """Remove the fact of template `key`; with unknown arguments, all facts that match it."""
    form = fact_pattern(key, args)
    for fact in [fact for fact in facts if form.fullmatch(fact)]:
        del facts[fact]


def unmet_needs(
    facts: Mapping[str, str], skill: Skill, args: Mapping[str, Any]
) -> list[tuple[str, list[str], str]]:
    """Return the needs that known facts contradict, as fact, allowed values and known value."""
    return contradicted_needs(facts, needs_of(skill, args))


def needs_of(skill: Skill, args: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the facts that a skill needs, with their allowed values.

    Needs with unknown arguments are left out.
    """
    return [
        (fill_arguments(key, args), fill_arguments(wanted, args).split("|"))
        for key, wanted in skill.needs.items()
        if has_known_arguments(key, args) and has_known_arguments(wanted, args)
    ]


def contradicted_needs(
    facts: Mapping[str, str], needs: Iterable[tuple[str, list[str]]]
) -> list[tuple[str, list[str], str]]:
    """Return the needs that facts contradict; see `unmet_needs`."""
    return [
        (fact, allowed, known)
        for fact, allowed in needs
        if (known := facts.get(fact)) is not None and known not in allowed
    ]


def touched_facts(
    skill: Skill, args: Mapping[str, Any], known: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the facts that may change while `skill` is in progress.

    These are the facts that it changes or needs (a hand that must be empty may already hold an
    object), and the known facts about details of one of them (``at.table`` for ``at``) or about a
    resource that it uses (``hand.right`` for ``arm.right``).

    Args:
        skill: The skill in progress.
        args: Known arguments.
        known: Names of the known facts.
    """
    declared = [
        fill_arguments(key, args)
        for key in (*skill.effects, *skill.needs)
        if has_known_arguments(key, args)
    ]
    used = {
        _robot_and_part(fill_arguments(name, args))
        for name in skill.uses
        if has_known_arguments(name, args)
    }
    related = [
        fact
        for fact in known
        if fact.partition(".")[0] in declared or _robot_and_part(fact) in used - {""}
    ]
    return tuple(dict.fromkeys((*declared, *related)))


def _robot_and_part(name: str) -> str:
    """Return the robot and part in the name of a fact or resource; empty if it has no part.

    For ``cart/arm.right`` and ``cart/hand.right``, the result is ``cart/right``.
    """
    space, slash, plain = name.rpartition("/")
    part = plain.partition(".")[2]
    return f"{space}{slash}{part}" if part else ""


def established_facts(expression: Any, catalogue: Catalogue) -> Facts:
    """Return the facts that hold if `expression` holds."""
    if isinstance(expression, All):
        facts: Facts = {}
        for part in expression.of:
            facts.update(established_facts(part, catalogue))
        return facts
    if not isinstance(expression, Is) or expression.name not in catalogue.conditions:
        return {}
    condition = catalogue.conditions[expression.name]
    args = known_args(condition, expression.args)
    return {
        fill_arguments(key, args): fill_arguments(value, args)
        for key, value in condition.establishes.items()
        if has_known_arguments(key, args) and has_known_arguments(value, args)
    }


def truth_value(expression: Any, facts: Mapping[str, str], catalogue: Catalogue) -> bool | None:
    """Return True or False if known facts decide whether `expression` holds; else None."""
    if isinstance(expression, Not):
        inner = truth_value(expression.of, facts, catalogue)
        return None if inner is None else not inner
    if isinstance(expression, All | Any_):
        settles = isinstance(expression, Any_)
        parts = [truth_value(part, facts, catalogue) for part in expression.of]
        if settles in parts:
            return settles
        return None if None in parts else not settles
    wanted = established_facts(expression, catalogue)
    if any(facts.get(fact, value) != value for fact, value in wanted.items()):
        return False
    condition = catalogue.conditions.get(expression.name)
    whole = condition is not None and len(wanted) == len(condition.establishes) > 0
    return True if whole and wanted.keys() <= facts.keys() else None


def fill_arguments(template: str, args: Mapping[str, Any]) -> str:
    """Return a declared fact with the arguments filled in."""
    return template.format(**args)


def has_known_arguments(template: str, args: Mapping[str, Any]) -> bool:
    """Return True if every argument that a template names is known."""
    return all(name in args for name in _names(template))


def fact_pattern(template: str, args: Mapping[str, Any]) -> re.Pattern[str]:
    """Return the pattern of all facts that a template with unknown arguments may match."""
    pattern = ""
    for text, name, _, _ in string.Formatter().parse(template):
        pattern += re.escape(text)
        if name is not None:
            pattern += re.escape(str(args[name])) if name in args else ".+"
    return re.compile(pattern)


def known_args(signature: Signature, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments whose values are known before the mission runs, with defaults."""
    given = {key: value for key, value in args.items() if not has_reference(value)}
    if len(given) == len(args):
        with contextlib.suppress(ValidationError):  # layer 2 reports the mistake
            return _validated_arguments(signature, args)
    fields = signature.model.model_fields.items()
    left = {key: field.default for key, field in fields if not field.is_required()}
    return {**{key: value for key, value in left.items() if key not in args}, **given}


def _validated_arguments(signature: Signature, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of ``signature.validate``; cached, because large plans repeat arguments."""
    given = tuple((name, type(value), value) for name, value in args.items())
    try:
        hash(given)
    except TypeError:  # an argument is a list
        return signature.validate(args)
    return dict(_validated_once(signature.model, given))


@lru_cache(maxsize=4096)
def _validated_once(model: Any, given: tuple[tuple[str, type, Any], ...]) -> dict[str, Any]:
    checked = model.model_validate({name: value for name, _, value in given})
    return {name: getattr(checked, name) for name in model.model_fields}


@lru_cache(maxsize=4096)  # templates come from declarations only, so there are few
def _names(template: str) -> tuple[str, ...]:
    return tuple(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)
