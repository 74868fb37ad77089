"""Publisher of the plan and its node statuses in Groot2's live protocol (ZeroMQ, version 4).

Groot2 and ``btview`` request the tree once, then poll the statuses. The publisher is a listener of
mission events; a thread answers requests, so that no client can delay a tick. It listens on this
machine only. Breakpoints, recordings and the blackboard are not supported.

The wire format follows ``groot2_protocol.h`` of BehaviorTree.CPP: a request is a header of 6 bytes
(protocol, kind, identifier); a reply repeats the header, followed by the identifier of the tree.
"""

from __future__ import annotations

import struct
import threading
import uuid
from collections.abc import Mapping
from typing import Any

from bt_exec.events import Event, NodeChanged, Planned
from bt_exec.failure import UsageError
from bt_exec.interchange.value_conversion import BUILT_IN
from bt_exec.interchange.xml_text import Element, dump_xml
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    Tree,
    walk,
)
from bt_exec.spec.node_paths import label_of, nodes_with_paths

__all__ = ["DEFAULT_PORT", "Groot2Publisher", "LiveTree"]

DEFAULT_PORT = 1667
"""Default port of Groot2; the next one is used for notifications."""

_HEADER = struct.Struct("<BBI")
_PROTOCOL = 2
_FULL_TREE, _STATUS, _BLACKBOARD = b"TSB"
_NO_ENTRIES = b"\x80"  # an empty map in MessagePack
_WAIT_MS = 50
_STATUSES: Mapping[str, int] = {
    "running": 1,
    "done": 2,
    "kept": 2,
    "failed": 3,
    "skipped": 4,
    "stopped": 0,
}
_TAGS: Mapping[type[NodeBase], str] = {
    Sequence: "Sequence",
    Fallback: "Fallback",
    Parallel: "Parallel",
}


class LiveTree:
    """One plan in Groot2's format, with the statuses of its nodes.

    Attributes:
        identifier: 16 bytes, new for every plan.
        xml: The plan with an identifier (``_uid``) for every node.
    """

    def __init__(self, spec: MissionSpec) -> None:
        self.identifier = uuid.uuid4().bytes
        self._uids = {
            path: number for number, (path, _) in enumerate(nodes_with_paths(spec.root), 1)
        }
        self._status = dict.fromkeys(self._uids.values(), 0)
        self._below: dict[int, range] = {}
        self._order = iter(self._uids.values())  # parents first, in the order of `_node`
        self._trees: list[Element] = []
        self._models: dict[str, str] = {}
        self._add_tree("mission", "", spec.root)
        root = Element("root", {"BTCPP_format": "4", "main_tree_to_execute": "mission"})
        root.children = [*self._trees, self._model_list()]
        self.xml = dump_xml(root).encode()

    def set_status(self, path: str, state: str, *, again: bool) -> None:
        """Set the status of a node. A new attempt resets the nodes under it to idle.

        Args:
            path: Path of the node in the plan.
            state: State of the event.
            again: Whether the node begins a new attempt after a failed one.
        """
        uid = self._uids.get(path)
        if uid is None:
            return
        if again:
            for below in self._below[uid]:
                self._status[below] = 0
        self._status[uid] = _STATUSES.get(state, 0)

    def status_buffer(self) -> bytes:
        """Return the status buffer: for each node an identifier of 2 bytes and a status byte."""
        return b"".join(struct.pack("<HB", uid, status) for uid, status in self._status.items())

    def _add_tree(self, ident: str, full_path: str, root: NodeBase) -> None:
        element = Element("BehaviorTree", {"ID": ident, "_fullpath": full_path})
        self._trees.append(element)
        element.children.append(self._node(root, full_path))

    def _node(self, node: NodeBase, full_path: str) -> Element:
        uid = next(self._order)
        element = self._element(node)
        element.attributes |= {"name": label_of(node), "_uid": str(uid)}
        if isinstance(node, Tree) and node.body is not None:
            inner = f"{full_path}/{node.tree}::{uid}".lstrip("/")
            element.attributes |= {"ID": node.tree, "_fullpath": inner}
            self._add_tree(node.tree, inner, node.body)
        else:
            element.children = [self._node(child, full_path) for child in node.children]
        self._below[uid] = range(uid + 1, uid + sum(1 for _ in walk(node)))
        return element

    def _element(self, node: NodeBase) -> Element:
        if isinstance(node, Do):
            return self._leaf("Action", node.do)
        if isinstance(node, Check):
            return self._leaf("Condition", label_of(node))
        return Element(_TAGS.get(type(node), "SubTree"))

    def _leaf(self, kind: str, ident: str) -> Element:
        self._models[ident] = kind
        plain = ident.isidentifier() and ident.isascii() and ident not in BUILT_IN
        return Element(ident) if plain else Element(kind, {"ID": ident})

    def _model_list(self) -> Element:
        models = [Element(kind, {"ID": ident}) for ident, kind in sorted(self._models.items())]
        return Element("TreeNodesModel", {}, models)


