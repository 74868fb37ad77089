"""Fixtures of all tests: separate folders, and signal handling."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

# As in `bt_exec.__main__`, before anything imports numpy: spinning threads cost a third of the
# time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No test asserts a duration, because a loaded machine is not a fault. The result for a commit is
# always the same: only `make explore` draws other examples each time, to find new faults.
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("bt-exec", CALM, derandomize=True, database=None)
settings.register_profile("long", settings.get_profile("bt-exec"))  # see `tests.cases.examples`
settings.register_profile("explore", CALM, print_blob=True)
settings.load_profile("bt-exec")

# A worker holds a million objects, and full garbage collections took an eighth of the time. Most
# objects that a command makes are gone before 50,000 others exist.
gc.set_threshold(50_000, 20, 100)

SAMPLE = 12  # one of this many tests marked as sampled is in the fast suite

FOLDERS = ("DATA", "CONFIG", "CACHE", "STATE")  # journal and reports, settings, caches, state
PREFIXES = ("BT_EXEC_SITE", "BT_EXEC_TOKEN", "BT_EXEC_DEBUG", "ANTHROPIC_")  # with user settings


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark most of the sampled tests as slow; the choice depends on their names only."""
    if os.environ.get("BT_EXEC_ALL_TESTS"):  # set by the mutation tests, which need every test
        return
    for item in items:
        if item.get_closest_marker("sampled") and crc32(item.nodeid.encode()) % SAMPLE:
            item.add_marker("slow")


@pytest.fixture(scope="session", autouse=True)
def own_folders(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Path]:
    """Redirect the user's folders to an empty folder of this worker; remove the user's settings.

    The utterances that were read for the index of a site are shared by all workers and kept for the
    next run, because reading them takes seconds. Mutation tests read them again for each mutant.
    """
    folder = tmp_path_factory.mktemp("user")
    if not os.environ.get("BT_EXEC_ALL_TESTS") and hasattr(pytestconfig, "cache"):
        shared = folder / "cache" / "bt-exec" / "utterances"
        shared.parent.mkdir(parents=True)
        shared.symlink_to(pytestconfig.cache.mkdir("utterances"), target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        for kind in FOLDERS:
            patch.setenv(f"XDG_{kind}_HOME", str(folder / kind.lower()))
        patch.setenv("BT_EXEC_LOCKS", str(folder / "locks"))
        for name in [*os.environ]:
            if name.startswith(PREFIXES) or name.lower().endswith("_proxy"):
                patch.delenv(name)
        yield folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Real browser; see `tests.browser`."""
    from tests.browser import chromium

    with chromium() as found:
        yield found


@pytest.fixture(scope="session", autouse=True)
def heard_signals() -> None:
    """Enable signals: a shell ignores Ctrl-C and SIGQUIT for background jobs, nohup SIGHUP."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGQUIT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
