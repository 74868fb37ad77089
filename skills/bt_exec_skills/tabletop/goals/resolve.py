"""Resolution of phrases to present objects.

Nothing is guessed: an ambiguous phrase leads to a question, and a missing object is refused with a
list of present ones. "Left" and "nearest" are relative to the pose of the robot.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bt_exec_skills.tabletop.environment_state import Environment, Point
from bt_exec_skills.tabletop.goals.attribute_groups import non_containers
from bt_exec_skills.tabletop.goals.model import Phrase, Relation, Trouble
from bt_exec_skills.tabletop.lexicon import lexicon
from bt_exec_skills.tabletop.name_attributes import (
    CONTAINERS,
    SIZES,
    NameAttributes,
    attributes_in_name,
)
from bt_exec_skills.tabletop.placement_search import is_beside, is_between

__all__ = [
    "Scope",
    "containers_among",
    "count_in",
    "objects_of",
    "single_object_of",
    "table_for",
    "tables_of",
]

_ANY_SIZE = "medium"
_FULL = ("fullest", "emptiest")
_BEHIND_RAD, _SAME_RAD = 2.6, 0.03


@dataclass
class Scope:
    """Context for the phrases of one command.

    Attributes:
        now: Current environment.
        used: Objects of earlier parts of the command.
        last: Objects of the previous part.
        left: Objects that must not be moved.
    """

    now: Environment
    used: set[str] = field(default_factory=set)
    last: tuple[str, ...] = ()
    left: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Use an object in the hand as the first antecedent of "it"."""
        if not self.last and self.now.held is not None:
            self.last = (self.now.held,)


def objects_of(phrase: Phrase, scope: Scope, *, some: str = "all") -> tuple[str, ...]:
    """Return the objects that a phrase means, at least one.

    Args:
        phrase: The phrase.
        scope: Environment and context.
        some: Whether "some" means ``all`` of them, or just ``one``.

    Raises:
        Trouble: NOTHING_LIKE_THAT, TOO_FEW, WHICH_ONE, NOTHING_BEFORE or ALL_LEFT_OUT.
    """
    found = _matching_objects(phrase, scope)
    if not found:
        raise _trouble_without_match(phrase, scope)
    if phrase.table:
        return found
    number = some if phrase.number == "some" else phrase.number
    if phrase.count or phrase.share:
        return _limit_to_quantity(found, phrase, scope)
    if phrase.order in ("left", "right") and number == "all" and len(found) > 1 == phrase.rank:
        found = _objects_on_tables(_tables_on_side(phrase, scope), found, scope.now)
        if not found:
            raise _trouble_without_match(phrase, scope)
        return found
    if phrase.near is not None and phrase.order not in _FULL:
        found = tuple(name for name in found if name != single_object_of(phrase.near, scope))
    if _is_on_table_of_another_side(found, phrase, scope):
        raise _trouble_without_match(phrase, scope)
    if phrase.order and found:
        alike = number == "all" and phrase.rank == 1
        best = _of_best_size(found, phrase.order) if alike else ()
        return best or (_extreme_object(found, phrase, scope),)
    if number == "all" or phrase.again or len(found) == 1:
        return found
    if number == "any":
        return _sort_by_distance(found, scope)[:1]
    raise Trouble("WHICH_ONE", found, what=phrase.text, options=found)


def _is_on_table_of_another_side(found: tuple[str, ...], phrase: Phrase, scope: Scope) -> bool:
    """Return True if the only match of "the left ball" is on a table that is not on the left."""
    now, order = scope.now, phrase.order
    if len(found) != 1 or order not in ("left", "right") or len(now.tables) < 2 or now.base is None:
        return False
    table = now.table_of(found[0])
    return table is not None and table not in _tables_on_side(phrase, scope)


