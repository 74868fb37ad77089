"""Follow a mission from another process, check the record, and remove old missions.

On the command line: `bt-exec watch`, `bt-exec history check`, `bt-exec history prune --older 90d`.
"""

import threading
from pathlib import Path

from bt_exec import Journal, Session, load_site
from bt_exec.journal.journal import JournalTail
from bt_exec.journal.maintenance import Retention
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.view_model import ViewModel

Path("door.yaml").write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
journal = Journal.open(Path("journal.sqlite"))


def work() -> None:
    with Session(load_site("door.yaml"), fast=True, journal=journal) as session:
        session.run("open the door")


robot = threading.Thread(target=work)
robot.start()
while not (lines := journal.missions(1)):
    robot.join(0.01)
tail = JournalTail(journal, lines[0].id)
seen: list[str] = []
view = PlainView(ViewModel(), seen.append)
while not tail.ended:
    for event in tail.read():
        view.on(event)
    robot.join(0.01)
robot.join()
print(*(line[12:] for line in seen[-2:]), sep="\n")

print("findings:", journal.check())
print("removed:", len(journal.prune(Retention(days=90)).missions))
print("removed:", len(journal.prune(Retention(megabytes=0.001)).missions), "·", journal.missions())

# Output:
# running   open_door  right → door-handle
# done      open_door  right → door-handle  (7.6 s)
# findings: ()
# removed: 0
# removed: 1 · ()
