"""Pack of the gantry, registered through an entry point."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from bt_exec import Pack, PackSettings, Rig, WorldSettings
from bt_exec.events import MissionStarted
from bt_exec.language.messages import Messages
from bt_exec.mission_reporter import MissionReporter, MissionView

from .robot import BINS, BLOCKS, Bin, Block
from .skills import block_in, pick, place

__all__ = ["PACK"]

HERE = Path(__file__).parent
MESSAGES = Messages.load([HERE / "messages.yaml"])


class BenchStart(WorldSettings):
    """Initial state of the simulated bench, set with ``--world``."""

    seed: int = Field(0, ge=0, description="draws where the blocks are")
    weak: bool = Field(False, description="whether the cup loses what it lifts")
    camera: str = Field("none", description="FAULT[@START[-END]], as dark@3-5")


def make_sim(settings: PackSettings, start: BenchStart) -> Rig:
    """Return the simulated gantry with its camera."""
    del settings  # the site sets only the name of this robot
    from bt_exec_skills.perception.faulty_camera import FaultyCamera, parse_breaks
    from bt_exec_skills.perception.object_perception import ObjectPerception
    from bt_exec_skills.perception.oracle import OracleDetector
    from bt_exec_skills.simulation.camera import ObjectCamera

    from .robot import Bench, SimGantry

    robot = SimGantry(Bench(start.seed, weak=start.weak))
    labels = {name: (f"{name}/",) for name in (*BLOCKS, *BINS)}
    camera = FaultyCamera(
        ObjectCamera(robot.world, labels, 160, 120), start.seed, parse_breaks(start.camera)
    )
    detector = OracleDetector(lambda _, mask: mask.sum() > 10)

    def facts() -> dict[str, str]:
        places = {f"place.{block}": robot.where(block) for block in BLOCKS}
        return {"cup": robot.held or "empty", **places}

    return Rig(
        robot,
        ObjectPerception(camera, detector, MESSAGES.translate_word),
        robot,
        facts,
        camera.close,
        services={"places": facts},
    )


class GantryReporter(MissionReporter):
    """Reporter of the positions of the blocks."""

    language = "en"

    def on(self, event: Any) -> None:
        """Record the language of the command."""
        if isinstance(event, MissionStarted):
            self.language = event.language

    def turn_report(self, view: MissionView) -> Mapping[str, Any]:
        """Return the progress and the places of the blocks."""
        action = view.next_action
        return {
            "next_action": None if action is None else action.to_dict(),
            "left": len(view.remaining),
            "places": self.services["places"](),
            "status": view.status,
        }

    def operator_messages(self) -> str:
        """Return a sentence about each block."""
        if "places" not in self.services:  # a refused command opens no robot
            return ""
        places = self.services["places"]()
        return " ".join(
            MESSAGES.say("PLACE", self.language, block=one, place=places[f"place.{one}"])
            for one in BLOCKS
        )


PACK = Pack(
    name="gantry",
    summary="A suction cup on three axes above blocks and bins.",
    skills=(pick, place),
    conditions=(block_in,),
    types={"Block": Block, "Bin": Bin},
    facts={"cup": ("empty", "{Block}"), "place.{Block}": ("bench", "cup", "{Bin}")},
    trees=HERE / "trees",
    lexicon=HERE / "lexicon.yaml",
    messages=HERE / "messages.yaml",
    robots={"sim": make_sim},
    world=BenchStart,
    reporter=GantryReporter,
)
"""The pack, registered under the entry point ``gantry``."""
