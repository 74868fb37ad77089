"""Reference simulator of the door: acts of a meaning and of a plan in one world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, TypeAlias

from bt_exec.spec.dump import to_data
from bt_exec.spec.model import Fallback, MissionSpec

__all__ = ["WORLDS", "Choice", "Meaning", "World", "done_by", "matches", "run"]


@dataclass
class World:
    """State of the door, the material and the arms, and what was done."""

    door: str
    has_material: bool
    left: bool = False
    right: bool = False
    is_home: bool = True
    done: list[str] = field(default_factory=list)

    @property
    def is_visible(self) -> bool:
        return self.door == "open" and self.has_material

    def act(self, name: str, value: str = "right", closing: str = "right") -> bool:
        """Do an act and return whether it succeeded; `closing` is the arm that closes the door."""
        match name:
            case "open_door" | "open_wide":
                self._change(self.door != "open", f"open {value}", door="open", is_home=False)
            case "close_door":
                self._change(self.door != "closed", f"close {value}", door="closed", is_home=False)
            case "arms_home":
                self._change(not self.is_home, "home", is_home=True)
            case "arm_home":
                self.done.append(f"home {value}")
            case "let_go":
                self._change(getattr(self, value), f"release {value}", **{value: False})
            case "pause":
                self.done.append(f"wait {float(value):g}")
            case "reach_material":
                self.done.append("reach")
                self.is_home = False
            case "get_material" | "get_material_leave_open":
                return self._get(value, closing if name == "get_material" else "")
            case _:
                self.done.append(f"tell {name} {value}")
        return True

    def _change(self, is_due: bool, done: str, **state: Any) -> None:
        if is_due:
            self.done.append(done)
            for name, value in state.items():
                setattr(self, name, value)

    def _get(self, arm: str, closing: str) -> bool:
        self.act("open_door", arm)
        if not self.has_material:
            self.done.append("nothing found")
            return False
        self.done.append("take")
        self.has_material, self.right, self.is_home = False, True, False
        if closing:
            self.act("close_door", closing)
        self.is_home = True
        return True


def _worlds() -> Iterator[World]:
    for door, has_material, left, right in product(
        ("open", "ajar", "closed"), (True, False), (True, False), (True, False)
    ):
        yield World(door, has_material, left, right, is_home=left != right)


WORLDS = tuple(_worlds())


@dataclass(frozen=True)
class Choice:
    holds: Callable[[World], bool]
    then: Meaning = ()
    otherwise: Meaning = ()


Meaning: TypeAlias = "tuple[tuple[str, str] | Choice, ...]"


def done_by(meaning: Meaning, world: World) -> list[str]:
    """Return the acts that a meaning demands in a world."""
    now = replace(world, done=[])
    _follow(meaning, now)
    return now.done


def _follow(meaning: Meaning, now: World) -> bool:
    for part in meaning:
        if isinstance(part, Choice):
            if not _follow(part.then if part.holds(now) else part.otherwise, now):
                return False
        elif not now.act(*part):
            return False
    return True


def run(plan: MissionSpec, world: World) -> list[str]:
    """Return the acts of a plan with unexpanded trees in a world."""
    now = replace(world, done=[])
    _tick(to_data(plan)["root"], now)
    return now.done


def matches(done: list[str], wanted: list[str]) -> bool:
    """Return True if a plan did what its meaning demands, in order; answers are ignored.

    Fetching the material ends with the arms at home, so that a later order to bring them there has
    no effect.
    """
    ignored = ("tell ", "home") if "take" in wanted else ("tell ",)
    found, due = ([one for one in acts if not one.startswith(ignored)] for acts in (done, wanted))
    return found == due


def _tick(node: dict[str, Any], now: World) -> bool:
    if "skip_if" in node and _holds(node["skip_if"], now):
        return True
    for _ in range(int(node.get("repeat") or 1)):
        if not _once(node, now):
            return False
        if node.get("until") is not None and _holds(node["until"], now):
            return True
    return node.get("until") is None


def _once(node: dict[str, Any], now: World) -> bool:
    if "tree" in node:
        args = node.get("with") or {}
        value = str(args.get("arm", args.get("seconds", "right")))
        return now.act(node["tree"], value, args.get("material_arm", "right"))
    if "check" in node:
        return bool(node.get("tell")) or _holds(node["check"], now)
    if "fallback" in node:
        return _choose(node["fallback"], now)
    return all(_tick(child, now) for child in node["sequence"])


def _choose(branches: list[Any], now: World) -> bool:
    is_choice = Fallback.model_validate({"fallback": branches}).is_choice
    for branch in branches:
        decided = is_choice and _holds(branch["sequence"][0]["check"], now)
        if _tick(branch, now):
            return True
        if decided:
            return False
    return False


def _holds(expression: Any, now: World) -> bool:
    if isinstance(expression, str):
        return _fact(expression, {}, now)
    ((name, args),) = expression.items()
    if name == "not":
        return not _holds(args, now)
    if name in ("all", "any"):
        return (all if name == "all" else any)(_holds(one, now) for one in args)
    return _fact(name, args or {}, now)


def _fact(name: str, args: dict[str, Any], now: World) -> bool:
    match name:
        case "door_is":
            return bool(now.door == args["state"])
        case "material_visible":
            return now.is_visible
        case "hand_empty":
            return not getattr(now, args["arm"])
        case "hand_holds":
            return bool(getattr(now, args["arm"]))
        case "hands_hold":
            return now.left or now.right
        case "arms_home":
            return now.is_home
    raise NotImplementedError(name)
