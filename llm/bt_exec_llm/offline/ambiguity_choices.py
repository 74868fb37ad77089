"""Alternatives of an ambiguous command, offered to the operator.

A command is ambiguous between values (the left or the right arm), actions (open or close the door)
or trees with the same utterance. Each alternative is compiled before it is offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from bt_exec.language.korean_particles import with_particles
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.command_understanding import understand
from bt_exec_llm.offline.earlier_commands import SessionHistory, Understood
from bt_exec_llm.offline.library_index import Index
from bt_exec_llm.offline.meaning_to_steps import find_choice
from bt_exec_llm.offline.reader_lexicon import types_in
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["MOST_CHOICES", "offer_choices"]

MOST_CHOICES = 4
"""Maximum number of alternatives that are offered."""
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
    trouble: RefusalReason, text: str, language: str, index: Index
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the commands to choose from, and the types of the alternatives.

    Both are empty if there is no choice.
    """
    if trouble.code not in ("CHOICE", "AMBIGUOUS") or len(trouble.trees) > MOST_CHOICES:
        return (), ()
    kinds: tuple[str, ...] = ()
    if trouble.trees:
        found = _commands_for_trees(trouble.trees, text, language, index)
    elif trouble.code == "AMBIGUOUS":
        found = _readings_of_second_act(trouble.words, text)
    else:
        found, kinds = _commands_with_each_alternative(text, language, index)
    does = [_comparable_plan(command, language, index) for command in found]
    distinct = all(does) and all(one not in does[:at] for at, one in enumerate(does))
    if not distinct or not 2 <= len(found) <= MOST_CHOICES:
        return (), ()
    return tuple(found), kinds


def _comparable_plan(command: str, language: str, index: Index) -> list[Any]:
    """Return the parts of a command in comparable form; empty if it is not understood."""
    found = understand(command, language, index, SessionHistory())
    if not isinstance(found, Understood):
        return []
    return [part.effect for part in found.parts]


def _commands_with_each_alternative(
    text: str, language: str, index: Index
) -> tuple[list[str], tuple[str, ...]]:
    """Return one command for each alternative in a command, and the types of the alternatives."""
    reading = index.reader.read(text)
    open_node = find_choice(reading.meaning) if isinstance(reading, Reading) else None
    if open_node is None or not isinstance(reading, Reading):
        return [], ()
    edge = reading.edge_of(open_node)
    found: list[str] = []
    kinds: set[str] = set()
    for part in _completed_alternatives(
        sorted(open_node.parts(), key=partial(_start_position, reading))
    ):
        try:
            steps = index.reader.convert(reading, reading.meaning.substitute(open_node, part))
        except NoStepsError:
            return [], ()
        bound = index.binder.bind(steps, text, [])
        if isinstance(bound, RefusalReason):
            return [], ()
        wanted = [one.effect for one in bound]
        named = [p for step in steps for p in step.pieces if p.kind in ("value", "text")]
        tries = [*_utterances_with_values(bound[0].tree, named, language, index)]
        if edge is not None:
            tries.insert(0, _with_alternative(reading, edge, part))
        said = next((t for t in tries if _comparable_plan(t, language, index) == wanted), None)
        if said is None:
            return [], ()
        found.append(said)
        kinds |= types_in(part)
    return found, tuple(kinds) if open_node.kind == "or" and len(kinds) == 1 else ()


def _start_position(reading: Reading, part: Node) -> int:
    edge = reading.edge_of(part)
    return 0 if edge is None else edge.start


def _completed_alternatives(alternatives: Sequence[Node]) -> list[Node]:
    """Return the alternatives, each with an object, as in "open or close it"."""
    named = next((one.get("of") for one in alternatives if one.get("of") is not None), None)
    acts = (one.kind == "act" and one.get("of") is None for one in alternatives)
    return [
        one.replace(of=named) if bare else one for one, bare in zip(alternatives, acts, strict=True)
    ]


def _with_alternative(reading: Reading, edge: Edge, part: Node) -> str:
    """Return the text of a reading with its alternatives replaced by one of them."""
    before, after = reading.typed.text_around(edge.start, edge.end)
    return before + _with_korean_particle(reading.words_of(part), after)


def _readings_of_second_act(message: str, text: str) -> list[str]:
    """Return two commands: one with "and …" as part of the message, one with it as a new act."""
    start = text.rfind(message)
    if not message or start < 0 or " and " not in message or '"' in message:
        return []
    first, _, second = message.rpartition(" and ")
    return [f'{text[:start]}"{message.rstrip(" .!")}"', f"{text[:start]}{first}, then {second}"]


def _commands_for_trees(trees: Iterable[str], text: str, language: str, index: Index) -> list[str]:
    """Return one command for each of several trees, in words that match no other tree."""
    steps = index.reader.read_steps(text)
    named = [p for step in steps for p in step.pieces if p.kind in ("value", "text")]
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
    """Yield the utterances of a tree with their values replaced by those of the command."""
    for name, utterance, spoken in index.frames.utterances:
        if name != tree or spoken != language:
            continue
        said, rest = utterance.strip().rstrip("."), list(named)
        for piece in (p for step in index.reader.read_steps(said) for p in step.pieces):
            if not piece.text:
                continue
            new = next((p for p in rest if (p.kind, p.name) == (piece.kind, piece.name)), None)
            before, own, after = said.partition(piece.text or said)
            if new is not None and own:
                rest.remove(new)
                said = before + _with_korean_particle(new.text, after)
        if not rest:
            yield said
        elif language == "ko":
            tools = " ".join(with_particles(f"{piece.text}(으)로") for piece in rest)
            yield f"{tools} {said}"
        else:
            yield f"{said} with the {' with the '.join(p.text for p in rest)}"


def _with_korean_particle(name: str, after: str) -> str:
    """Return a name and the text after it, with the matching form of the Korean particle."""
    particle = _PARTICLE.match(after)
    pair = _PAIRS.get(particle[0], "") if particle is not None else ""
    return (
        with_particles(name + pair + after[len(particle[0]) :])
        if particle and pair
        else name + after
    )
