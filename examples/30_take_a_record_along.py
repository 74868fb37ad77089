"""Export a recorded mission: JSON lines for scripts, MCAP for Foxglove, an HTML page.

On the command line: `bt-exec history export 1 --to html`. MCAP needs `pip install 'bt-exec[mcap]'`.
"""

import json
from pathlib import Path

from bt_exec import Journal, Session, load_site
from bt_exec.export import find_exporter

Path("door.yaml").write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
journal = Journal.open(Path("journal.sqlite"))
with Session(load_site("door.yaml"), fast=True, journal=journal, frames=True) as session:
    session.run("open the door")

record = journal.mission("last")
for form in ("jsonl", "html"):
    find_exporter(form)(journal, record, Path(f"mission.{form}"))

text = Path("mission.jsonl").read_text(encoding="utf-8")
lines = [json.loads(line) for line in text.splitlines()]
skills = [line["data"]["skill"] for line in lines if line.get("kind") == "SkillStarting"]
print(lines[0]["command"], "·", lines[0]["status"], "·", skills)

print("moments:", [line["data"]["moment"] for line in lines if line.get("kind") == "FactsKnown"])
page = Path("mission.html").read_text(encoding="utf-8")
print("the page asks for nothing else:", "http" not in page)

# Output:
# open the door · satisfied · ['open_door']
# moments: ['start', 'end']
# the page asks for nothing else: True
