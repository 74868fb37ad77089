"""Exported page in a real browser: the timeline controls tree and picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.export.page import write_page
from bt_exec.journal import Journal
from tests.browser import chromium, keep_pictures, needs_chromium, watch
from tests.bt_exec.journal.conftest import events_of

pytestmark = [needs_chromium, pytest.mark.slow]


def test_dragging_the_timeline_shows_the_tree_of_that_moment(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.sqlite")
    with journal.begin(command="문 안의 자재를 가져와", language="ko", frames=True) as recorder:
        for event in events_of(recorder.mission_id):
            recorder.on(event)
    file = tmp_path / "mission.html"
    write_page(journal, journal.mission("last"), file)
    wrong: list[str] = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        watch(page, file.as_uri(), wrong)
        page.goto(file.as_uri())
        assert page.locator("#clock").inner_text() == "2.0초 / 2.0초"
        assert page.locator("#tree-title").inner_text() == "계획 2"
        box = page.locator("#track").bounding_box()
        y = box["y"] + 8
        page.mouse.move(box["x"] + box["width"] * 0.95, y)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.5, y, steps=4)
        page.mouse.up()
        assert page.locator("#clock").inner_text() == "1.0초 / 2.0초"
        assert page.locator("#tree-title").inner_text() == "계획 1"
        assert page.locator("#tree li.running").count() >= 1
        assert page.locator("#picture").is_visible()
        page.locator("#track").press("End")
        assert page.locator("#tree li.running").count() == 0
        page.locator("#log li").first.click()
        assert page.locator("#clock").inner_text() == "0.0초 / 2.0초"
        narrow = browser.new_page(viewport={"width": 360, "height": 800})
        narrow.goto(file.as_uri())
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
        keep_pictures([page, narrow], "exported-page")
    assert [one for one in wrong if not one.startswith("data:")] == []
