"""Order of the values of an act: "look everywhere, starting with the lounge"."""

from __future__ import annotations

from dataclasses import replace

from bt_exec_llm.offline.exclusions import REST, find_only_other_value, usual_values
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.phrases_to_pieces import ARMS
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import FIRST, LAST, RANKS, Piece

__all__ = ["apply_value_order"]


def apply_value_order(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps whose values are in the order that the command requests.

    Raises:
        NoStepsError: If only the last of several values is named.
    """
    for at, step in enumerate(steps):
        _check_round(step, lexicon)
        if _repeats_act(step, steps[:at], lexicon):
            raise NoStepsError  # "patrol, but start with the lounge": one act, not two
    split = (one for step in steps for one in _one_after_the_other(step, lexicon))
    return [_in_order(_with_ranks(step, lexicon), lexicon) for step in split]


def _one_after_the_other(step: Step, lexicon: Lexicon) -> list[Step]:
    """Return one step for each of two values if one of them is ranked first or last.

    An example is "bring both arms home, the right one first". Other steps are returned alone.
    """
    ranked = [one for one in step.pieces if one.mark in RANKS]
    others = [one for one in step.pieces if one not in ranked and one.name != ARMS]
    second = find_only_other_value(ranked[0], lexicon) if len(ranked) == 1 else ""
    if not second or not step.positive or any(one.kind in ("noun", "value") for one in others):
        return [step]
    pair = [ranked[0].with_mark(""), replace(ranked[0], value=second, mark="")]
    pair = pair if ranked[0].mark == FIRST else pair[::-1]
    return [replace(step, pieces=[one, *others]) for one in pair]


def _check_round(step: Step, lexicon: Lexicon) -> None:
    """Raise NoStepsError for a round, such as a patrol, at the place where missions end."""
    ways = (lexicon.ways.get(verb) for verb in step.verbs)
    values = (lexicon.values.get(one.name, {}).get(one.value) for one in step.pieces)
    ends = any(value is not None and value.home for value in values)
    if ends and any(way is not None and way.about for way in ways):
        raise NoStepsError


def _repeats_act(step: Step, before: list[Step], lexicon: Lexicon) -> bool:
    """Return True if a step only repeats an earlier act and names the place to begin with."""
    each = lexicon.list_types("each")
    marks = {piece.mark for piece in step.pieces if piece.name in each}
    own = {lexicon.general_verb(verb) for verb in step.verbs}
    known = {lexicon.general_verb(verb) for one in before for verb in one.verbs}
    return marks == {FIRST} and bool(own & known)


def _with_ranks(step: Step, lexicon: Lexicon) -> Step:
    """Return a step with its place marked first or last if its verb begins or ends a round."""
    each = lexicon.list_types("each")
    ranks = {verb.ranks for verb in lexicon.known_verbs(step.verbs)} - {""}
    if len(ranks) != 1:
        return step
    (rank,) = ranks
    marks = ("", "not", *RANKS)
    pieces = [
        one.with_mark(rank) if one.name in each and one.mark not in marks else one
        for one in step.pieces
    ]
    return replace(step, pieces=pieces)


def _in_order(step: Step, lexicon: Lexicon) -> Step:
    ranked = [one for one in step.pieces if one.mark in RANKS]
    if not ranked:
        return step
    kinds = {one.name for one in ranked}
    others = [one for one in step.pieces if one.name in kinds and one not in ranked]
    kept = [one for one in step.pieces if one not in (*ranked, *others)]
    wanted = [one for one in others if one.mark != "not"] or usual_values(step, lexicon)
    if any(one.mark == REST for one in kept):
        return replace(step, pieces=[_without_rank(one) for one in step.pieces])
    if not wanted and (any(one.mark == LAST for one in ranked) or not step.positive):
        raise NoStepsError
    every = [
        replace(one, value=value)
        for one in wanted
        for value in lexicon.values[one.name][one.value].each or [one.value]
    ]
    ranked = [
        _with_only_possible_value(one, {other.value for other in every}, lexicon) for one in ranked
    ]
    said = {one.value for one in ranked}
    between = [one for one in every if one.value not in said]
    first, last = ([_without_rank(one) for one in ranked if one.mark == mark] for mark in RANKS)
    denied = [one for one in others if one.mark == "not"]
    return replace(step, pieces=[*first, *between, *last, *denied, *kept])


def _with_only_possible_value(piece: Piece, values: set[str], lexicon: Lexicon) -> Piece:
    """Return a piece such as "the west end" with the value in `values` that it means, if unique."""
    meant = values & {*lexicon.values[piece.name][piece.value].after.values()}
    return replace(piece, value=meant.pop()) if len(meant) == 1 else piece


def _without_rank(piece: Piece) -> Piece:
    return piece.with_mark("at" if piece.mark in (FIRST, LAST) else piece.mark)
