"""Fixtures: a service with scripted parts, and an HTTP client."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bt_exec import Running, Steps, skill
from bt_exec.failure import Failed, Refusal
from bt_exec.journal import Journal
from bt_exec.mission import session as sessions
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.failed_part_repair import repaired_plan
from bt_exec.rig import Rig
from bt_exec.robot import Observation
from bt_exec.serve.queued_session import QueuedSession
from bt_exec.serve.server import HttpServer
from bt_exec.site.site import Rates, Site
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot
from bt_exec.testing.tree_run import scripted_site
from bt_exec.web.login import Login

GATE = threading.Event()
"""Event that the skill ``hold`` waits for."""


@skill
def hold(robot: ScriptedRobot) -> Steps:
    """Hold until the gate opens."""
    robot.still = False
    try:
        while not GATE.is_set():
            yield Running(0.5, "waiting at the gate")
    finally:
        robot.still = True


@skill
def wave(robot: ScriptedRobot, hand: str = "left") -> Steps:
    """Wave a hand for three ticks."""
    for number in range(3):
        yield Running(number / 3, "waving")


@skill(fails={"CRACKED"})
def crack(robot: ScriptedRobot) -> Steps:
    """Fail after one tick."""
    yield Running(None, "cracking")
    raise Failed("CRACKED", "the shell is 3 mm thick")


TREES = {
    "hold": "tree: t\nroot: {do: hold}",
    "기다려": "tree: t\nroot: {sequence: [{do: wave}, {do: hold}]}",
    "wave": "tree: t\nroot: {do: wave, with: {hand: right}}",
    "crack": "tree: t\nroot: {sequence: [{do: wave}, {do: crack}, {do: hold}]}",
    "sure?": "tree: t\nroot: {do: wave}",
    "both": "tree: t\nroot:\n  sequence:\n"
    "    - {do: wave, name: wave first}\n    - {do: hold, name: then hold}",
    "<img src=x onerror=alert(1)>": "tree: t\nroot: {do: wave, name: '<b>bold</b>'}",
}


class Scripted:
    """Compiler with a fixed list of commands."""

    name = "scripted"

    def compile(self, request: Request) -> Plan | Refusal:
        if request.previous is not None:
            return Plan(repaired_plan(request, self.name))
        if request.command not in TREES:
            return Refusal("NOT_UNDERSTOOD", "I know no such thing.", ("wave", "hold"))
        subgoals = ("wave first", "then hold") if request.command == "both" else ()
        header = Mission(
            command=request.command,
            language=request.language,
            compiler=self.name,
            subgoals=subgoals,
        )
        root = load_text(TREES[request.command]).document.root
        why = "Only a model understands this." if request.command == "sure?" else ""
        return Plan(MissionSpec(mission=header, root=root), unconfirmed=why)


@dataclasses.dataclass(frozen=True)
class Seen(FakeObservation):
    """Observation with a box."""

    def record(self) -> dict[str, Any]:
        box = {"type": "cup", "bbox": [4, 4, 20, 16], "score": 0.9}
        above = {
            "base": [0.0, self.t, 1.57],
            "areas": {"kitchen": [-2.0, -1.0, 2.0, 3.0]},
            "objects": {"object_red_cup_0": [1.0, 1.0, 0.5]},
        }
        return {**super().record(), "detections": [box], **above}


class Camera:
    """Camera that sees a cup in a grey picture."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock

    def capture(self) -> Observation:
        frame = np.full((48, 64, 3), 90, np.uint8)
        return Seen(self.clock.time, ("cup",), {}, frame)

    def interpret(self, capture: Observation) -> Observation:
        return capture


def site_with(robot: ScriptedRobot, name: str = "test") -> Site:
    """Return a site of one robot with a camera."""
    site = scripted_site([hold, wave, crack], rates=Rates(tick_hz=50, look_hz=10, idle_look_hz=5))
    (pack,) = site.catalogue.packs
    clock = FakeClock()

    def rig(settings: Any, world: Any) -> Rig:
        return Rig(robot, simulation=clock, perception=Camera(clock))

    found = dataclasses.replace(pack, robots={"arm": rig})
    return dataclasses.replace(site, name=name, catalogue=Catalogue([found]))


@pytest.fixture(autouse=True)
def closed_gate() -> Iterator[threading.Event]:
    """Close the gate during a test and open it at the end."""
    GATE.clear()
    yield GATE
    GATE.set()


