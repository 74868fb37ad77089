"""Groups of objects with the same value of an attribute, and containers for the groups."""

from __future__ import annotations

from collections.abc import Iterable

from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.name_attributes import Attribute, attributes_in_name

__all__ = ["containers_of", "groups_of", "non_containers", "unsorted_objects"]

_NEUTRAL = ("", "white", "black", "grey", "brown")


def non_containers(now: Environment) -> tuple[str, ...]:
    """Return the objects that are not containers, in order."""
    return tuple(one.name for one in now.object_attributes() if not one.is_container)


def groups_of(names: Iterable[str], attribute: Attribute) -> dict[str, tuple[str, ...]]:
    """Return the names by attribute value, in the order of the first object of each group."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(attributes_in_name(name).value(attribute), []).append(name)
    return {value: tuple(group) for value, group in found.items()}


def containers_of(
    groups: Iterable[str], attribute: Attribute, now: Environment, kind: str = ""
) -> dict[str, str]:
    """Return a container for each group: one with the group's value if possible, or a neutral one.

    Neutral containers have no value of the attribute, or are white, black, grey or brown. If some
    groups have a container with their value, groups without any container are left out.

    Args:
        groups: Attribute value of each group.
        attribute: Attribute to sort by.
        now: Current environment.
        kind: Requested kind of container; any if empty.

    Raises:
        Trouble: NOT_ENOUGH_CONTAINERS if groups are without a container and cannot be left out.
    """
    wanted = list(groups)
    holders = [
        one for one in now.object_attributes() if one.is_container and kind in ("", one.kind)
    ]
    if not kind:  # trays are used for delivery
        holders = [one for one in holders if one.kind != "tray"]
    found: dict[str, str] = {}
    for value in wanted:
        own = [one.name for one in holders if one.value(attribute) == value]
        if own:
            found[value] = own[0]
    spare = [
        one.name
        for one in holders
        if one.value(attribute) in _NEUTRAL and one.name not in found.values()
    ]
    for value in wanted:
        if value not in found and spare:
            found[value] = spare.pop(0)
    missing = [value for value in wanted if value not in found]
    if missing and not any(
        attributes_in_name(name).value(attribute) in found for name in found.values()
    ):
        there = tuple(one.name for one in holders)
        raise Trouble(
            "NOT_ENOUGH_CONTAINERS",
            groups=str(len(wanted)),
            missing=tuple(missing),
            containers=there,
        )
    return {value: found[value] for value in wanted if value in found}


def unsorted_objects(now: Environment, attribute: Attribute) -> tuple[str, ...]:
    """Return the objects that are in no container, or in one with objects of another group."""
    value_of = {name: attributes_in_name(name).value(attribute) for name in non_containers(now)}
    holders = {name: now.container_of(name) for name in value_of}
    found = []
    for name, holder in holders.items():
        shared = {value_of[other] for other, place in holders.items() if place == holder}
        if holder is None or len(shared) > 1:
            found.append(name)
    return tuple(found)
