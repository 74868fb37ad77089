"""Process setup before heavy imports."""

from __future__ import annotations

import os
import signal
import sys
import types

import pytest

from bt_exec.__main__ import main


@pytest.mark.parametrize(("given", "used"), [(None, "1"), ("4", "4")])
def test_linear_algebra_has_one_thread_by_default(
    monkeypatch: pytest.MonkeyPatch, given: str | None, used: str
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    seen = []
    app = types.SimpleNamespace(main=lambda: seen.append(os.environ["OPENBLAS_NUM_THREADS"]))
    monkeypatch.setitem(sys.modules, "bt_exec.cli.app", app)
    before = signal.getsignal(signal.SIGINT)
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [used]
