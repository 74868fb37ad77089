"""Settings of the pack in a site file, and the initial state of its simulated kitchen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from bt_exec.rig import PackSettings, WorldSettings
from bt_exec.spec.user_data import UserData
from bt_exec_skills.tabletop.sim.layout import By, WorldOptions

__all__ = ["Remote", "TableSettings", "TableStart"]


class Remote(UserData):
    """Simulator that is accessed over HTTP.

    Attributes:
        http: Its address: ``http://127.0.0.1:8800``.
        token: Bearer token, if it requires one.
        read_s: Time limit of ``/env`` [s].
        motion_s: Time limit of one motion [s].
        lockstep: Whether its time advances only on request (``/step``): ``true`` for the simulator
            of bt-exec, ``false`` for others.
    """

    http: str = Field(pattern=r"^https?://[^\s/]+(/\S*)?$")
    token: str = ""
    read_s: float = Field(5.0, gt=0, le=600)
    motion_s: float = Field(120.0, gt=0, le=3600)
    lockstep: bool = False


class TableSettings(PackSettings):
    """Settings of the pack ``tabletop``.

    Attributes:
        robot: ``sim``, the kitchen in this process, or ``http``.
        remote: The simulator, for ``robot: http``.
        detector: Source of boxes in its pictures: ``learned`` (the shipped network), ``oracle``
            (the simulator), or the settings of another network; see
            `bt_exec_skills.tabletop.perception.finder`.
        picture_every_s: Minimum interval of pictures of the head camera [s]; 0 for none.
    """

    remote: Remote | None = None
    detector: str | Mapping[str, Any] = "learned"
    picture_every_s: float = Field(5.0, ge=0)


class TableStart(WorldSettings):
    """Initial state of the simulated kitchen."""

    seed: int = Field(0, ge=0, lt=2**31, description="draws everything: a whole number")
    objects: int = Field(0, ge=0, le=20, description="how many things: 1..20, 0 draws 4..12")
    by: By = Field("colour", description="what things differ in: colour, size, shape, mixed")

    def options(self) -> WorldOptions:
        """Return the options of the random world."""
        return WorldOptions(self.seed, self.objects, self.by)
