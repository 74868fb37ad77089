"""Layout of a simulated door world: chosen options, and the rest drawn from a seed.

Frame: the robot's base is the origin, x points forward to the door, y to the left, z up; metres
and radians. The door hinges on its left edge and opens towards the robot.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["FAULTS", "Fault", "Layout", "WorldOptions", "draw_layout"]

Fault = Literal["none", "jammed", "slippery", "dark", "frozen"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

DOOR_WIDTH = 0.32
DOOR_HEIGHT = 0.40
DOOR_MAX_RAD = 1.75
_NAMED_DOORS = ("closed", "ajar", "open")
_MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class WorldOptions:
    """Chosen options of a world.

    Attributes:
        door: "closed", "ajar", "open", or the hinge angle [rad] in 0..1.6.
        material: Whether the material is in the cabinet.
        seed: Seed for all other values: places, sizes, colours, light, camera.
        fault: Injected fault: "jammed" locks the hinge, "slippery" lets the first grasp of the
            material slip, "dark" and "frozen" break the camera.

    Raises:
        ValueError: If a value is not allowed; the message lists the allowed values.
    """

    door: str | float = "closed"
    material: Literal["present", "absent"] = "present"
    seed: int = 0
    fault: Fault = "none"

    def __post_init__(self) -> None:
        if isinstance(self.door, str):
            if self.door not in _NAMED_DOORS:
                object.__setattr__(self, "door", _parse_angle(self.door))
        else:
            _parse_angle(self.door)
        if self.material not in ("present", "absent"):
            raise ValueError(f"material={self.material!r}: allowed: present, absent")
        if type(self.seed) is not int or not 0 <= self.seed <= _MAX_SEED:
            raise ValueError(f"seed={self.seed!r}: allowed: whole numbers 0..{_MAX_SEED}")
        if self.fault not in FAULTS:
            raise ValueError(f"fault={self.fault!r}: allowed: {', '.join(FAULTS)}")


def _parse_angle(value: str | float) -> float:
    """Return a hinge angle [rad], or raise with the allowed values."""
    try:
        angle = float(value)
    except ValueError:
        angle = math.nan
    if not 0.0 <= angle <= 1.6:
        raise ValueError(f"door={value!r}: allowed: closed, ajar, open, or an angle 0..1.6 rad")
    return angle


Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class Layout:
    """Complete description of a world; equal layouts give equal worlds, bit for bit.

    Attributes:
        hinge: Hinge axis at the door's middle height (x, y, z) [m].
        angle: Hinge angle at the start [rad], 0 is closed.
        jammed: Whether the hinge is locked.
        handle_r: Distance of the handle from the hinge axis along the panel [m].
        handle_z: Height of the handle's middle above the door's middle [m].
        handle_half: Half length of the handle's bar [m].
        material: Whether there is a material box.
        material_xy: Position of the material relative to the middle of the opening (x inward) [m].
        material_yaw: Rotation of the material about z [rad].
        material_half: Half sizes of the material [m].
        colours: RGB by part: wall, cabinet, door, handle, interior, tray, material, floor.
        light: Position of the lamp [m] and its brightness 0..1.
        camera: Position of the head camera, and the point in the centre of its picture [m].
        fovy: Vertical field of view [deg].
    """

    hinge: tuple[float, float, float]
    angle: float
    jammed: bool
    handle_r: float
    handle_z: float
    handle_half: float
    material: bool
    material_xy: tuple[float, float]
    material_yaw: float
    material_half: tuple[float, float, float]
    colours: dict[str, Rgb]
    light: tuple[tuple[float, float, float], float]
    camera: tuple[tuple[float, float, float], tuple[float, float, float]]
    fovy: float

    @property
    def centre(self) -> tuple[float, float, float]:
        """Middle of the door's opening [m]."""
        x, y, z = self.hinge
        return x, y - DOOR_WIDTH / 2, z


def draw_layout(options: WorldOptions) -> Layout:
    """Return the layout for `options` and their seed."""
    rng = random.Random(options.seed)

    def between(low: float, high: float) -> float:
        return low + (high - low) * rng.random()

    hinge = (between(0.68, 0.72), between(0.14, 0.18), between(0.97, 1.03))
    starts = {"closed": 0.0, "ajar": between(0.25, 0.5), "open": between(1.15, 1.35)}
    angle = starts[options.door] if isinstance(options.door, str) else options.door
    centre = (hinge[0], hinge[1] - DOOR_WIDTH / 2, hinge[2])
    return Layout(
        hinge=hinge,
        angle=angle,
        jammed=options.fault == "jammed",
        handle_r=between(0.262, 0.282),
        handle_z=between(-0.03, 0.03),
        handle_half=between(0.05, 0.065),
        material=options.material == "present",
        material_xy=(between(0.06, 0.10), between(-0.07, 0.02)),
        material_yaw=between(-0.35, 0.35),
        material_half=(between(0.018, 0.025), between(0.018, 0.025), between(0.03, 0.045)),
        colours=_draw_colours(rng, between),
        light=((between(-0.6, 0.2), between(-0.8, 0.8), between(1.9, 2.4)), between(0.5, 0.8)),
        camera=(
            (between(-0.02, 0.02), between(-0.02, 0.02), between(1.33, 1.37)),
            (centre[0], centre[1] + between(-0.03, 0.03), centre[2] + between(-0.02, 0.02)),
        ),
        fovy=between(58.0, 64.0),
    )


def _draw_colours(rng: random.Random, between: Callable[[float, float], float]) -> dict[str, Rgb]:
    """Draw the colours; the material is always orange, its defining feature."""

    def grey(low: float, high: float, tint: float = 0.06) -> Rgb:
        base = between(low, high)
        r, g, b = (min(1.0, max(0.0, base + between(-tint, tint))) for _ in range(3))
        return r, g, b

    wood = rng.random() < 0.5
    brown: Rgb = (between(0.5, 0.7), between(0.35, 0.5), between(0.2, 0.3))
    return {
        "wall": grey(0.7, 0.9),
        "floor": grey(0.3, 0.5),
        "cabinet": grey(0.35, 0.6),
        "door": brown if wood else grey(0.5, 0.8),
        "handle": grey(0.05, 0.2) if rng.random() < 0.6 else grey(0.85, 0.95),
        "interior": grey(0.15, 0.3),
        "tray": grey(0.4, 0.6, 0.12),
        "material": (between(0.85, 1.0), between(0.4, 0.55), between(0.05, 0.15)),
    }
