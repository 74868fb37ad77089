"""Simulated robot: `DoorRobot` on a MuJoCo world that advances only in `step`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from bt_exec_skills.door.robot import ARMS, CLOSED_RAD, Arm
from bt_exec_skills.door.sim import door_manipulation, hand_moves
from bt_exec_skills.door.sim.arm_mjcf import HOME
from bt_exec_skills.door.sim.arm_retreat_motions import ArmAttempt
from bt_exec_skills.door.sim.ik import ArmIK
from bt_exec_skills.door.sim.world import CONTROL_S, DoorWorld
from bt_exec_skills.motion.abstract_simulated_robot import Periods
from bt_exec_skills.motion.stepped_motion import MotionSteps, SteppedMotion

__all__ = ["SimDoorRobot"]

ArmMotion: TypeAlias = SteppedMotion[tuple[float, str]]

_STILL_RAD_S = 0.02
_AT_HOME_RAD = 0.08
_AT_LABEL_M = 0.05
_IN_HAND_M = 0.06


_PHASES = {"reach": 1, "grasp": 4, "open": 2, "pull": 7, "push": 5, "home": 1}
"""Number of phases of each motion, for its progress."""


class SimDoorRobot:
    """Both arms, the hinge encoder and the clock of one world.

    It reads the poses of labelled objects from the simulator, like a robot with a calibrated depth
    camera. All methods except `stop` must be called on the thread that calls `step`.

    Args:
        world: The simulated world.
    """

    def __init__(self, world: DoorWorld) -> None:
        self.world = world
        self._iks = {arm: ArmIK(arm) for arm in ARMS}
        self._motions: dict[Arm, ArmMotion] = {}
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._slips_left = 1 if world.options.fault == "slippery" else 0
        self._stop_asked = False
        self._periods = Periods(CONTROL_S)

    # -- time

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.world.time

    def step(self, seconds: float) -> None:
        """Advance the physics by `seconds`, in whole control periods; the rest is carried over."""
        for _ in range(self._periods.take(seconds)):
            self._execute_stop_request()
            for motion in dict.fromkeys(self._motions.values()):
                motion.advance()
            self.world.advance()
        self._execute_stop_request()

    def stop(self) -> None:
        """Freeze both arms; safe from any thread and from a signal handler."""
        self._stop_asked = True

    def _execute_stop_request(self) -> None:
        """Execute a pending stop request."""
        if self._stop_asked:
            self._stop_asked = False
            for motion in self._motions.values():
                motion.stop()
            for limb in self.world.limbs.values():
                limb.freeze()

    # -- readings

    @property
    def still(self) -> bool:
        """Whether no motion runs and no joint turns."""
        moving = any(not motion.done for motion in self._motions.values())
        return not moving and all(limb.speed < _STILL_RAD_S for limb in self.world.limbs.values())

    @property
    def doing(self) -> str:
        """Phase of the motion; empty at rest."""
        return next((m.doing for m in self._motions.values() if not m.done), "")

    @property
    def door_angle_rad(self) -> float:
        """Reading of the hinge encoder [rad]."""
        return self.world.angle

    @property
    def is_latched(self) -> bool:
        """Whether the latch contact reports a door that is closed without a gap."""
        return self.world.angle <= CLOSED_RAD

    @property
    def at_home(self) -> bool:
        """Whether both arms are at their rest posture."""
        return all(map(self.arm_at_home, ARMS))

    def arm_at_home(self, arm: Arm) -> bool:
        """Return True if the arm is at its rest posture."""
        return float(np.abs(self.world.limbs[arm].q - HOME[arm]).max()) < _AT_HOME_RAD

    def holding(self, arm: Arm) -> str | None:
        """Return the held object: "material", "door-handle" or None."""
        limb = self.world.limbs[arm]
        if limb.holds_handle:
            return "door-handle"
        found = self.world.material_pose()
        if not limb.holds_material or found is None:
            return None
        return "material" if float(np.linalg.norm(found[0] - limb.grip)) < _IN_HAND_M else None

    def at_label(self, arm: Arm, label: str) -> bool:
        """Return True if the hand is in front of the material, as after `reach`."""
        found = self.world.material_pose()
        if label != "material" or found is None:
            return False
        limb = self.world.limbs[arm]
        away = float(np.linalg.norm(found[0] - limb.grip))
        return abs(away - hand_moves.REACH_M) < _AT_LABEL_M

    def in_doorway(self, arm: Arm) -> bool:
        """Return True if any part of the arm is in the swing area of the door, or behind it."""
        return self.world.geometry.in_swing(self.world.angle, self.world.limbs[arm].arm_points())

    # -- motions

    def reach(self, arm: Arm, label: str) -> ArmMotion:
        """Implement `DoorRobot.reach`."""
        return self._start_motion(arm, f"reach {label}", hand_moves.reach)

    def close_gripper(self, arm: Arm, label: str) -> ArmMotion:
        """Implement `DoorRobot.close_gripper`."""
        slips = self._slips_left > 0
        self._slips_left = max(0, self._slips_left - 1)
        return self._start_motion(
            arm, f"grasp {label}", lambda job: hand_moves.grasp(job, slips=slips)
        )

    def open_gripper(self, arm: Arm) -> ArmMotion:
        """Implement `DoorRobot.open_gripper`."""
        return self._start_motion(arm, "open", hand_moves.open_hand)

    def pull_open(self, arm: Arm, label: str) -> ArmMotion:
        """Implement `DoorRobot.pull_open`."""
        by_handle = label == "door-handle"
        pull = door_manipulation.pull_by_handle if by_handle else door_manipulation.pull_by_edge
        return self._start_motion(arm, f"pull {label}", self._after_release(arm, pull))

    def push_shut(self, arm: Arm, label: str) -> ArmMotion:
        """Implement `DoorRobot.push_shut`; the contact point does not depend on the label."""
        return self._start_motion(
            arm, f"push {label}", self._after_release(arm, door_manipulation.push_shut)
        )

    def go_home(self) -> ArmMotion:
        """Implement `DoorRobot.go_home`."""
        for motion in self._motions.values():
            motion.stop()
        jobs = [self._job(arm, 0) for arm in ARMS]
        motion = SteppedMotion(hand_moves.go_home(jobs), self._freeze_all, 1, brake=False)
        self._motions = dict.fromkeys(ARMS, motion)
        return motion

    def return_arm(self, arm: Arm) -> ArmMotion:
        """Implement `DoorRobot.return_arm`."""
        return self._start_motion(arm, "home", lambda job: hand_moves.go_home([job]))

    def _start_motion(
        self, arm: Arm, name: str, move: Callable[[ArmAttempt], MotionSteps]
    ) -> ArmMotion:
        """Stop the arm's motion, and start `move` as the next attempt at the motion `name`."""
        if arm in self._motions:
            self._motions[arm].stop()
        attempt = self._attempts[arm, name]
        self._attempts[arm, name] += 1
        job = self._job(arm, attempt)
        phases = _PHASES[name.partition(" ")[0]]
        steps = self._count_attempts(move(job), arm, name)
        motion = SteppedMotion(steps, job.limb.freeze, phases, brake=False)
        self._motions[arm] = motion
        return motion

    def _after_release(
        self, arm: Arm, move: Callable[[ArmAttempt], MotionSteps]
    ) -> Callable[[ArmAttempt], MotionSteps]:
        """Return a motion that makes the other hand release the handle, then executes `move`.

        If the hand misses or gets stuck, the arm goes home.
        """

        def moves(job: ArmAttempt) -> MotionSteps:
            yield from door_manipulation.release_handle([self._job(a, 0) for a in ARMS if a != arm])
            yield from door_manipulation.home_if_failed(job, move(job))

        return moves

    def _count_attempts(self, steps: MotionSteps, arm: Arm, name: str) -> MotionSteps:
        """Forward `steps`; after a success, the next attempt counts as the first."""
        yield from steps
        del self._attempts[arm, name]

    def _job(self, arm: Arm, attempt: int) -> ArmAttempt:
        return ArmAttempt(self.world, self.world.limbs[arm], self._iks[arm], attempt)

    def _freeze_all(self) -> None:
        for limb in self.world.limbs.values():
            limb.freeze()
