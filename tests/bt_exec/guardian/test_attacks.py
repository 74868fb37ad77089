"""Skills that try to keep a real arm moving. According to its log, it is soon still.

The arm is in a separate process; the mission is a ``bt-exec run`` process.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.bt_exec.guardian.conftest import ArmLab

MOVES_S = 0.2  # three ticks, before a skill misbehaves
BOUND_S = 0.5  # of the site: `hang_s`, and of the guard: `within_s`
SLACK_S = 0.5
LOADED_S = 3.0  # delay of processes on a busy machine


class Attack(NamedTuple):
    """Misbehaviour of a skill, and the expected end of its mission.

    Attributes:
        command: The skill.
        exit: Exit code of the program.
        codes: Recorded reason codes, in order; "" for a mission without an end. Alternatives are
            separated by "|", because the first watcher to react depends on the machine.
        said: Required words of the output.
        limit_s: Maximum duration of motion [s].
    """

    command: str
    exit: int
    codes: list[str]
    said: str
    limit_s: float = MOVES_S + BOUND_S + SLACK_S


KILLED = "ended in the middle of a mission"
ATTACKS = [
    Attack("kill", -9, [""], KILLED),
    Attack("segfault", -11, [""], KILLED),
    Attack("abort", -6, [""], KILLED),
    Attack("exit", 0, [""], KILLED),
    Attack("suspend", 4, ["STALLED"], "the loop stalled for"),
    Attack("regex", 4, ["STEP_HUNG|STALLED"], "skill regex"),
    Attack("ctypes", 4, ["STEP_HUNG|STALLED"], "skill ctypes"),
    Attack("loop", 4, ["STEP_HUNG"], "skill loop did not return"),
    Attack("swallow", 4, ["STEP_HUNG"], "skill swallow did not return and could not be"),
    Attack("deaf", 4, ["STEP_HUNG"], "skill deaf did not return and could not be"),
    Attack("no_threads", 4, ["STEP_HUNG"], "skill no_threads did not return"),
    Attack("no_memory", 4, ["STEP_HUNG"], "skill no_memory did not return"),
    Attack("close", 4, [""], "skill close did not return"),
    Attack("kill_guardian", 4, ["GUARD_LOST"], "the guardian has ended"),
    Attack("stop_guardian", 4, ["GUARD_LOST"], "the guardian was silent for", 2.0 + SLACK_S),
    Attack("block_signals", 4, ["STEP_HUNG"], "block_signals did not return and could not"),
    Attack("replace_program", 0, [""], KILLED),
    Attack("kill_group", -9, [""], KILLED),
    Attack("raise_in_threads", 4, ["|STEP_HUNG|STOP_FAILED"], "process"),
    Attack("hold_lock_in_thread", 4, ["STALLED"], "the loop stalled for"),
    Attack("no_files", 4, ["STOP_FAILED|STEP_HUNG"], "skill no_files did not return"),
    Attack("no_streams", 74, ["STEP_HUNG"], "gave no heartbeat for"),
    Attack("stop_clocks", 4, ["STEP_HUNG|"], "gave no heartbeat for"),
    Attack("use_processor", 4, ["STEP_HUNG"], "skill use_processor did not return"),
    Attack("hang_without_guardian", 4, ["STEP_HUNG"], "skill hang_without_guardian did not return"),
    Attack("fork", 3, ["SKILL_FAILED"], "not done after 1.5 s", 1.5 + SLACK_S),
    Attack("fork_in_c", 3, ["SKILL_FAILED"], "not done after 1.5 s", 1.5 + SLACK_S),
    Attack("leave_thread", 0, ["OK", "MOVED_WHILE_IDLE"], "moved while no mission ran"),
    Attack("leave_runaway", 4, ["OK|STOP_FAILED", "MOVED_WHILE_IDLE"], "MOVED_WHILE_IDLE"),
    Attack("leave_exit", 0, ["OK", "MOVED_WHILE_IDLE"], "moved while no mission ran"),
    Attack("leave_hanging_exit", 0, ["OK", "MOVED_WHILE_IDLE"], "exit functions of parts did not"),
    Attack("leave_del", 0, ["OK"], "Done."),
    Attack("leave_child", 0, ["OK"], "still moving"),
    Attack("leave_program", 0, ["OK"], "still moving"),
    Attack("leave_endless_thread", 0, ["OK"], "threads of parts did not end"),
]
AT_ONCE = ("kill", "kill_guardian", "leave_thread")  # the others start slowly or take time


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(one, id=one.command, marks=[] if one.command in AT_ONCE else pytest.mark.slow)
        for one in ATTACKS
    ],
)
def test_arm_is_stopped_and_the_misbehaving_skill_reported(lab: ArmLab, attack: Attack):
    ran = lab.run("run", attack.command)
    assert (ran.code, ran.still) == (attack.exit, True)
    assert ran.motions
    assert max(ran.motions) < attack.limit_s + LOADED_S, "by the arm's own record"
    assert attack.said in " ".join((ran.out + ran.err).split())
    expected = [one.split("|") for one in attack.codes]
    found = lab.codes()
    assert len(found) == len(expected)
    assert all(code in each for code, each in zip(found, expected, strict=True)), found


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_mission_although_a_skill_replaced_its_handler(lab: ArmLab, number):
    with lab.start("run", "take_signals") as program:
        while lab.still():
            time.sleep(0.02)
        time.sleep(0.5)  # the skill has installed its handlers
        program.send_signal(number)
        program.communicate(timeout=60)
    assert program.returncode == 130
    assert (lab.codes(), lab.still()) == (["ABORTED"], True)


@pytest.mark.slow
def test_actions_of_the_guardian_are_reported_at_the_next_start(lab: ArmLab):
    lab.run("run", "kill")
    assert lab.report()["ok"] is True
    ran = lab.run("run", "move")
    assert "the guardian stopped the robot at" in ran.err
    assert (ran.code, lab.codes()) == (0, ["", "GUARDIAN_STOPPED", "OK"])
    assert "the guardian stopped" not in lab.run("run", "move").err, "reported once"


@pytest.mark.slow
def test_robot_that_could_not_be_stopped_requires_an_inspection(lab: ArmLab):
    lab.site("guard: {stop: 'false', within: 0.5s}\n")
    refused = lab.run("run", "move")
    assert (refused.code, refused.motions) == (5, [])
    assert "The test stop by the guardian proc" in refused.out
    stops_once = lab.folder / "once"
    lab.site(f"guard: {{stop: [sh, -c, 'mkdir {stops_once}'], within: 0.5s}}\n")
    assert lab.run("run", "kill").code == -9  # the trial succeeded, the later stop failed
    while lab.report()["ok"]:
        time.sleep(0.05)
    lab.site()
    again = lab.run("run", "move")
    assert "COULD NOT STOP THE ROBOT" in again.err
    assert again.code == 5
    assert lab.codes()[-1] in ("ROBOT_MOVES", "NEEDS_INSPECTION"), "the idle watch may be first"
    assert lab.run("run", "move").code == 5
    assert lab.codes()[-1] == "NEEDS_INSPECTION"
    assert lab.run("run", "move", "--inspected").code == 0
    assert lab.run("run", "move").code == 0


@pytest.mark.slow
def test_two_sites_with_one_arm_share_its_lock(lab: ArmLab):
    lab.site(name="other")
    with lab.start("run", "hold") as first:
        while lab.still():
            time.sleep(0.02)
        second = lab.run("run", "move", name="other")
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=60)
    assert second.code == 2
    assert f"is in use by process {first.pid} of " in second.err
    assert "(site lab)" in second.err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_to_the_process_group_stops_the_arm(lab: ArmLab, number):
    """The guardian ignores signals that end or stop a process group."""
    with lab.start("run", "swallow") as program:
        while lab.still():
            time.sleep(0.02)
        os.kill(program.pid, number)
        program.communicate(timeout=60)
    assert program.returncode in (4, 130)
    assert lab.still()


@pytest.mark.slow
def test_mission_suspended_together_with_its_guardian_stalls(lab: ArmLab):
    with lab.start("run", "hold") as program:
        while lab.still():
            time.sleep(0.02)
        every = [program.pid, *(int(pid) for pid in children(program.pid))]
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in every:
                os.kill(pid, number)
            time.sleep(1.5)
        program.communicate(timeout=60)
    assert (program.returncode, lab.codes(), lab.still()) == (4, ["STALLED"], True)


def children(pid: int) -> list[str]:
    """Return the process ids of the children of a process."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.slow
def test_guardian_of_a_simulation_requires_an_option_and_a_stop_command(lab: ArmLab):
    lab.site(guarded=False)
    assert lab.run("run", "move").code == 0, "without a guard there is no guardian"
    ran = lab.run("run", "move", "--guard")
    assert ran.code == 2
    assert "--guard needs a way to stop the robot" in " ".join(ran.err.split())
