"""Content of the hand after the process that drove a remote robot was killed."""

import subprocess
import sys
import threading

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from bt_exec.mission.session import Session
from tests.skills.tabletop.test_simulator_server import Served

THING, BOWL = "object_red_0", "object_red_bowl_0"
SITE = """
site: remote
packs: {{tabletop: {{robot: http, picture_every_s: 0, remote: {{http: "{url}"}}}}}}
compiler: {{name: table}}
"""
MISSION = """
import sys
from bt_exec import Session, load_site
with Session(load_site(sys.argv[1])) as session:
    session.run("put the red thing 0 in the red bowl")
"""


def is_gripped(world):
    return world.held_item() == THING and world.environment().place_of(THING) is not None


def is_carried(world):
    return world.held_item() == THING and world.environment().place_of(THING) is None


def is_lowered(world):
    return world.held_item() == THING and world.environment().is_in_place(THING, BOWL)


@pytest.fixture
def served():
    one = Served(fast=True)
    yield one
    one.close()


def kill_at(phase, served, monkeypatch, tmp_path):
    """Run a mission in a process, and kill it at the first step in which the phase holds.

    The phase is tested on the world's thread: a phase can be shorter than any interval of polling.
    """
    site = tmp_path / "site.yaml"
    site.write_text(SITE.format(url=served.url), encoding="utf-8")
    robot = served.world.robot
    killed = threading.Event()
    with subprocess.Popen([sys.executable, "-c", MISSION, str(site)]) as process:

        def step(seconds, advance=robot.step):
            advance(seconds)
            if not killed.is_set() and phase(robot.world):
                process.kill()
                killed.set()

        monkeypatch.setattr(robot, "step", step)
    assert killed.is_set(), "the mission ended before"


@pytest.mark.parametrize(
    ("phase", "stopped"),
    [
        (is_lowered, True),
        pytest.param(is_carried, False, marks=pytest.mark.slow),
        pytest.param(is_gripped, True, marks=pytest.mark.slow),
        pytest.param(is_gripped, False, marks=pytest.mark.slow),
        pytest.param(is_carried, True, marks=pytest.mark.slow),
        pytest.param(is_lowered, False, marks=pytest.mark.slow),
    ],
)
def test_second_process_reports_the_true_content_of_the_hand(
    served, remote_site, monkeypatch, tmp_path, phase, stopped
):
    kill_at(phase, served, monkeypatch, tmp_path)
    world = served.world
    if stopped:  # as a guardian does; otherwise the motion continues
        world.cancel().result()
    with Session(remote_site(served.url)) as session:
        asked = session.run("what are you holding?")
        held = world.run_on_world_thread(world.robot.world.held_item).result()
        # on a busy machine, the answer also names the question and the time of the observation
        assert ("I am holding red thing 0." if held else "My hand is empty.") in asked.message
        if held:
            done = session.run("put it in the red bowl")
            assert done.status == "satisfied", done.message
        assert world.robot.world.environment().is_in_place(THING, BOWL) or not held
    assert world.robot.world.held_item() is None
