"""Built tree over two packs, and timers that the test fires."""

from py_trees.common import Status

from bt_exec.nodes.build import build
from bt_exec.nodes.frontier import Frontier
from bt_exec.nodes.runtime import Runtime
from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import Rig
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import plan_without_verification


class Stage:
    """Built tree over the packs ``own`` and ``other``, with access to its events and robots."""

    def __init__(self, root, parts, *, strangers=(), buffers=None, kept=(), **settings):
        packs = [_pack("own", parts), _pack("other", strangers)]
        self.own, self.other = ScriptedRobot(), ScriptedRobot()
        self.clock = FakeClock()
        self.events = []
        rigs = {"own": Rig(self.own), "other": Rig(self.other)}
        self.runtime = Runtime(
            Catalogue(packs),
            rigs,
            buffers or {},
            lambda: self.clock.time,
            self.events.append,
            **settings,
        )
        tree = load_text(f"tree: t\nroot: {root}").document
        spec = MissionSpec(mission=Mission(command="", kept=kept), root=tree.root)
        self.built = build(plan_without_verification(spec), self.runtime)
        self.frontier = Frontier(self.built.root, self.runtime)

    def tick(self, times=1):
        for _ in range(times):
            self.runtime.tick += 1
            status = self.frontier.tick()
            self.clock.step(0.05)
        return status

    def stop(self):
        self.built.root.stop(Status.INVALID)

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


def _pack(name, parts):
    skills = tuple(part for part in parts if hasattr(part, "fails"))
    return Pack(name, skills=skills, conditions=tuple(p for p in parts if p not in skills))


def waiting():
    return scripted_skill("a", [("forever",)])


def renamed(part, name):
    return type(part)(**{**vars(part), "name": name})


class Timers:
    """Replacement of the standby threads. The test fires the timers."""

    def __init__(self):
        self.made = []

    def run_after(self, interval, function):
        timer = _Timer(interval, function)
        self.made.append(timer)
        return timer


class _Timer:
    def __init__(self, interval, function):
        self.interval, self.function = interval, function
        self.cancelled = False

    def cancel(self):
        self.cancelled = True
