"""Simulator server, tested with a client written from the protocol document alone."""

import base64
import itertools
import json
import math
import threading
import time
import urllib.error
import urllib.request

import pytest

pytestmark = pytest.mark.sampled

pytest.importorskip("fastapi")
uvicorn = pytest.importorskip("uvicorn")

from bt_exec_skills.tabletop.goals.compiler import create  # noqa: E402 - after the skip
from bt_exec_skills.tabletop.protocol.published_functions import CALLS, argument_name  # noqa: E402 - as above
from bt_exec_skills.tabletop.protocol.run_server import make_served_world, serve  # noqa: E402 - after the skip
from bt_exec_skills.tabletop.protocol.server import MOST_BYTES, make_app  # noqa: E402 - as above
from bt_exec_skills.tabletop.protocol.submitted_code_parser import parse_program  # noqa: E402 - as above


class Served:
    """Server on a thread."""

    def __init__(self, token="", **settings):
        self.world = make_served_world("tabletop", ["seed=3", "objects=4"], **settings)
        app = make_app(self.world, token)
        config = uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=5)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    def close(self):
        self.server.should_exit = True
        self.thread.join()
        self.world.close()


@pytest.fixture(scope="module")
def served():
    one = Served(fast=True)
    yield one
    one.close()


class Executor:
    """Executor as shown in the protocol document."""

    def __init__(self, url):
        self.url = url
        with urllib.request.urlopen(f"{url}/env") as answer:
            self.object_map = json.load(answer)["objects"]

    def send(self, code):
        body = {"action": {"type": "run_code", "payload": {"code": code}}}
        return post(f"{self.url}/send_action", body)[1]

    def execute(self, tasks):
        self.__init__(self.url)
        for task in tasks:
            at = self.object_map[task["target"]]["pos"]
            if task["skill"] == "GoToObject":
                code = f"path = plan_mobile_path({at})\nresult = follow_mobile_path(path)"
            elif task["skill"] == "PickObject":
                code = f"result = pick_object({at}, 0.1, 0.2)"
            else:
                code = f"result = place_object({at}, 0.1, 0.2)"
            yield self.send(code)


