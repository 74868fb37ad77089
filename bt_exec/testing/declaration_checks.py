"""Checks of the declarations of a pack, for the tests of shipped and other packs."""

from __future__ import annotations

import re

from pydantic.errors import PydanticInvalidForJsonSchema

from bt_exec.language.messages import LANGUAGES, Messages
from bt_exec.pack import Catalogue, Pack, find_pack
from bt_exec.skill import Condition, Signature, Skill
from bt_exec.verify.pack_declarations import fact_problems, skill_problems

__all__ = ["check_condition", "check_pack", "check_skill"]

_CODE = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def check_skill(skill: Skill, messages: Messages | None = None) -> None:
    """Check a skill's declaration.

    Args:
        skill: The skill.
        messages: The messages of its pack; if given, every failure code must have a sentence.

    Raises:
        AssertionError: Names the first mistake and how to correct it.
    """
    _check_signature(skill)
    for code in sorted(skill.fails):
        assert _CODE.match(code), f"{skill.name}: code {code!r} must be CAPITALS_AND_DIGITS"
        if messages is not None:
            assert code in messages, f"{skill.name}: {code} has no sentence in {LANGUAGES}"
    assert 0 < skill.timeout_s <= 3600, (
        f"{skill.name}: timeout_s={skill.timeout_s} is not in 0..3600"
    )
    for fact in skill.needs:
        assert _is_fact(fact), f"{skill.name}: need {fact!r} must be a dotted name"
    for fact in skill.effects:
        assert _is_fact(fact), f"{skill.name}: effect {fact!r} must be a dotted name"
    for field in skill.results:
        assert _NAME.match(field), f"{skill.name}: result {field!r} must be a name"


def check_condition(condition: Condition, messages: Messages | None = None) -> None:
    """Check a condition's declaration.

    Args:
        condition: The condition.
        messages: The messages of its pack; if given, its failure code must have a sentence.

    Raises:
        AssertionError: Names the first mistake and how to correct it.
    """
    _check_signature(condition)
    code = condition.unknown
    assert _CODE.match(code), f"{condition.name}: code {code!r} must be CAPITALS_AND_DIGITS"
    if messages is not None:
        assert code in messages, f"{condition.name}: {code} has no sentence in {LANGUAGES}"
    assert 0 <= condition.patience_s <= 600, f"{condition.name}: patience_s must be from 0 to 600"
    assert condition.name not in ("not", "all", "any"), f"{condition.name!r} is taken"


def check_pack(pack: Pack, messages: Messages | None = None) -> None:
    """Check the skills, conditions, facts and failure codes of a pack, and that names are unique.

    Raises:
        AssertionError: Names the first mistake.
        RegistrationError: If two skills, conditions or types have the same name.
    """
    catalogue = Catalogue([*_required_packs(pack), pack])
    for problem in (*fact_problems(catalogue), *skill_problems(catalogue)):
        raise AssertionError(str(problem))
    for skill in pack.skills:
        check_skill(skill, messages)
    for condition in pack.conditions:
        check_condition(condition, messages)


def _required_packs(pack: Pack) -> list[Pack]:
    """Return the packs that a pack requires, directly and indirectly."""
    names = list(pack.requires)
    found: dict[str, Pack] = {}
    for name in names:
        if name not in found:
            found[name] = find_pack(name)
            names += found[name].requires
    return list(found.values())


def _check_signature(part: Signature) -> None:
    assert _NAME.match(part.name), f"{part.name!r} must be a name"
    assert part.summary.endswith((".", "?", "!")), (
        f"{part.name}: the docstring's first line must be a sentence, since users read it"
    )
    try:
        part.model.model_json_schema()
    except PydanticInvalidForJsonSchema as error:
        message = f"{part.name}: an argument has a type that no tree can write: {error.message}"
        raise AssertionError(message) from error


def _is_fact(template: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_{}][\w.{}-]*", template))
