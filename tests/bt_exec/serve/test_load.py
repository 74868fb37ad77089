"""Load: many clients and commands at once, and random bytes."""

from __future__ import annotations

import contextlib
import random
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.bt_exec.serve.conftest import GATE, Served

pytestmark = pytest.mark.slow


def test_fifty_clients_each_receive_every_event_once(served: Served) -> None:
    mission_id = served.send("both")
    path = f"/missions/{mission_id}/events"
    with ThreadPoolExecutor(50) as pool:
        following = [pool.submit(served.follow, path) for _ in range(50)]
        served.until(lambda: len(served.journal.rows(mission_id)) > 20)
        GATE.set()
        followed = [one.result() for one in following]
    rows = served.journal.rows(mission_id)
    numbers = [row.seq for row in rows if row.kind != "Progress"]
    for events in followed:
        assert [int(number) for number, _, _ in events if number] == numbers
        assert events[-1][1] == "end"


def test_two_hundred_concurrent_commands_are_run_or_refused(serve) -> None:
    served = serve(queue=30)
    with ThreadPoolExecutor(40) as pool:
        answers = list(
            pool.map(lambda _: served.ask("POST", "/missions", {"command": "wave"}), range(200))
        )
    statuses = Counter(answer.status for answer in answers)
    assert set(statuses) == {202, 429}
    assert sum(statuses.values()) == 200
    taken = [answer.data["mission_id"] for answer in answers if answer.status == 202]
    assert len(set(taken)) == len(taken) >= 31
    assert {served.ended(name).status for name in taken} == {"satisfied"}
    assert {line.id for line in served.journal.missions(None)} == set(taken)
    refused = next(answer for answer in answers if answer.status == 429)
    assert refused.headers["retry-after"]


def test_random_bytes_do_not_affect_a_mission(served: Served) -> None:
    """Random bytes are sent while a mission runs, some of them after the beginning of a request."""
    chance = random.Random(7)
    mission_id = served.send("hold")
    heads = [b"", b"GET / HTTP/1.1\r\n", b"POST /missions HTTP/1.1\r\nHost: localhost\r\n"]
    for _ in range(300):
        with contextlib.suppress(ConnectionError):
            connection = socket.create_connection(("127.0.0.1", served.port), timeout=5)
            with connection:
                connection.sendall(chance.choice(heads) + chance.randbytes(chance.randrange(400)))
    assert served.ask("GET", "/ready").status == 200
    GATE.set()
    assert served.ended(mission_id).status == "satisfied"
    assert len(served.journal.missions(None)) == 1