def _tables_on_side(phrase: Phrase, scope: Scope) -> tuple[str, ...]:
    """Return the table on the side that a phrase names, as in "all things on the left"."""
    side = replace(phrase, number="one", table=True, values={}, relation=None, rest=False, but=())
    return tables_of(side, scope)


def _limit_to_quantity(found: tuple[str, ...], phrase: Phrase, scope: Scope) -> tuple[str, ...]:
    """Return as many of the found objects as a phrase asks for."""
    there = str(len(found))
    if phrase.share and len(found) % phrase.share:
        raise Trouble("UNEVEN", found, there=there, what=phrase.text)
    count = len(found) // phrase.share if phrase.share else phrase.count
    if len(found) < count and not phrase.up_to:
        raise Trouble("TOO_FEW", found, wanted=str(count), there=there, what=phrase.text)
    if phrase.definite and len(found) > count and not phrase.order:
        raise Trouble("WHICH_ONE", found, what=phrase.text, options=found)
    return _order_by_phrase(found, phrase, scope)[:count]


def single_object_of(phrase: Phrase, scope: Scope) -> str:
    """Return the one object that a phrase means.

    Raises:
        Trouble: As in `objects_of`; WHICH_ONE for several objects.
    """
    return _require_single(objects_of(phrase, scope, some="one"), phrase)


def _matching_objects(phrase: Phrase, scope: Scope) -> tuple[str, ...]:
    """Return every object that matches a phrase, perhaps none."""
    now = scope.now
    if phrase.listed:
        found = tuple(dict.fromkeys(n for one in phrase.listed for n in objects_of(one, scope)))
        return found if phrase.relation is None else _in_relation(found, phrase.relation, scope)
    if phrase.name:
        named = (phrase.name,) if phrase.name in now.objects else ()
        if phrase.relation is None or phrase.table:
            return named
        return _in_relation(named, phrase.relation, scope)
    if phrase.again:
        if not scope.last:
            raise Trouble("NOTHING_BEFORE", what=phrase.text)
        looks = map(attributes_in_name, scope.last)
        return tuple(one.name for one in looks if _has_attributes_of(one, phrase, any_kind=True))
    if phrase.table:
        return _objects_on_tables(tables_of(phrase, scope), non_containers(now), now)
    return _objects_with_properties(phrase, scope)


def _objects_with_properties(
    phrase: Phrase, scope: Scope, *, strict: bool = True
) -> tuple[str, ...]:
    """Return every object with the properties that a phrase describes.

    Unless `strict`, exceptions may be objects of another kind.
    """
    now = scope.now
    found = [one for one in now.object_attributes() if _has_attributes_of(one, phrase)]
    if phrase.held:
        return _held_if_matching(found, phrase, now)
    if phrase.kind and any(one.kind == phrase.kind for one in found):
        # a cup, too, matches "cylinder" by its shape
        found = [one for one in found if one.kind == phrase.kind]
    if phrase.index is not None:  # "cube 0" prefers ``cube_0`` to ``red_cube_0``
        found = [one for one in found if _has_no_other_attributes(one, phrase)] or found
    if phrase.rest:
        if not (scope.used or scope.left or scope.last):
            raise Trouble("NOTHING_BEFORE", what=phrase.text)
        found = [one for one in found if one.name not in scope.used | scope.left]
    found = _objects_like_earlier(found, phrase)
    if phrase.content:
        found = [
            one
            for one in found
            if one.is_container and bool(now.objects_in(one.name)) == (phrase.content == "some")
        ]
    if phrase.relation is not None:
        related = _in_relation(tuple(one.name for one in found), phrase.relation, scope)
        found = [one for one in found if one.name in related]
    return _without_exceptions(found, phrase, scope, strict=strict)


