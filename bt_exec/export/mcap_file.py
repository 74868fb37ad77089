"""Export as MCAP, the log format that Foxglove and ROS 2 tools open.

Messages are JSON, with a schema for each topic. Their time is the wall-clock start of the mission
plus the mission clock, so that several logs of a day can be aligned.

================  ==========================  ===================================================
topic             schema                      content
================  ==========================  ===================================================
/events           bt_exec.Event               every recorded event
/tree             bt_exec.Tree                states of all nodes, after each change
/log              foxglove.Log                sentences: command, plans, failures, observations, end
/PACK/observed    bt_exec.Observation         what was observed
/PACK/camera      foxglove.CompressedImage    recorded frames, PNG
/PACK/pose        foxglove.PoseInFrame        pose of the robot, if observations contain one
/PACK/objects     foxglove.FrameTransforms    positions of objects, if observations contain them
================  ==========================  ===================================================
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bt_exec.events import Observed
from bt_exec.export.json_lines import Moment, event_rows, mission_header, moments
from bt_exec.failure import UsageError
from bt_exec.journal import Journal, MissionRecord
from bt_exec.journal.event_row_codec import RecordedObservation
from bt_exec.journal.json_text import to_json

__all__ = ["write_mcap"]

_LEVELS = {"info": 2, "warning": 3, "error": 4}
_TIME = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
_XYZ = {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}
_XYZW = {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyzw"}}
_TEXT: Mapping[str, Any] = {"type": "string"}


def _object_schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "bt_exec.Event": _object_schema(
        seq={"type": "integer"},
        t={"type": "number"},
        tick={"type": "integer"},
        plan={"type": "integer"},
        kind=_TEXT,
        path=_TEXT,
        call={"type": "integer"},
        data={"type": "object"},
    ),
    "bt_exec.Tree": _object_schema(
        plan={"type": "integer"},
        nodes={
            "type": "array",
            "items": _object_schema(path=_TEXT, label=_TEXT, state=_TEXT, detail=_TEXT),
        },
    ),
    "bt_exec.Observation": _object_schema(
        text=_TEXT,
        labels={"type": "array", "items": _TEXT},
        facts={"type": "object"},
        data={"type": "object"},
    ),
    "foxglove.Log": _object_schema(
        timestamp=_TIME,
        level={"type": "integer"},
        message=_TEXT,
        name=_TEXT,
        file=_TEXT,
        line={"type": "integer"},
    ),
    "foxglove.CompressedImage": _object_schema(
        timestamp=_TIME,
        frame_id=_TEXT,
        data={"type": "string", "contentEncoding": "base64"},
        format=_TEXT,
    ),
    "foxglove.PoseInFrame": _object_schema(
        timestamp=_TIME, frame_id=_TEXT, pose=_object_schema(position=_XYZ, orientation=_XYZW)
    ),
    "foxglove.FrameTransforms": _object_schema(
        transforms={
            "type": "array",
            "items": _object_schema(
                timestamp=_TIME,
                parent_frame_id=_TEXT,
                child_frame_id=_TEXT,
                translation=_XYZ,
                rotation=_XYZW,
            ),
        }
    ),
}


def _to_json(data: Mapping[str, Any]) -> bytes:
    """Return data as JSON. The journal's size limit does not apply, because pictures exceed it."""
    return json.dumps(data, ensure_ascii=False, default=str).encode("utf-8", "replace")


class _Message(NamedTuple):
    topic: str
    schema: str
    t: float
    data: Mapping[str, Any]


