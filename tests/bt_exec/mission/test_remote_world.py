"""Simulation in another process: lockstep over HTTP, same ticks as in process, never blocking."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.rig import Rig
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.testing import FakeClock
from bt_exec.testing.tree_run import FixedCompiler, TreeRun, scripted_site

SERVER = """
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

world = {"time": 0.0, "x": 0.0, "moving": False}
hang = threading.Event()

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/step":
            seconds = body["seconds"]
            world["time"] = round(world["time"] + seconds, 9)
            if world["moving"]:
                world["x"] = round(world["x"] + seconds, 9)
            if world["x"] >= world.get("hang_at", 1e9):
                hang.wait(60)
        elif self.path == "/set":
            world.update(body)
        answer = json.dumps(world).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *args):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


class CartWorld:
    """Cart on a line in another process, both as robot and as simulation."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.time = 0.0
        self.x = 0.0
        self.stops = 0
        self._pool = ThreadPoolExecutor(1)

    def start_step(self, seconds: float) -> Future[None]:
        return self._pool.submit(self._post, "/step", {"seconds": seconds})

    def set(self, **state: object) -> Future[None]:
        self.__dict__.update(state)  # executed before the next step: one worker, in order
        return self._pool.submit(self._post, "/set", state)

    def _post(self, path: str, body: dict) -> None:
        import json

        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", path, json.dumps(body))
            state = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        self.time, self.x, self.moving = state["time"], state["x"], state["moving"]

    moving = False

    def stop(self) -> None:
        self.stops += 1
        self.set(moving=False)

    @property
    def still(self) -> bool:
        return not self.moving


class HomeCart(FakeClock):
    """The same cart in this process."""

    x = 0.0
    moving = False
    stops = 0

    def step(self, seconds: float) -> None:
        super().step(seconds)
        if self.moving:
            self.x = round(self.x + seconds, 9)

    def set(self, **state: object) -> None:
        self.__dict__.update(state)

    def stop(self) -> None:
        self.stops += 1
        self.moving = False

    @property
    def still(self) -> bool:
        return not self.moving


@skill()
def drive(robot: CartWorld, metres: float) -> Steps:
    """Drive a distance along the line [m]."""
    robot.set(moving=True)
    try:
        while robot.x < metres:
            yield Running(robot.x / metres, "driving")
    finally:
        robot.set(moving=False)


@pytest.fixture
def server() -> Iterator[subprocess.Popen]:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as it:
        yield it
        it.kill()


def connect(server: subprocess.Popen) -> CartWorld:
    assert server.stdout is not None
    return CartWorld(int(server.stdout.readline()))


def mission(cart, *, fast: bool = True, step_s: float = 10.0, abort_at: float | None = None):
    site = scripted_site([drive])
    tree = load_text("tree: t\nroot: {do: drive, with: {metres: 0.5}}").document
    compiler = FixedCompiler(tree)
    run = TreeRun(cart, compiler)
    clock = Clock([cart], 0.05, fast=fast, step_s=step_s)
    executive = Executive(
        site, {"test": Rig(cart, simulation=cart)}, {}, clock, compiler, listeners=[run]
    )
    return executive, run


def test_remote_simulation_gives_the_same_ticks_as_a_local_one(server):
    at_home, home_run = mission(HomeCart())
    remote, remote_run = mission(connect(server))
    home, away = at_home.run("drive"), remote.run("drive")
    assert (home.status, away.status) == ("satisfied", "satisfied")
    assert (home.ticks, home.sim_seconds) == (away.ticks, away.sim_seconds)
    assert home_run.trace() == remote_run.trace()
    assert home.ticks > 5


def test_abort_takes_effect_while_the_simulation_does_not_answer(server):
    cart = connect(server)
    cart.set(hang_at=0.2).result()
    executive, _ = mission(cart)
    check_stop = executive._check_stop
    waits = []

    def abort_while_waiting() -> None:
        if cart.x >= 0.15:
            waits.append(cart.x)
            if len(waits) == 5:
                executive.abort("test")
        check_stop()

    executive._check_stop = abort_while_waiting
    executive._perception_loop._ended = lambda: True
    executive.clock.step_s = 0.2  # coming to rest queries the same simulation
    outcome = executive.run("drive")
    assert outcome.status == "aborted"
    assert len(waits) == 5  # the abort ended the wait
    assert not cart.moving


def test_simulation_that_times_out_ends_the_mission(server):
    cart = connect(server)
    cart.set(hang_at=0.2).result()
    executive, run = mission(cart, step_s=0.2)
    outcome = executive.run("drive")
    assert (outcome.status, outcome.reason_code) == ("failed", "SIMULATION_LOST")
    assert outcome.failures == ()
    assert cart.stops >= 1
    assert type(run.events[-1]).__name__ == "Finished"


def test_mission_ends_if_the_process_of_the_simulation_dies(server):
    cart = connect(server)
    executive, _ = mission(cart)
    step = cart.start_step

    def dying(seconds: float) -> Future[None]:
        if cart.x >= 0.2:
            server.kill()
            server.wait()
        return step(seconds)

    cart.start_step = dying
    outcome = executive.run("drive")
    assert (outcome.status, outcome.reason_code) == ("failed", "SIMULATION_LOST")
    assert cart.stops >= 1


def test_local_simulation_that_raises_ends_the_mission_like_a_remote_one():
    class Broken(HomeCart):
        def step(self, seconds: float) -> None:
            super().step(seconds)
            if self.x >= 0.2:
                raise FloatingPointError("the physics diverged")

    executive, _ = mission(Broken())
    outcome = executive.run("drive")
    assert (outcome.status, outcome.reason_code) == ("failed", "SIMULATION_LOST")
