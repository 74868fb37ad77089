"""Client of the service: follows a mission over HTTP, for ``bt-exec watch URL``.

It uses only the standard library, so that the extra ``serve`` is not required.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import threading
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bt_exec.events import Event, Finished
from bt_exec.failure import UsageError
from bt_exec.journal import EventRow
from bt_exec.journal.read import decode_event
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec

__all__ = ["ServiceTail"]

_TIMEOUT_S = 30.0  # longer than the interval of keep-alive messages (15 s)


class ServiceTail:
    """Reader of the events of a service's mission.

    Args:
        url: Address of the service, for its newest mission, or of a mission, such as
            ``http://127.0.0.1:8900/missions/2026-11-20-0007``.
        token: The service's token; empty if it requires none.

    Attributes:
        mission_id: Identifier of the mission.
        mission: Mission data from the service, such as command, language and site.
        ended: Why no more events will come; empty while the mission runs.

    Raises:
        UsageError: If the service does not answer, or has no such mission.
    """

    def __init__(self, url: str, token: str = "") -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(f"{url}: write http://HOST:PORT, or http://HOST:PORT/missions/ID")
        self.ended = ""
        self._host, self._secure = parts.netloc, parts.scheme == "https"
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        _, _, wanted = parts.path.rstrip("/").partition("/missions/")
        self.mission_id = wanted.partition("/")[0] or self._newest()
        self.mission: Mapping[str, Any] = self._get(f"/missions/{self.mission_id}")
        self._specs: dict[str, MissionSpec] = {}
        self._inbox: queue.SimpleQueue[EventRow | str] = queue.SimpleQueue()
        threading.Thread(target=self._follow, name="watch", daemon=True).start()

    def read(self) -> list[Event]:
        """Return the events since the last call."""
        found: list[Event] = []
        while True:
            try:
                row = self._inbox.get_nowait()
            except queue.Empty:
                break
            if isinstance(row, str):
                self.ended = self.ended or row
                continue
            event = decode_event(row, self._spec, Path())
            found += [] if event is None else [event]
        if any(isinstance(event, Finished) for event in found):
            self.ended = "ended"
        return found

    def _newest(self) -> str:
        listed = self._get("/missions?limit=1")
        missions = listed if isinstance(listed, list) else listed.get("missions", [])
        if not missions:
            raise UsageError(f"{self._host} has no mission yet")
        return str(missions[0]["mission_id"])

    def _spec(self, digest: str) -> MissionSpec:
        if digest not in self._specs:
            text = self._get(f"/plans/{digest}")["yaml"]
            document = load_text(text, f"the plan {digest[:12]}").document
            assert isinstance(document, MissionSpec)
            self._specs[digest] = document
        return self._specs[digest]

    @contextlib.contextmanager
    def _open(self, path: str) -> Iterator[http.client.HTTPResponse]:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        with contextlib.closing(kind(self._host, timeout=_TIMEOUT_S)) as connection:
            try:
                connection.request("GET", path, headers=self._headers)
                answer = connection.getresponse()
            except (OSError, ValueError, http.client.HTTPException) as error:
                reason = getattr(error, "strerror", None) or str(error)
                reason = f"{reason[:1].lower()}{reason[1:]}"
                raise UsageError(f"{self._host} does not answer: {reason}") from None
            with answer:
                if answer.status != http.client.OK:
                    why = {
                        401: "a token is required; set BT_EXEC_TOKEN",
                        404: "there is no such mission",
                    }
                    said = why.get(answer.status, f"the server returned status {answer.status}")
                    raise UsageError(f"{self._host}{path}: {said}")
                yield answer

    def _get(self, path: str) -> Any:
        with self._open(path) as answer:
            return json.load(answer)

    def _follow(self) -> None:
        """Read the event stream; runs on its own thread."""
        try:
            with self._open(f"/missions/{self.mission_id}/events") as stream:
                for number, kind, data in _parse_events(stream):
                    if kind == "end":
                        self._inbox.put(data["status"])
                    else:
                        self._inbox.put(_event_row(number, kind, data))
        except (UsageError, OSError, ValueError, KeyError) as error:
            self._inbox.put(f"lost: {error}")
        self._inbox.put("ended")


def _event_row(number: int, kind: str, data: Mapping[str, Any]) -> EventRow:
    """Return an event of the stream as a row of the journal; `number` is 0 for live progress."""
    if kind == "Progress":
        live = {"progress": data["progress"], "doing": data["doing"]}
        return EventRow(0, 0.0, 0, 0, kind, data["path"], None, json.dumps(live))
    return EventRow(
        number,
        data["t"],
        data["tick"],
        data["plan"],
        kind,
        data.get("path"),
        data.get("call"),
        json.dumps(data["data"]),
    )


def _parse_events(stream: Any) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield number, kind and data of each server-sent event."""
    number, kind, data = 0, "", ""
    for raw in stream:
        line = raw.decode("utf-8").rstrip("\r\n")
        name, _, value = line.partition(": ")
        if name == "id":
            number = int(value)
        elif name == "event":
            kind = value
        elif name == "data":
            data += value
        elif not line:
            if kind and data:
                yield number, kind, json.loads(data)
            kind, data = "", ""
