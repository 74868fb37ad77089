"""Mistakes in the declarations of packs, with positions in the Python source.

Codes: ``UNKNOWN_FACT`` and ``UNKNOWN_FACT_VALUE`` for needs, effects and established facts that the
pack does not declare; ``UNDECLARED_CODE`` for a failure code that a skill's source raises and its
decorator does not list; ``BLOCKING_CALL`` for a call in it that would hold up the tick. A site with
an undeclared fact does not load, because a misspelt need would have no effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from bt_exec.failure import STOPPED, Problem, nearest_first
from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Signature, Skill
from bt_exec.verify.skill_source import Position, blocking_calls, position_of, raised_codes

__all__ = ["code_problems", "fact_problems"]


def fact_problems(catalogue: Catalogue) -> list[Problem]:
    """Return every use of a fact that the packs of a catalogue do not declare."""
    return [
        problem
        for pack in {pack.kind: pack for pack in catalogue.packs}.values()
        for part in (*_skill_facts(pack), *_condition_facts(pack))
        for problem in _facts_of(catalogue, pack, *part)
    ]


def code_problems(catalogue: Catalogue) -> list[Problem]:
    """Return the failure codes that skills raise undeclared, and the calls that would block."""
    return [
        problem
        for pack in {pack.kind: pack for pack in catalogue.packs}.values()
        for one in pack.skills
        for problem in _codes(pack, one)
    ]


_Uses: TypeAlias = tuple[Signature, str, Mapping[str, str]]
"""A skill or condition, an option of its decorator, and the facts in that option."""


def _skill_facts(pack: Pack) -> Iterator[_Uses]:
    for skill in pack.skills:
        yield skill, "needs", skill.needs
        yield skill, "effects", skill.effects


def _condition_facts(pack: Pack) -> Iterator[_Uses]:
    for condition in pack.conditions:
        yield condition, "establishes", condition.establishes


def _facts_of(
    catalogue: Catalogue, pack: Pack, part: Signature, keyword: str, facts: Mapping[str, str]
) -> Iterator[Problem]:
    declared = catalogue.facts_of(pack.name)
    kind = type(part).__name__.lower()
    for name, value in facts.items():
        found = declared.mistakes(name, value, part.arguments, may_be_unknown=keyword == "effects")
        for mistake in found:
            message = f"{kind} {part.name!r} of pack {pack.name!r}: {mistake.message}"
            if not declared.names():
                message += '; list the facts of the pack: Pack(facts={"door": ("open", …)})'
            text = name if mistake.code == "UNKNOWN_FACT" else value
            yield _problem(
                mistake.code,
                message,
                f"{part.name}/{keyword}",
                mistake.found,
                mistake.allowed,
                position_of(part, keyword, text),
            )


def _codes(pack: Pack, skill: Skill) -> Iterator[Problem]:
    declared = sorted(skill.fails)
    for code, position in raised_codes(skill):
        if code not in skill.fails and code != STOPPED:
            message = (
                f"skill {skill.name!r} of pack {pack.name!r} raises {code!r} without declaring it; "
                f"add it to fails={{…}} of its decorator"
            )
            allowed = nearest_first(code, declared)
            yield _problem("UNDECLARED_CODE", message, skill.name, code, allowed, position)
    for name, position in blocking_calls(skill):
        message = (
            f"skill {skill.name!r} of pack {pack.name!r} blocks the tick with {name}; yield "
            "Running() instead, or write: yield from run_in_thread(lambda: …)"
        )
        yield _problem("BLOCKING_CALL", message, skill.name, name, (), position)


def _problem(
    code: str,
    message: str,
    place: str,
    found: str,
    allowed: tuple[str, ...],
    position: Position | None,
) -> Problem:
    file, line, column = position if position is not None else ("", None, None)
    return Problem(code, message, place, found, allowed, file, line, column)