@dataclasses.dataclass
class Answered:
    """Response over HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclasses.dataclass
class Served:
    """Served session that answers over HTTP."""

    service: QueuedSession
    server: HttpServer
    robot: ScriptedRobot
    journal: Journal

    @property
    def port(self) -> int:
        return self.server.port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Answered:
        """Send a request; a body that is not a string is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            given = {"Content-Type": "application/json", **(headers or {})}
            text = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
            data = text.encode() if isinstance(text, str) else text
            if data is None and method == "POST":
                data = b"{}"
            connection.request(method, path, data, given)
            answer = connection.getresponse()
            found = {key.lower(): value for key, value in answer.getheaders()}
            return Answered(answer.status, found, answer.read())
        finally:
            connection.close()

    def send(self, command: str) -> str:
        """Send a command and return the id of its mission."""
        answer = self.ask("POST", "/missions", {"command": command})
        assert answer.status == 202, answer.body
        name: str = answer.data["mission_id"]
        return name

    def follow(self, path: str, **headers: str) -> list[tuple[str, str, Any]]:
        """Return all events of a stream that ends: id, kind, data."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            given = {key.replace("_", "-"): value for key, value in headers.items()}
            connection.request("GET", path, headers=given)
            answer = connection.getresponse()
            text = answer.read().decode()
            return [] if answer.status == 204 else events_of(text)
        finally:
            connection.close()

    @contextlib.contextmanager
    def stream(self, path: str) -> Iterator[http.client.HTTPResponse]:
        """Open a stream that is closed at the end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        try:
            yield answer
        finally:
            answer.close()
            connection.close()

    def until(self, holds: Callable[[], Any]) -> Any:
        """Wait until a condition holds and return its value."""
        for _ in range(1000):
            if found := holds():
                return found
            time.sleep(0.01)
        raise AssertionError("it did not come to hold")

    def ended(self, mission_id: str) -> Any:
        """Return a mission when it has ended."""

        def look() -> Any:
            line = self.journal.mission_summary(mission_id)
            return line if line is not None and line.ended_at is not None else None

        return self.until(look)


def events_of(text: str) -> list[tuple[str, str, Any]]:
    """Return the events of a server-sent event stream: id, kind, data."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if "data" in fields:
            found.append(
                (fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"]))
            )
    return found


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Callable[..., Served]]:
    """Return a function that starts services. They are closed at the end."""
    made: list[Served] = []

    def make(
        *, token: str = "", names: tuple[str, ...] = (), host: str = "127.0.0.1", **given: Any
    ) -> Served:
        robot = ScriptedRobot()
        journal = Journal.open(folder / "journal.sqlite")
        service = QueuedSession(site_with(robot), journal, **given)
        server = HttpServer(service, Login(token), host, 0, names)
        served = Served(service, server, robot, journal)
        service.open()
        made.append(served)
        server.start()
        return served

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "make_compiler", lambda site, name=None: Scripted())
        try:
            yield make
        finally:
            GATE.set()
            for served in made:
                assert served.service.close()
                served.server.stop()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Return a function that starts services. They are closed at the end."""
    with serving(tmp_path) as make:
        yield make


@pytest.fixture
def serve_sites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Mapping[str, str]], dict[str, Served]]]:
    """Return a function that starts a server of several sites, given their tokens by name."""
    monkeypatch.setattr(sessions, "make_compiler", lambda site, name=None: Scripted())
    made: dict[str, Served] = {}

    def make(tokens: Mapping[str, str]) -> dict[str, Served]:
        journal = Journal.open(tmp_path / "journal.sqlite")
        robots = {name: ScriptedRobot() for name in tokens}
        services = {name: QueuedSession(site_with(robots[name], name), journal) for name in tokens}
        first, *others = ((services[name], Login(token)) for name, token in tokens.items())
        server = HttpServer(*first, "127.0.0.1", 0, (), others)
        for name, service in services.items():
            service.open()
            made[name] = Served(service, server, robots[name], journal)
        server.start()
        return made

    yield make
    GATE.set()
    for served in made.values():
        assert served.service.close()
    for served in list(made.values())[:1]:
        served.server.stop()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    """Served session with a queue of two."""
    return serve(queue=2)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Served session for tests that run no mission on it."""
    with serving(tmp_path_factory.mktemp("shared")) as make:
        yield make()
