"""Groot2 protocol with real clients: btview, and raw requests."""

from __future__ import annotations

import struct

import pytest

from bt_exec.events import Planned
from bt_exec.failure import UsageError
from bt_exec.interchange.groot2_publisher import Groot2Publisher, LiveTree
from bt_exec.interchange.xml_text import parse_xml
from bt_exec.spec.model import MissionSpec
from bt_exec.testing import run_tree, scripted_skill

zmq = pytest.importorskip("zmq")
client = pytest.importorskip("btview.client")

TREE = """
tree: fetch
root:
  sequence:
    - fallback: [{do: fail_first}, {do: drive}]
    - {tree: take}
    - {do: place, retry: 2}
"""
TAKE = "tree: take\nroot: {sequence: [{do: grasp}, {do: lift}]}\n"
PARTS = [
    scripted_skill("fail_first", ["NO"]),
    scripted_skill("drive", [("2", "done")]),
    scripted_skill("grasp"),
    scripted_skill("lift"),
    scripted_skill("place", ["NO", "done"]),
]


@pytest.fixture
def publisher():
    found = Groot2Publisher(0)
    yield found
    found.close()


@pytest.fixture
def watching(publisher):
    found = client.Groot2Client("127.0.0.1", publisher.port)
    yield found
    found.close()


def test_client_receives_the_tree_and_every_transition(publisher, watching):
    run = run_tree(TREE, PARTS, trees=[TAKE])
    names, seen = {}, []
    for event in run.events:
        publisher.on(event)
        if isinstance(event, Planned) and not names:
            tree = watching.fetch_tree()
            names = {node.uid: node.name or node.registration for node in tree.walk()}
        if names:
            states = {uid: one.status.name for uid, one in watching.poll().statuses.items()}
            if not seen or seen[-1] != states:
                seen.append(states)
    last = {names[uid]: status for uid, status in seen[-1].items()}
    assert {"fail_first", "drive", "take", "grasp", "lift", "place"} <= last.keys()
    assert last["drive"] == last["take"] == last["grasp"] == last["lift"] == "SUCCESS"
    assert (last["fail_first"], last["place"]) == ("FAILURE", "SUCCESS")
    drive = next(uid for uid, name in names.items() if name == "drive")
    history = [states[drive] for states in seen]
    assert history == sorted(history, key=["IDLE", "RUNNING", "SUCCESS"].index)
    assert set(history) == {"IDLE", "RUNNING", "SUCCESS"}


def test_each_plan_is_a_separate_tree(publisher, watching):
    data = {"mission": {"command": "x"}, "root": {"do": "a"}}
    first, second = (LiveTree(MissionSpec.model_validate(data)) for _ in range(2))
    assert first.identifier != second.identifier
    assert first.xml == second.xml


def test_subtree_used_twice_has_two_sets_of_nodes(publisher, watching):
    tree = "tree: t\nroot: {sequence: [{tree: take}, {tree: take}]}\n"
    for event in run_tree(tree, PARTS, trees=[TAKE]).events:
        publisher.on(event)
    nodes = list(watching.fetch_tree().walk())
    assert [node.name for node in nodes].count("grasp") == 2
    assert len({node.uid for node in nodes}) == len(nodes)
    assert {one.status.name for one in watching.poll().statuses.values()} == {"SUCCESS"}


def test_restarted_node_resets_its_descendants():
    data = {"mission": {"command": "x"}, "root": {"sequence": [{"do": "a"}, {"do": "b"}]}}
    tree = LiveTree(MissionSpec.model_validate(data))
    tree.set_status("sequence", "running", again=False)
    tree.set_status("a", "done", again=False)
    tree.set_status("nothing", "done", again=False)
    assert tree.status_buffer() == b"\x01\0\x01\x02\0\x02\x03\0\0"
    tree.set_status("sequence", "running", again=True)
    assert tree.status_buffer() == b"\x01\0\x01\x02\0\0\x03\0\0"


def test_subtree_is_published_as_a_tree_with_its_path():
    root = {"tree": "ab", "body": {"tree": "c", "body": {"check": {"not": "문"}}}}
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": root})
    tree = parse_xml(LiveTree(spec).xml)
    found = [(e.attributes["ID"], e.attributes["_fullpath"]) for e in tree.children[:3]]
    assert found == [("mission", ""), ("ab", "ab::1"), ("c", "ab::1/c::2")]


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (b"", b"the header of a request has 6 bytes"),
        (b"x" * 500, b"the header of a request has 6 bytes"),
        (struct.pack("<BBI", 9, ord("T"), 1), b"protocol 9; this publisher speaks 2"),
        (struct.pack("<BBI", 2, ord("T"), 1), b"there is no plan yet"),
    ],
)
def test_invalid_requests_get_an_error(publisher, request_, answer):
    with zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.connect(f"tcp://127.0.0.1:{publisher.port}")
        socket.send(request_)
        assert socket.recv_multipart() == [b"error", answer]


def test_breakpoints_are_refused_and_the_blackboard_is_empty(publisher, watching):
    for event in run_tree(TREE, PARTS, trees=[TAKE]).events:
        publisher.on(event)
    assert watching.fetch_blackboard(["mission"]) == {}
    with zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.connect(f"tcp://127.0.0.1:{publisher.port}")
        socket.send(struct.pack("<BBI", 2, ord("I"), 1))
        assert socket.recv_multipart()[0] == b"error"


def test_port_in_use_is_a_usage_error(publisher):
    with pytest.raises(UsageError, match=f"ports {publisher.port} and"):
        Groot2Publisher(publisher.port)