def post(url, body, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(
        url, data, {"Content-Type": "application/json", **headers}, method="POST"
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def get(url, **headers):
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_documented_client_moves_an_object_into_its_bowl(served):
    tasks = [
        {"skill": "GoToObject", "target": "object_red_0"},
        {"skill": "PickObject", "target": "object_red_0"},
        {"skill": "GoToObject", "target": "object_red_bowl_0"},
        {"skill": "PlaceObject", "target": "object_red_bowl_0"},
    ]
    answers = list(Executor(served.url).execute(tasks))
    assert [answer["status"] for answer in answers] == ["success"] * 4
    env = get(f"{served.url}/env")[1]
    assert set(env) >= {"timestamp", "objects"}
    thing, bowl = (env["objects"][name] for name in ("object_red_0", "object_red_bowl_0"))
    assert set(thing) == {"id", "pos", "ori"}
    assert abs(thing["pos"][0] - bowl["pos"][0]) < 0.1
    assert abs(thing["pos"][1] - bowl["pos"][1]) < 0.1


def test_failed_motion_is_not_a_success(served):
    answer = Executor(served.url).send("result = pick_object([9, 9, 0.5], 0.1, 0.2)")
    assert answer["status"] == "error"
    assert answer["result"] == {
        "success": False,
        "code": "UNREACHABLE",
        "message": answer["result"]["message"],
    }
    path = Executor(served.url).send("path = plan_mobile_path([50, 50])\nRESULT = path")
    assert path == {"status": "success", "result": {}}
    none = Executor(served.url).send("result = follow_mobile_path(None)")
    assert none["result"]["code"] == "NO_PATH"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import os", "line 1: import (only time, math and json) is not allowed"),
        ("x = 1\nopen('/etc/passwd')", "line 2: the call of 'open' is not allowed"),
        ("().__class__", "line 1: an attribute is not allowed"),
        ("x = {i for i in range(9)}", "line 1: SetComp is not allowed"),
        ("while True: pass", "the code takes more than 5000 steps"),
        ("for i in range(10**8): print(i)", "range may have at most 1000 items"),
        ("x = 2 ** 99", "an exponent must be at most 8; found 99"),
        ("x = (-8) ** 0.5", "a power of -8 needs an integer exponent"),
        ("for i in range(99999): print(i)", "range may have at most 1000 items"),
        ("pick_object(", "the code is not valid Python: SyntaxError"),
        ("result = pick_object('here')", "expected a list; found 'here'"),
        ("result = pick_object([1, 2])", "a position must be [x, y, z] in metres"),
        ("result = pick_object([1, 2, 1e999])", "a number must be at most 1e+12; found inf"),
        ("result = pick_object([1, 2, 3], 0.1, 0.2, True, 1, False, 9)", "with 7 arguments"),
        ("result = pick_object(where=[1, 2, 3])", "the argument 'where' of pick_object"),
        ("print(x)", "line 1: 'x' has no value yet"),
        ("x = " + "[" * 60 + "]" * 60, "nesting this deep"),
        ("#" * 5000, "the code has 5000 characters; the limit is 4000"),
    ],
)
def test_forbidden_code_is_refused_with_a_specific_message(served, code, found):
    answer = Executor(served.url).send(code)
    assert answer["status"] == "error"
    assert found in answer["message"]


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("for i in range(3):\n    print(i)\nRESULT = i", {"result": 2}),
        ("RESULT = {'a': [1, 2], 'b': {'c': (3,)}}", {"a": [1, 2], "b": {"c": [3]}}),
        ("x, y = 1, 2\nx += y\nresult = {'sum': x}", {"sum": 3}),
        ("a = {}\na['k'] = 1\na['k'] += 4\nRESULT = a", {"k": 5}),
        ("RESULT = [2 * n for n in [1, 2, 3] if n > 1]", {"result": [4, 6]}),
        ("n = 0\nwhile n < 5:\n    n += 1\n    if n == 3: break\nRESULT = n", {"result": 3}),
        ("import math\nRESULT = round(math.hypot(3, 4), 1)", {"result": 5.0}),
        ("a = [1]\na.append(2)\nRESULT = {'n': len(a), 'last': a[-1]}", {"n": 2, "last": 2}),
        ("RESULT = f'{1 + 1} of {len([1, 2])}'", {"result": "2 of 2"}),
        ("RESULT = 'yes' if 1 < 2 <= 2 and not False else 'no'", {"result": "yes"}),
        ("d = {'x': 1}\nRESULT = [k for k, v in d.items() if v == 1]", {"result": ["x"]}),
        ("r = [1]\nRESULT = isinstance(r, (list, tuple))", {"result": True}),
        ("RESULT['half'] = round(PI / 2, 2)", {"half": 1.57}),
        ("RESULT = sum(row.count(0) for row in [[0, 1], [0, 0]])", {"result": 3}),
        ("RESULT = (3 ** 2 + 4 ** 2) ** 0.5", {"result": 5.0}),
        ("n = float('inf')\nRESULT = 5 < n", {"result": True}),
    ],
)
def test_code_without_motions_is_evaluated(served, code, result):
    assert Executor(served.url).send(code) == {"status": "success", "result": result}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("a = []\na.append(a)\nRESULT = a", "more than 20000 items"),
        ("a = [1]\nfor i in range(40): a = [a, a]\nRESULT = a", "more than 20000 items"),
        ("a = 'x'\nfor i in range(40): a += a", "items"),
        ("a = [1] * 9", "line 1: TypeError: expected a number"),
        ("RESULT = float('nan')", "found nan"),
        ("x = 1 / 0", "line 1: ZeroDivisionError"),
        ("x = {}['a']", "line 1: KeyError"),
        ("a, b = [1, 2, 3]", "line 1: ValueError: 2 values are expected"),
        ("x = 3\nx()", "line 2: the call of 'x' is not allowed"),
        ("x = print\n", "line 1: 'print' has no value yet"),
        ("x = 'a'.format(1)", "the method 'format' is not allowed"),
        ("x = math.__doc__", "an attribute is not allowed"),
        ("import numpy as np", "import (only time, math and json) is not allowed"),
        ("def f(): pass", "a function definition is not allowed"),
        ("pick_objekt([1, 2, 3])", "did you mean pick_object?"),
        ("pick_object([1, 2, 3], position=[1, 2, 3])", "the argument 'position' of pick_object"),
        ("set_target_gripper_width(9)", "width must be a number from 0 to 1; found 9"),
        ("set_arm_target_joint([0, 0, 0, 0, 0, 0, 0])", "joints must be [lift in m, shoulder"),
    ],
)
def test_unsupported_code_is_refused_with_the_reason(served, code, found):
    answer = Executor(served.url).send(code)
    assert answer["status"] == "error"
    assert found in answer["message"]


