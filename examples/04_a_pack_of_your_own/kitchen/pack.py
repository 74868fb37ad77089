"""Pack with a skill, a condition, a tree, a simulated kettle, messages and a lexicon."""

from pathlib import Path

from pydantic import Field

from bt_exec import (
    Pack,
    PackSettings,
    Rig,
    Running,
    Steps,
    Verdict,
    WorldSettings,
    condition,
    skill,
)

from .kettle import Kettle, SimKettle

HERE = Path(__file__).parent


@skill(effects={"water": "hot"}, uses={"kettle"}, timeout_s=60)
def boil(robot: Kettle, degrees_c: float = 95.0) -> Steps:
    """Heat the water to a temperature [°C] and switch off."""
    start = robot.temperature_c
    robot.heat(True)
    try:
        while robot.temperature_c < degrees_c:
            done = (robot.temperature_c - start) / (degrees_c - start)
            yield Running(done, "heating")
    finally:
        robot.heat(False)


@condition(skip_reason="already hot", establishes={"water": "hot"})
def water_hot(robot: Kettle, degrees_c: float = 80.0) -> Verdict:
    """Return whether the water has at least this temperature [°C]."""
    return Verdict(robot.temperature_c >= degrees_c, f"{robot.temperature_c:.0f} °C")


class KitchenStart(WorldSettings):
    """Initial state of the simulated kitchen."""

    water: float = Field(20.0, ge=0, le=100, description="initial temperature of the water [°C]")


def make_kettle(settings: PackSettings, start: KitchenStart) -> Rig:
    del settings  # the site sets only the name of this robot
    kettle = SimKettle()
    kettle.temperature_c = start.water
    return Rig(kettle, simulation=kettle)


PACK = Pack(
    name="kitchen",
    summary="A kettle.",
    skills=(boil,),
    conditions=(water_hot,),
    facts={"water": ("hot",)},
    trees=HERE / "trees",
    lexicon=HERE / "lexicon.yaml",
    messages=HERE / "messages.yaml",
    robots={"sim": make_kettle},
    world=KitchenStart,
)
