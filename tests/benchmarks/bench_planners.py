"""Planning once against planning every turn: model calls, tokens and success in the same worlds.

Our compiler asks for a tree, checks it, and asks again after a failure without an alternative in
the library; "no library" asks after every failure. The other planner asks before every action,
executes the first action of each answer, and asks once more at the end.

Both use the same scripted model, which decides from the observation alone, on the same simulated
doors with the same faults. In the second table it gives some faulty answers. A mission counts as
successful if the world is as commanded and nothing else was done. Calm missions have no fault.
``--small`` runs one mission of each command.
"""

from __future__ import annotations

import dataclasses
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from bt_exec.events import Event, SkillStarting
from bt_exec.failure import Refusal
from bt_exec.mission.session import Session
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Plan, Request
from bt_exec.site.site import Site, load_site
from bt_exec.spec.model import Do, Mission, MissionSpec
from bt_exec_llm.client import Answer, Question
from bt_exec_llm.model_compiler.compiler import ModelCompiler, PlanningSettings, estimated_tokens
from bt_exec_llm.model_compiler.prompt import build_prompt

MOST_TURNS = 15
DONE = {"open": "open", "close": "closed", "fetch": "closed"}
COMMANDS = {"open": "문을 열어", "close": "close the door", "fetch": "문 안의 자재를 가져와"}
WORLDS: tuple[tuple[str, dict[str, str], tuple[str, ...]], ...] = (
    ("open", {"door": "closed", "seed": "1"}, ()),
    ("open", {"door": "open", "seed": "2"}, ()),
    ("open", {"door": "closed", "seed": "3"}, ("open_door:1=DOOR_STUCK",)),
    ("close", {"door": "open", "seed": "4"}, ()),
    ("close", {"door": "ajar", "seed": "5"}, ()),
    ("fetch", {"door": "closed", "seed": "6"}, ()),
    ("fetch", {"door": "ajar", "seed": "7"}, ()),
    ("fetch", {"door": "open", "seed": "8"}, ()),
    ("fetch", {"door": "closed", "seed": "9"}, ("open_door:1=DOOR_STUCK",)),
    ("fetch", {"door": "closed", "seed": "10"}, ("grasp:1=GRASP_SLIPPED",)),
    ("fetch", {"door": "open", "seed": "11", "fault": "slippery"}, ()),
    ("fetch", {"door": "closed", "seed": "12"}, ("move_arm:1=BLOCKED",)),
)
if "--small" in sys.argv:
    WORLDS = WORLDS[:1] + WORLDS[3:4] + WORLDS[7:8]
WRONG_TREES = (
    "root: {tree: WRONG}",
    "root: {do: fly}",
    "root: {sequence: []}",
    "Sure!",
    "root: {tr",
)
WRONG_TURNS = ("move_arm", "grasp", "open_door", "close_door", "fly", "Sure!")


class Scripted:
    """Scripted model of both planners: stateless, rule-based, with a given error rate."""

    def __init__(self, kind: str, rate: float, seed: int) -> None:
        self.kind, self.rate = kind, rate
        self.draw = random.Random(seed)
        self.calls = self.tokens = 0

    def ask(self, question: Question, cancel: Any = None) -> Answer:
        """Return a tree in the format of our compiler."""
        del cancel
        messages = question.messages
        first = "\n".join(block.text for block in messages[0].blocks)
        if self.draw.random() < self.rate:
            wrong = "close_door" if self.kind != "close" else "open_door"
            said = self.draw.choice(WRONG_TREES).replace("WRONG", wrong)
        elif "# What failed" in first:
            part = json.loads(first.partition("<failure>")[2].partition("</failure>")[0])
            said = self.repair(part["failed_part"], part["failure"]["code"])
        else:
            tree = {"open": "open_door", "close": "close_door", "fetch": "get_material"}
            said = f"explanation: as asked\nroot: {{tree: {tree[self.kind]}}}"
        texts = [block.text for block in question.system] + [question.plain or ""]
        texts += [block.text for turn in messages for block in turn.blocks]
        self.note("\n".join(texts), said)
        return Answer(said)

    def repair(self, part: str, code: str) -> str:
        """Return the replacement of a failed part."""
        if "take_material" in part:
            return "root: {tree: take_material_again}"
        name = "close_door" if "close_door" in part or "shut" in part else "open_door"
        return f"root: {{tree: {name}, with: {{arm: left}}}}" if code else ""

    def turn(self, prompt: str, facts: Mapping[str, str], seen: tuple[str, ...]) -> str | None:
        """Return the next action, at the error rate a faulty one; None when all is done."""
        if self.draw.random() < self.rate:
            action: str | None = self.draw.choice(WRONG_TURNS)
        else:
            action = self.next_action(facts, seen)
        args = {"arm": "right", "object_label": "door-handle"}
        report = {
            "mode": "step",
            "next_action": {"name": action, "args": args} if action else None,
            "full_action_list": [{"name": action, "args": args}] if action else [],
            "door_state_estimation": {"state": facts.get("door"), "confidence": 0.9},
            "goal_status": {"status": "in_progress", "reason_code": "OK", "message": ""},
            "explanation": "next",
        }
        self.note(prompt, json.dumps(report))
        return action

    def next_action(self, facts: Mapping[str, str], seen: tuple[str, ...]) -> str | None:
        """Return the next action according to the table of rules."""
        door, held = facts.get("door", "closed"), facts.get("hand.right") == "material"
        if self.kind == "open":
            return None if door == "open" else "open_door"
        if self.kind == "close":
            return None if door == "closed" else "close_door"
        if held:
            if door != "closed":
                return "close_door"
            return None if facts.get("at.right") == "home" else "return_home"
        if door != "open":
            return "open_door"
        if facts.get("at.right") == "material":
            return "grasp"
        return "move_arm" if "material" in seen else "return_home"

    def note(self, asked: str, said: str) -> None:
        """Count a model call."""
        self.calls += 1
        self.tokens += estimated_tokens(asked) + estimated_tokens(said)


