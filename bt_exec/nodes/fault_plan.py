"""Fault plans: YAML files with the faults of a mission.

::

    summary: The first grasp slips, and the camera is frozen for two seconds.
    command: get the material
    faults:
      - {part: skill, name: grasp, does: fail, code: GRASP_SLIPPED, call: 1}
      - {part: camera, name: door, does: freeze, since: 2, until: 4}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field

from bt_exec.nodes.fault_injection import Fault
from bt_exec.spec.user_data_validation import UserData, load_model

__all__ = ["FaultPlan", "load_fault_plan"]


class FaultPlan(UserData):
    """Faults of a mission, with its command and the initial state of its world.

    Attributes:
        summary: Description of the scenario.
        site: Name of the site; empty for any site.
        command: Command of the mission; empty for any mission.
        world: Initial state of the simulated world.
        faults: The faults.
    """

    summary: str = ""
    site: str = ""
    command: str = ""
    world: Mapping[str, str | int | float] = Field(default_factory=dict)
    faults: Annotated[tuple[Fault, ...], Field(max_length=100)] = ()

    def initial_world_texts(self) -> dict[str, str]:
        """Return the initial state of the world with its values as strings, by key."""
        return {key: str(value) for key, value in self.world.items()}

    def world_with(self, texts: Sequence[str]) -> list[str]:
        """Return the initial state as ``KEY=VALUE`` strings, overridden by those in `texts`."""
        given = {text.partition("=")[0] for text in texts}
        own = [f"{key}={value}" for key, value in self.world.items() if key not in given]
        return [*own, *texts]

    def to_yaml(self) -> str:
        """Return the fault plan as YAML text."""
        plain = self.model_dump(mode="json", exclude_defaults=True)
        return str(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True))


def load_fault_plan(path: Path) -> FaultPlan:
    """Read a fault plan.

    Raises:
        UsageError: If the file cannot be read.
        SpecError: If it is invalid; contains every mistake with its position.
    """
    return load_model(FaultPlan, path)