def test_motions_of_base_arm_and_hand_reach_their_targets(served):
    send = Executor(served.url).send
    home = send("RESULT = {'at': get_mobile_position(), 'arm': get_arm_joint_position()}")["result"]
    x, y, yaw = home["at"]
    moved = send(
        f"ok = set_mobile_target_position(target=[{x}, {y}, {yaw + 0.5}], timeout=10.0)\n"
        "arm = get_arm_joint_position()\n"
        "arm[1] = arm[1] + 0.2\n"
        "done = set_arm_target_joint(arm)\n"
        "set_target_gripper_width(width=0.04)\n"
        "RESULT = {'ok': ok and done, 'at': get_mobile_position(),"
        " 'arm': get_arm_joint_position(), 'width': get_gripper_width()}"
    )["result"]
    assert moved["ok"] is True
    assert abs(moved["at"][2] - yaw - 0.5) < 0.03
    assert abs(moved["arm"][1] - home["arm"][1] - 0.2) < 0.03
    assert abs(moved["width"] - 0.04) < 0.01
    assert send("set_mobile_target_position([90, 90, 0])")["result"]["code"] == "UNREACHABLE"
    assert send("set_arm_target_joint([9, 0, 0, 0])")["result"]["code"] == "UNREACHABLE"
    assert send("set_target_gripper_width(0.9)")["result"]["code"] == "UNREACHABLE"


def test_hand_reaches_a_point_in_front_of_the_base(served):
    answer = Executor(served.url).send(
        "import math\n"
        "x, y, theta = get_mobile_position()\n"
        "goal = [x + 0.6 * math.cos(theta), y + 0.6 * math.sin(theta), 0.95]\n"
        "ok = set_ee_target_position(goal)\n"
        "position, rotation = get_ee_position()\n"
        "RESULT = {'ok': ok, 'off': math.dist(position, goal), 'rotation': len(rotation)}"
    )["result"]
    assert answer["ok"] is True
    assert answer["off"] < 0.03
    assert answer["rotation"] == 3


def test_grid_map_marks_tables_as_occupied(served):
    grid = Executor(served.url).send("RESULT = get_grid_map()")["result"]
    grid = grid["result"]
    table = get(f"{served.url}/env")[1]["tables"]["table_0"]["pos"]
    origin = served.world.robot.floor_map().origin
    row, column = (int((table[axis] - origin[axis]) / 0.1) for axis in (1, 0))
    assert grid[row][column] == 1
    assert {cell for line in grid for cell in line} == {0, 1}