class OneAction:
    """Compiler for the per-turn planner: its plan is the next action of the current turn."""

    name = "per-turn"

    def __init__(self, model: Scripted) -> None:
        self.model = model
        self.done = False

    def compile(self, request: Request) -> Plan | Refusal:
        """Request the next action; return it as a plan without further checks."""
        action = self.model.turn(
            build_prompt(request).to_text(), request.situation.facts, request.situation.labels
        )
        if action is None:
            self.done = True
            return Refusal("DONE", "done")
        if action not in request.catalogue.skills or request.failure is not None:
            return Refusal("NO_ACTION", "no such action")
        label = "material" if action in ("move_arm", "grasp") else "door-handle"
        given = {"arm": "right", "object_label": label}
        takes = request.catalogue.skills[action].arguments
        args = {key: value for key, value in given.items() if key in takes}
        root = Do.model_validate({"do": action, "with": args})
        return Plan(MissionSpec(mission=Mission(command=request.command), root=root))


class Ear:
    """Listener that records the skills that start."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def on(self, event: Event) -> None:
        """Record an event."""
        if isinstance(event, SkillStarting):
            self.started.append(event.skill)


def right(kind: str, session: Session, ear: Ear) -> bool:
    """Return True if the world is as commanded and nothing else was done."""
    robot: Any = session.rigs["door"].robot
    angle, held = robot.door_angle_rad, robot.holding("right") or robot.holding("left")
    shut = angle <= 0.04 if DONE[kind] == "closed" else angle >= 1.0
    unasked = {
        "open": {"close_door", "grasp", "move_arm"},
        "close": {"open_door", "grasp", "move_arm"},
        "fetch": set(),
    }
    return shut and bool(held) == (kind == "fetch") and not unasked[kind] & set(ear.started)


def ours(
    site: Site, index: int, rate: float, repair: Literal["library", "model"] = "library"
) -> Counter[str]:
    """Run a mission with our compiler."""
    kind, world, faults = WORLDS[index]
    ear, model = Ear(), Scripted(kind, rate, index)
    with Session(site, world=world, fast=True, faults=faults, listeners=[ear]) as session:
        session.compiler = ModelCompiler(model, PlanningSettings(first="model", repair=repair))
        outcome = session.run(COMMANDS[kind])
        good = outcome.status == "satisfied" and right(kind, session, ear)
    return Counter(
        missions=1, success=good, calls=model.calls, tokens=model.tokens, replans=outcome.replans
    )


def per_turn(site: Site, index: int, rate: float) -> Counter[str]:
    """Run a mission with a model call before every action."""
    kind, world, faults = WORLDS[index]
    ear, model = Ear(), Scripted(kind, rate, index)
    compiler, replans = OneAction(model), 0
    with Session(site, world=world, fast=True, faults=faults, listeners=[ear]) as session:
        session.compiler = compiler
        for _ in range(MOST_TURNS):
            outcome = session.run(COMMANDS[kind])
            if compiler.done:
                break
            if outcome.status != "satisfied":
                replans += 1
                session.faults = type(session.faults)()  # each turn restarts the call counts
        good = compiler.done and right(kind, session, ear)
    return Counter(
        missions=1, success=good, calls=model.calls, tokens=model.tokens, replans=replans
    )


def main() -> None:
    """Print the tables."""
    site = load_site("door")
    pack = dataclasses.replace(site.catalogue.packs[0], passes=(), checkers=())
    limits = site.limits.model_copy(update={"replans": 0})
    bare = dataclasses.replace(site, catalogue=Catalogue([pack]), limits=limits)
    planners: tuple[tuple[str, Callable[[Site, int, float], Counter[str]], Site], ...] = (
        ("per turn", per_turn, bare),
        ("no library", partial(ours, repair="model"), site),
        ("ours", ours, site),
    )
    for rate in (0.0, 0.15):
        print(f"\n{len(WORLDS)} missions, {rate:.0%} of the model's answers are faulty")
        print("command   planner         success   model calls   tokens   replans")
        rows: dict[tuple[str, str], Counter[str]] = {}
        for name, run, where in planners:
            for index, (kind, world, faults) in enumerate(WORLDS):
                calm = ("calm",) if not faults and "fault" not in world else ()
                found = run(where, index, rate)
                for group in (kind, *calm, "all"):
                    rows.setdefault((group, name), Counter()).update(found)
        for group in (*COMMANDS, "calm", "all"):
            for name, *_ in planners:
                show(group, name, rows[group, name])
            theirs, mine = rows[group, "per turn"], rows[group, "ours"]
            calls, tokens = mine["calls"] / theirs["calls"], mine["tokens"] / theirs["tokens"]
            print(f"          ours / per turn: calls {calls:.2f}, tokens {tokens:.2f}")
    print("\naim: at most 0.25 of the calls at equal or better success")


def show(group: str, name: str, total: Counter[str]) -> None:
    """Print a line of a table."""
    print(
        f"{group:9} {name:14} {total['success']:3}/{total['missions']:<3}   {total['calls']:11}   "
        f"{total['tokens']:6}   {total['replans']:7}"
    )


if __name__ == "__main__":
    main()
