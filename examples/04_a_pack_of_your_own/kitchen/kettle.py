"""Robot interface of a kettle, and a simulated kettle."""

from typing import Protocol

from bt_exec import Robot


class Kettle(Robot, Protocol):
    """Robot interface that the skills of this pack use."""

    temperature_c: float

    def heat(self, on: bool) -> None:
        """Switch the heating plate on or off."""


class SimKettle:
    """Simulated kettle that heats by 15 °C/s; its clock advances only in `step`."""

    def __init__(self) -> None:
        self.time = 0.0
        self.temperature_c = 20.0
        self._on = False

    def heat(self, on: bool) -> None:
        self._on = on

    def step(self, seconds: float) -> None:
        self.time += seconds
        if self._on:
            self.temperature_c = min(100.0, self.temperature_c + 15 * seconds)

    def stop(self) -> None:
        self._on = False

    @property
    def still(self) -> bool:
        return not self._on
