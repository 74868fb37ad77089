"""Write a skill as a generator and test it tick by tick, without a tree or a simulator."""

from dataclasses import dataclass

from bt_exec import Failed, Running, Steps, skill
from bt_exec.testing import check_skill, run_skill


@skill(fails={"LAMP_BROKEN"}, effects={"lamp": "on"}, timeout_s=5)
def warm_up(robot, brightness: float) -> Steps:
    """Turn the lamp up slowly until it is as bright as wanted (0..1).

    Leaves the lamp on. A cancel turns it off again.
    """
    finished = False
    try:
        while robot.level < brightness:
            robot.level = round(robot.level + 0.25, 2)
            if robot.level > robot.limit:
                raise Failed("LAMP_BROKEN", f"it went out at {robot.level}", level=robot.level)
            yield Running(robot.level / brightness, "warming up")
        finished = True
    finally:
        if not finished:
            robot.level = 0.0


@dataclass
class Lamp:
    level: float = 0.0
    limit: float = 1.0


check_skill(warm_up)  # declaration: name, codes, docstring, types

run = run_skill(warm_up, Lamp(), brightness=1.0).finish()
print(run.outcome, "after", run.ticks, "ticks:", [step.progress for step in run.steps])

run = run_skill(warm_up, Lamp(limit=0.6), brightness=1.0).finish()
print(run.outcome, run.code, run.failed.evidence)

lamp = Lamp()
run = run_skill(warm_up, lamp, brightness=1.0)
run.tick()
run.cancel()
print(run.outcome, "leaves the lamp at", lamp.level)

# Output:
# done after 4 ticks: [0.25, 0.5, 0.75, 1.0]
# failed LAMP_BROKEN {'level': 0.75}
# cancelled leaves the lamp at 0.0
