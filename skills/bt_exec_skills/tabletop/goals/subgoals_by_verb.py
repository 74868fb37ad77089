"""Subgoals for a part of a command, by its verb."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bt_exec_skills.tabletop.display_names import display_name_or_id
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.attribute_groups import containers_of, groups_of, non_containers
from bt_exec_skills.tabletop.goals.held_object_subgoals import put_aside, put_back
from bt_exec_skills.tabletop.goals.model import Move, Phrase, Subgoal, Trouble, UnresolvedGoal
from bt_exec_skills.tabletop.goals.moves_to_places import (
    move_to_place_of,
    moves_between,
    moves_onto_table,
    moves_out_of,
    swap_moves,
)
from bt_exec_skills.tabletop.goals.object_phrases import EACH_OTHER, content_of_container
from bt_exec_skills.tabletop.goals.resolve import (
    Scope,
    objects_of,
    single_object_of,
    table_for,
    tables_of,
)
from bt_exec_skills.tabletop.goals.subgoal_factory import (
    merge_groups_into_round,
    subgoal_of_group,
    subgoal_of_moves,
)
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.tabletop.output_sentences import sentence
from bt_exec_skills.tabletop.robot import Side

__all__ = ["goals_for", "object_phrases_of", "objects_of_any"]

_USER_TRAY = "tray"
_LIFTING = ("move", "bring", "swap", "pick", "out")


def goals_for(ask: UnresolvedGoal, scope: Scope, language: str) -> list[Subgoal]:  # noqa: C901 - one case a verb
    """Return the subgoals of one part of a command.

    Raises:
        Trouble: If the command cannot be followed.
    """
    tables = [phrase for phrase in ask.themes if phrase.table]
    if tables and ask.verb in _LIFTING:
        raise Trouble("CANNOT_LIFT", what=tables[0].text)
    match ask.verb:
        case "sort":
            return _sort_subgoals(ask, scope, language)
        case "swap":
            return [_swap_subgoal(ask, scope, language)]
        case "bring":
            tray = _handover_tray(scope.now)
            names = _require_movable(objects_of_any(ask.themes, scope, some="one"), scope)
            return [subgoal_of_moves(_moves_into(names, tray), scope.now, language)]
        case "empty" if not any(phrase.table for phrase in ask.themes):
            names = _require_movable(_contained_objects(ask.themes, scope), scope)
            return [subgoal_of_moves(moves_out_of(names, scope.now), scope.now, language)]
        case "clear" | "empty":
            return _clear_subgoals(ask, scope, language)
        case "out" if ask.to is not None and ask.to.table:
            return _clear_subgoals(
                replace(ask, themes=object_phrases_of(ask), to=None), scope, language
            )
        case "out":
            names = _require_movable(
                objects_of_any(object_phrases_of(ask), _container_scope(scope)), scope
            )
            return [subgoal_of_moves(moves_out_of(names, scope.now), scope.now, language)]
        case "pick":
            names = _require_movable(objects_of_any(ask.themes, scope, some="one"), scope)
            if len(names) > 1:
                raise Trouble("ONE_HAND", names, options=names)
            thing = display_name_or_id(names[0], language)
            text = sentence("in_hand", language, things=thing)
            return [Subgoal(text, (Move(names[0]),))]
        case "put_down" | "put_back":
            return [_return_subgoal(ask, scope, language)]
        case "go":
            place = ask.themes[0]
            name = table_for(place, scope, ()) if place.table else single_object_of(place, scope)
            text = sentence("at", language, place=display_name_or_id(name, language))
            return [Subgoal(text, (Move(name, hold=False),))]
        case _:
            to = ask.to
            if to is None:
                raise Trouble("NOT_UNDERSTOOD")
            if to.part == "between":
                return _goal_between(ask, to, scope, language)
            if to.part == "vacated":
                if to.again and not scope.used:  # no earlier part moves another object
                    raise Trouble("NOTHING_BEFORE", what=to.text)
                names = _require_movable(objects_of_any(ask.themes, scope), scope)
                if len(names) > 1:
                    raise Trouble("ONE_BESIDE", names, what=to.text, options=names)
                other = single_object_of(replace(to, part=""), scope)
                moves = (move_to_place_of(names[0], other, scope),)
                return [subgoal_of_moves(moves, scope.now, language)]
            if any(phrase.in_all for phrase in ask.themes):
                ask = replace(ask, themes=tuple(_missing_objects(ask, to, scope)))
            if ask.side == "in" and (to.number == "all" or (to.count > 1 and not to.table)):
                return _distribute_subgoals(ask, to, scope, language)
            return [_move_goal(ask, scope, language)]


def _missing_objects(ask: UnresolvedGoal, to: Phrase, scope: Scope) -> Iterator[Phrase]:
    """Yield the phrases of a part, with the number of objects that are still missing at the target.

    Raises:
        Trouble: NOTHING_TO_DO if enough objects are at the target already.
    """
    target = table_for(to, scope, ()) if to.table else single_object_of(to, scope)
    for phrase in ask.themes:
        if not phrase.in_all:
            yield phrase
            continue
        every = replace(Phrase() if phrase.total else phrase, number="all", count=0, in_all=False)
        there = [one for one in objects_of(every, scope) if scope.now.is_in_place(one, target)]
        if len(there) >= phrase.count:
            raise Trouble("NOTHING_TO_DO")
        but = (*phrase.but, *(Phrase(name=one, number="some") for one in there))
        yield replace(phrase, count=phrase.count - len(there), but=but, in_all=False)


def _distribute_subgoals(
    ask: UnresolvedGoal, to: Phrase, scope: Scope, language: str
) -> list[Subgoal]:
    """Return the subgoals that distribute objects over several containers or tables.

    Raises:
        Trouble: TOO_FEW if there are fewer objects than containers; ALL_LEFT_OUT, NO_CONTAINER.
    """
    places = tables_of(to, scope) if to.table else objects_of(to, scope)
    targets = tuple(name for name in places if name not in scope.left)
    if not targets:
        raise Trouble("ALL_LEFT_OUT", what=to.text)
    if len(targets) == 1:
        return [_move_goal(replace(ask, to=Phrase(to.text, name=targets[0])), scope, language)]
    if not all(to.table or attributes_in_name(name).is_container for name in targets):
        raise Trouble("NO_CONTAINER", scope.now.containers(), what=targets[0])
    phrases = []
    for one in ask.themes:
        each = one.number == "any" or not (to.count or to.listed)
        number = one.count or int(one.number == "any")
        phrases.append(replace(one, number="all", count=number * (len(targets) if each else 1)))
    meant = set(objects_of_any(phrases, scope)) - {*targets}
    names = _require_movable(tuple(name for name in scope.now.objects if name in meant), scope)
    if len(names) < len(targets):
        wanted, there = str(len(targets)), str(len(names))
        raise Trouble("TOO_FEW", names, wanted=wanted, there=there, what=ask.themes[0].text)
    shares = [names[number :: len(targets)] for number in range(len(targets))]
    return [
        subgoal_of_moves(_moves_into(share, target), scope.now, language)
        for share, target in zip(shares, targets, strict=True)
    ]


def _return_subgoal(ask: UnresolvedGoal, scope: Scope, language: str) -> Subgoal:
    """Return the subgoal that puts the held object down, or puts objects back.

    Raises:
        Trouble: HAND_EMPTY or NOT_HELD, or as in `put_aside` and `put_back`.
    """
    held = scope.now.held
    if held is None and ask.verb == "put_back":
        scope = _after_own_moves(scope)
        names = _objects_to_put_back(ask, scope)
        return put_back(names, scope.now, language, moved=scope.used)
    if held is None:
        raise Trouble("HAND_EMPTY")
    themes = (replace(one, number="all") if one.number == "one" else one for one in ask.themes)
    meant = (
        objects_of_any(themes, scope) if ask.themes else (held,)
    )  # "the cup" is the one in the hand
    if held not in meant:
        raise Trouble("NOT_HELD", (held,), what=meant, options=(held,))
    if ask.verb == "put_down":
        return put_aside(scope.now, language)
    return put_back((held,), scope.now, language)


def _after_own_moves(scope: Scope) -> Scope:
    """Return a context in which the objects of earlier parts can be put back where they are now.

    An example is "put the apple on the tray and then back in its place".

    Raises:
        Trouble: NOT_UNDERSTOOD if the objects were swapped, so that their places are taken.
    """
    now = scope.now
    if len(set(scope.last)) < len(scope.last):
        raise Trouble("NOT_UNDERSTOOD")
    own = {name: one.pos for name, one in now.objects.items() if name in scope.used}
    if not own:
        return scope
    now = replace(now, origins={**now.origins, **own}, returnable=tuple(scope.last))
    return replace(scope, now=now)


def _objects_to_put_back(ask: UnresolvedGoal, scope: Scope) -> tuple[str, ...]:
    """Return the objects to put back: the named ones that were moved, or those moved last.

    Raises:
        Trouble: NO_ORIGIN_OF_ANY if no object was moved; NO_ORIGIN if none of the named ones was;
            WHICH_ONE.
    """
    now = scope.now
    if all(one.again for one in ask.themes):
        single = any(one.number == "one" for one in ask.themes)
        if not now.returnable:
            raise Trouble("NO_ORIGIN_OF_ANY")
        if single and len(now.returnable) > 1:
            what = ask.themes[0].text
            raise Trouble("WHICH_ONE", now.returnable, what=what, options=now.returnable)
        return now.returnable
    names: list[str] = []
    for phrase in ask.themes:
        meant = objects_of(replace(phrase, number="all", count=0), scope)
        found = tuple(name for name in meant if name in now.origins)
        if not found:
            raise Trouble("NO_ORIGIN", tuple(now.tables), what=meant)
        if phrase.number != "all" and len(found) > max(phrase.count, 1):
            raise Trouble("WHICH_ONE", found, what=phrase.text, options=found)
        names += found
    return tuple(dict.fromkeys(names))


def object_phrases_of(ask: UnresolvedGoal) -> tuple[Phrase, ...]:
    """Return the object phrases of a part; for "out", limited to the content of the container."""
    if ask.verb != "out" or ask.to is None:
        return ask.themes
    return tuple(content_of_container(one, ask.to) for one in ask.themes)


def _container_scope(scope: Scope) -> Scope:
    """Return a context limited to the containers and their objects, if there are any."""
    now = scope.now
    holders = {name: now.container_of(name) for name in now.objects}
    inside = {name for name, holder in holders.items() if holder is not None}
    kept = {
        name: one
        for name, one in now.objects.items()
        if name in inside or attributes_in_name(name).is_container
    }
    return replace(scope, now=replace(now, objects=kept)) if inside else scope


def _contained_objects(phrases: Iterable[Phrase], scope: Scope) -> tuple[str, ...]:
    """Return the objects in the containers that phrases mean.

    Raises:
        Trouble: NO_CONTAINER, or EMPTY_ALREADY.
    """
    found: list[str] = []
    names = objects_of_any(phrases, scope)
    for name in names:
        if not attributes_in_name(name).is_container:
            raise Trouble("NO_CONTAINER", scope.now.containers(), what=name)
        found += scope.now.objects_in(name)
    if not found:
        raise Trouble("EMPTY_ALREADY", what=names)
    return tuple(found)


def objects_of_any(
    phrases: Iterable[Phrase], scope: Scope, *, some: str = "all"
) -> tuple[str, ...]:
    """Return all objects that at least one of the phrases means."""
    found: dict[str, None] = {}
    for phrase in phrases:
        found.update(dict.fromkeys(objects_of(phrase, scope, some=some)))
    return tuple(found)


def _require_movable(names: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
    """Return the objects that may be moved.

    Raises:
        Trouble: CANNOT_LIFT if there are containers among them; ALL_LEFT_OUT if none may be moved.
    """
    heavy = [name for name in names if attributes_in_name(name).is_container]
    if heavy:
        raise Trouble("CANNOT_LIFT", tuple(heavy), what=tuple(heavy))
    kept = tuple(name for name in names if name not in scope.left)
    if not kept:
        raise Trouble("ALL_LEFT_OUT", what=names)
    return kept


def _move_goal(ask: UnresolvedGoal, scope: Scope, language: str) -> Subgoal:
    assert ask.to is not None
    to, side = ask.to, ask.side
    if to.table and to.relation is not None and to.relation[0] != "in":
        beside, to = to.relation  # "on the table next to the bowl"
        if beside == "between":
            raise Trouble("NOT_UNDERSTOOD")
        side = beside
    if to.table:
        if side != "in":
            raise Trouble("NO_TABLE", scope.now.containers())
        names = _require_movable(objects_of_any(ask.themes, scope), scope)
        return subgoal_of_moves(moves_onto_table(names, to, scope), scope.now, language)
    if to.kind == EACH_OTHER:
        names = _require_movable(objects_of_any(_as_all_objects(ask.themes), scope), scope)
        *others, anchor = sorted(names, key=lambda name: name != scope.now.held)
        if not others:
            raise Trouble("TOO_FEW", names, wanted="2", there="1", what=ask.themes[0].text)
        return subgoal_of_moves(_moves_into(others, anchor, side), scope.now, language)
    if not any(phrase.again for phrase in ask.themes):
        _movable_objects(
            ask.themes, scope
        )  # a missing object is reported before "which bowl?" is asked
    objects_of_any(
        (_all_of_kind(but) for but in to.but if but.kind == to.kind), scope
    )  # excluded places must be present
    moved = (
        set(_movable_objects(ask.themes, scope)) if to.rest else set()
    )  # "next to the other cup"
    target = single_object_of(to, replace(scope, used=scope.used | moved))
    holder = scope.now.container_of(target)
    if side == "next_to" and holder is not None:
        target, side = holder, "in"  # "beside" an object in a bowl means in that bowl
    names = tuple(name for name in _movable_objects(ask.themes, scope) if name != target)
    names = _require_movable(names, scope) if names else ()
    if not names:
        raise Trouble("ALL_LEFT_OUT", what=ask.text)
    if side == "in" and not attributes_in_name(target).is_container:
        raise Trouble("NO_CONTAINER", scope.now.containers(), what=target)
    if side not in ("in", "next_to") and len(names) > 1:
        raise Trouble("ONE_BESIDE", names, what=target, options=names)
    return subgoal_of_moves(_moves_into(names, target, side), scope.now, language)


def _goal_between(ask: UnresolvedGoal, to: Phrase, scope: Scope, language: str) -> list[Subgoal]:
    """Return the subgoal of a move between two objects; distribute several objects over the two.

    Raises:
        Trouble: As in `moves_between`, or as in the resolution of phrases.
    """
    ends = replace(to, part="", number="all")
    names = _require_movable(objects_of_any(ask.themes, scope), scope)
    if len(names) > 1:
        return _distribute_subgoals(ask, ends, scope, language)
    moves = moves_between(names[0], objects_of(ends, scope), scope.now)
    return [subgoal_of_moves(moves, scope.now, language)]


def _movable_objects(phrases: tuple[Phrase, ...], scope: Scope) -> tuple[str, ...]:
    """Return the objects of phrases; an ambiguous phrase means the held object if that fits."""
    held = scope.now.held
    try:
        return objects_of_any(phrases, scope)
    except Trouble as trouble:
        if trouble.code != "WHICH_ONE" or len(phrases) > 1 or held in scope.used:
            raise
        if held is None or held not in trouble.choices:
            raise
        return (held,)


def _all_of_kind(phrase: Phrase) -> Phrase:
    return replace(phrase, number="all", count=0, order="")


def _as_all_objects(phrases: Iterable[Phrase]) -> list[Phrase]:
    """Return phrases with the number ``one`` changed to ``all``, for "put the cup … together"."""
    return [replace(one, number="all" if one.number == "one" else one.number) for one in phrases]


def _moves_into(names: Iterable[str], target: str, side: Side = "in") -> tuple[Move, ...]:
    return tuple(Move(name, target, side) for name in names)


def _sort_subgoals(ask: UnresolvedGoal, scope: Scope, language: str) -> list[Subgoal]:
    """Return one subgoal for each attribute group."""
    assert ask.by is not None
    now, by = _without_containers(scope.now, scope.left), ask.by
    these = [phrase for phrase in ask.themes if not _refers_to_all(phrase, scope)]
    names = (
        objects_of_any(these, scope) if these else non_containers(now)
    )  # "sort these" without an earlier command means all objects
    names = _require_movable(names, scope) if names else ()
    if not names:
        raise Trouble("NOTHING_LIKE_THAT", tuple(now.objects), what=ask.text, options=())
    groups = groups_of(names, by)
    unknown = groups.pop("", ())
    if not groups:
        raise Trouble("NO_ATTRIBUTE", unknown, attribute=by, options=unknown)
    target = ask.to
    if target is not None and target.table:
        raise Trouble("NO_CONTAINER", now.containers(), what=target.text)
    chosen = containers_of(groups, by, now, target.kind if target is not None else "")
    found = [
        subgoal_of_group(by, value, group, chosen[value], now, language)
        for value, group in groups.items()
        if value in chosen
    ]
    remarks = []
    if unknown:
        remarks.append(Trouble("LEFT_ALONE", unknown, attribute=by, options=unknown))
    lost = tuple(name for value in groups.keys() - chosen.keys() for name in groups[value])
    if lost:
        remarks.append(Trouble("NO_PLACE_FOR", lost, options=lost))
    found[-1] = replace(found[-1], remarks=tuple(remarks))
    return merge_groups_into_round(found, now, language)


def _without_containers(now: Environment, left: set[str]) -> Environment:
    """Return an environment without the containers that must not be used."""
    kept = {
        name: one
        for name, one in now.objects.items()
        if name not in left or not attributes_in_name(name).is_container
    }
    return replace(now, objects=kept)


def _refers_to_all(phrase: Phrase, scope: Scope) -> bool:
    """Return True for "these" and "them" without antecedent, or with only the held object.

    They then mean all objects.
    """
    several = phrase.number == "all" and scope.last == (scope.now.held,)
    return phrase.again and (several or not scope.last)


def _clear_subgoals(ask: UnresolvedGoal, scope: Scope, language: str) -> list[Subgoal]:
    """Return the subgoal that clears a table.

    The target is the commanded one, the only basket or box, the only container, or the only other
    table.

    Raises:
        Trouble: WHERE_TO if there is no such target, or as in the resolution of phrases.
    """
    now = scope.now
    phrases = ask.themes or (Phrase("", number="all"),)
    names = tuple(
        name
        for name in objects_of_any(phrases, scope)
        if ask.themes or now.container_of(name) is None
    )
    if not names:
        raise Trouble("NOTHING_TO_DO")
    names = _require_movable(names, scope)
    if ask.to is None and names == (now.held,):
        return [put_aside(now, language)]
    if ask.to is not None and ask.to.table:
        return [subgoal_of_moves(moves_onto_table(names, ask.to, scope), now, language)]
    if ask.to is not None:
        return [
            subgoal_of_moves(_moves_into(names, single_object_of(ask.to, scope)), now, language)
        ]
    holders = [
        one for one in now.object_attributes() if one.is_container and one.kind != _USER_TRAY
    ]
    for kind in ("basket", "box"):
        bins = [one.name for one in holders if one.kind == kind]
        if len(bins) == 1:
            return [subgoal_of_moves(_moves_into(names, bins[0]), now, language)]
    if len(holders) == 1:
        return [subgoal_of_moves(_moves_into(names, holders[0].name), now, language)]
    here = {now.table_of(name) for name in names}
    others = tuple(now.tables.keys() - here)
    if len(here) == len(others) == 1 and any(map(_means_table_content, phrases)):
        return [subgoal_of_moves(_moves_into(names, others[0]), now, language)]
    options = (*(one.name for one in holders), *sorted(others))
    raise Trouble("WHERE_TO", options, what=ask.text, options=tuple(options))


def _means_table_content(phrase: Phrase) -> bool:
    """Return True if a phrase means the content of a table."""
    return phrase.table or (phrase.relation is not None and phrase.relation[1].table)


def _handover_tray(now: Environment) -> str:
    """Return the tray on which objects are handed over.

    Raises:
        Trouble: NO_TRAY.
    """
    trays = [one.name for one in now.object_attributes() if one.kind == _USER_TRAY]
    if not trays:
        raise Trouble("NO_TRAY", now.containers())
    return trays[0]


def _swap_subgoal(ask: UnresolvedGoal, scope: Scope, language: str) -> Subgoal:
    """Return the subgoal that swaps two objects."""
    names = _require_movable(objects_of_any(ask.themes, scope, some="one"), scope)
    if len(names) != 2:
        raise Trouble("SWAP_TWO", names, options=names)
    text = " ↔ ".join(display_name_or_id(name, language) for name in names)
    return Subgoal(text[:64], swap_moves(*names, scope.now))
