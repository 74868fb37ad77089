"""Replay a recorded mission, run it again for comparison, and turn it into a test.

The same seed, world and commands give the same ticks, so a simulated mission can be verified later.
On the command line: `bt-exec replay 1`, `… --verify`, `… --to pytest test_1.py`.
"""

from pathlib import Path

from bt_exec import Journal, Session, load_site
from bt_exec.mission.rerun import verify
from bt_exec.testing.record_to_test import generate_test
from bt_exec.tui.player import Player
from bt_exec.tui.view_model import ViewModel

journal = Journal.open(Path("journal.sqlite"))
site = Path("door.yaml")
site.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
with Session(
    load_site("door.yaml"), fast=True, journal=journal, faults=["open_door:1=DOOR_STUCK"]
) as session:
    session.run("open the door")

record = journal.mission("last")
print(record.status, "·", len(record.plans), "plans · seed", record.setup["worlds"]["door"]["seed"])

player = Player(record, lambda clock: ViewModel(wall=clock))
for moment in (0.2, 1.0, 7.0):
    player.jump(moment - (player.t - player.start))
    rows = [f"{row.label} {row.about}: {row.state or 'not yet'}" for row in player.model.forest]
    print(f"{moment:.1f} s  {', '.join(rows)}")
player.jump(-100)
print("back at", player.t - player.start, "s, event", player.index)

found = verify(journal, record.id)
print("the same:", found.agrees)
print(generate_test(record).splitlines()[-1].strip())

# Output:
# satisfied · 2 plans · seed 0
# 0.2 s  open_door right → door-handle: running
# 1.0 s  open_door left → door-handle: running
# 7.0 s  open_door left → door-handle: running
# back at 0.0 s, event 0
# the same: True
# 'open_door arm=left object_label=door-handle done']