def write_mcap(journal: Journal, record: MissionRecord, path: Path) -> None:
    """Write a mission as an MCAP file.

    Raises:
        UsageError: If the package ``mcap`` is not installed.
        OSError: If the file cannot be written.
    """
    try:
        from mcap.writer import Writer
    except ImportError:
        raise UsageError("MCAP needs a package: pip install 'bt-exec[mcap]'") from None
    began = record.line.started_at.timestamp()
    start = record.events[0].t if record.events else 0.0
    with path.open("xb") as file:
        writer = Writer(file)
        writer.start(profile="", library="bt-exec")
        channels: dict[str, int] = {}
        schemas: dict[str, int] = {}
        counts: dict[str, int] = {}
        for message in sorted(_messages(journal, record), key=lambda one: one.t):
            if message.schema not in schemas:
                text = json.dumps({"title": message.schema, **_SCHEMAS[message.schema]})
                schemas[message.schema] = writer.register_schema(
                    message.schema, "jsonschema", text.encode()
                )
            if message.topic not in channels:
                channels[message.topic] = writer.register_channel(
                    message.topic, "json", schemas[message.schema]
                )
            ns = round((began + message.t - start) * 1e9)
            stamp = {"timestamp": {"sec": ns // 10**9, "nsec": ns % 10**9}}
            stamped = "timestamp" in _SCHEMAS[message.schema]["properties"]
            data = {**(stamp if stamped else {}), **message.data}
            for transform in data.get("transforms", ()):
                transform.update(stamp)
            counts[message.topic] = counts.get(message.topic, 0) + 1
            writer.add_message(
                channels[message.topic], ns, _to_json(data), ns, counts[message.topic]
            )
        header = {
            key: value if isinstance(value, str) else to_json(value)
            for key, value in mission_header(record).items()
        }
        writer.add_metadata("mission", header)
        for plan in record.plans:
            writer.add_metadata(f"plan {plan.version}", {"yaml": plan.text, "digest": plan.digest})
        writer.finish()


def _messages(journal: Journal, record: MissionRecord) -> Iterator[_Message]:
    for row in event_rows(journal, record.id):
        data = {key: value for key, value in row._asdict().items() if value is not None}
        data["data"] = json.loads(row.data)
        yield _Message("/events", "bt_exec.Event", row.t, data)
    for moment in moments(record):
        yield from _moment_messages(moment)
    for event in record.events:
        if isinstance(event, Observed) and isinstance(event.observation, RecordedObservation):
            yield from _observation_messages(event.t, event.pack, event.observation)


def _moment_messages(moment: Moment) -> Iterator[_Message]:
    if moment.nodes:
        yield _Message(
            "/tree", "bt_exec.Tree", moment.t, {"plan": moment.plan, "nodes": moment.nodes}
        )
    for level, text in moment.sentences:
        log = {"level": _LEVELS[level], "message": text, "name": "bt-exec", "file": "", "line": 0}
        yield _Message("/log", "foxglove.Log", moment.t, log)


def _observation_messages(t: float, pack: str, seen: RecordedObservation) -> Iterator[_Message]:
    facts = {"text": seen.text, "labels": list(seen.labels()), "facts": dict(seen.facts())}
    yield _Message(f"/{pack}/observed", "bt_exec.Observation", t, {**facts, "data": seen.record()})
    if seen.frame_file is not None and seen.frame_file.is_file():
        picture = base64.b64encode(seen.frame_file.read_bytes()).decode()
        image = {"frame_id": pack, "data": picture, "format": "png"}
        yield _Message(f"/{pack}/camera", "foxglove.CompressedImage", t, image)
    pose = next(
        (seen.data[key] for key in ("pose", "base") if _is_pose_or_position(seen.data.get(key))),
        None,
    )
    if pose is not None:
        x, y, yaw = pose
        body = {"position": _xyz(x, y, 0.0), "orientation": _yaw_quaternion(yaw)}
        yield _Message(
            f"/{pack}/pose", "foxglove.PoseInFrame", t, {"frame_id": "map", "pose": body}
        )
    objects = seen.data.get("objects")
    placed = objects.items() if isinstance(objects, Mapping) else ()
    transforms = [
        {
            "parent_frame_id": "map",
            "child_frame_id": name,
            "translation": _xyz(*at),
            "rotation": _yaw_quaternion(0.0),
        }
        for name, at in placed
        if _is_pose_or_position(at)
    ]
    if transforms:
        yield _Message(
            f"/{pack}/objects", "foxglove.FrameTransforms", t, {"transforms": transforms}
        )


def _is_pose_or_position(value: Any) -> bool:
    """Return True if a value is three numbers: a planar pose [m, m, rad] or a position [m]."""
    return (
        isinstance(value, list | tuple)
        and len(value) == 3
        and all(isinstance(one, int | float) for one in value)
    )


def _xyz(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": float(x), "y": float(y), "z": float(z)}


def _yaw_quaternion(yaw: float) -> dict[str, float]:
    """Return the quaternion of a rotation about the vertical axis [rad]."""
    return {"x": 0.0, "y": 0.0, "z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}
