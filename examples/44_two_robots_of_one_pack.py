"""Use two robots of one pack on one site, commanded by name and working at the same time."""

from pathlib import Path
from tempfile import TemporaryDirectory

from bt_exec import Session, load_site
from bt_exec.site.compile_command import compile_command

SITE = """
site: two_doors
packs:
  robot_a: {pack: door, robot: sim, detector: oracle, called: {en: [robot A], ko: [로봇 A]}}
  robot_b: {pack: door, robot: sim, detector: oracle, called: {en: [robot B], ko: [로봇 B]}}
"""

with TemporaryDirectory() as folder:
    (Path(folder) / "two_doors.yaml").write_text(SITE, encoding="utf-8")
    site = load_site(f"{folder}/two_doors.yaml")

print(site.catalogue.skill("robot_a.grasp").needs)

for command in (
    "Robot A, open the door. Then robot B, open the door.",
    "로봇 A는 문을 열고 로봇 B는 팔을 접어",
):
    plan = compile_command(site, command).written.root
    trees = getattr(plan, "sequence", None) or plan.parallel
    print(type(plan).__name__.lower(), [node.tree for node in trees])

print(compile_command(site, "Open the door.").refusal.message)

with Session(site, world={"robot_b.door": "open"}, fast=True) as session:
    print(session.run("Robot A, open the door, and robot B, close the door.").message)
    print({fact: value for fact, value in session.facts().items() if fact.endswith("/door")})

# Output:
# {'robot_a/hand.{arm}': 'empty', 'robot_a/at.{arm}': 'material', 'robot_a/doorway': 'free|{arm}'}
# sequence ['robot_a.open_door', 'robot_b.open_door']
# parallel ['robot_a.open_door', 'robot_b.arms_home']
# Which robot: robot A / robot B?
# Robot A: The door is open. Robot B: The door is closed.
# {'robot_a/door': 'open', 'robot_b/door': 'closed'}
