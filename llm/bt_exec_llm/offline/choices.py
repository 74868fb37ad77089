"""Alternatives of an ambiguous command, offered to the operator.

A command is ambiguous between values (the left or the right arm), actions (open or close the door)
or trees with the same utterance. Each alternative is compiled before it is offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bt_exec.language.particles import with_particles
from bt_exec_llm.offline.index import Index
from bt_exec_llm.offline.past import Past, Understood
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.trouble import Trouble
from bt_exec_llm.offline.understanding import understand

__all__ = ["MOST_CHOICES", "offer_choices"]

MOST_CHOICES = 4
"""Largest number of alternatives that are offered."""
_NAMED = ("value", "noun")
_PAIRS = {
    form: pair
    for pair, forms in (
        ("을(를)", ("을", "를")),
        ("이(가)", ("이", "가")),
        ("은(는)", ("은", "는")),
        ("과(와)", ("과", "와")),
        ("(으)로", ("으로", "로")),
    )
    for form in forms
}
_PARTICLE = re.compile(rf"({'|'.join(_PAIRS)})(?=\s|$)")


def offer_choices(
    trouble: Trouble, text: str, language: str, index: Index
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the possible commands and the types to choose from; empty if fewer than two."""
    if trouble.code not in ("CHOICE", "AMBIGUOUS") or len(trouble.trees) > MOST_CHOICES:
        return (), ()
    clauses = index.reader.parse_clauses(text, language)
    kinds: tuple[str, ...] = ()
    if trouble.code == "AMBIGUOUS" and not trouble.trees:
        found = _readings_of_second_act(trouble.words, text)
    elif trouble.trees:
        found = _commands_for_trees(trouble.trees, clauses, language, index)
    else:
        found, kinds = _commands_with_each_value(clauses, text)
        found = found or _commands_with_each_action(clauses, text, language, index)
    does = [_comparable_plan(command, language, index) for command in found]
    distinct = all(does) and all(one not in does[:at] for at, one in enumerate(does))
    if not distinct or not 2 <= len(found) <= MOST_CHOICES:
        return (), ()
    return tuple(found), kinds


def _comparable_plan(command: str, language: str, index: Index) -> list[Any]:
    """Return what a command compiles to, for comparison; empty if it is not understood."""
    found = understand(command, language, index, Past())
    if not isinstance(found, Understood):
        return []
    return [part.effect for part in found.parts]


def _commands_with_each_value(
    clauses: list[Clause], text: str
) -> tuple[list[str], tuple[str, ...]]:
    """Return the command once with each of its alternative values."""
    for clause in clauses:
        left_open = next((p for p in clause.pieces if p.mark == "or"), None)
        if left_open is None or left_open.kind not in _NAMED:
            continue
        same = [p for p in clause.pieces if p.kind == left_open.kind]
        if left_open.kind == "value":
            same = [p for p in same if p.name == left_open.name]
        same.sort(key=lambda piece: piece.start)
        first, last = same[0], same[-1]
        after = last.start + len(last.text)
        found = [
            text[: first.start] + _with_korean_particle(piece.text, text[after:]) for piece in same
        ]
        return found, (left_open.name,) if left_open.kind == "value" else ()
    return [], ()


def _commands_with_each_action(
    clauses: list[Clause], text: str, language: str, index: Index
) -> list[str]:
    """Return one command for each of two actions, with the objects that only the other names."""
    if len(clauses) != 2 or clauses[1].joined != "or":
        return []
    found: list[str] = []
    for one, other in (clauses, clauses[::-1]):
        pieces = one.pieces or [replace(p) for p in other.pieces]
        alone = replace(one, pieces=pieces, joined="", mood="do")
        steps = index.reader.convert_clauses([alone], text, language)
        if isinstance(steps, Trouble):
            return []
        bound = index.binder.bind(steps, text, [])
        if isinstance(bound, Trouble) or len(bound) != 1:
            return []
        wanted = [part.effect for part in bound]
        named = [p for p in pieces if p.kind == "value"]
        tries = [*_utterances_with_values(bound[0].tree, named, language, index)]
        if one.pieces and (language == "en" or one is clauses[-1]):  # 열거나 is not a command alone
            tries.insert(0, text[one.start : one.end])
        said = next((t for t in tries if _comparable_plan(t, language, index) == wanted), None)
        if said is None:
            return []
        found.append(said)
    return found


def _readings_of_second_act(told: str, text: str) -> list[str]:
    """Return the two readings of a command with a second act: part of the message, or own act."""
    start = text.rfind(told)
    if not told or start < 0 or " and " not in told or '"' in told:
        return []
    first, _, second = told.rpartition(" and ")
    return [f'{text[:start]}"{told.rstrip(" .!")}"', f"{text[:start]}{first}, then {second}"]


def _commands_for_trees(
    trees: Iterable[str], clauses: list[Clause], language: str, index: Index
) -> list[str]:
    """Return one command for each matching tree, in words that match no other tree."""
    named = [p for clause in clauses for p in clause.pieces if p.kind in ("value", "text")]
    found: list[str] = []
    for tree in trees:
        for said in _utterances_with_values(tree, named, language, index):
            does = _comparable_plan(said, language, index)
            given = {str(value) for _, args, *_ in does for value in args.values()}
            if [one[0] for one in does] == [tree] and {p.value for p in named} <= given:
                found.append(said)
                break
    return found


def _utterances_with_values(
    tree: str, named: list[Piece], language: str, index: Index
) -> Iterable[str]:
    """Yield the utterances of a tree with the values of the command."""
    for name, utterance, spoken in index.frames.utterances:
        if name != tree or spoken != language:
            continue
        said, rest = utterance.strip().rstrip("."), list(named)
        own = [p for c in index.reader.parse_clauses(said, language) for p in c.pieces]
        for piece in sorted(own, key=lambda p: p.start, reverse=True):
            new = next((p for p in rest if (p.kind, p.name) == (piece.kind, piece.name)), None)
            if new is not None:
                rest.remove(new)
                after = said[piece.start + len(piece.text) :]
                said = said[: piece.start] + _with_korean_particle(new.text, after)
        if not rest:
            yield said
        elif language == "ko":
            tools = " ".join(with_particles(f"{piece.text}(으)로") for piece in rest)
            yield f"{tools} {said}"
        else:
            yield f"{said} with the {' with the '.join(p.text for p in rest)}"


def _with_korean_particle(name: str, after: str) -> str:
    """Return a name and the words after it, with the matching form of a Korean particle."""
    particle = _PARTICLE.match(after)
    pair = _PAIRS.get(particle[0], "") if particle is not None else ""
    return (
        with_particles(name + pair + after[len(particle[0]) :])
        if particle and pair
        else name + after
    )
