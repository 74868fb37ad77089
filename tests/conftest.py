"""What holds for every test: it reads and writes folders of this run, never the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDERS = ("DATA", "CONFIG", "CACHE", "STATE")  # journal and reports, settings, caches, robot locks


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Point the user's folders, also those of subprocesses, at an empty one of this worker."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for kind in FOLDERS:
            patch.setenv(f"XDG_{kind}_HOME", str(folder / kind.lower()))
        yield folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser; see `tests.browser`."""
    from tests.browser import chromium

    with chromium() as found:
        yield found
