"""Use two packs with a skill of the same name: each is called as `pack.name`."""

from bt_exec import Catalogue, Pack, Running, Steps, skill
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.testing import ScriptedRobot, run_skill
from bt_exec.verify import verify_document


@skill(name="open")
def open_gripper(robot, width_mm: float = 80.0) -> Steps:
    """Open the gripper."""
    robot.log.append(f"gripper opens {width_mm:g} mm")
    yield Running()


@skill(name="open")
def open_valve(robot, turns: int = 1) -> Steps:
    """Open the valve."""
    robot.log.append(f"valve opens {turns} turns")
    yield Running()


arm = Pack("arm", skills=(open_gripper,))
plant = Pack("plant", skills=(open_valve,), requires=("arm",))  # a site must name both
site = Catalogue([arm, plant])
print(", ".join(site.skills))

robot = ScriptedRobot()
run_skill(site.skill("plant.open"), robot, turns=3).finish()
print(robot.log[-1])

# In a tree of the site the plain name belongs to neither pack; the message names both.
tree = load_text("tree: both\nroot: {sequence: [{do: arm.open}, {do: open}]}").document
for problem in verify_document(tree, site, Library()):
    print(problem.message)

# In a tree of a pack, a plain name refers to the skill of that pack.
own = load_text("tree: fill\nroot: {do: open, with: {turns: 2}}").document
print(site.with_site_names("plant", own).root.do)

# Output:
# arm.open, plant.open, wait
# valve opens 3 turns
# there is no skill 'open'; packs arm and plant both define it: write arm.open or plant.open
# plant.open
