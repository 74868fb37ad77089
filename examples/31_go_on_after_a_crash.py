"""Resume after a crash: the world is restored from the record, and finished work is kept.

A process is killed in the middle of a mission. On the command line `bt-exec resume` or `bt-exec run
"go on"` continues it.
"""

import subprocess
import sys
import time
from pathlib import Path

from bt_exec import Journal, Session, load_site
from bt_exec.mission.rerun import restore_world

Path("door.yaml").write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
MISSION = """
from pathlib import Path
from bt_exec import Journal, Session
with Session("door.yaml", fast=True, journal=Journal.open(Path("journal.sqlite"))) as session:
    session.run("get the material")
"""
journal = Journal.open(Path("journal.sqlite"))
with subprocess.Popen([sys.executable, "-c", MISSION]) as process:
    while not any(  # until the hand reaches for the material
        row.kind == "SkillStarting" and '"grasp"' in row.data
        for line in journal.missions(1)
        for row in journal.rows(line.id)
    ):
        time.sleep(0.005)
    process.kill()

record = journal.mission("last")
print(record.line.shown_status, "·", [run.start.skill for run in record.skills])
with Session(load_site("door.yaml"), fast=True, journal=journal) as session:
    print("restored:", restore_world(session, journal, record).agrees)
    outcome = session.resume(record)
print(outcome.status, "·", outcome.message)
again = journal.mission(outcome.mission_id)
print("continues the first:", again.continues == record.id)
print("done now:", [run.start.skill for run in again.skills][-2:])

# Output:
# interrupted · ['open_door', 'move_arm', 'grasp']
# restored: True
# satisfied · The door is closed. The arms are in the home position. The right hand holds the material.
# continues the first: True
# done now: ['close_door', 'return_home']
