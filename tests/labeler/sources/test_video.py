"""Videos: colours, times and gaps."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from bt_exec_labeler.episode import Doubt
from bt_exec_labeler.sources.video import VideoFrame, read_video


def film(path: Path, fps: float, count: int) -> Path:
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (32, 24))
    for _ in range(count):
        video.write(np.full((24, 32, 3), (200, 20, 90), np.uint8))  # blue, green, red
    video.release()
    return path


def test_pictures_of_a_video_are_rgb(tmp_path: Path) -> None:
    path = film(tmp_path / "run.avi", 4.0, 3)
    (episode,) = read_video(path)
    shown = episode.frames[1].image()
    assert shown.shape == (24, 32, 3)
    assert np.abs(shown.reshape(-1, 3).mean(0) - (90, 20, 200)).max() < 12
    assert [frame.name for frame in episode.frames] == [f"run.avi#{n}" for n in range(3)]
    assert len({frame.digest() for frame in episode.frames}) == 3
    assert (episode.id, episode.origin) == ("run", {"video": str(path)})
    with pytest.raises(ValueError, match=r"^run\.avi#9 is damaged$"):
        VideoFrame(0.0, path, 9).image()


def test_pause_of_more_than_a_second_is_a_gap(tmp_path: Path) -> None:
    for fps, gaps in ((1.0, 0), (0.8, 1)):
        (episode,) = read_video(film(tmp_path / f"{fps}.avi", fps, 2))
        assert [flaw.kind for flaw in episode.flaws] == ["gap"] * gaps + ["no_actions"]
        assert len(episode.doubts) == gaps + 1
        assert isinstance(episode.doubts[-1], Doubt)
