"""Files written beside a mission never block it."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from bt_exec import events as ev
from bt_exec.cli import turn_report_and_picture_output
from bt_exec.testing import FakeObservation


def test_hanging_disk_costs_frames_and_does_not_block_the_mission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = threading.Event()
    monkeypatch.setattr("bt_exec.journal.write_png", lambda path, frame: hangs.wait(60))
    monkeypatch.setattr(turn_report_and_picture_output, "_PATIENCE_S", 0.01)
    frames = turn_report_and_picture_output.FrameWriter(tmp_path)
    observation = FakeObservation(frame=np.zeros((2, 2, 3), np.uint8))
    for tick in range(turn_report_and_picture_output._WAITING + 10):
        frames.on(ev.Observed(0.0, tick, "door", observation))
    hangs.set()
    with pytest.raises(OSError, match=r"the disk is too slow; of 42 frames \d+ are left out"):
        frames.close()
