"""Client that follows a mission over HTTP; its events equal the recorded ones."""

from __future__ import annotations

import pytest

from bt_exec.events import Event, Progress
from bt_exec.failure import UsageError
from bt_exec.serve.event_stream_client import ServiceTail
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.serve.conftest import GATE, Served


def read(served: Served, tail: ServiceTail) -> list[Event]:
    """Return all events until the end."""
    found: list[Event] = []

    def more() -> bool:
        found.extend(tail.read())
        return bool(tail.ended)

    served.until(more)
    return [event for event in found if not isinstance(event, Progress)]


def test_followed_events_match_the_recorded_ones(served: Served) -> None:
    mission_id = served.send("wave")
    tail = ServiceTail(f"http://127.0.0.1:{served.port}/missions/{mission_id}")
    found = read(served, tail)
    recorded = served.journal.mission(mission_id).events
    assert found == [event for event in recorded if not isinstance(event, Progress)]
    assert tail.ended == "ended"


def test_address_of_a_service_selects_its_newest_mission(served: Served) -> None:
    mission_id = served.send("both")
    tail = ServiceTail(f"http://127.0.0.1:{served.port}")
    assert tail.mission_id == mission_id
    model = ViewModel()
    GATE.set()
    for event in read(served, tail):
        model.on(event)
    assert model.outcome is not None
    assert {node.state for node in model.forest} == {"done"}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/missions/2020-01-01-0001", "there is no such mission"),
        ("x", "write http://HOST:PORT"),
        ("http://127.0.0.1:1", "does not answer"),
    ],
)
def test_invalid_address_is_reported(served: Served, address: str, said: str) -> None:
    url = f"http://127.0.0.1:{served.port}{address}" if address.startswith("/") else address
    with pytest.raises(UsageError, match=said):
        ServiceTail(url)


def test_unknown_plan_is_not_found(served: Served) -> None:
    answer = served.ask("GET", f"/plans/{'0' * 64}")
    assert (answer.status, answer.data["error"]["code"]) == (404, "NO_PLAN")
