"""Write a client of the HTTP service; any language with HTTP will do.

The service is started here, so that this file runs alone. Usually `bt-exec serve` runs in another
terminal or on the robot's machine, and you write only `client`.
"""

import json
import tempfile
from pathlib import Path
from urllib.request import Request, urlopen

from bt_exec.journal import Journal
from bt_exec.serve.queued_session import QueuedSession
from bt_exec.serve.server import HttpServer
from bt_exec.site import load_site
from bt_exec.web.login import Login


def client(url: str, command: str) -> None:
    body = json.dumps({"command": command}).encode()
    asked = Request(f"{url}/missions", body, {"Content-Type": "application/json"})
    mission = json.load(urlopen(asked))
    with urlopen(url + mission["events"]) as events:  # server-sent events, as they happen
        for line in events:
            if line == b"event: SkillStarting\n":
                print("starts:", json.loads(next(events)[6:])["data"])
    found = json.load(urlopen(url + mission["mission"]))  # state, plan, run, results
    print(found["status"], "·", found["message"])
    print("results:", found["results"]["tasks"])


with tempfile.TemporaryDirectory() as folder:
    site = Path(folder, "door.yaml")
    site.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
    service = QueuedSession(
        load_site(str(site)), Journal.open(Path(folder, "journal.sqlite")), fast=True
    )
    server = HttpServer(service, Login(""), "127.0.0.1", 0)
    service.open()
    server.start()
    try:
        client(f"http://127.0.0.1:{server.port}", "문 열어줘")
    finally:
        service.close()  # the robot is still, the record is complete
        server.stop()

# Output:
# starts: {'skill': 'open_door', 'args': {'arm': 'right', 'object_label': 'door-handle'}}
# satisfied · 문이 열려 있습니다.
# results: [{'skill': 'open_door', 'target': 'right → door-handle', 'result': 'Ok'}]
