"""Write a simulator with the four calls of the protocol that the tabletop robot needs.

It returns "success" in every case, as many simulators do; the robot checks the world itself.
"""

import json
import math
import re
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bt_exec import load_site
from bt_exec.mission.session import Session

OBJECTS = {"object_red_0": [1.0, 1.0, 0.5], "object_red_bowl_0": [1.4, 1.2, 0.5]}
BASE, HELD, MISSES = [0.0, 0.0], [], ["the first grasp"]


class Simulator(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, found):
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        objects = {name: {"id": 0, "pos": at, "ori": [0, 0, 0]} for name, at in OBJECTS.items()}
        mobile = {"x": BASE[0], "y": BASE[1], "theta": 0.0}
        self.answer({"objects": objects} if self.path == "/env" else {"mobile": mobile})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/send_action":
            call = re.search(r"(\w+)\(\[(.*?)\]", body["action"]["payload"]["code"])
            self.move(call[1], *map(float, call[2].split(",")))
        self.answer({"status": "success", "result": {}})

    def move(self, call, x, y, z):
        if call == "plan_mobile_path":
            BASE[:] = [x, y - 0.6]
        elif call == "pick_object" and MISSES:
            MISSES.pop()
        elif call == "pick_object":
            HELD[:] = [name for name, at in OBJECTS.items() if math.dist(at, (x, y, z)) < 0.05]
        elif call == "place_object" and HELD:
            OBJECTS[HELD.pop()] = [x, y, z]
        for name in HELD:
            OBJECTS[name] = [BASE[0], BASE[1] + 0.4, 0.9]


server = ThreadingHTTPServer(("127.0.0.1", 0), Simulator)
threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
site = load_site("tabletop")
settings = type(site.packs["tabletop"]).model_validate(
    {"robot": "http", "remote": {"http": f"http://127.0.0.1:{server.server_address[1]}"}}
)
with Session(replace(site, packs={"tabletop": settings})) as session:
    outcome = session.run("Put the red thing in the red bowl.")
print(outcome.status, "in", outcome.planner_calls, "plan;", "misses left:", len(MISSES))
print(OBJECTS["object_red_0"])
server.shutdown()
server.server_close()

# Output:
# satisfied in 1 plan; misses left: 0
# [1.4, 1.2, 0.5]