def containers_among(phrase: Phrase, scope: Scope) -> tuple[str, ...]:
    """Return the containers that a phrase without a noun also describes.

    "All the blue things" describes the blue bowl, too, although containers are not moved. A phrase
    with a noun gives none.
    """
    if phrase.kind or phrase.name or phrase.again or phrase.table or phrase.listed or phrase.like:
        return ()
    if phrase.number not in ("all", "some") or phrase.count or phrase.held:
        return ()
    if phrase.order and (phrase.order not in ("left", "right") or phrase.number != "all"):
        return ()
    found: dict[str, None] = {}
    for kind in {attributes_in_name(name).kind for name in scope.now.containers()}:
        try:
            found.update(
                dict.fromkeys(
                    _objects_with_properties(_limit_to_kind(phrase, kind), scope, strict=False)
                )
            )
        except Trouble as trouble:
            if trouble.code != "ALL_LEFT_OUT":
                raise
    names = tuple(name for name in scope.now.containers() if name in found)
    if not phrase.order:
        return names
    tables = _tables_on_side(phrase, scope)
    return tuple(name for name in names if scope.now.table_of(name) in tables)


def _limit_to_kind(phrase: Phrase, kind: str) -> Phrase:
    """Limit a phrase, and its exceptions that name no kind, to objects of a kind."""
    but = (one if one.kind or one.name else replace(one, kind=kind) for one in phrase.but)
    return replace(phrase, kind=kind, but=tuple(but))


def _objects_like_earlier(found: list[NameAttributes], phrase: Phrase) -> list[NameAttributes]:
    """Return the objects of an elliptical phrase that match the earlier noun, or all of them.

    Raises:
        Trouble: WHICH_ONE if it is unclear whether the phrase repeats the earlier noun;
            ALL_LEFT_OUT if "the rest" of the earlier objects is empty.
    """
    close = [
        one for one in found if phrase.like is not None and _has_attributes_of(one, phrase.like)
    ]
    if close and len(close) < len(found) and not phrase.sure:
        names = tuple(one.name for one in found)
        raise Trouble("WHICH_ONE", names, what=phrase.text, options=names)
    if not close and phrase.like is not None and phrase.rest and phrase.sure:
        raise Trouble("ALL_LEFT_OUT", what=phrase.text)
    return close or found


def _without_exceptions(
    found: Iterable[NameAttributes], phrase: Phrase, scope: Scope, *, strict: bool
) -> tuple[str, ...]:
    """Return the objects that are not exceptions of a phrase.

    Raises:
        Trouble: ALL_LEFT_OUT if all objects are exceptions; NOT_AMONG if one of several exceptions
            excludes nothing, as the ball in "every cube but the big one and the ball".
    """
    names = tuple(one.name for one in found)
    single = phrase.number == "one" and len(names) == 1
    out = set[str]()
    for but in phrase.but if names else ():
        if single and but.order in ("biggest", "smallest") and phrase.kind:
            continue  # "the blue ball, not the smallest thing" contrasts it with other objects
        named = (_matching_objects if but.number == "some" else objects_of)(but, scope)
        left = {one for one in named if not but.order or one == _extreme_object(names, but, scope)}
        if strict and phrase.kind and len(phrase.but) > 1 and left.isdisjoint(names):
            raise Trouble("NOT_AMONG", what=phrase.text, other=but.text or ", ".join(named))
        out |= left
    kept = tuple(name for name in names if name not in out)
    if names and not kept:
        what = next(filter(None, (phrase.text, *(but.text for but in phrase.but))), "-")
        raise Trouble("ALL_LEFT_OUT", what=what)
    return kept


def _held_if_matching(
    found: Iterable[NameAttributes], phrase: Phrase, now: Environment
) -> tuple[str, ...]:
    """Return the object in the hand, if it is among those that match a phrase.

    Raises:
        Trouble: HAND_EMPTY or NOT_HELD.
    """
    if now.held is None:
        raise Trouble("HAND_EMPTY")
    if all(one.name != now.held for one in found):
        raise Trouble("NOT_HELD", (now.held,), what=phrase.text, options=(now.held,))
    return (now.held,)


