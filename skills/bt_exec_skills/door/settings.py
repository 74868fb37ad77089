"""The pack's settings in a site file, and the initial state of its simulated world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from bt_exec.rig import PackSettings, WorldSettings
from bt_exec_skills.door.robot import Arm

__all__ = ["DoorSettings", "DoorStart"]


class DoorSettings(PackSettings):
    """Settings of the pack ``door``.

    Attributes:
        robot: ``sim``.
        detector: ``learned`` (the shipped network), ``oracle`` (ground truth of the simulator), or
            the settings of another network; see `bt_exec_skills.door.perception.detector_factory`.
        renderer: Renderer of the simulated camera; ``auto`` uses EGL if it is available.
        material_arm: The arm that handles material; a policy that no planner can change.
        door_arm: The arm that moves the door if a command names none.
        second_opinion: Name, or settings with a name, of a vision-language model that cross-checks
            the state of the door; None for no model.
    """

    detector: str | Mapping[str, Any] = "learned"
    renderer: Literal["auto", "egl", "raycast"] = "auto"
    material_arm: Arm = "right"
    door_arm: Arm = "right"
    second_opinion: str | Mapping[str, Any] | None = None


class DoorStart(WorldSettings):
    """Initial state of the simulated door world."""

    door: str = Field(
        "closed",
        description="how the door stands at first: closed, ajar, open, or 0..1.6 [rad]",
        examples=["closed", "ajar", "open"],
    )
    material: Literal["present", "absent"] = Field(
        "present", description="whether material lies behind it: present, absent"
    )
    seed: int = Field(
        0,
        ge=0,
        lt=2**31,
        description="draws places, sizes, colours and light: a whole number",
    )
    fault: Literal["none", "jammed", "slippery", "dark", "frozen"] = Field(
        "none",
        description="what goes wrong: none, jammed (the hinge), slippery (the first grasp), dark "
        "or frozen (the camera)",
    )
    camera: str = Field(
        "none",
        description="when the camera fails, and how: none, or FAULT[@START[-END]] in seconds, as "
        "noise@12 or dark@3-5, with FAULT one of dark, frozen, noise, occluded, wrong_size, "
        "missing",
    )

    @field_validator("door")
    @classmethod
    def _check_door(cls, door: str) -> str:
        from bt_exec_skills.door.sim.layout import WorldOptions

        WorldOptions(door=door)
        return door

    @field_validator("camera")
    @classmethod
    def _check_camera(cls, camera: str) -> str:
        from bt_exec_skills.perception.camera_faults import parse_breaks

        parse_breaks(camera)
        return camera
