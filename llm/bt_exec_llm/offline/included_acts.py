"""Adaptation of trees that include a further act, for commands that state that act themselves."""

from __future__ import annotations

from dataclasses import replace

from bt_exec.spec.library import Library
from bt_exec_llm.offline.command_part import Part
from bt_exec_llm.offline.lexicon import Included, Lexicon

__all__ = ["apply_commanded_acts"]


def apply_commanded_acts(parts: list[Part], library: Library, lexicon: Lexicon) -> list[Part]:
    """Return parts in which an included act is done as commanded, or left out.

    If the next part commands the act, the act is done with the arguments of that part. If a later
    part commands it, it is left out. If the opposite act came before, the later part may also have
    another condition: "open the door, take the material if it is there, otherwise close the door".
    """
    found = list(parts)
    for at, part in enumerate(parts):
        included = lexicon.includes.get(part.tree)
        if included is None:
            continue
        following = parts[at + 1 : at + 2]
        if following and _is_commanded_after(part, following[0], included):
            args = {
                name: following[0].args[own]
                for own, name in included.parameters.items()
                if own in following[0].args
            }
            found[at] = replace(part, args={**part.args, **args})
        elif _is_commanded_elsewhere(parts, at, included):
            known = library.get(included.without).params
            args = {name: value for name, value in part.args.items() if name in known}
            found[at] = replace(part, tree=included.without, args=args)
    return found


def _is_commanded_elsewhere(parts: list[Part], at: int, included: Included) -> bool:
    """Return True if a later part commands the included act.

    A part with a condition counts after a part without one: "take it; if nobody is there, close the
    door". After the opposite act, a part with another condition also counts.
    """
    part, later = parts[at], parts[at + 1 :]
    after_opposite = any(before.tree in included.opposites for before in parts[:at])
    return any(
        _is_commanded_after(part, one, included)
        or (part.condition is None and one.tree == included.act and not one.rescues)
        or (after_opposite and _is_commanded_in_other_case(part, one, included))
        for one in later
    )


def _is_commanded_in_other_case(part: Part, other: Part, included: Included) -> bool:
    other_case = None not in (part.condition, other.condition) and part.condition != other.condition
    return other.tree == included.act and other_case and not other.rescues


def _is_commanded_after(part: Part, later: Part, included: Included) -> bool:
    """Return True if a later part commands the included act whenever `part` runs."""
    same = later.condition in (None, part.condition)
    return later.tree == included.act and same and not later.rescues