def _in_relation(
    names: tuple[str, ...], relation: tuple[Relation, Phrase], scope: Scope
) -> tuple[str, ...]:
    """Return the objects that satisfy a relation: in or on a place, or beside other objects."""
    side, other = relation
    if side == "between":
        ends = objects_of(replace(other, number="all"), scope)
        return tuple(name for name in names if is_between(scope.now, name, ends))
    if other.table:
        return _objects_on_tables(tables_of(other, scope), names, scope.now) if side == "in" else ()
    wide = other if other.count or other.order else replace(other, number="all")
    anchors = objects_of(wide, scope)
    return tuple(
        name
        for name in names
        if name not in anchors and any(_is_related(name, one, side, scope.now) for one in anchors)
    )


def tables_of(phrase: Phrase, scope: Scope, themes: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return every table that a phrase may mean, at least one.

    Args:
        phrase: The phrase.
        scope: Environment and context.
        themes: Objects to be moved to the table. "The other table" is one that they are not on.

    Raises:
        Trouble: NOTHING_LIKE_THAT or NO_VIEW.
    """
    now = scope.now
    found = tuple(now.tables)
    if phrase.name:
        found = (phrase.name,) if phrase.name in now.tables else ()
    elif phrase.rest:
        about = themes or tuple(scope.used) or scope.last
        here = {now.table_of(name) for name in about}
        found = tuple(name for name in found if name not in here) if about else ()
    if phrase.index is not None:
        found = tuple(name for name in found if attributes_in_name(name).number == phrase.index)
    if phrase.relation is not None:
        side, other = phrase.relation
        anchors = objects_of(replace(other, number="all"), scope) if not other.table else ()
        wanted = {now.table_of(name) for name in anchors} if side == "in" else set()
        found = tuple(name for name in found if name in wanted)
    if phrase.content:
        used = {now.place_of(name) for name in now.objects}
        found = tuple(name for name in found if (name in used) == (phrase.content == "some"))
    # exceptions are removed after this choice, so that no other table becomes "the left one"
    if phrase.order and len(found) > 1:
        found = (_extreme_object(found, phrase, scope),)
    excluded = {name for but in phrase.but for name in _excluded_tables(but, scope)}
    found = tuple(name for name in found if name not in excluded)
    if not found or phrase.values:
        there = tuple(now.tables)
        raise Trouble("NOTHING_LIKE_THAT", there, what=phrase.text, options=there)
    return found


def _excluded_tables(but: Phrase, scope: Scope) -> tuple[str, ...]:
    """Return the tables of an exception, such as "the left one".

    Raises:
        Trouble: NOT_UNDERSTOOD for an exception that describes objects and not tables.
    """
    if but.kind or but.values or (but.name and but.name not in scope.now.tables):
        raise Trouble("NOT_UNDERSTOOD")
    return tables_of(replace(but, table=True, number="one"), scope)


def table_for(phrase: Phrase, scope: Scope, themes: tuple[str, ...]) -> str:
    """Return the target table of objects.

    If there are several tables, "the table" is the one below the container of the objects.

    Raises:
        Trouble: WHICH_ONE, or as in `tables_of`.
    """
    now = scope.now
    found = tables_of(phrase, scope, themes)
    if phrase.part == "shared":
        tables = [now.table_of(name) for name in themes]
        return max(_sort_by_distance(found, scope), key=tables.count)
    if len(found) > 1 and not phrase.rest and phrase.relation is None:
        here = {now.table_of(name) for name in themes}
        inside = all(now.container_of(name) is not None for name in themes)
        own = tuple(name for name in found if name in here)
        if len(here) == 1 and own and (inside or phrase.part):
            return own[0]
    if len(found) > 1 and (phrase.number == "any" or all(map(now.is_on_floor, themes))):
        found = _sort_by_distance(found, scope)[:1]
    if len(found) > 1:
        raise Trouble("WHICH_ONE", found, what=phrase.text, options=found)
    return found[0]


def _objects_on_tables(
    tables: tuple[str, ...], names: tuple[str, ...], now: Environment
) -> tuple[str, ...]:
    """Return the objects on tables; objects in containers only if there are no others."""
    there = tuple(name for name in names if now.table_of(name) in tables)
    return tuple(name for name in there if now.container_of(name) is None) or there


def _is_related(name: str, anchor: str, side: object, now: Environment) -> bool:
    if side == "in":
        return now.is_in_place(name, anchor)
    return is_beside(now, name, anchor, side, now.base)  # type: ignore[arg-type]  # `side` is a Side


def _has_attributes_of(one: NameAttributes, phrase: Phrase, *, any_kind: bool = False) -> bool:
    """Return True if an object's name has the attributes of the phrase.

    Args:
        one: Attributes in the name of the object.
        phrase: The phrase.
        any_kind: Whether a phrase without a noun may mean containers.
    """
    members = lexicon()["things"].get(phrase.kind, {}).get("members", ())
    if phrase.kind and one.kind not in members:
        if phrase.kind not in (one.kind, one.shape) or (
            phrase.kind == "ball" and one.kind != "ball"
        ):
            return False
    elif one.is_container and one.kind not in members and not any_kind:
        return False
    if phrase.index not in (None, one.number):
        return False
    return all(one.value(attribute) in allowed for attribute, allowed in phrase.values.items())


def _has_no_other_attributes(one: NameAttributes, phrase: Phrase) -> bool:
    """Return True if an object's name has only attributes that the phrase mentions."""
    more = (one.colour and "colour" not in phrase.values, one.size and "size" not in phrase.values)
    return not any(more) and one.kind in (phrase.kind, "object")


def _trouble_without_match(phrase: Phrase, scope: Scope) -> Trouble:
    there = tuple(scope.now.objects)
    if phrase.kind in CONTAINERS:
        there = scope.now.containers() or there
    elif phrase.kind == "" and not phrase.name:
        there = non_containers(scope.now)
    holder = _container_to_empty(phrase)
    if holder is not None:
        return Trouble("EMPTY_ALREADY", what=objects_of(holder, scope))
    what = phrase.name or phrase.text
    trouble = Trouble("NOTHING_LIKE_THAT", there, what=what, options=tuple(there))
    trouble.absent = bool(phrase.kind) and not any(
        _has_attributes_of(one, Phrase(kind=phrase.kind)) for one in scope.now.object_attributes()
    )
    return trouble


def _container_to_empty(phrase: Phrase) -> Phrase | None:
    """Return the container whose whole content a phrase means, or None."""
    side, holder = phrase.relation or ("", None)
    described = phrase.kind or phrase.values or phrase.name or phrase.but
    if holder is None or side != "in" or described:
        return None
    return holder if not phrase.text or not (holder.table or holder.number == "all") else None


def _sort_by_distance(
    found: tuple[str, ...], scope: Scope, anchor: Phrase | None = None
) -> tuple[str, ...]:
    """Return names in the order of their distance from the robot, or from the object `anchor`."""
    now = scope.now
    origin = now.base if anchor is None else _position_of(single_object_of(anchor, scope), now)
    if origin is None:
        return found
    return tuple(
        sorted(found, key=lambda name: _position_of(name, now).horizontal_distance(origin))
    )


def _position_of(name: str, now: Environment) -> Point:
    at = now.position_of(name)
    assert at is not None  # only names of present objects are passed
    return at


def _order_by_phrase(found: tuple[str, ...], phrase: Phrase, scope: Scope) -> tuple[str, ...]:
    """Return `found` sorted by the order of a phrase, by default with the nearest first."""
    if phrase.order in ("biggest", "smallest"):
        return tuple(sorted(found, key=_size_rank, reverse=phrase.order == "biggest"))
    if phrase.order in _FULL:
        raise Trouble("NOT_UNDERSTOOD")
    near = _sort_by_distance(found, scope, phrase.near)
    return near[::-1] if phrase.order == "farthest" else near


def _size_rank(name: str) -> int:
    return SIZES.index(attributes_in_name(name).size or _ANY_SIZE)


def _of_best_size(found: tuple[str, ...], order: str) -> tuple[str, ...]:
    """Return the biggest or smallest objects; empty for another order or without known sizes."""
    if order not in ("biggest", "smallest") or not any(
        attributes_in_name(name).size for name in found
    ):
        return ()
    best = (max if order == "biggest" else min)(map(_size_rank, found))
    return tuple(name for name in found if _size_rank(name) == best)


def _extreme_object(found: tuple[str, ...], phrase: Phrase, scope: Scope) -> str:
    """Return the object that a superlative selects, such as the biggest or the leftmost.

    Raises:
        Trouble: WHICH_ONE if several objects tie, TOO_FEW if the rank exceeds their number,
            NO_ATTRIBUTE if no size is known, NO_VIEW if the robot's pose is unknown.
    """
    now, order = scope.now, phrase.order
    if phrase.rank > len(found):
        wanted, there = str(phrase.rank), str(len(found))
        raise Trouble("TOO_FEW", found, wanted=wanted, there=there, what=phrase.text)
    if phrase.rank > 1:
        first = _extreme_object(found, replace(phrase, rank=1), scope)
        rest = tuple(name for name in found if name != first)
        return _extreme_object(rest, replace(phrase, rank=phrase.rank - 1), scope)
    if len(found) == 1:
        return found[0]
    if order in ("biggest", "smallest"):
        if all(not attributes_in_name(name).size for name in found):
            raise Trouble("NO_ATTRIBUTE", found, attribute="size", options=found)
        return _require_single(_of_best_size(found, order), phrase)
    if order in _FULL:
        held = {name: count_in(name, phrase.near or Phrase(), scope) for name in found}
        best = (max if order == "fullest" else min)(held.values())
        return _require_single(tuple(name for name in found if held[name] == best), phrase)
    if now.base is None and phrase.near is None:
        raise Trouble("NO_VIEW", found, what=phrase.text, options=found)
    if order in ("nearest", "farthest"):
        near = _sort_by_distance(found, scope, phrase.near)
        return near[0 if order == "nearest" else -1]
    assert now.base is not None  # checked above: phrases with `near` have no side
    base = now.base

    def to_the_right(name: str) -> float:
        """Return the angle to the right of the robot's heading [rad]; 0 for an object behind it."""
        turn = base.bearing(*_position_of(name, now)[:2])
        return -turn if abs(turn) < _BEHIND_RAD else 0.0

    def to_the_back(name: str) -> float:
        """Return the angle from the robot's heading [rad]."""
        return abs(base.bearing(*_position_of(name, now)[:2]))

    angle = to_the_back if order in ("front", "back") else to_the_right
    across = sorted(found, key=angle)
    middle = len(across) // 2 if order == "middle" else -1
    leading = across[0 if order in ("left", "front") else middle]
    same = tuple(one for one in found if abs(angle(one) - angle(leading)) < _SAME_RAD)
    return _require_single((leading, *(one for one in same if one != leading)), phrase)


def _require_single(names: tuple[str, ...], phrase: Phrase) -> str:
    """Return the only name of `names`.

    Raises:
        Trouble: WHICH_ONE for several.
    """
    if len(names) > 1:
        raise Trouble("WHICH_ONE", names, what=phrase.text, options=names)
    return names[0]


def count_in(place: str, phrase: Phrase, scope: Scope) -> int:
    """Return how many of the objects that a phrase may mean are in a container or on a table.

    Containers count as objects if the phrase has no noun: "things".
    """
    every = replace(phrase, number="all", count=0)
    names = {*_matching_objects(every, scope), *containers_among(every, scope)}
    return sum(scope.now.place_of(name) == place for name in names)
