"""Drive a simulation in another process in lockstep: it advances one tick per request.

The executive never blocks: `start_step` returns a future, and a stop takes effect while it is
pending. Any transport works; here requests and answers are lines of JSON through pipes.
"""

import json
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor

from bt_exec import Running, Steps, skill
from bt_exec.testing import run_tree

WORLD = """
import json, sys

time = x = speed = 0.0
for line in sys.stdin:
    request = json.loads(line)
    speed = request.get("speed", speed)
    time += request.get("seconds", 0.0)
    x += speed * request.get("seconds", 0.0)
    print(json.dumps({"time": time, "x": x, "speed": speed}), flush=True)
"""


class RemoteCart:
    """Robot (`stop`, `still`) and simulation (`time`, `start_step`) behind the pipes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.worker = ThreadPoolExecutor(1)  # requests go out in order
        self.time = self.x = self.speed = 0.0

    def request(self, **what: float) -> None:
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        vars(self).update(json.loads(self.process.stdout.readline()))

    def start_step(self, seconds: float) -> Future[None]:
        return self.worker.submit(self.request, seconds=seconds)

    def drive(self, speed: float) -> None:
        self.speed = speed  # so that `still` is right before the world answers
        self.worker.submit(self.request, speed=speed)

    def stop(self) -> None:
        self.drive(0.0)

    @property
    def still(self) -> bool:
        return self.speed == 0.0


@skill
def drive(robot: RemoteCart, metres: float) -> Steps:
    """Drive a distance at 1 m/s."""
    robot.drive(1.0)
    try:
        while robot.x < metres - 1e-6:
            yield Running(robot.x / metres, "driving")
    finally:
        robot.drive(0.0)


command = [sys.executable, "-c", WORLD]
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
    cart = RemoteCart(process)
    tree = "tree: t\nroot: {do: drive, with: {metres: 0.5}}"
    outcome = run_tree(tree, [drive], robot=cart, simulation=cart).outcome
    print(outcome.status, f"after {outcome.sim_seconds:.2f} s of the world at {cart.x:.2f} m")
    cart.worker.shutdown()
    process.stdin.close()

# Output:
# satisfied after 0.50 s of the world at 0.50 m
