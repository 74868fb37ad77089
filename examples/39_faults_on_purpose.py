"""Inject faults: a fault plan for one mission, and random missions checked for invariants.

On the command line: `bt-exec run --faults plan.yaml`, `bt-exec torture --site door --runs 300`.
"""

import random
from pathlib import Path

from bt_exec import Session, load_site
from bt_exec.nodes.fault_plan import load_fault_plan
from bt_exec.testing.random_fault_missions import Torture, random_fault_plan

Path("door.yaml").write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
Path("plan.yaml").write_text("""\
summary: The handle slips once, and the hinge is stuck at the third pull.
command: open the door
faults:
  - {part: skill, name: open_door, does: fail, code: GRASP_SLIPPED, call: 1, after: 20}
  - {part: skill, name: open_door, does: fail, code: DOOR_STUCK, call: 3}
""")
site = load_site("door.yaml")
plan = load_fault_plan(Path("plan.yaml"))
with Session(site, fast=True, faults=[fault.to_source() for fault in plan.faults]) as session:
    outcome = session.run(plan.command)
    print(outcome.status, [failure["code"] for failure in outcome.failures])
    print("did not fire:", [str(one.fault) for one in session.faults.unused()])

rng = random.Random(7)
plans = [random_fault_plan(site, rng, kills=False) for _ in range(3)]
report = Torture(site, Path()).run(plans)
print(sum(report.statuses.values()), "missions, broken:", report.failing)

# Output:
# satisfied ['GRASP_SLIPPED']
# did not fire: ['open_door:3=DOOR_STUCK']
# 3 missions, broken: []
