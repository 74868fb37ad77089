"""What the nodes of one plan share: clock, rigs, observations, saved results, event listeners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_exec.events import Event
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import ObservationBuffer, World
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig
from bt_exec.skill import Signature
from bt_exec.spec.expand import is_reference, reference_name

__all__ = ["Runtime"]


class Runtime:
    """The surroundings of a plan while it is ticked.

    Args:
        catalogue: Skills and conditions of the site.
        rigs: Bodies by pack.
        buffers: Observations by pack.
        clock: Gives the mission's time [s].
        emit: Takes every event, at once.
        faults: Which calls of skills are made to fail.
        cancel_s: How long a skill's clean-up may take before the robot itself is stopped [s].
        unrecorded: Says why the record cannot be written at the moment; empty if it can.

    Attributes:
        tick: The number of the present tick.
        results: What skills saved, by name.
        calls: How often each skill was started in this mission.
        acted: When an action ended last [s, mission clock].
    """

    def __init__(
        self,
        catalogue: Catalogue,
        rigs: Mapping[str, Rig],
        buffers: Mapping[str, ObservationBuffer[Any]],
        clock: Callable[[], float],
        emit: Callable[[Event], None],
        faults: Faults | None = None,
        cancel_s: float = 1.0,
        unrecorded: Callable[[], str] | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.rigs = rigs
        self.buffers = buffers
        self.now = clock
        self.emit = emit
        self.faults = faults or Faults()
        self.cancel_s = cancel_s
        self.unrecorded = unrecorded or str  # nothing is wrong: an empty string
        self.tick = 0
        self.results: dict[str, Any] = {}
        self.calls: dict[str, int] = {}
        self.acted = float("-inf")

    def injected(self, part: Signature, since: float) -> dict[str, Any]:
        """Return what a skill or condition is given besides its arguments.

        Args:
            part: The skill or condition.
            since: When its node began [s]; what is observed later is fresh.
        """
        pack = self.catalogue.owner(part.name)
        rig = self.rigs.get(pack) or Rig()
        buffer = self.buffers.get(pack) or ObservationBuffer(self.now)
        return part.inject(rig.robot, World(buffer, since), rig.services)

    def resolve(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments with every ``$name`` replaced by the saved result."""
        return {name: self._value(value) for name, value in args.items()}

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if is_reference(value):
            return self.results[reference_name(value)]
        if isinstance(value, str) and value.startswith("$$"):
            return value[1:]
        return value
