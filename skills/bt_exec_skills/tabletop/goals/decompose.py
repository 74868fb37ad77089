"""Decomposition of a command into subgoals, one per objective and attribute group.

Subgoals keep the order of the command and do not name motions. The moves within a subgoal are in
the order of the shortest path.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.held_object_subgoals import (
    with_held_object_first,
    with_held_object_put_aside,
)
from bt_exec_skills.tabletop.goals.model import Move, Phrase, Subgoal, Trouble, UnresolvedGoal
from bt_exec_skills.tabletop.goals.resolve import (
    Scope,
    containers_among,
    objects_of,
    single_object_of,
    tables_of,
)
from bt_exec_skills.tabletop.goals.subgoals_by_verb import (
    goals_for,
    object_phrases_of,
    objects_of_any,
)
from bt_exec_skills.tabletop.name_attributes import Attribute, attributes_in_name

__all__ = [
    "merge_parts",
    "most_helpful_reason",
    "moves_of",
    "subgoals_of",
    "subgoals_with_free_hand",
]


_CLEAR = (
    "WHICH_ONE", "TOO_FEW", "NO_ATTRIBUTE", "NOT_ENOUGH_CONTAINERS", "CANNOT_LIFT", "ALL_LEFT_OUT",
)  # fmt: skip
"""Codes of the most specific reasons, the most specific first."""


def subgoals_with_free_hand(
    asks: Iterable[UnresolvedGoal], now: Environment, language: str
) -> tuple[Subgoal, ...]:
    """Return the subgoals of one meaning, after putting aside the object in the hand.

    Raises:
        Trouble: If the command cannot be followed.
    """
    return with_held_object_put_aside(subgoals_of(asks, now, language), now, language)


def most_helpful_reason(troubles: Sequence[Trouble]) -> Trouble:
    """Return the most helpful of the reasons why several meanings cannot be followed."""
    for code in _CLEAR:
        for trouble in troubles:
            if trouble.code == code:
                return trouble
    return next((one for one in troubles if one.absent), troubles[0])


def moves_of(subgoals: Iterable[Subgoal]) -> frozenset[Move]:
    """Return the moves of subgoals, without order."""
    return frozenset(move for one in subgoals for move in one.moves)


def subgoals_of(
    asks: Iterable[UnresolvedGoal], now: Environment, language: str
) -> tuple[Subgoal, ...]:
    """Return the subgoals of one meaning.

    Raises:
        Trouble: If the command cannot be followed.
    """
    asked = merge_parts(asks)
    scope, spared = Scope(now), set[str]()
    for ask in asked:
        if ask.verb == "leave" and ask.to is None:
            # "not the others" needs no entry: they are not moved anyway
            named = [phrase for phrase in ask.themes if not phrase.rest]
            scope.left |= set(objects_of_any(named, scope))
            spared.update(name for one in named for name in containers_among(one, scope))
    found: list[Subgoal] = []
    done: list[Trouble] = []
    barred: set[tuple[str, str]] = set()
    back: int | None = None  # the first subgoal that returns objects
    for number, ask in enumerate(asked):
        if ask.verb in ("pick", "bring", "go", "out") and _refers_to_same_objects(
            asked[number + 1 :]
        ):
            about = objects_of_any(
                object_phrases_of(ask), scope, some="one"
            )  # "pick it up and put it there"
            place = ask.verb == "go" and all(
                attributes_in_name(name).is_container for name in about
            )
            scope.last = scope.last if place else about  # "go to the plate and put it there"
        elif ask.verb == "leave" and ask.to is not None:
            scope.last = objects_of_any(ask.themes, scope)  # "not into the bowl but onto the tray"
            targets = _all_targets(ask.to, scope)
            barred |= {(name, target) for name in scope.last for target in targets}
        elif ask.verb != "leave":
            _refuse_forbidden_targets(ask, barred, scope)
            try:
                subgoals = _without_forbidden_moves(goals_for(ask, scope, language), barred)
                done += _left_out_containers(ask, subgoals, spared, scope)
            except Trouble as trouble:
                if trouble.code != "EMPTY_ALREADY" or _refers_to_earlier_objects(
                    asked[number + 1 :]
                ):
                    raise
                done.append(trouble)
                continue
            found = _without_exceptions(found, subgoals)
            if ask.verb == "put_back":
                back = len(found)
                _refuse_taken_places(subgoals, found)
            found += subgoals if found else with_held_object_first(subgoals, now)
            scope.last = tuple(move.thing for one in subgoals for move in one.moves)
            reached = {move.target for one in subgoals for move in one.moves}
            scope.used |= {*scope.last, *(reached & now.objects.keys())}
    if not found:
        raise done[0] if done else Trouble("NOTHING_TO_DO")
    _refuse_two_targets(found[:back])
    _check_unmixed([ask.by for ask in asked if ask.verb == "sort" and ask.by], found)
    found[-1] = replace(found[-1], remarks=(*found[-1].remarks, *done))
    return tuple(found)


def _left_out_containers(
    ask: UnresolvedGoal, goals: Sequence[Subgoal], spared: set[str], scope: Scope
) -> list[Trouble]:
    """Return a note on the containers that a part describes but does not move, if there are any."""
    if ask.verb not in ("move", "out", "clear", "bring"):
        return []
    targets = {move.target for goal in goals for move in goal.moves}
    kept = {*targets, *scope.left, *spared}
    names = dict.fromkeys(
        name for one in object_phrases_of(ask) for name in containers_among(one, scope)
    )
    left = tuple(name for name in names if name not in kept)
    return [Trouble("NOT_LIFTED", left, options=left)] if left else []


def _refers_to_earlier_objects(asks: Iterable[UnresolvedGoal]) -> bool:
    """Return True if parts refer to objects of earlier parts: "empty it and put them away"."""
    return any(phrase.again or phrase.rest for ask in asks for phrase in ask.themes)


def _all_targets(to: Phrase, scope: Scope) -> tuple[str, ...]:
    """Return all containers and tables that a phrase may mean."""
    every = replace(to, number="all")
    return tables_of(every, scope) if to.table else objects_of(every, scope)


def _refuse_forbidden_targets(
    ask: UnresolvedGoal, barred: set[tuple[str, str]], scope: Scope
) -> None:
    """Check that at least one object of each phrase may be moved to the target of a part.

    Raises:
        Trouble: ALL_LEFT_OUT.
    """
    if not barred or ask.to is None:
        return
    target = single_object_of(ask.to, scope)
    for phrase in ask.themes:
        named = phrase.kind or phrase.name
        if named and all((name, target) in barred for name in objects_of_any([phrase], scope)):
            raise Trouble("ALL_LEFT_OUT", what=phrase.text)


def _without_forbidden_moves(
    goals: Iterable[Subgoal], barred: set[tuple[str, str]]
) -> list[Subgoal]:
    """Return the subgoals without the moves in `barred`, given as pairs of object and target."""
    kept = [
        replace(
            one, moves=tuple(move for move in one.moves if (move.thing, move.target) not in barred)
        )
        for one in goals
    ]
    return [one for one in kept if one.moves]


def _without_exceptions(found: list[Subgoal], later: Sequence[Subgoal]) -> list[Subgoal]:
    """Return subgoals without the objects that a later part of a command moves elsewhere.

    An example is "put the cups on the plate, but the yellow one in the bowl".
    """
    apart = {move.thing for one in later for move in one.moves if move.target}
    kept = []
    for one in found:
        moves = tuple(move for move in one.moves if move.thing not in apart)
        kept.append(replace(one, moves=moves) if moves else one)
    return kept


def _refers_to_same_objects(rest: tuple[UnresolvedGoal, ...]) -> bool:
    """Return True if the next part is about the same objects: "… and put it in the bowl"."""
    return bool(rest) and any(theme.again for theme in rest[0].themes)


def _refuse_taken_places(returns: Sequence[Subgoal], found: Sequence[Subgoal]) -> None:
    """Check that no object is put back to a place where an earlier part puts another one.

    Raises:
        Trouble: NOT_UNDERSTOOD.
    """
    taken = {(one.target, one.spot) for goal in found for one in goal.moves if one.spot}
    if any((one.target, one.spot) in taken for goal in returns for one in goal.moves):
        raise Trouble("NOT_UNDERSTOOD")


def _refuse_two_targets(found: list[Subgoal]) -> None:
    """Check that no object has two target places.

    Raises:
        Trouble: TWO_PLACES.
    """
    places: dict[str, Move] = {}
    for one in found:
        last = {move.thing: move for move in one.moves if move.target}
        for move in last.values():
            other = places.setdefault(move.thing, move)
            if (other.target, other.side, other.spot) != (move.target, move.side, move.spot):
                options = (other.target, move.target)
                raise Trouble("TWO_PLACES", what=move.thing, options=options)


def _check_unmixed(sorted_by: list[Attribute], found: list[Subgoal]) -> None:
    """Check that parts that sort by the same attribute do not put two groups into one container.

    Raises:
        Trouble: NOT_UNDERSTOOD.
    """
    for by in {one for one in sorted_by if sorted_by.count(one) > 1}:
        groups: dict[str, str] = {}
        for move in (move for one in found for move in one.moves):
            value = attributes_in_name(move.thing).value(by)
            if value and groups.setdefault(move.target, value) != value:
                raise Trouble("NOT_UNDERSTOOD")


def merge_parts(asks: Iterable[UnresolvedGoal]) -> tuple[UnresolvedGoal, ...]:
    """Return the parts of a command, after merging parts that describe one goal.

    In "clean up the left table, put everything there", the first part selects the objects and the
    second one their target. A second part with its own objects ("put the cups there") is not
    merged. "Go to the tray and put it down" is one move. "The right one" after a table means a
    table.
    """
    found: list[UnresolvedGoal] = []
    for ask in asks:
        if ask.verb == "put_down" and found and found[-1].verb == "go":
            it = ask.themes or (Phrase("", again=True),)
            ask = replace(ask, verb="move", themes=it, to=found.pop().themes[0])
        if found and found[-1].verb == "put_down" and _moves_same_objects(ask):
            found.pop()  # "put it down, and put it back"
        if found and _clears_without_target(found[-1]) and _names_target_of_previous(ask):
            ask = _merged_part(found.pop(), ask)
        found.append(_choose_among_tables(ask))
    return tuple(found)


def _moves_same_objects(ask: UnresolvedGoal) -> bool:
    """Return True if a part puts down the held object, or gives a place to the same objects."""
    again = bool(ask.themes) and all(theme.again for theme in ask.themes)
    return ask.verb == "put_down" or (ask.verb in ("put_back", "move") and again)


def _clears_without_target(ask: UnresolvedGoal) -> bool:
    """Return True if a part clears a place without naming a target."""
    return ask.verb in ("clear", "empty") and ask.to is None


def _names_target_of_previous(ask: UnresolvedGoal) -> bool:
    """Return True if a part names the target of all objects of the previous part."""
    if ask.verb != "move" or ask.to is None or ask.side != "in" or len(ask.themes) != 1:
        return False
    (theme,) = ask.themes
    named = theme.kind or theme.values or theme.name or theme.count or theme.order or theme.relation
    return theme.again or (theme.number == "all" and not named and not theme.table)


def _merged_part(first: UnresolvedGoal, then: UnresolvedGoal) -> UnresolvedGoal:
    """Return one part that moves the objects of the first part to the target of the second one."""
    if then.to in first.themes:
        raise Trouble("NOT_UNDERSTOOD")  # "empty the bowl, put everything there"
    text = f"{first.text}, {then.text}"
    but = then.themes[0].but
    if not first.themes:
        if not but:
            return replace(first, text=text, to=then.to)
        return replace(then, text=text)
    holds = first.verb == "empty" or any(theme.table for theme in first.themes)
    themes = tuple(
        Phrase(then.themes[0].text, number="all", relation=("in", theme), but=but)
        if holds
        else replace(theme, but=(*theme.but, *but))
        for theme in first.themes
    )
    return replace(then, text=text, themes=themes)


def _choose_among_tables(ask: UnresolvedGoal) -> UnresolvedGoal:
    """Return a part in which "the right one" is a table, if it moves the objects of a table."""
    to = ask.to
    if to is None or not to.order or to.kind or to.values or to.name or to.relation or to.table:
        return ask
    tables = [theme.table or (theme.relation and theme.relation[1].table) for theme in ask.themes]
    return replace(ask, to=replace(to, table=True)) if tables and all(tables) else ask
