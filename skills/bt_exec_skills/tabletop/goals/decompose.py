"""From what a command asks to subgoals: one for each objective, one for each attribute group.

Subgoals keep the order of the command and name no motion; the moves in one go the shortest way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bt_exec_skills.tabletop.environment import Environment, Point
from bt_exec_skills.tabletop.goals.groups import containers_of, groups_of, things
from bt_exec_skills.tabletop.goals.model import Ask, Move, Phrase, Subgoal, Trouble
from bt_exec_skills.tabletop.goals.phrases import taken_from
from bt_exec_skills.tabletop.goals.places import changed_places, onto_table, out_of
from bt_exec_skills.tabletop.goals.resolve import Scope, one_of, table_for, things_of
from bt_exec_skills.tabletop.names import Attribute, looks_of
from bt_exec_skills.tabletop.robot import Side

__all__ = ["decompose", "shortest", "subgoals_of"]

_USER_TRAY = "tray"
_LIFTING = ("move", "bring", "swap", "pick", "out")


def decompose(
    readings: Sequence[tuple[Ask, ...]], now: Environment, language: str
) -> tuple[Subgoal, ...]:
    """Return the subgoals of a command that may be meant in several ways.

    The objects that are there decide: a reading that means nothing here is none.

    Raises:
        Trouble: Why none can be followed; WHICH_WAY if several can, and ask for different things.
    """
    found: list[tuple[Subgoal, ...]] = []
    troubles: list[Trouble] = []
    for asks in readings:
        try:
            subgoals = subgoals_of(asks, now, language)
        except Trouble as trouble:
            troubles.append(trouble)
        else:
            if all(_moves(subgoals) != _moves(other) for other in found):
                found.append(subgoals)
    if not found:
        raise _clearest(troubles)
    if len(found) > 1:
        ways = tuple("; ".join(one.text for one in subgoals) for subgoals in found)
        raise Trouble("WHICH_WAY", ways, options=" / ".join(ways[:3]))
    return found[0]


def _clearest(troubles: list[Trouble]) -> Trouble:
    order = ("WHICH_ONE", "TOO_FEW", "NO_ATTRIBUTE", "NOT_ENOUGH_CONTAINERS", "CANNOT_LIFT")
    for code in order:
        for trouble in troubles:
            if trouble.code == code:
                return trouble
    return troubles[0]


def _moves(subgoals: Iterable[Subgoal]) -> frozenset[Move]:
    return frozenset(move for one in subgoals for move in one.moves)


def subgoals_of(asks: Iterable[Ask], now: Environment, language: str) -> tuple[Subgoal, ...]:
    """Return the subgoals of one reading.

    Raises:
        Trouble: Why it cannot be followed.
    """
    asked = tuple(asks)
    scope = Scope(now)
    for ask in asked:
        if ask.verb == "leave" and ask.to is None:
            named = [phrase for phrase in ask.themes if not phrase.rest]  # the rest is left anyway
            scope.left |= set(_all_of(named, scope))
    found: list[Subgoal] = []
    barred: set[tuple[str, str]] = set()
    for number, ask in enumerate(asked):
        if ask.verb in ("pick", "bring", "go", "out") and _goes_on(asked[number + 1 :]):
            scope.last = _all_of(_themes(ask), scope, some="one")  # "pick it up and put it there"
        elif ask.verb == "leave" and ask.to is not None:
            scope.last = _all_of(ask.themes, scope)  # "not into the bowl but onto the tray"
            target = one_of(ask.to, scope)
            barred |= {(name, target) for name in scope.last}
        elif ask.verb != "leave":
            subgoals = _allowed(_of(ask, scope, language), barred)
            found += subgoals
            scope.last = tuple(move.thing for one in subgoals for move in one.moves)
            scope.used |= set(scope.last)
    if not found:
        raise Trouble("NOTHING_TO_DO")
    _check_once(found)
    return tuple(found)


def _allowed(goals: Iterable[Subgoal], barred: set[tuple[str, str]]) -> list[Subgoal]:
    """Return the subgoals without the moves that were forbidden: thing and where it may not go."""
    kept = [
        replace(
            one, moves=tuple(move for move in one.moves if (move.thing, move.target) not in barred)
        )
        for one in goals
    ]
    return [one for one in kept if one.moves]


def _goes_on(rest: tuple[Ask, ...]) -> bool:
    """Whether the next part is about the same things: "… and put it in the bowl"."""
    return bool(rest) and any(theme.again for theme in rest[0].themes)


def _check_once(found: list[Subgoal]) -> None:
    """Refuse two places for one thing."""
    places: dict[str, Move] = {}
    for one in found:
        last = {move.thing: move for move in one.moves if move.target}
        for move in last.values():
            other = places.setdefault(move.thing, move)
            if (other.target, other.side, other.spot) != (move.target, move.side, move.spot):
                options = f"{other.target}, {move.target}"
                raise Trouble("TWO_PLACES", what=move.thing, options=options)


def _of(ask: Ask, scope: Scope, language: str) -> list[Subgoal]:
    tables = [phrase for phrase in ask.themes if phrase.table]
    if tables and ask.verb in _LIFTING:
        raise Trouble("CANNOT_LIFT", what=tables[0].text)
    match ask.verb:
        case "sort":
            return _sorted(ask, scope, language)
        case "swap":
            return [_swapped(ask, scope)]
        case "bring":
            tray = _tray(scope.now)
            names = _loose(_all_of(ask.themes, scope, some="one"), scope)
            return [_goal(_into(names, tray), scope.now, language)]
        case "empty" if not any(phrase.table for phrase in ask.themes):
            names = _loose(_content(ask.themes, scope), scope)
            return [_goal(out_of(names, scope.now), scope.now, language)]
        case "clear" | "empty":
            return _cleared(ask, scope, language)
        case "out" if ask.to is not None and ask.to.table:
            return _cleared(replace(ask, themes=_themes(ask), to=None), scope, language)
        case "out":
            names = _loose(_all_of(_themes(ask), scope), scope)
            return [_goal(out_of(names, scope.now), scope.now, language)]
        case "pick":
            names = _loose(_all_of(ask.themes, scope, some="one"), scope)
            if len(names) > 1:
                raise Trouble("ONE_HAND", names, options=", ".join(names))
            thing = _short(names[0])
            text = f"{thing} in the hand" if language == "en" else f"{thing} → 손"
            return [Subgoal(text, (Move(names[0]),))]
        case "go":
            place = ask.themes[0]
            name = table_for(place, scope, ()) if place.table else one_of(place, scope)
            text = f"at {_short(name)}" if language == "en" else f"{_short(name)} 앞"
            return [Subgoal(text, (Move(name, hold=False),))]
        case _:
            return [_moved(ask, scope, language)]


def _themes(ask: Ask) -> tuple[Phrase, ...]:
    """Return what an ask is about; what is taken out of something is what lies in it."""
    if ask.verb != "out" or ask.to is None:
        return ask.themes
    return tuple(taken_from(one, ask.to) for one in ask.themes)


def _content(phrases: Iterable[Phrase], scope: Scope) -> tuple[str, ...]:
    """Return what lies in containers.

    Raises:
        Trouble: NO_CONTAINER, or NOTHING_TO_DO if they are empty.
    """
    found: list[str] = []
    for name in _all_of(phrases, scope):
        if not looks_of(name).holds_things:
            raise Trouble("NO_CONTAINER", scope.now.containers(), what=name)
        found += scope.now.content(name)
    if not found:
        raise Trouble("NOTHING_TO_DO")
    return tuple(found)


def _all_of(phrases: Iterable[Phrase], scope: Scope, *, some: str = "all") -> tuple[str, ...]:
    found: dict[str, None] = {}
    for phrase in phrases:
        found.update(dict.fromkeys(things_of(phrase, scope, some=some)))
    return tuple(found)


def _loose(names: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
    """Return the things that may be moved; refuse containers.

    Raises:
        Trouble: CANNOT_LIFT, or ALL_LEFT_OUT if every one is to be left alone.
    """
    heavy = [name for name in names if looks_of(name).holds_things]
    if heavy:
        raise Trouble("CANNOT_LIFT", tuple(heavy), what=", ".join(heavy))
    kept = tuple(name for name in names if name not in scope.left)
    if not kept:
        raise Trouble("ALL_LEFT_OUT", what=", ".join(names))
    return kept


def _moved(ask: Ask, scope: Scope, language: str) -> Subgoal:
    assert ask.to is not None
    to, side = ask.to, ask.side
    if to.table and to.relation is not None and to.relation[0] != "in":
        side, to = to.relation  # "on the table next to the bowl"
    if to.table:
        if side != "in":
            raise Trouble("NO_TABLE", scope.now.containers())
        names = _loose(_all_of(ask.themes, scope), scope)
        return _goal(onto_table(names, to, scope), scope.now, language)
    target = one_of(to, scope)
    names = tuple(name for name in _all_of(ask.themes, scope) if name != target)
    names = _loose(names, scope) if names else ()
    if not names:
        raise Trouble("ALL_LEFT_OUT", what=ask.text)
    if side == "in" and not looks_of(target).holds_things:
        raise Trouble("NO_CONTAINER", scope.now.containers(), what=target)
    if side not in ("in", "next_to") and len(names) > 1:
        raise Trouble("ONE_BESIDE", names, what=target, options=", ".join(names))
    return _goal(_into(names, target, side), scope.now, language)


_RELATIONS = {
    "in": ("in", ""),
    "next_to": ("next to", "옆"),
    "left_of": ("left of", "왼쪽"),
    "right_of": ("right of", "오른쪽"),
    "in_front_of": ("in front of", "앞"),
    "behind": ("behind", "뒤"),
}


def _into(names: Iterable[str], target: str, side: Side = "in") -> tuple[Move, ...]:
    return tuple(Move(name, target, side) for name in names)


def _goal(moves: tuple[Move, ...], now: Environment, language: str) -> Subgoal:
    """Return the subgoal of things that go to one place, or each out of its own."""
    names, targets = [move.thing for move in moves], {move.target for move in moves}
    said, into = ", ".join(map(_short, names)), ", ".join(map(_short, sorted(targets)))
    if len(names) > 2 or len(said) > 40:
        said = f"{len(names)} things" if language == "en" else f"물건 {len(names)}개"
    english, korean = _RELATIONS[moves[0].side]
    if targets <= now.tables.keys():
        english = "on"
    text = f"{said} {english} {into}" if language == "en" else f"{said} → {into} {korean}".strip()
    return Subgoal(text[:64], shortest(moves, now))


def _sorted(ask: Ask, scope: Scope, language: str) -> list[Subgoal]:
    """Return one subgoal for each attribute group."""
    assert ask.by is not None
    now, by = scope.now, ask.by
    names = _all_of(ask.themes, scope) if ask.themes else things(now)
    names = tuple(name for name in names if not looks_of(name).holds_things)
    names = _loose(names, scope) if names else ()
    if not names:
        raise Trouble("NOTHING_LIKE_THAT", tuple(now.objects), what=ask.text, options="-")
    groups = groups_of(names, by)
    if "" in groups:
        unknown = groups[""]
        raise Trouble("NO_ATTRIBUTE", unknown, attribute=by, options=", ".join(unknown))
    target = ask.to
    if target is not None and target.table:
        raise Trouble("NO_CONTAINER", now.containers(), what=target.text)
    chosen = containers_of(groups, by, now, target.kind if target is not None else "")
    return [
        _group_goal(by, value, group, chosen[value], now, language)
        for value, group in groups.items()
    ]


def _group_goal(
    by: Attribute, value: str, group: tuple[str, ...], target: str, now: Environment, language: str
) -> Subgoal:
    korean = {
        "red": "빨간",
        "green": "초록",
        "blue": "파란",
        "yellow": "노란",
        "orange": "주황",
        "purple": "보라",
        "pink": "분홍",
        "white": "흰",
        "black": "검은",
        "brown": "갈색",
        "grey": "회색",
        "small": "작은",
        "medium": "중간",
        "big": "큰",
        "cube": "큐브",
        "cylinder": "원기둥",
        "ball": "공",
    }
    into = _short(target)
    if language == "ko":
        noun = korean.get(value, value)
        text = f"{noun} → {into}" if by == "shape" else f"{noun} 것 → {into}"
    else:
        text = f"{value}s in {into}" if by == "shape" else f"{value} things in {into}"
    return Subgoal(text[:64], shortest(tuple(Move(name, target) for name in group), now))


def _cleared(ask: Ask, scope: Scope, language: str) -> list[Subgoal]:
    """Return the subgoal of what lies about: into the one container, or on the one other table."""
    now = scope.now
    phrases = ask.themes or (Phrase("", number="all"),)
    names = tuple(
        name for name in _all_of(phrases, scope) if ask.themes or now.holder(name) is None
    )
    if not names:
        raise Trouble("NOTHING_TO_DO")
    names = _loose(names, scope)
    if ask.to is not None and ask.to.table:
        return [_goal(onto_table(names, ask.to, scope), now, language)]
    if ask.to is not None:
        return [_goal(_into(names, one_of(ask.to, scope)), now, language)]
    holders = [one for one in now.looks() if one.holds_things and one.kind != _USER_TRAY]
    for kind in ("basket", "box"):
        bins = [one.name for one in holders if one.kind == kind]
        if len(bins) == 1:
            return [_goal(_into(names, bins[0]), now, language)]
    if len(holders) == 1:
        return [_goal(_into(names, holders[0].name), now, language)]
    here = {now.table_of(name) for name in names}
    others = tuple(now.tables.keys() - here)
    if len(here) == len(others) == 1 and any(map(_of_table, phrases)):
        return [_goal(_into(names, others[0]), now, language)]
    options = (*(one.name for one in holders), *sorted(others))
    raise Trouble("WHERE_TO", options, what=ask.text, options=", ".join(options) or "-")


def _of_table(phrase: Phrase) -> bool:
    """Whether a phrase is about what is on a table."""
    return phrase.table or (phrase.relation is not None and phrase.relation[1].table)


def _tray(now: Environment) -> str:
    """Return where things are brought to people.

    Raises:
        Trouble: NO_TRAY.
    """
    trays = [one.name for one in now.looks() if one.kind == _USER_TRAY]
    if not trays:
        raise Trouble("NO_TRAY", now.containers())
    return trays[0]


def _swapped(ask: Ask, scope: Scope) -> Subgoal:
    """Return the subgoal of two things that change places."""
    names = _loose(_all_of(ask.themes, scope, some="one"), scope)
    if len(names) != 2:
        raise Trouble("SWAP_TWO", names, options=", ".join(names))
    text = " ↔ ".join(map(_short, names))
    return Subgoal(text[:64], changed_places(*names, scope.now))


def _short(name: str) -> str:
    """Return a name as people say it: without the prefix that all names share."""
    return name.removeprefix("object_")


def shortest(moves: tuple[Move, ...], now: Environment) -> tuple[Move, ...]:
    """Return the same moves, the nearest thing next each time; the result is the same.

    A swap keeps its order: a thing that moves twice.
    """
    if len({move.thing for move in moves}) < len(moves):
        return moves
    here = Point(now.base.x, now.base.y, 0.0) if now.base is not None else None
    left, found = list(moves), []
    while left:
        best = left[0]
        if here is not None:
            spot = here
            best = min(left, key=lambda move: now.objects[move.thing].pos.flat(spot))
        left.remove(best)
        found.append(best)
        here = now.at(best.target) or now.at(best.thing) or here
    return tuple(found)
