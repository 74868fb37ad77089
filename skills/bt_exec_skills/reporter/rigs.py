"""Makes the pack's robots from a site's settings; what a robot needs is imported only then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bt_exec.failure import UnknownName, UsageError
from bt_exec.rig import Rig
from bt_exec_skills.reporter.perception.contracts import PeopleDetector
from bt_exec_skills.reporter.perception.vlm_answer import make_asker
from bt_exec_skills.reporter.reporting.pacing import Paced
from bt_exec_skills.reporter.reporting.speaker import ScriptedSpeaker, Speaker
from bt_exec_skills.reporter.reporting.terminal import TerminalSpeaker
from bt_exec_skills.reporter.robot import EMPTY, ReporterRobot
from bt_exec_skills.reporter.sitemap import SiteMap, make_map

__all__ = ["WORLD_KEYS", "facts_of", "make_detector", "make_sim_rig"]

WORLD_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "seed": "draws whatever is not chosen: a whole number",
        "people": "how many are there: random, none, few, crowd, or PLACE:NUMBER,…",
        "lights": "lamps: random, on, off, or LAMP:on,LAMP:off,…",
        "noise": "how loud it is: random, quiet, noisy, or PLACE:noisy,PLACE:quiet,…",
        "unusual": "what lies about: random, none, or PLACE:THING,… with THING one of "
        "fallen_chair, spill, box",
        "professor": "whether the professor is in: present, absent",
        "blocked": "what stands in the way: none, corridor (there is a way round), or a place "
        "that is cut off",
        "answer": "what people answer: random, none (silence), refuse, or the very words",
        "load": "whether anything is put on the tray: ready, none",
        "lens": "the camera: clear, dark (black pictures), frozen (no new ones)",
    }
)
"""The ``--world`` keys of the simulated building."""

_SETTINGS = ("robot", "detector", "speaker", "reports", "answers", *SiteMap.model_fields)
_SPEAKERS = ("scripted", "terminal")


def make_detector(name: str) -> PeopleDetector:
    """Return the detector that a site chooses by name.

    Raises:
        UnknownName: If there is none of that name.
    """
    if name == "oracle":
        from bt_exec_skills.reporter.perception.oracle import PeopleOracle

        return PeopleOracle()
    raise UnknownName("detector", name, ("oracle",))


def facts_of(robot: ReporterRobot) -> dict[str, str]:
    """Return what the robot knows about itself, for the dry run."""
    facts = {"tray": robot.tray or EMPTY}
    if robot.place is not None:
        facts["at"] = robot.place
    return facts


def make_sim_rig(settings: Mapping[str, Any], world: Mapping[str, str]) -> Rig:
    """Return the simulated robot in its building.

    Args:
        settings: The site's settings of the pack: the map, ``detector``, ``speaker``,
            ``reports``, ``answers``.
        world: The ``--world`` pairs; see `WORLD_KEYS`.

    Raises:
        UsageError: If a value is not allowed; the message lists what is.
        UnknownName: If a key is none of these.
    """
    for kind, given, known in (
        ("setting of pack reporter", settings, _SETTINGS),
        ("world key", world, tuple(WORLD_KEYS)),
    ):
        for key in given:
            if key not in known:
                raise UnknownName(kind, key, known)
    site = make_map(settings)
    detector = make_detector(str(settings.get("detector", "oracle")))
    voice = str(settings.get("speaker", "scripted"))
    if voice not in _SPEAKERS:
        raise UnknownName("speaker", voice, _SPEAKERS)

    from bt_exec_skills.reporter.sim.options import parse_world

    try:
        options = parse_world(world)
    except ValueError as error:
        raise UsageError(f"--world {error}") from None

    from bt_exec_skills.reporter.perception.pipeline import ReporterPerception
    from bt_exec_skills.reporter.sim.answers import replies_of
    from bt_exec_skills.reporter.sim.body import SimReporterRobot
    from bt_exec_skills.reporter.sim.camera import SimCamera
    from bt_exec_skills.reporter.sim.world import BuildingWorld

    building = BuildingWorld(options, site.places[site.base].poses[0])
    hears: list[Callable[[str], bool]] = []
    speaker: Speaker
    person: TerminalSpeaker | None = None
    if voice == "terminal":
        speaker = person = TerminalSpeaker(called=site.called)
    else:
        replies = replies_of(options.answer, building.layout.answer)
        speaker = ScriptedSpeaker(
            lambda: building.time, replies, lambda who: all(hear(who) for hear in hears)
        )
    robot = SimReporterRobot(building, site, speaker, _folder(settings.get("reports")))
    robot.asker = make_asker(settings.get("answers"))
    hears.append(robot.hears)
    camera = SimCamera(building)

    def close() -> None:
        speaker.close()
        camera.close()

    eyes = ReporterPerception(camera, detector, site)
    return Rig(
        robot,
        eyes,
        robot if person is None else Paced(robot, lambda: person.listening),
        lambda: facts_of(robot),
        close,
        services={"notebook": robot.notebook},
    )


def _folder(setting: Any) -> Path | None:
    """Return the folder for reports: as set, beside the journal by default, or none."""
    if setting == "none":
        return None
    if setting is not None:
        return Path(str(setting)).expanduser()
    from bt_exec.journal import default_path

    return default_path().parent / "reports"
