"""Makes the pack's rigs from a site's settings; the simulator is imported on demand."""

from __future__ import annotations

from bt_exec.failure import UsageError
from bt_exec.rig import Rig
from bt_exec_skills.tabletop.hand import Hand
from bt_exec_skills.tabletop.settings import TableSettings, TableStart

__all__ = ["make_sim_rig"]


def make_sim_rig(settings: TableSettings, start: TableStart) -> Rig:
    """Return the simulated robot in its kitchen, in this process.

    Raises:
        UsageError: If so many things have no room.
    """
    from bt_exec_skills.tabletop.perception.pipeline import TablePerception
    from bt_exec_skills.tabletop.sim.body import SimTableRobot
    from bt_exec_skills.tabletop.sim.camera import HeadCamera
    from bt_exec_skills.tabletop.sim.world import TableWorld

    try:
        world = TableWorld(start.options())
    except ValueError as error:
        raise UsageError(str(error)) from error
    robot, hand = SimTableRobot(world), Hand()
    robot.step(0.5)  # things come to rest
    camera = HeadCamera(world) if settings.picture_every_s > 0 else None
    perception = TablePerception(world.environment, camera, settings.picture_every_s)

    def facts() -> dict[str, str]:
        return {"hand": hand.holds(world.environment()) or "empty"}

    return Rig(robot, perception, robot, facts, None, services={"hand": hand})
