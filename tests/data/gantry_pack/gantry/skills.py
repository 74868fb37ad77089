"""Skills and conditions of the gantry."""

from __future__ import annotations

from bt_exec import Failed, Steps, Verdict, World, condition, skill
from bt_exec_skills.motion.stepped_motion import follow_motion
from bt_exec_skills.perception.fresh_observations import fresh_observation
from bt_exec_skills.perception.object_perception import ObjectObservation

from .robot import Bin, Block, Gantry

__all__ = ["block_in", "pick", "place"]


@skill(
    fails={"LOST", "NOT_IN_VIEW", "STOPPED"},
    needs={"cup": "empty|{block}"},
    effects={"cup": "{block}", "place.{block}": "cup"},
    uses={"gantry"},
    timeout_s=30,
)
def pick(robot: Gantry, world: World[ObjectObservation], block: Block) -> Steps:
    """Pick up `block` with the suction cup, if the camera sees it.

    A block that is already held is not picked again.
    """
    if robot.held == block:
        return
    seen = yield from fresh_observation(
        world, world.now, lambda: Failed("NOT_IN_VIEW", "the camera delivers no picture")
    )
    if not seen.sees(block):
        raise Failed("NOT_IN_VIEW", f"in view: {', '.join(seen.labels())}")
    motion = robot.pick(block)
    yield from follow_motion(motion, lambda: robot.doing)
    if motion.failure is not None:
        raise motion.failure


@skill(
    fails={"LOST", "STOPPED"},
    needs={"cup": "{block}"},
    effects={"cup": "empty", "place.{block}": "{into}"},
    uses={"gantry"},
    timeout_s=30,
)
def place(robot: Gantry, block: Block, into: Bin) -> Steps:
    """Release the held `block` in `into`."""
    motion = robot.place(into)
    yield from follow_motion(motion, lambda: robot.doing)
    if motion.failure is not None:
        raise motion.failure
    if robot.where(block) != into:
        raise Failed("LOST", f"{block} is at the {robot.where(block)}")


@condition(skip_reason="already there", establishes={"place.{block}": "{into}"})
def block_in(robot: Gantry, block: Block, into: Bin) -> Verdict:
    """Return whether `block` is in `into`."""
    found = robot.where(block)
    return Verdict(found == into, found)
