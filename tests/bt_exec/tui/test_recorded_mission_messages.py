"""Messages of a recorded mission, from its packs and the names of its site."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.site.site import load_site
from bt_exec.tui.recorded_mission_messages import catalogue_and_messages


def record(packs: Any) -> Any:
    return SimpleNamespace(settings={"packs": packs})


def test_places_and_people_are_shown_by_their_recorded_names() -> None:
    packs = load_site("building").settings()
    packs["reporter"]["places"]["lounge"]["name"]["ko"] = "사랑방"
    _, messages = catalogue_and_messages(record(packs))
    assert messages.translate_word("lounge", "ko") == "사랑방"
    assert messages.translate_word("professor_office", "ko") == "교수님 연구실"


@pytest.mark.parametrize("packs", [{"reporter": {"places": 3}}, ["reporter"], {"gone": {}}, {}])
def test_record_without_an_installed_pack_shows_ids(packs: Any) -> None:
    _, messages = catalogue_and_messages(record(packs))
    assert messages.translate_word("lounge", "ko") == "lounge"