class Groot2Publisher:
    """Publisher that answers requests on two local ports until it is closed.

    Args:
        port: Port for requests; the next one is for notifications. 0 selects free ones.

    Attributes:
        port: Port for requests.

    Raises:
        UsageError: If a port is taken.
    """

    def __init__(self, port: int = DEFAULT_PORT) -> None:
        import zmq

        self._context: Any = zmq.Context()
        self._lock = threading.Lock()
        self._tree: LiveTree | None = None
        self._closing = threading.Event()
        self._replies: Any = self._context.socket(zmq.REP)
        self._notices: Any = self._context.socket(zmq.PUB)
        for each in (self._replies, self._notices):
            each.setsockopt(zmq.LINGER, 0)
        try:
            self._replies.bind(f"tcp://127.0.0.1:{port or '*'}")
            address = self._replies.getsockopt_string(zmq.LAST_ENDPOINT)
            self.port = int(address.rpartition(":")[2])
            self._notices.bind(f"tcp://127.0.0.1:{port + 1 if port else '*'}")
        except zmq.ZMQError as error:
            self._close_sockets()
            raise UsageError(
                f"--groot2: ports {port} and {port + 1} of this machine must be free: {error}"
            ) from None
        self._thread = threading.Thread(target=self._serve, name="groot2", daemon=True)
        self._thread.start()

    def on(self, event: Event) -> None:
        """Publish a new plan or a node's new status; other events are ignored."""
        if isinstance(event, Planned):
            tree = LiveTree(event.spec)
            with self._lock:
                self._tree = tree
        elif isinstance(event, NodeChanged):
            with self._lock:
                if self._tree is not None:
                    again = event.failure is not None and event.state == "running"
                    self._tree.set_status(event.path, event.state, again=again)

    def close(self) -> None:
        """Stop answering and free the ports."""
        self._closing.set()
        self._thread.join()

    def _serve(self) -> None:
        try:
            while not self._closing.is_set():
                if self._replies.poll(_WAIT_MS):
                    self._replies.send_multipart(
                        self._reply_message_parts(self._replies.recv_multipart())
                    )
        finally:
            self._close_sockets()

    def _close_sockets(self) -> None:
        for each in (self._replies, self._notices):
            each.close()
        self._context.term()

    def _reply_message_parts(self, frames: list[bytes]) -> list[bytes]:
        """Return the frames of the reply to a request; an unsupported request gets an error."""
        head = frames[0] if frames else b""
        if len(head) != _HEADER.size:
            return [b"error", b"the header of a request has 6 bytes"]
        protocol, kind, _ = _HEADER.unpack(head)
        if protocol != _PROTOCOL:
            return [b"error", f"protocol {protocol}; this publisher speaks {_PROTOCOL}".encode()]
        with self._lock:
            tree = self._tree
            if tree is None:
                return [b"error", b"there is no plan yet"]
            header = head + tree.identifier
            if kind == _FULL_TREE:
                return [header, tree.xml]
            if kind == _STATUS:
                return [header, tree.status_buffer()]
        if kind == _BLACKBOARD:
            return [header, _NO_ENTRIES]
        return [b"error", b"breakpoints and recordings are not offered"]
