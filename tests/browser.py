"""Real browser for tests of pages: any Chromium of the system (``apt install chromium``).

A module that imports this is skipped without a browser or Playwright.
``BT_EXEC_SCREENSHOTS=FOLDER`` saves screenshots.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None,
    reason=f"no Chromium here ({', '.join(NAMES)}): apt install chromium",
)
expect = playwright.expect
PLAIN = ("--disable-gpu", "--disable-software-rasterizer")
"""Options against software OpenGL, which costs a third more time."""


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield the browser."""
    with playwright.sync_playwright() as driver:
        # Chromium refuses to run as root with its sandbox
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=[*PLAIN, *arguments])
        yield browser
        browser.close()


def watch(page: Any, url: str, wrong: list[str]) -> None:
    """Record errors and foreign requests of a page."""
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda sent: None if sent.url.startswith(url) else wrong.append(sent.url))


def keep_pictures(pages: Sequence[Any], name: str) -> None:
    """Save screenshots on request."""
    if folder := os.environ.get("BT_EXEC_SCREENSHOTS"):
        for number, page in enumerate(pages):
            page.screenshot(path=str(Path(folder) / f"{name}-{number}.png"), full_page=True)
