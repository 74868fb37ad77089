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
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_exec.failure import Problem, SpecError
from bt_exec.nodes.fault_injection import Fault
from bt_exec.spec.source import Source, read_file

__all__ = ["FaultPlan", "load_fault_plan"]


class FaultPlan(BaseModel):
    """A fault plan.

    Attributes:
        summary: Description of the scenario.
        site: Its site; empty for any site.
        command: Its command; empty for any mission.
        world: Initial state of the simulated world.
        faults: The faults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    summary: str = ""
    site: str = ""
    command: str = ""
    world: Mapping[str, str | int | float] = Field(default_factory=dict)
    faults: Annotated[tuple[Fault, ...], Field(max_length=100)] = ()

    def world_texts(self) -> dict[str, str]:
        """Return the initial state of the world as ``KEY=VALUE`` texts."""
        return {key: str(value) for key, value in self.world.items()}

    def world_with(self, texts: Sequence[str]) -> list[str]:
        """Return ``KEY=VALUE`` texts of the world, overridden by `texts`."""
        given = {text.partition("=")[0] for text in texts}
        own = [f"{key}={value}" for key, value in self.world.items() if key not in given]
        return [*own, *texts]

    def to_yaml(self) -> str:
        """Return the plan as the text of a file."""
        plain = self.model_dump(mode="json", exclude_defaults=True)
        return str(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True))


def load_fault_plan(path: Path) -> FaultPlan:
    """Read a fault plan.

    Raises:
        UsageError: If the file cannot be read.
        SpecError: If it is invalid; contains every mistake with its place.
    """
    source = read_file(path)
    try:
        return FaultPlan.model_validate(source.data)
    except ValidationError as error:
        raise SpecError([_problem(source, found) for found in error.errors()]) from None


def _problem(source: Source, found: Mapping[str, Any]) -> Problem:
    place = tuple(found["loc"])
    if found["type"] == "extra_forbidden":
        model = FaultPlan if len(place) == 1 else Fault
        message = f"unknown field {place[-1]!r}"
        allowed = tuple(model.model_fields)
        return source.problem("UNKNOWN_FIELD", message, place, allowed=allowed, key=True)
    message = str(found["msg"]).removeprefix("Value error, ")
    message = message.replace("Input should be", "must be")
    shown = "" if isinstance(found["input"], Mapping) else repr(found["input"])[:40]
    return source.problem("BAD_VALUE", message, place, found=shown)
