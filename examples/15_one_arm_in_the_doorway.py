"""Share a doorway between two arms: a plan that shuts the door on one of them never starts.

The skills of the door pack claim the doorway while they run (``uses={"doorway"}``), need it free of
the other arm (``needs={"doorway": "free {arm}"}``), and declare their effect on it
(``effects={"doorway": "{arm}"}``). A pack names its shared spaces in the same way.
"""

from bt_exec import Session
from bt_exec.spec.load import load_text

OPEN = "{do: open_door, with: {arm: left, object_label: door-handle}}"
LOOK = "{check: material_visible}"
REACH = "{do: move_arm, with: {arm: right, object_label: material}}"
SHUT = "{do: close_door, with: {arm: left, object_label: door-handle}}"
HOME = "{do: return_home}"

PLANS = {
    "one after the other": f"[{OPEN}, {LOOK}, {REACH}, {SHUT}]",
    "at the same time": f"[{OPEN}, {LOOK}, {{parallel: [{REACH}, {SHUT}]}}]",
    "out of the way first": f"[{OPEN}, {LOOK}, {REACH}, {HOME}, {SHUT}]",
}

for name, steps in PLANS.items():
    plan = load_text(f"mission: {{command: show it}}\nroot: {{sequence: {steps}}}").document
    with Session("door", world={"seed": "2"}, fast=True) as session:
        outcome = session.run("show it", plan)
    print(f"{name}: {outcome.status}\n  {outcome.message}")

# Output:
# one after the other: refused
#   One step prevents a later one. At that point: The right arm is in the doorway. Bring the right arm home first.
# at the same time: refused
#   Two steps would use the doorway at the same time. Ask for one after the other.
# out of the way first: satisfied
#   The door is closed. The arms are in the home position.
