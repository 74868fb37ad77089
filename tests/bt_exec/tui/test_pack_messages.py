"""Who speaks of a mission on record: its packs, with the names of its site."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.site.site import load_site
from bt_exec.tui.pack_messages import voices


def record(packs: Any) -> Any:
    return SimpleNamespace(settings={"packs": packs})


def test_places_and_people_have_the_names_of_then() -> None:
    packs = load_site("building").settings()
    packs["reporter"]["places"]["lounge"]["name"]["ko"] = "사랑방"
    _, messages = voices(record(packs))
    assert messages.word("lounge", "ko") == "사랑방"
    assert messages.word("professor_office", "ko") == "교수님 연구실"


@pytest.mark.parametrize("packs", [{"reporter": {"places": 3}}, ["reporter"], {"gone": {}}, {}])
def test_a_record_that_nobody_reads_any_more_has_ids(packs: Any) -> None:
    _, messages = voices(record(packs))
    assert messages.word("lounge", "ko") == "lounge"
