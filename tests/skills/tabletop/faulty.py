"""Simulator of another vendor: the documented protocol with its known faults."""

import json
import math
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OBJECTS = {
    "object_red_0": [1.0, 1.0, 0.52],
    "object_red_1": [2.6, 2.0, 0.52],
    "object_blue_0": [-1.0, 1.0, 0.52],
    "object_red_bowl_0": [1.5, 1.3, 0.5],
    "object_blue_bowl_0": [-1.4, 1.2, 0.5],
}
_PLACE = re.compile(r"(plan_mobile_path|pick_object|place_object)\(\[([^\]]+)\]")


class FaultySimulator:
    """Simulator without physics. A fault is one of `FAULTS`; `world` is the true state."""

    def __init__(self, fault="", times=2):
        self.fault, self.left = fault, times
        self.objects = {name: list(at) for name, at in OBJECTS.items()}
        self.base = [0.0, 0.0, 0.0]
        self.held = None
        self.way = 0.0  # pose of the base [m]
        self.reads = 0
        self.codes = []
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_GET(self):
                outer.get(self)

            def do_POST(self):
                length = int(self.headers.get("content-length", 0))
                outer.post(self, json.loads(self.rfile.read(length) or b"{}"))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def strikes(self, *faults):
        """Return True if one of these faults occurs now; each occurs only a few times."""
        if self.fault in faults and self.left > 0:
            self.left -= 1
            return True
        return False

    # -- answers

    def say(self, handler, found, code=200):
        body = json.dumps(found).encode()
        handler.send_response(code)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def hang_up(self, handler):
        handler.close_connection = True
        handler.connection.close()

    def get(self, handler):
        if handler.path == "/state" and self.fault != "no state":
            x, y, theta = self.base
            return self.say(handler, {"mobile": {"x": x, "y": y, "theta": theta}})
        if handler.path != "/env":
            return self.say(handler, {"detail": "Not Found"}, 404)
        self.reads += 1
        if self.strikes("reads fail"):
            return self.say(handler, {"detail": "boom"}, 500)
        if self.strikes("slow"):
            time.sleep(0.4)
        objects = {
            name: {"id": n, "pos": list(at), "ori": [0, 0, 0]}
            for n, (name, at) in enumerate(self.objects.items())
        }
        if self.fault == "names flicker" and self.reads % 5 == 3:
            objects.pop("object_red_1", None)
            objects["object_ghost_0"] = {"id": 99, "pos": [0, 0, 0.5], "ori": [0, 0, 0]}
        if self.fault == "wrong types":
            objects["object_text_0"] = {"id": "x", "pos": "here", "ori": None}
            objects["object_nan_0"] = {"id": 7, "pos": [None, 1, 2], "ori": [0, 0, 0]}
            objects["object_list_0"] = [1, 2, 3]
        return self.say(handler, self.distorted({"timestamp": time.time(), "objects": objects}))

    def distorted(self, found):
        """Return the response of /env with injected reading faults."""
        objects = found["objects"]
        if self.strikes("env is empty"):
            return {"objects": {}}
        if self.strikes("env is no object"):
            return [found]
        if self.strikes("env holds NaN"):
            objects["object_red_0"]["pos"] = [math.nan, 1.0, 0.5]
        if self.strikes("env holds infinity"):
            objects["object_red_bowl_0"]["pos"] = [math.inf, -math.inf, 0.5]
        if self.strikes("positions are texts"):
            objects["object_blue_0"]["pos"] = ["1", "2", "3"]
        if self.fault == "ids are all the same":
            for one in objects.values():
                one["id"] = 0
        if self.fault == "positions jitter":
            for number, one in enumerate(objects.values()):
                one["pos"][0] += 0.008 * (-1) ** (self.reads + number)
        if self.strikes("names are exchanged"):
            red, blue = objects["object_red_0"], objects["object_blue_0"]
            objects["object_red_0"], objects["object_blue_0"] = blue, red
        if self.fault == "env is stale":
            if self.reads % 4 == 1:
                self.stale = objects
            found["objects"] = self.stale
        if self.strikes("env is huge"):
            found["padding"] = "x" * 30_000_000
        return found

    def post(self, handler, body):
        if handler.path != "/send_action":
            return self.say(handler, {"detail": "Not Found"}, 404)
        code = body["action"]["payload"]["code"]
        if "get_ee_position" in code:
            at = self.objects[self.held] if self.held else [*self.base[:2], 1.0]
            return self.say(handler, {"status": "success", "result": {"ee": [at, [0, 0, 0]]}})
        self.codes.append(code)
        if self.strikes("throws and says success"):
            return self.say(handler, {"status": "success", "result": {}})
        if self.strikes("breaks before it moves"):
            return self.hang_up(handler)
        if self.strikes("500 before it moves"):
            return self.say(handler, {"detail": "boom"}, 500)
        # the motion continues, and its end is not reported
        if self.strikes("breaks in the middle"):
            self.hang_up(handler)
            time.sleep(0.5)
            with self.lock:
                return self.move(code)
        if self.strikes("dies in the middle"):
            self.server.socket.close()
            return self.hang_up(handler)
        if self.strikes("slow motions"):
            time.sleep(1.0)
        with self.lock:
            self.move(code)
        if self.strikes("half an answer"):
            handler.send_response(200)
            handler.send_header("Content-Length", "400")
            handler.end_headers()
            handler.wfile.write(b'{"status": "succ')
            return self.hang_up(handler)
        if self.strikes("breaks after it moved"):
            return self.hang_up(handler)
        if self.strikes("500 after it moved"):
            return self.say(handler, {"detail": "boom"}, 500)
        if self.fault == "says that it failed":  # whatever the motion did
            return self.say(handler, {"status": "error", "message": "motion failed"})
        if self.fault == "answers nonsense":
            return self.say(handler, ["success"])
        return self.say(handler, {"status": "success", "result": {}})

    # -- the world

    def move(self, code):
        name, numbers = _PLACE.search(code).groups()
        x, y, z = map(float, numbers.split(","))
        if name == "plan_mobile_path":
            if self.fault == "no path" and x > 2.0:
                return  # plan_mobile_path returned None, follow_mobile_path(None) raised
            before, self.base = self.base, [x, y - 0.6, math.pi / 2]
            self.way += math.dist(before[:2], self.base[:2])
            if self.strikes("drives elsewhere"):
                self.base = [x + 2.0, y + 2.0, 0.0]
            if self.held:
                self.objects[self.held][:2] = [x, y - 0.2]
        elif name == "pick_object" and self.held is None:
            near = [n for n, at in self.objects.items() if math.dist(at, (x, y, z)) < 0.05]
            if near and self.strikes("grips another thing"):
                near = [next(n for n in self.objects if n not in near and "bowl" not in n)]
            slick = near == ["object_red_1"] and self.fault == "one cannot be grasped"
            if near and not slick and not (self.fault == "hand misses" and self.left > 0):
                self.held = near[0]
                self.objects[self.held] = [self.base[0], self.base[1] + 0.4, 0.85]
            elif near:
                self.left -= 1
            if near and self.strikes("lets it fall on the way"):
                self.objects[near[0]] = [self.base[0], self.base[1] + 0.4, 0.02]
                self.held = None
            if near and self.strikes("takes two at once"):
                other = next(n for n in self.objects if n not in near and "bowl" not in n)
                self.objects[other] = list(self.objects[near[0]])
        elif name == "place_object" and self.held:
            thing, self.held = self.held, None
            self.objects[thing] = [x, y, z + 0.02]
            if self.strikes("puts it into the other bowl"):
                self.objects[thing] = list(self.objects["object_blue_bowl_0"])
            if self.strikes("throws another one out"):
                self.objects["object_red_0"] = list(OBJECTS["object_red_0"])
            if self.strikes("pushes the bowl"):
                self.objects["object_red_bowl_0"][0] += 0.3
            if self.strikes("keeps it in the hand"):
                self.held = thing
                self.objects[thing] = [self.base[0], self.base[1] + 0.4, 0.85]
        if self.strikes("things jump"):
            self.objects["object_blue_0"] = [-1.2, 1.4, 0.52]
        if self.strikes("the bowl is taken away"):
            self.objects.pop("object_blue_bowl_0", None)
            if self.strikes("throws it over the edge"):
                self.objects[thing] = [x - 0.5, y - 0.8, 0.02]

    def wrong(self):
        """Return the objects that are not in the bowl of their colour."""
        nowhere = [math.inf, math.inf]
        return [
            name
            for name, at in self.objects.items()
            if "bowl" not in name
            and not (
                at[2] < 0.7
                and math.dist(
                    at[:2], self.objects.get(f"object_{name.split('_')[1]}_bowl_0", nowhere)[:2]
                )
                < 0.15
            )
        ]

    def right(self):
        """Return True if every object is in the bowl of its colour."""
        return not self.wrong()
