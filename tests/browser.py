"""A real browser for tests of pages: any Chromium of the system (``apt install chromium``).

Where there is none, or no Playwright, a module that imports this is skipped. With
``BT_EXEC_SCREENSHOTS=FOLDER`` what was seen is kept.
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
"""Without them it draws with an OpenGL in software, which costs a third more."""


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield the browser."""
    with playwright.sync_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # it refuses root otherwise
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=[*PLAIN, *arguments])
        yield browser
        browser.close()


def watch(page: Any, url: str, wrong: list[str]) -> None:
    """Note what a page must not do: write an error, or ask anybody else."""
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda sent: None if sent.url.startswith(url) else wrong.append(sent.url))


def keep_pictures(pages: Sequence[Any], name: str) -> None:
    """Keep what was seen, if somebody wants it."""
    if folder := os.environ.get("BT_EXEC_SCREENSHOTS"):
        for number, page in enumerate(pages):
            page.screenshot(path=str(Path(folder) / f"{name}-{number}.png"), full_page=True)
