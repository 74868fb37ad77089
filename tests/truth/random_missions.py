"""Random missions with faults, and their goals as checks of the world."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from bt_exec.site.site import load_site
from tests.small_pictures import quick_session
from tests.truth.message_check import Checker
from tests.truth.witness import Witness, door_state

Goal = Callable[[Witness], bool]


@dataclass(frozen=True)
class Case:
    """One mission.

    Attributes:
        site: ``door`` or ``building``.
        command: The command.
        world: Initial world.
        faults: Injected faults.
        goals: Requested results, each with the words that report it as missing.
        abort_s: Time of an abort [s], or None.
        question: Whether a question about the door is true of the world, or None.
    """

    site: str
    command: str
    world: dict[str, str]
    faults: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()
    abort_s: float | None = None
    question: Goal | None = None


def _closed(w: Witness) -> bool:
    return door_state(w.angle) == "closed"


def _open(w: Witness) -> bool:
    return door_state(w.angle) == "open"


def _right_holds(w: Witness) -> bool:
    return w.held("right") == "material"


def _home(w: Witness) -> bool:
    return w.home("left") and w.home("right")


DOOR: list[tuple[str, str, tuple[Goal, ...], Goal | None]] = [
    ("open the door", "문을 열어", (_open,), None),
    ("close the door", "문을 닫아", (_closed,), None),
    ("open the door with your left arm", "왼팔로 문을 열어", (_open,), None),
    ("get the material", "자재를 가져와", (_right_holds, _closed, _home), None),
    (
        "get the material and leave the door open",
        "자재를 꺼내고 문은 열어 둬",
        (_right_holds, _open),
        None,
    ),
    ("bring your arms home", "팔을 제자리로", (_home,), None),
    ("is the door open?", "문이 열려 있는지 알려 줘", (), _open),
    ("is the door closed?", "문이 닫혀 있는지 알려 줘", (), _closed),
    ("is the door open? close it", "", (_closed,), None),
    ("open the door and close the door", "문을 열고 닫아", (_closed,), None),
]
DOOR_FAULTS = [
    *("open_door:1=DOOR_STUCK", "open_door:1=GRASP_SLIPPED", "open_door=UNREACHABLE"),
    *("grasp:1=GRASP_SLIPPED", "grasp=GRASP_SLIPPED", "close_door:1=DOOR_STUCK"),
    *("close_door=UNREACHABLE", "move_arm:1=UNREACHABLE", "return_home:1=NOT_IN_PLACE"),
    *("open_door:1=TIMEOUT", "close_door=TIMEOUT", "grasp:2=TIMEOUT", "close_door=DOOR_STUCK"),
]
ROOMS = {
    "corridor_center": ("the corridor", "복도"),
    "lounge": ("the lounge", "라운지"),
    "break_room": ("the break room", "휴게실"),
    "restroom_front": ("the restroom", "화장실 앞"),
}
BUILDING_FAULTS = [
    *("navigate:1=BLOCKED_PATH", "navigate:2=UNREACHABLE", "navigate=TIMEOUT"),
    *("observe_scene:1=CAMERA_FAULT", "observe_scene=CAMERA_FAULT", "observe_scene=TIMEOUT"),
    *("talk_to_person:1=NO_ANSWER", "talk_to_person:1=PERSON_NOT_FOUND"),
    *("deliver_object:1=NO_ANSWER", "deliver_object=TIMEOUT"),
    *("navigate:3=BLOCKED_PATH", "summarize_mission=TIMEOUT", "navigate:1=SKILL_CRASHED"),
]


def door_case(rng: random.Random) -> Case:
    english, korean, goals, question = rng.choice(DOOR)
    command = korean if korean and rng.random() < 0.5 else english
    world = {
        "door": rng.choice(["closed", "closed", "ajar", "open", f"{rng.uniform(0, 1.4):.2f}"]),
        "material": rng.choice(["present", "present", "present", "absent"]),
        "seed": str(rng.randrange(100)),
        "fault": rng.choice(["none", "none", "none", "jammed", "slippery"]),
    }
    if rng.random() < 0.15:
        world["camera"] = rng.choice(["dark@2-4", "frozen@3", "noise@5-6", "dark@8"])
    faults = tuple(rng.sample(DOOR_FAULTS, rng.choice([0, 0, 1, 2])))
    abort = rng.uniform(0.5, 15.0) if rng.random() < 0.15 else None
    return Case("door", command, world, faults, goals, abort, question)


def building_case(rng: random.Random) -> Case:
    world = {
        "seed": str(rng.randrange(100)),
        "professor": rng.choice(["present", "present", "absent"]),
        "answer": rng.choice(["random", "random", "none", "refuse"]),
        "load": rng.choice(["ready", "ready", "none"]),
        "lens": rng.choice(["clear", "clear", "clear", "dark"]),
    }
    if rng.random() < 0.3:
        world["blocked"] = rng.choice(["lounge", "break_room", "corridor"])
    faults = tuple(rng.sample(BUILDING_FAULTS, rng.choice([0, 0, 1, 2])))
    command, goals = _errand(rng)
    abort = rng.uniform(2.0, 60.0) if rng.random() < 0.1 else None
    return Case("building", command, world, faults, goals, abort)


def _errand(rng: random.Random) -> tuple[str, tuple[Goal, ...]]:
    korean = rng.random() < 0.5
    kind = rng.choice(["look", "look", "two", "ask", "tell", "deliver", "in", "go"])
    places = rng.sample(sorted(ROOMS), 2)
    names = [ROOMS[place][korean] for place in places]

    def looked(place: str) -> Goal:
        return lambda w: any(found == place for found, _ in w.looks)

    match kind:
        case "look":
            told = (
                f"{names[0]} 둘러보고 와서 알려줘"
                if korean
                else f"check {names[0]} and report back"
            )
            return told, (looked(places[0]),)
        case "two":
            told = (
                f"{names[0]}, {names[1]} 둘러보고 와서 알려줘"
                if korean
                else f"check {names[0]} and {names[1]} and report back"
            )
            return told, (looked(places[0]), looked(places[1]))
        case "ask":
            told = (
                "교수님께 회의가 언제인지 여쭤보고 와서 알려줘"
                if korean
                else "ask the professor when the meeting is and report back"
            )
            words = "회의가 언제인지" if korean else "when the meeting is"
            return told, (lambda w: w.said_to("professor", words),)
        case "tell":
            told = (
                "교수님께 회의가 취소됐다고 전해"
                if korean
                else "tell the professor that the meeting is cancelled"
            )
            words = "취소" if korean else "cancelled"
            return told, (lambda w: w.said_to("professor", words),)
        case "deliver":
            told = "교수님께 서류를 전달해" if korean else "deliver the document to the professor"
            thing = "서류" if korean else "document"
            return told, (lambda w: w.tray is None and any(on == thing for _, on in w.trays),)
        case "in":
            told = "교수님이 계신지 보고 와서 알려줘" if korean else "is the professor in?"
            return told, (looked("professor_office"),)
    told = (
        f"{names[0]}로 가" if korean and names[0] != "화장실 앞" else f"go to {ROOMS[places[0]][0]}"
    )
    place = places[0]
    return told, (lambda w: place in w.places,)


def case(seed: int) -> Case:
    """Return the mission of a seed."""
    rng = random.Random(seed)
    return (door_case if seed % 2 else building_case)(rng)


@cache
def site_of(name: str) -> Any:
    """Return a site with the oracle detector, which observes only on request."""
    site = load_site(name)
    pack = "door" if name == "door" else "reporter"
    more = {"detector": "oracle"} if name == "door" else {"reports": "none"}
    settings = site.packs[pack].model_copy(update=more)
    rates = site.rates.model_copy(update={"idle_look_hz": 0})
    return replace(site, packs={pack: settings}, rates=rates)


@dataclass
class _Aborter:
    session: Any = None
    at: float = 0.0
    done: bool = field(default=False)

    def on(self, event: Any) -> None:
        if event.t >= self.at and not self.done:
            self.done = True
            self.session.abort("test")


def wrong(seed: int) -> list[str]:
    """Run the mission of a seed, and return every false statement in its reports."""
    given = case(seed)
    witness = Witness()
    listeners: list[Any] = [witness]
    if given.abort_s is not None:
        listeners.append(_Aborter(at=given.abort_s))
    with quick_session(
        site_of(given.site),
        world=given.world,
        faults=given.faults,
        listeners=listeners,
    ) as session:
        for one in listeners:
            one.session = session
        outcome = session.run(given.command)
        found = _judged(given, witness, outcome)
    about = f"seed {seed}: {given.command!r} {given.world} {given.faults} {given.abort_s}"
    return [f"{about}\n  {outcome.status}: {outcome.message}\n  {one}" for one in found]


def _judged(given: Case, witness: Witness, outcome: Any) -> list[str]:
    if outcome.status == "refused":
        moved = "moved although refused" if witness.moved else ""
        return [moved] if moved else []
    found = Checker(witness, outcome.status).read(outcome.message)
    for one in outcome.undone:
        found += Checker(witness, outcome.status).read(one["why"])
    met = [goal(witness) for goal in given.goals]
    if outcome.status == "satisfied" and not all(met):
        found.append(f"satisfied, but {met}")
    if outcome.status == "partial" and (not outcome.undone or not witness.moved):
        found.append("partial, but nothing is missing, or nothing was done")
    if outcome.status != "satisfied" and outcome.exit_code == 0:
        found.append("exit 0")
    if given.question is not None and outcome.status == "satisfied":
        yes = outcome.message.startswith(("Yes", "네"))
        no = outcome.message.startswith(("No", "아니요"))
        if (yes or no) and yes is not given.question(witness):
            found.append("the answer is wrong")
    if "reporter" in witness.session.rigs and outcome.status == "satisfied":
        told = "report" in given.command or "알려" in given.command
        if told and not any(one.person == "user" for one in witness.said):
            found.append("satisfied, but the user was not told")
    return found
