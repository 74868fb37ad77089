"""Load that clients put on the robot: ``python tests/benchmarks/bench_serve.py [--small]``.

A service runs in a separate process, with an idle robot at 20 ticks a second and a 640 x 480
camera; its simulation records the time of each tick. Clients in this process follow a mission,
flood the service, send slowly and send invalid requests. A burst of commands and a ``kill -9``
during a mission follow. All figures are printed; no time is asserted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import itertools
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

SMALL = ["--small"] if "--small" in sys.argv else []
TICKS, WATCHERS, BURST = (40, 4, 20) if SMALL else (160, 50, 200)
QUEUE = 64
HZ = 20


# -- the process of the service ------------------------------------------------------------------


def serve(journal: str) -> None:
    """Serve until killed; print the port, then the lateness of the ticks after each input line."""
    import numpy as np

    from bt_exec.journal import Journal
    from bt_exec.mission import session as sessions
    from bt_exec.pack import Catalogue
    from bt_exec.rig import Rig
    from bt_exec.serve.queued_session import QueuedSession
    from bt_exec.serve.server import HttpServer
    from bt_exec.site.site import Rates
    from bt_exec.spec.load import load_text
    from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot, scripted_skill
    from bt_exec.testing.tree_run import FixedCompiler, scripted_site
    from bt_exec.web.login import Login

    sys.setswitchinterval(0.001)  # as `bt-exec serve` does
    stamps: list[float] = []

    class Stamped(FakeClock):
        def step(self, seconds: float) -> None:
            super().step(seconds)
            stamps.append(time.monotonic())

    class Camera:
        def capture(self) -> Any:
            frame = np.random.default_rng(len(stamps)).integers(0, 255, (480, 640, 3), np.uint8)
            return FakeObservation(clock.time, ("cup",), {}, frame)

        def interpret(self, capture: Any) -> Any:
            return capture

    class ByCommand:
        name = "by-command"

        def compile(self, request: Any) -> Any:
            text = f"tree: t\nroot: {{do: {request.command}}}"
            return FixedCompiler(load_text(text).document).compile(request)

    clock = Stamped()
    skills = [
        scripted_skill("long", [(str(TICKS), "done")]),
        scripted_skill("short", [("2", "done")]),
    ]
    site = scripted_site(skills, rates=Rates(tick_hz=HZ, look_hz=5, idle_look_hz=5))
    (pack,) = site.catalogue.packs
    rig = Rig(ScriptedRobot(), simulation=clock, perception=Camera())
    found = dataclasses.replace(pack, robots={"arm": lambda settings, world: rig})
    site = dataclasses.replace(site, catalogue=Catalogue([found]))
    sessions.make_compiler = lambda site, name=None: ByCommand()
    service = QueuedSession(site, Journal.open(Path(journal)), queue=QUEUE)
    service.open()
    server = HttpServer(service, Login(""), "127.0.0.1", 0)
    server.start()
    print(server.port, flush=True)
    for _ in sys.stdin:
        late = lateness(stamps)
        stamps.clear()
        print(json.dumps(late), flush=True)


def lateness(stamps: list[float]) -> list[float]:
    """Return the lateness of each tick relative to the one before [s], sorted."""
    gaps = [b - a - 1 / HZ for a, b in itertools.pairwise(stamps)]
    return sorted(max(gap, 0.0) for gap in gaps if gap < 1.0)  # larger: pause between missions


# -- this process: the clients -------------------------------------------------------------------


class Server:
    """The service's process."""

    def __init__(self, journal: Path) -> None:
        words = [sys.executable, __file__, "--serve", str(journal), *SMALL]
        began = time.monotonic()
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._line())
        self.up_s = time.monotonic() - began

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def late(self) -> list[float]:
        """Return the lateness of the ticks since the last call."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        found: list[float] = json.loads(self._line())
        return found

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request; return the status and the data."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

    def send(self, command: str) -> tuple[int, Any]:
        return self.ask("POST", "/missions", {"command": command})

    def ended(self, mission_id: str) -> Any:
        """Wait for the end of a mission; return it."""
        while True:
            status, found = self.ask("GET", f"/missions/{mission_id}")
            if status == 200 and found["ended_at"]:
                return found
            time.sleep(0.5)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def report(what: str, late: list[float], more: str = "") -> None:
    """Print the lateness of the ticks."""
    if not late:
        print(f"{what:34}  no ticks")
        return
    at = [late[min(int(len(late) * share), len(late) - 1)] * 1e3 for share in (0.5, 0.99, 1.0)]
    print(f"{what:34}  late by ms: p50 {at[0]:5.1f}  p99 {at[1]:5.1f}  max {at[2]:5.1f}  {more}")


@contextlib.contextmanager
def followers(server: Server, mission_id: str) -> Iterator[list[list[int]]]:
    """Follow a mission with several clients; return the event numbers that each received."""
    got: list[list[int]] = []

    def follow() -> list[int]:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        with contextlib.closing(connection):
            connection.request("GET", f"/missions/{mission_id}/events")
            lines = connection.getresponse().read().splitlines()
            return [int(line[4:]) for line in lines if line.startswith(b"id: ")]

    with ThreadPoolExecutor(WATCHERS) as pool:
        under_way = [pool.submit(follow) for _ in range(WATCHERS)]
        yield got
        got += [one.result() for one in under_way]


@contextlib.contextmanager
def flood(server: Server) -> Iterator[Counter[str]]:
    """Flood the service with expensive and invalid requests over eight connections."""
    counts: Counter[str] = Counter()
    over = threading.Event()
    asked = [
        ("GET", "/missions?limit=500", None),
        ("GET", "/missions/last", None),
        ("GET", "/openapi.json", None),
        ("POST", "/missions", {"command": "x" * 60_000}),
        ("GET", "/missions/1%27%20OR%201", None),
        ("POST", "/missions", [[[[[]]]]]),
    ]

    def ask(number: int) -> None:
        while not over.is_set():
            method, path, body = asked[number % len(asked)]
            number += 1
            with contextlib.suppress(OSError, http.client.HTTPException):
                counts[str(server.ask(method, path, body)[0])] += 1

    with ThreadPoolExecutor(8) as pool:
        for number in range(8):
            pool.submit(ask, number)
        yield counts
        over.set()


@contextlib.contextmanager
def dawdlers(server: Server) -> Iterator[Counter[str]]:
    """Send slow headers, incomplete bodies and noise, and open streams without reading them."""
    counts: Counter[str] = Counter()
    over = threading.Event()
    sockets: list[socket.socket] = []
    heads = [
        b"GET / HTTP/1.1\r\nHost: loc",
        b"POST /missions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 500\r\n\r\n{",
        b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x00\xff\x16\x03" * 8,
    ]

    def dawdle() -> None:
        for number in range(120):
            with contextlib.suppress(OSError):
                one = socket.create_connection(("127.0.0.1", server.port), timeout=5)
                one.sendall(heads[number % 12 if number % 12 < len(heads) else 0])
                sockets.append(one)
        while not over.wait(1.0):
            for one in sockets:
                with contextlib.suppress(OSError):
                    one.send(b"a")

    thread = threading.Thread(target=dawdle)
    thread.start()
    yield counts
    over.set()
    thread.join()
    for one in sockets:
        one.setblocking(False)
        try:
            while one.recv(1 << 20):
                continue
            counts["let go"] += 1
        except BlockingIOError:
            counts["still open"] += 1
        except OSError:
            counts["let go"] += 1
        one.close()


def watched(
    server: Server, what: str, around: Callable[[Server], Any] | None, further_s: float = 1.0
) -> None:
    """Run a long mission during other requests, and some seconds after."""
    server.late()
    mission_id = server.send("long")[1]["mission_id"]
    with around(server) if around is not None else contextlib.nullcontext(Counter()) as counts:
        time.sleep(TICKS / HZ + further_s)
    found = server.ended(mission_id)
    more = ", ".join(f"{count} x {name}" for name, count in sorted(counts.items()))
    report(what, server.late(), f"{found['status']}; {more}".rstrip("; "))


def main() -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.sqlite"
        server = Server(journal)
        print(
            f"up after {server.up_s:.1f} s; {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}"
        )
        watched(server, "nobody watches", None)
        server.late()
        mission_id = server.send("long")[1]["mission_id"]
        with followers(server, mission_id) as got:
            time.sleep(0)
        late = server.late()
        whole = {tuple(one) for one in got}
        same = "all the same, none missing" if len(whole) == 1 else f"{len(whole)} different"
        report(f"{WATCHERS} follow its events", late, f"{len(got[0])} events each, {same}")
        watched(server, "8 ask as fast as it goes", flood)
        watched(server, "120 dawdle or send noise", dawdlers, 6.0)
        burst(server)
        killed(server, journal)


def burst(server: Server) -> None:
    """Post many commands at once; each is accepted or rejected, and every accepted one runs."""
    began = time.monotonic()
    took: list[float] = []

    def post(_: int) -> tuple[int, Any]:
        start = time.monotonic()
        answer = server.send("short")
        took.append(time.monotonic() - start)
        return answer

    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(post, range(BURST)))
    spent = time.monotonic() - began
    statuses = Counter(str(status) for status, _ in answers)
    taken = [data["mission_id"] for status, data in answers if status == 202]
    ends = Counter(server.ended(mission_id)["status"] for mission_id in taken)
    said = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))
    print(
        f"{BURST} commands in {spent:.1f} s: {said}; median answer "
        f"{statistics.median(took) * 1e3:.0f} ms; of those taken: {dict(ends)}"
    )


def killed(server: Server, journal: Path) -> None:
    """Kill the service during a mission with others queued, and restart it."""
    names = [server.send(command)[1]["mission_id"] for command in ("long", "short", "short")]
    time.sleep(1.0)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with contextlib.closing(connection):
        connection.request("GET", f"/missions/{names[0]}/events")
        answer = connection.getresponse()
        seen = [line for line in answer.read1(1 << 20).splitlines() if line.startswith(b"id: ")]
        answer.close()
    time.sleep(1.5)
    server.kill()
    again = Server(journal)
    listed = {
        one["mission_id"]: one["status"] for one in again.ask("GET", "/missions")[1]["missions"]
    }
    _, found = again.ask("GET", f"/missions/{names[0]}")
    connection = http.client.HTTPConnection("127.0.0.1", again.port, timeout=60)
    with contextlib.closing(connection):
        last = seen[-1][4:].decode()
        connection.request("GET", f"/missions/{names[0]}/events", headers={"Last-Event-ID": last})
        rest = connection.getresponse().read().decode()
    further = [int(line[4:]) for line in rest.splitlines() if line.startswith("id: ")]
    gap = bool(further) and further[0] != int(last) + 1
    print(
        f"kill -9: up again after {again.up_s:.1f} s; listed as "
        f"{[listed[name] for name in names]}; its record ends with: {found['why']['cause']!r}; "
        f"a client goes on after event {last} with {len(further)} more, "
        f"{'with a gap' if gap else 'without a gap'}; "
        f"a new command: {again.ended(again.send('short')[1]['mission_id'])['status']}"
    )
    again.kill()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        main()
