"""Training scenes of the door world, as used to train the shipped detector.

Half of the scenes show moments of missions that run without perception. The others place door, arms
and material at random. All pictures of a scene show the same cabinet; everything else varies.
`state_comparison` compares the door states that a network estimates with the true ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.door.dataset.domain_randomization import (
    Rng,
    add_hidden_extras,
    enlarge,
    randomize_world,
    through_sensor,
)
from bt_exec_skills.door.perception.camera_door_calibration import (
    Calibration,
    CameraPose,
    DoorShape,
)
from bt_exec_skills.door.perception.detector_factory import SHIPPED
from bt_exec_skills.door.perception.ground_truth_estimator import DoorView
from bt_exec_skills.door.perception.learned_detector import LearnedDetector
from bt_exec_skills.door.perception.state_estimator import LearnedEstimator
from bt_exec_skills.door.robot import OPEN_RAD, state_at
from bt_exec_skills.door.sim.camera import GEOMS
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.mjcf import world_xml
from bt_exec_skills.door.sim.simulated_robot import SimDoorRobot
from bt_exec_skills.door.sim.world import DoorWorld, calibration_of
from bt_exec_skills.perception.pictures_and_boxes import Frame, Mask, box_around
from bt_exec_skills.simulation.camera import geom_ids
from bt_exec_skills.simulation.ray_casting import RayCastingRenderer
from bt_exec_skills.simulation.renderer import gl_works, make_renderer
from bt_exec_skills.vision.evaluate import StateEstimator
from bt_exec_skills.vision.labelled_picture import Mark, Picture, Sample
from bt_exec_skills.vision.network_inference import Network

__all__ = [
    "DoorScenes",
    "posed_states",
    "random_angle",
    "random_mission_states",
    "state_comparison",
]


Vector = npt.NDArray[np.float64]

_MISSION_PICTURES, _POSED_PICTURES = 8, 8
_EVERY_S = 0.25


def random_angle(rng: Rng) -> float:
    """Return a random hinge angle [rad]: closed (30 %), ajar (45 %) or open (25 %)."""
    kind = rng.random()
    if kind < 0.3:
        return float(rng.uniform(0.0, 0.02)) if rng.random() < 0.8 else float(rng.uniform(0, 0.04))
    if kind < 0.75:
        low, high = (0.05, 0.4) if rng.random() < 0.4 else (0.4, 1.0)
        return float(rng.uniform(low, high))
    return float(rng.uniform(1.0, 1.6))


def random_mission_states(world: DoorWorld, rng: Rng) -> list[Vector]:
    """Return random states (``qpos``) of a fetch mission: open, reach, grasp, close, go home."""
    robot = SimDoorRobot(world)
    puller: Any = "right" if rng.random() < 0.8 else "left"
    taker: Any = "right" if rng.random() < 0.85 else "left"
    moves: list[Callable[[], Any]] = []
    if world.angle < OPEN_RAD:
        moves.append(lambda: robot.pull_open(puller, "door-handle"))
    if world.layout.material:
        moves += [
            lambda: robot.reach(taker, "material"),
            lambda: robot.close_gripper(taker, "material"),
        ]
    moves += [lambda: robot.push_shut(taker, "door-handle"), robot.go_home]
    states = [world.data.qpos.copy()]
    for move in moves:
        motion = move()
        spent = 0.0
        while not motion.done and spent < 30.0:
            robot.step(_EVERY_S)
            spent += _EVERY_S
            states.append(world.data.qpos.copy())
    picks = np.sort(rng.choice(len(states), min(_MISSION_PICTURES, len(states)), replace=False))
    return [states[i] for i in picks]


def posed_states(world: DoorWorld, rng: Rng) -> list[Vector]:
    """Return random states (``qpos``) that do not occur in missions."""
    home = world.data.qpos.copy()
    return [_clear_pose(world, home.copy(), rng) for _ in range(_POSED_PICTURES)]


def _clear_pose(world: DoorWorld, qpos: Vector, rng: Rng) -> Vector:
    model = world.model
    qpos[model.joint("door").qposadr[0]] = random_angle(rng)
    for arm in ("left", "right"):
        if rng.random() < 0.55:
            continue
        for index in range(1, 8):
            joint = model.joint(f"{arm}/j{index}")
            low, high = joint.range
            at = int(joint.qposadr[0])
            wide = 0.9 if index <= 4 else 1.2
            qpos[at] = np.clip(qpos[at] + rng.normal(0.0, wide), low, high)
    if world.layout.material and rng.random() < 0.5:
        at = int(model.joint("material").qposadr[0])
        x, y, z = world.layout.centre
        inside = rng.random() < 0.7
        low = (x + 0.05, y - 0.1, qpos[at + 2]) if inside else (x - 0.3, y - 0.2, z - 0.25)
        high = (x + 0.15, y + 0.1, qpos[at + 2]) if inside else (x - 0.05, y + 0.2, z + 0.1)
        qpos[at : at + 3] = rng.uniform(low, high)
        yaw = rng.uniform(-1.5, 1.5)
        qpos[at + 3 : at + 7] = np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
    return qpos


WIDTH, HEIGHT = 320, 240
_LEAST_PIXELS = {"door": 300, "door-handle": 40, "material": 50, "person": 250}
_MISSION_SHARE = 0.5
_CROP_SHARE = 0.12


class DoorScenes:
    """Training scenes of the door pack, a `bt_exec_skills.vision.labelled_picture.SceneSource`."""

    name = "door"
    classes = ("door-closed", "door-ajar", "door-open", "door-handle", "material", "person")
    states = ("closed", "ajar", "open")
    weights = SHIPPED

    def state_comparison(self, network: Network) -> StateEstimator:
        """Return a function that returns the true and the estimated door state of a picture."""
        return state_comparison(network)

    def scene(self, seed: int) -> Iterator[Sample]:
        """Yield random pictures of one cabinet."""
        rng = np.random.default_rng([seed, 20261])
        options = WorldOptions(
            door=float(random_angle(rng)),
            material="present" if rng.random() < 0.8 else "absent",
            seed=seed,
        )
        world = DoorWorld(options)
        mission = rng.random() < _MISSION_SHARE
        states = random_mission_states(world, rng) if mission else posed_states(world, rng)
        spec = mujoco.MjSpec.from_string(world_xml(world.layout))
        add_hidden_extras(spec, rng)
        model = spec.compile()
        data = mujoco.MjData(model)
        door = asdict(calibration_of(world).door)
        shown = {**GEOMS, "person": ("person/",)}
        geoms = {kind: geom_ids(model, names) for kind, names in shown.items()}
        gl = make_renderer(model, WIDTH, HEIGHT, "egl") if gl_works() else None
        try:
            for qpos in states:
                camera = randomize_world(model, world.layout, rng)
                data.qpos[:] = qpos
                mujoco.mj_forward(model, data)
                by_ray = gl is None or rng.random() < 1 / 3
                renderer = RayCastingRenderer(model, WIDTH, HEIGHT) if gl is None or by_ray else gl
                picture = renderer.render(data)
                angle = float(data.joint("door").qpos[0])
                masks = {kind: np.isin(picture.geoms, ids) for kind, ids in geoms.items()}
                image = through_sensor(picture.rgb, rng)
                closer = rng.random() < _CROP_SHARE
                if closer:
                    image, masks = _enlarged_part(image, masks, rng)
                yield Sample(
                    image,
                    _visible_boxes(masks, angle),
                    {
                        "angle_rad": round(angle, 4),
                        "renderer": renderer.name,
                        "posture": "mission" if mission else "posed",
                        "crop": closer,
                        "camera": asdict(camera),
                        "door": door,
                    },
                )
        finally:
            if gl is not None:
                gl.close()


def _enlarged_part(image: Frame, masks: dict[str, Mask], rng: Rng) -> tuple[Frame, dict[str, Mask]]:
    """Return an enlarged crop of a picture, as used to confirm detections, and its masks.

    The mask of an object is empty if less than half of the object is inside the crop.
    """
    kind = ("material", "material", "material", "door-handle", "")[int(rng.integers(5))]
    middle = rng.uniform((80, 60), (WIDTH - 80, HEIGHT - 60))
    if kind and masks[kind].any():
        rows, columns = np.nonzero(masks[kind])
        middle = np.array([columns.mean(), rows.mean()]) + rng.normal(0.0, 15.0, 2)
    x = int(np.clip(middle[0] - WIDTH / 4, 0, WIDTH / 2))
    y = int(np.clip(middle[1] - HEIGHT / 4, 0, HEIGHT / 2))
    part = np.s_[y : y + HEIGHT // 2, x : x + WIDTH // 2]
    inside: dict[str, Mask] = {}
    for name, mask in masks.items():
        kept = int(mask[part].sum()) >= 0.5 * int(mask.sum())
        shown = mask[part] if kept else np.zeros_like(mask[part])
        inside[name] = np.repeat(np.repeat(shown, 2, axis=0), 2, axis=1)
    return enlarge(image[part]), inside


def _visible_boxes(masks: dict[str, Mask], angle: float) -> tuple[Mark, ...]:
    """Return the boxes of visible objects with enough pixels."""
    return tuple(
        Mark(f"door-{state_at(angle)}" if kind == "door" else kind, box_around(mask))
        for kind, mask in masks.items()
        if int(mask.sum()) >= _LEAST_PIXELS[kind]
    )


def state_comparison(network: Network) -> StateEstimator:
    """Return a function that returns the true and the estimated door state of a picture.

    The function returns None for enlarged crops and for pictures that show too little of the door.
    """
    detector = LearnedDetector(network)

    def answer(picture: Picture) -> tuple[str, str] | None:
        shown = any(
            mark.label.startswith("door-") and mark.label != "door-handle" for mark in picture.marks
        )
        if picture.facts["crop"] or not shown:
            return None
        calibration = Calibration(
            CameraPose(**picture.facts["camera"]), DoorShape(**picture.facts["door"])
        )
        view = DoorView(0.0, picture.image())
        estimate = LearnedEstimator(calibration).estimate(view, detector.detect(view))
        return state_at(float(picture.facts["angle_rad"])), estimate.state

    return answer
