"""Replace a tree of a pack on a site, and rehearse the new tree.

No robot is used: the skills apply the effects that they declare, and one failure is injected per
run.
"""

import tempfile
from pathlib import Path

from bt_exec.site.site import load_site
from bt_exec.testing.rehearsal import explore

SITE = """
site: lab
packs: {door: {robot: sim, detector: oracle}}
trees: trees
overrides: [close_door]
"""
TREE = """
tree: close_door
summary: Close the door and check that it is closed.
utterances: [Close the door.]
params: {arm: {type: Arm, default: right}}
root:
  sequence:
    - do: close_door
      with: {arm: $arm, object_label: door}
      retry: 2
    - check: {door_is: {state: closed}}
      else: DOOR_STUCK
"""

with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "lab.yaml").write_text(SITE)
    (Path(folder) / "trees").mkdir()
    (Path(folder) / "trees" / "close_door.yaml").write_text(TREE)
    site = load_site(f"{folder}/lab.yaml")

for line in site.replaced:
    print(line.replace(folder, "").replace(line.rpartition(" ")[2], "the pack door"))
wanted = ("undisturbed", "close_door #1 fails DOOR_STUCK", "door_is closed #1 flips")
for run in explore("close_door", site, {}):
    disturbed = ", ".join(map(str, run.disturbed)) or "undisturbed"
    if disturbed in wanted:
        print(f"{disturbed}: {run.end_kind} {run.end_reason}".rstrip())

# Output:
# tree close_door of /trees/close_door.yaml replaces that of the pack door
# undisturbed: done
# close_door #1 fails DOOR_STUCK: recovered within the plan
# door_is closed #1 flips: blocked DOOR_STUCK
