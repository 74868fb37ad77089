"""Steps with several values: removal of exceptions, and one step for each remaining value."""

from __future__ import annotations

from dataclasses import replace

from bt_exec_llm.offline.exclusions import ALL_OF_IT
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["remove_excluded_values", "split_by_values"]

_ORDINARY = ("noun", "value", "state", "person")


def remove_excluded_values(step: Step, lexicon: Lexicon) -> Step | RefusalReason:
    """Return a step without excluded values ("복도 말고 라운지", "everywhere but the corridor")."""
    out = [p for p in step.pieces if p.mark == "not"]
    if not out:
        return step
    rest = [p for p in step.pieces if p.mark != "not"]
    noun = next((p for p in out if p.kind == "noun"), None)
    if noun is not None:
        named = {p.name for p in rest if p.kind == "noun"} - {p.name for p in out}
        first = min((p.start for p in rest if p.kind == "noun"), default=0)
        if not named or (noun.text.isascii() and noun.start > first):
            return RefusalReason("NEGATED", noun.text)
        out = [p for p in out if p.kind != "noun"]  # "not the material: close the door"
    unknown = next((p for p in out if p.kind not in _ORDINARY and p.kind != "unknown"), None)
    if unknown is not None:
        return RefusalReason("NEGATED", unknown.text)
    kept: list[Piece] = []
    for piece in rest:
        names = {p.value for p in out if p.name == piece.name}
        kept += [replace(piece, value=one) for one in _values_without(piece, names, lexicon)]
    if (every := _step_for_other_values(step, out, rest, lexicon)) is not None:
        return every
    for piece in out:
        same = [
            p for p in kept if p.kind == piece.kind and (p.kind != "value" or p.name == piece.name)
        ]
        if not same or any(
            p.value == piece.value and p.name == piece.name and piece.kind != "unknown"
            for p in same
        ):
            return RefusalReason("NEGATED", step.text)
    return replace(step, pieces=kept)


def _step_for_other_values(
    step: Step, out: list[Piece], rest: list[Piece], lexicon: Lexicon
) -> Step | None:
    """Return a step with all values except excluded ones ("check everything except …"), or None."""
    kinds = {p.name if p.kind == "value" else "" for p in out}
    rest = [p for p in rest if p.text.casefold() not in ALL_OF_IT]
    content = [p for p in rest if p.kind not in ("filler", "speaker")]
    if len(kinds) != 1 or content or not ALL_OF_IT & set(step.text.casefold().split()):
        return None
    values = lexicon.values.get(kinds.pop(), {})
    without = {p.value for p in out}
    wholes = [value.each for value in values.values() if without < {*value.each}]
    if len(wholes) != 1:
        return None
    left = [one for one in wholes[0] if one not in without]
    pieces = [replace(out[0], value=one, mark="") for one in left]
    return replace(step, pieces=[*pieces, *rest])


def _values_without(piece: Piece, excluded: set[str], lexicon: Lexicon) -> list[str]:
    """Return the values that a piece stands for, without the excluded ones."""
    if piece.value in excluded:
        return []
    if excluded.isdisjoint(lexicon.values_within(piece.name, piece.value)):
        return [piece.value]
    value = lexicon.values[piece.name][piece.value]
    inner = (replace(piece, value=one) for one in value.each or value.parts)
    left = (one for one in inner if one.value not in excluded)
    return [name for one in left for name in _values_without(one, excluded, lexicon)]


def _list_member_values(piece: Piece, lexicon: Lexicon) -> list[str]:
    if piece.kind != "value":
        return []
    value = lexicon.values.get(piece.name, {}).get(piece.value)
    return [] if value is None else value.each


def split_by_values(step: Step, lexicon: Lexicon) -> list[Step]:
    """Return one step for each value of the types that trees take one by one (``each``)."""
    options = [step]
    for kind, how in lexicon.lists.items():
        many = [p for p in step.pieces if p.kind == "value" and p.name == kind]
        values: list[Piece] = []
        for piece in many:
            each = _list_member_values(piece, lexicon)
            for value in each or [piece.value]:
                known = [p.value for p in values]
                again = value in known if each or how == "joined" else value in known[-1:]
                if not again:  # e.g. "the lounge, the corridor, the lounge again"
                    values.append(replace(piece, value=value))
        rest = [p for p in step.pieces if p not in many]
        if how == "joined" and many:
            joined = ", ".join(dict.fromkeys(p.value for p in values))
            options = [
                replace(
                    o,
                    pieces=[
                        replace(many[0], value=joined),
                        *(p for p in o.pieces if p not in many),
                    ],
                )
                for o in options
            ]
        elif how == "each" and len(values) > 1:
            options = [replace(step, pieces=[value, *rest]) for value in values]
        elif how == "each" and values and values[0] not in many:
            options = [replace(step, pieces=[values[0], *rest])]
    items = [p for p in step.pieces if p.kind == "text" and lexicon.texts[p.name].shape == "noun"]
    if len(items) > 1:
        options = [
            replace(o, pieces=[item, *(p for p in o.pieces if p not in items)])
            for item in items
            for o in options
        ]
    return options
