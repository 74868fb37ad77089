"""World of a planner, reconstructed from the facts of a situation."""

from __future__ import annotations

from bt_exec.observation import Situation
from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.tabletop.environment import Environment, Placed, Point
from bt_exec_skills.tabletop.tables import Table

__all__ = ["environment_of"]


def environment_of(situation: Situation) -> Environment:
    """Return the objects with their positions, from facts of `TableObservation.facts`.

    An object without a position is left out.
    """
    objects: dict[str, Placed] = {}
    for number, name in enumerate(situation.labels):
        at = _numbers(situation.facts.get(f"pos.{name}", ""))
        if len(at) == 3:
            objects[name] = Placed(number, Point(*at))
    base = _numbers(situation.facts.get("pos.robot", ""))
    tops = {
        key.removeprefix("table."): _numbers(value)
        for key, value in situation.facts.items()
        if key.startswith("table.")
    }
    tables = {name: Table(*top) for name, top in tops.items() if len(top) == 5}
    held = situation.facts.get("hand", "")
    origin = _numbers(situation.facts.get("origin", ""))
    return Environment(
        0.0,
        objects,
        Pose(*base) if len(base) == 3 else None,
        tables,
        held if held in objects else None,
        Point(*origin) if len(origin) == 3 else None,
    )


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split())
    except ValueError:
        return ()
