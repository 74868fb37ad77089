"""Reference simulator of the building: events of a meaning and of a plan in one world."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from bt_exec.spec.dump import to_data
from bt_exec.spec.model import Fallback, MissionSpec

__all__ = ["WORLDS", "Event", "If", "Meaning", "Place", "World", "events_of", "matches", "run"]

BASE, OFFICE = "basecamp", "professor_office"
PLACES = ("lounge", "corridor_center", "break_room", "restroom_front", OFFICE, BASE)


class Place(NamedTuple):
    people: int
    is_lit: bool
    is_loud: bool
    is_unusual: bool


@dataclass(frozen=True)
class World:
    places: dict[str, Place]
    answers_yes: bool

    def __getitem__(self, place: str) -> Place:
        return self.places[place]


class Event(NamedTuple):
    """An observable act.

    Attributes:
        kind: go, look, say, ask, give, wait or report.
        place: Place of the act; a person for what is said, asked or given.
        what: Aspect of a look, text, object or number of seconds; "English|Korean" if the
            languages differ.
        optional: Whether the act may be missing, such as the look on which a condition depends.
    """

    kind: str
    place: str = ""
    what: str = ""
    optional: bool = False


@dataclass(frozen=True)
class If:
    """A choice; `look` are the optional events by which the condition is decided."""

    holds: Callable[[World], bool]
    look: tuple[Event, ...]
    then: Meaning = ()
    otherwise: Meaning = ()


Meaning: TypeAlias = "tuple[Event | If, ...]"


def _worlds() -> Iterator[World]:
    rng = random.Random(7)
    for number in range(24):
        places = {
            place: Place(rng.choice((0, 0, 1, 2, 3, 5)), *(rng.random() < 0.5 for _ in range(3)))
            for place in PLACES
        }
        places[OFFICE] = places[OFFICE]._replace(people=number % 2)
        yield World(places, rng.random() < 0.5)


WORLDS = tuple(_worlds())


def events_of(meaning: Meaning, world: World, language: str) -> list[Event]:
    """Return the events that a meaning demands in a world."""
    events: list[Event] = []
    for part in meaning:
        if isinstance(part, Event):
            english, _, korean = part.what.partition("|")
            events.append(part._replace(what=korean if korean and language == "ko" else english))
        else:
            branch = part.then if part.holds(world) else part.otherwise
            events += [*part.look, *events_of(branch, world, language)]
    return events


@dataclass
class _Run:
    world: World
    events: list[Event] = field(default_factory=list)
    seen: str = ""

    def tick(self, node: dict[str, Any]) -> bool:
        if "skip_if" in node and self.holds(node["skip_if"]):
            return True
        until = node.get("until")
        for _ in range(int(node.get("repeat") or 1)):
            if not self.once(node):
                return False
            if until is not None and self.holds(until):
                return True
        return until is None

    def once(self, node: dict[str, Any]) -> bool:
        if "do" in node:
            self.act(node["do"], node.get("with") or {})
            return True
        if "check" in node:
            return bool(node.get("tell")) or self.holds(node["check"])
        if "body" in node:
            return self.tick(node["body"])
        if "fallback" in node:
            return self.choose(node["fallback"])
        return all(self.tick(child) for child in node["sequence"])

    def choose(self, branches: list[Any]) -> bool:
        is_choice = Fallback.model_validate({"fallback": branches}).is_choice
        for branch in branches:
            decided = is_choice and self.holds(branch["sequence"][0]["check"])
            if self.tick(branch):
                return True
            if decided:
                return False
        return False

    def act(self, skill: str, args: dict[str, Any]) -> None:
        place, topic = str(args.get("target", "")), str(args.get("topic", ""))
        match skill:
            case "navigate":
                self.events.append(Event("go", place))
            case "observe_scene":
                self.seen = place
                self.events.append(Event("look", place, str(args.get("query", "situation"))))
            case "talk_to_person":
                kind = "report" if place == "user" else "say"
                self.events.append(Event(kind, "" if place == "user" else place, topic))
            case "deliver_object":
                giver = f" < {args['giver']}" if args.get("giver") else ""
                self.events.append(
                    Event("give", str(args["recipient"]), str(args["object"]) + giver)
                )
            case "wait":
                self.events.append(Event("wait", "", f"{float(args['seconds']):g}"))
            case "summarize_mission":
                pass
            case _:
                raise NotImplementedError(skill)

    def holds(self, expression: Any) -> bool:
        if isinstance(expression, str):
            return self.fact(expression, {})
        ((name, args),) = expression.items()
        if name == "not":
            return not self.holds(args)
        if name in ("all", "any"):
            return (all if name == "all" else any)(self.holds(one) for one in args)
        return self.fact(name, args or {})

    def fact(self, name: str, args: dict[str, Any]) -> bool:
        if name == "answered_yes":
            return self.world.answers_yes
        if name == "failure_noted":
            return False
        if name == "more_there":
            return self.more(args)
        place = self.world[self.seen]
        match name:
            case "people_there" | "visitors_there":
                people = place.people - (name == "visitors_there" and self.seen == OFFICE)
                least, most = args.get("least"), args.get("most")
                return (1 if least is None else least) <= people <= (99 if most is None else most)
            case "lit_there":
                return place.is_lit
            case "loud_there":
                return place.is_loud
            case "unusual_there":
                return place.is_unusual
            case "person_found":
                return self.seen == OFFICE and place.people > 0
        raise NotImplementedError(name)

    def more(self, args: dict[str, Any]) -> bool:
        one, other = (self.world[args[name]] for name in ("target", "other"))
        values = {
            "people": (one.people, other.people),
            "light": (one.is_lit, other.is_lit),
            "noise": (one.is_loud, other.is_loud),
        }[args["about"]]
        return values[0] > values[1] if args["order"] == "most" else values[0] < values[1]


def run(plan: MissionSpec, world: World) -> list[Event]:
    """Return the events of an expanded plan in a world."""
    state = _Run(world)
    state.tick(to_data(plan)["root"])
    return state.events


def _location(event: Event) -> str:
    return OFFICE if event.place == "professor" else event.place


def _approaches(event: Event, following: Event) -> bool:
    """Return True if an event only drives to the place of the following act."""
    place = BASE if following.kind == "report" else _location(following)
    return event.kind == "go" and following.kind != "go" and event.place == place


def _without_approaches(events: list[Event]) -> list[Event]:
    """Return the events without drives to the place of the next act; waiting is not an act here."""
    kept: list[Event] = []
    for event in reversed(events):
        at = next((index for index, one in enumerate(reversed(kept)) if one.kind != "wait"), -1)
        following = kept[-1 - at] if at >= 0 else None
        if following is None or not _approaches(event, following):
            kept.append(event)
        elif following.optional:
            kept[-1 - at] = Event("look", event.place, "situation")
    return kept[::-1]


def matches(got: list[Event], wanted: list[Event]) -> bool:
    """Return True if a plan did what its meaning demands, in order."""
    has_report = any(event.kind == "report" for event in wanted)
    got, wanted = _without_approaches(got), _without_approaches(wanted)
    if not has_report:
        returns = [Event("go", BASE)] if wanted[-1:] == [Event("go", BASE)] else []
        reports = [event for event in got if event.kind == "report"]
        got = [event for event in got if event.kind != "report"]
        got += returns if reports else []
    return _fits(tuple(got), tuple(wanted))


def _fits(got: tuple[Event, ...], wanted: tuple[Event, ...]) -> bool:
    if not wanted:
        return not got
    if wanted[0].optional and _fits(got, wanted[1:]):
        return True
    if not got or not _same(got[0], wanted[0]):
        return False
    return _fits(got[1:], wanted[1:]) or (wanted[0].optional and _fits(got[1:], wanted))


def _same(got: Event, wanted: Event) -> bool:
    if got.kind == "go" and wanted.kind == "look" and wanted.optional:
        return got.place == wanted.place
    if got.kind != wanted.kind and {got.kind, wanted.kind} != {"say", "ask"}:
        return False
    if got.kind in ("report",):
        return True
    is_loose = wanted.kind == "look" and (wanted.optional or wanted.what == "situation")
    return got.place == wanted.place and (is_loose or got.what == wanted.what)