PUBLISHED = {
    "set_mobile_target_position": "mobile_target_position timeout verbose",
    "set_mobile_target_joint": "mobile_target_position timeout verbose",
    "plan_mobile_path": "target_joint grid_size",
    "follow_mobile_path": "path_world timeout_per_waypoint verbose",
    "set_arm_target_joint": "arm_target_position timeout verbose",
    "set_ee_target_position": "target_pos timeout verbose",
    "set_target_gripper_width": "target_width timeout verbose",
    "pick_object": "object_pos approach_height lift_height return_to_home timeout verbose",
    "place_object": "place_pos approach_height retract_height return_to_home timeout verbose",
}
"""Argument names of the calls in the published protocol."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_argument_name_of_a_function_is_accepted(name):
    keywords = PUBLISHED[name].split()
    bound = [argument_name(name, keyword) for keyword in keywords]
    assert None not in bound
    assert len(set(bound)) == len(bound)
    assert bound[0] == CALLS[name][0]
    parse_program(f"{name}({', '.join(f'{keyword}=1' for keyword in keywords)})")


def test_planned_path_has_poses_that_face_the_next_waypoint(served):
    path = Executor(served.url).send("RESULT = plan_mobile_path([0.5, 0.5])")["result"]["result"]
    for (x1, y1, theta), (x2, y2, _) in itertools.pairwise(path):
        assert theta == pytest.approx(math.atan2(y2 - y1, x2 - x1))


def test_get_object_positions_agrees_with_the_environment(served):
    objects = Executor(served.url).send("RESULT = get_object_positions()")["result"]
    env = get(f"{served.url}/env")[1]["objects"]
    assert objects.keys() == env.keys()
    for name, one in objects.items():
        assert one.keys() == {"id", "pos", "ori"}
        assert one["pos"] == pytest.approx(env[name]["pos"], abs=0.01)


def test_conditions_over_returned_values_select_the_motion(served):
    answer = Executor(served.url).send(
        "path = plan_mobile_path([50, 50])\n"
        "if path is None:\n"
        "    RESULT = {'success': False, 'reason': 'no path'}\n"
        "else:\n"
        "    RESULT = {'success': follow_mobile_path(path)}"
    )
    assert answer == {"status": "success", "result": {"success": False, "reason": "no path"}}


@pytest.mark.parametrize(
    ("body", "headers", "code"),
    [
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"no json", {}, 400),
        (b"[1]", {}, 400),
        (b"[" * 20000, {}, 400),
        (b" " * (MOST_BYTES + 1), {}, 413),
        (b'{"action": {"type": "format_disk"}}', {}, 200),
        (b'{"action": "run_code"}', {}, 200),
        (b'{"action": {"type": "run_code", "payload": {"code": 3}}}', {}, 200),
    ],
)
def test_arbitrary_request_body_gets_a_response(served, body, headers, code):
    status, answer = post(f"{served.url}/send_action", body, **headers)
    assert (status, answer["status"]) == (code, "error")


def test_foreign_page_is_refused(served):
    status, answer = get(f"{served.url}/env", Host="evil.example")
    assert (status, answer["status"]) == (421, "error")
    status, answer = get(f"{served.url}/env", Origin="https://evil.example")
    assert (status, answer["status"]) == (403, "error")


def test_state_and_camera_have_the_expected_fields(served):
    state = get(f"{served.url}/state")[1]
    assert set(state["mobile"]) == {"x", "y", "theta"}
    assert len(state["arm"]["joints"]) == 4
    camera = get(f"{served.url}/camera")[1]
    assert base64.b64decode(camera["rgb_base64"])[:2] == b"\xff\xd8"
    assert base64.b64decode(camera["depth_base64"])[1:4] == b"PNG"


def test_second_motion_is_refused_and_cancel_ends_the_first():
    served = Served(lockstep=True)
    try:
        answers = []
        executor = Executor(served.url)
        code = "path = plan_mobile_path([1.0, 1.0])\nresult = follow_mobile_path(path)"
        thread = threading.Thread(target=lambda: answers.append(executor.send(code)))
        thread.start()
        while not get(f"{served.url}/state")[1]["busy"]:
            time.sleep(0.01)
        assert post(f"{served.url}/send_action", _pick())[0] == 409
        before = get(f"{served.url}/state")[1]
        assert post(f"{served.url}/step", {"seconds": 0.5})[1]["result"]["time"] > before["time"]
        assert get(f"{served.url}/state")[1]["mobile"] != before["mobile"]
        stopped = post(f"{served.url}/cancel", {})[1]
        thread.join(10)
        assert stopped == {"status": "success", "result": {"stopped": True}}
        assert answers[0]["result"]["code"] == "STOPPED"
        post(f"{served.url}/step", {"seconds": 0.5})
        assert get(f"{served.url}/state")[1]["still"]
        assert post(f"{served.url}/step", {"seconds": "x"})[0] == 400
        assert post(f"{served.url}/step", {"seconds": 1e9})[0] == 400
    finally:
        served.close()


def _pick():
    code = "result = pick_object([9, 9, 0.5])"
    return {"action": {"type": "run_code", "payload": {"code": code}}}


def test_configured_token_is_required():
    served = Served(token="secret", lockstep=True)
    try:
        assert get(f"{served.url}/env")[0] == 401
        assert get(f"{served.url}/env", Authorization="Bearer wrong")[0] == 401
        assert get(f"{served.url}/env", Authorization="Bearer secret")[0] == 200
    finally:
        served.close()


def test_token_is_required_beyond_loopback():
    with pytest.raises(Exception, match=r"listening on 0\.0\.0\.0 needs a token"):
        serve("tabletop", "0.0.0.0", 8800, [], "")


def test_tabletop_robot_drives_the_tabletop_server_in_lockstep(remote_site):
    from bt_exec.mission.session import Session

    served = Served(lockstep=True)
    try:
        site = remote_site(served.url, lockstep=True)
        with Session(site, fast=True) as session:
            outcome = session.run("Put the red thing in the red bowl.")
        assert outcome.status == "satisfied", outcome.message
        assert served.world.robot.world.environment().is_in_place(
            "object_red_0", "object_red_bowl_0"
        )
    finally:
        served.close()


def test_new_session_observes_the_held_object(remote_site):
    from bt_exec.mission.session import Session

    served = Served(fast=True)
    site = remote_site(served.url)
    try:
        with Session(site) as session:
            first = session.run("pick up the red thing 0")
            assert first.status == "satisfied", first.message
        with Session(site) as session:  # without memory of the first one
            asked = session.run("what is in your hand?")
            assert "red thing 0" in asked.message.casefold()
            back = session.run("put it back")
            assert back.reason_code == "NO_ORIGIN"
            done = session.run("put it in the red bowl")
            assert done.status == "satisfied", done.message
            assert served.world.robot.world.held_item() is None
    finally:
        served.close()


def test_compile_uses_the_world_of_a_remote_simulator(remote_site):
    from bt_exec.cli.compile import observed_situation
    from bt_exec.site.compile_command import compile_command

    served = Served(fast=True)
    try:
        site, compiler = remote_site(served.url), create({})
        situation = observed_situation(site, compiler)
        assert "object_red_0" in situation.labels
        compiled = compile_command(
            site, "Put the red thing in the red bowl.", situation=situation, compiler=compiler
        )
        assert compiled.plan.mission.subgoals == ("red thing 0 in red bowl 0",)
    finally:
        served.close()


def test_situation_is_not_observed_for_compilers_that_do_not_need_it(remote_site):
    from bt_exec.cli.compile import observed_situation

    class Plain:
        name = "plain"

    assert observed_situation(remote_site("http://127.0.0.1:1"), Plain()) is None
