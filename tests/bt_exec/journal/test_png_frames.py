from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bt_exec.events import Event, Observed
from bt_exec.journal import Journal, RecordedObservation, read_png, write_png
from bt_exec.journal import png_frames as framing
from bt_exec.journal.png_frames import FrameStore
from bt_exec.testing import FakeObservation

PICTURE = np.random.default_rng(0).integers(0, 256, (24, 32, 3), np.uint8)
pictures = st.sampled_from([(), (3,), (4,)]).flatmap(
    lambda tail: st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
        lambda size: arrays.arrays(np.uint8, (*size, *tail))
    )
)


@settings(max_examples=50)
@given(picture=pictures)
def test_frame_round_trip_is_exact(
    tmp_path_factory: pytest.TempPathFactory, picture: np.ndarray
) -> None:
    path = tmp_path_factory.mktemp("png") / "a.png"
    write_png(path, picture)
    np.testing.assert_array_equal(read_png(path), picture)


def test_frame_is_readable_by_other_programs(tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    write_png(tmp_path / "a.png", PICTURE)
    read = cv2.imread(str(tmp_path / "a.png"), cv2.IMREAD_UNCHANGED)
    np.testing.assert_array_equal(read[..., ::-1], PICTURE)


def test_array_view_is_written(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png", PICTURE[::2, ::-1, ::-1])
    np.testing.assert_array_equal(read_png(tmp_path / "a.png"), PICTURE[::2, ::-1, ::-1])


@pytest.mark.parametrize(
    "frame",
    [np.zeros((2, 2, 3)), np.zeros((2, 2, 2), np.uint8), np.zeros(4, np.uint8)],
)
def test_array_that_is_not_a_frame_is_refused(tmp_path: Path, frame: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"a frame must be uint8 \(h, w, 3\), not"):
        write_png(tmp_path / "a.png", frame)
    with pytest.raises(ValueError, match="a frame must not be empty"):
        write_png(tmp_path / "a.png", np.zeros((0, 2, 3), np.uint8))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a" * 40])
def test_file_that_is_not_a_frame_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(ValueError, match="is not a frame of a journal"):
        read_png(tmp_path / "a.png")


def test_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    write_png(path, PICTURE)
    whole = path.read_bytes()
    for length in range(0, len(whole) - 12, 97):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError):
            read_png(path)


def test_frames_are_stored_beside_the_journal(
    journal: Journal, script: Callable[[str], list[Event]]
) -> None:
    with journal.begin(command="x", frames=True) as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    mission = journal.mission("last")
    (look,) = mission.observations
    assert isinstance(look, Observed)
    assert isinstance(look.observation, RecordedObservation)
    assert look.observation.frame_file == (
        journal.path.parent / "journal-frames" / mission.id / "000002.png"
    )
    np.testing.assert_array_equal(
        look.observation.frame, np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    )
    assert (mission.frames_kept, mission.frames_dropped) == (1, 0)


def test_frames_are_not_stored_by_default(
    journal: Journal, script: Callable[[str], list[Event]]
) -> None:
    with journal.begin(command="x") as recorder:
        for event in script(recorder.mission_id):
            recorder.on(event)
    (look,) = journal.mission("last").observations
    assert isinstance(look, Observed)
    assert look.observation.frame is None
    assert not journal.frames.exists()


def test_missing_frame_file_yields_no_frame(tmp_path: Path) -> None:
    assert RecordedObservation(0.0, frame_file=tmp_path / "none.png").frame is None


def test_frames_above_the_limit_are_dropped_and_counted_without_blocking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, busy = threading.Event(), threading.Event()

    def slow(path: Path, frame: np.ndarray) -> None:
        busy.set()
        assert go.wait(20)
        write_png(path, frame)

    monkeypatch.setattr(framing, "write_png", slow)
    store = FrameStore(tmp_path / "frames", pytest.fail)
    assert store.offer(0, PICTURE) == "000000.png"
    assert busy.wait(20)
    names = [store.offer(number, PICTURE) for number in range(1, 12)]
    assert [name for name in names if name] == [f"{n:06d}.png" for n in range(1, 9)]
    assert names[8:] == [None] * 3
    go.set()
    store.close()
    assert (store.kept, store.dropped) == (9, 3)
    assert len(list((tmp_path / "frames").iterdir())) == 9


def test_frames_that_cannot_be_written_are_reported_once(tmp_path: Path) -> None:
    (tmp_path / "frames").write_text("in the way")
    told: list[str] = []
    store = FrameStore(tmp_path / "frames", told.append)
    for number in range(3):
        store.offer(number, PICTURE)
    store.offer(3, "no picture")
    store.close()
    assert (store.kept, store.dropped) == (0, 4)
    assert len(told) == 1
    assert told[0].startswith(f"a picture could not be saved in {tmp_path / 'frames'}: [Errno ")


@pytest.mark.parametrize(("at", "value"), [("depth", 16), ("filter", 0), ("filter", 1)])
def test_png_of_another_format_is_refused(tmp_path: Path, at: str, value: int) -> None:
    """A depth of 16 bits or another row filter would be decoded wrongly."""
    path = tmp_path / "a.png"
    write_png(path, PICTURE)
    data = bytearray(path.read_bytes())
    if at == "depth":
        data[24] = value
    else:
        size, start = int.from_bytes(data[33:37]), 41
        rows = bytearray(zlib.decompress(bytes(data[start : start + size])))
        rows[97 * 5] = value
        packed = zlib.compress(bytes(rows))
        data[33:37], data[start : start + size] = len(packed).to_bytes(4), packed
    path.write_bytes(bytes(data))
    with pytest.raises(ValueError, match="is not a frame of a journal: another kind of PNG"):
        read_png(path)


def test_frame_is_a_plain_png(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    write_png(path, PICTURE)
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    # width, height, 8 bits per channel, RGB, and the only defined compression, filter and
    # interlace
    assert data[16:29] == bytes([0, 0, 0, 32, 0, 0, 0, 24, 8, 2, 0, 0, 0])
    assert [kind in data for kind in (b"IHDR", b"IDAT", b"IEND")] == [True] * 3
    assert not list(tmp_path.glob("*.part"))


def test_closed_store_leaves_no_thread(tmp_path: Path) -> None:
    store = FrameStore(tmp_path / "frames", pytest.fail)
    assert (store._worker.name, store._worker.daemon) == ("journal-frames", True)
    store.offer(7, PICTURE)
    store.close()
    assert not store._worker.is_alive()
    assert [path.name for path in store.folder.iterdir()] == ["000007.png"]
    assert (store.kept, store.dropped) == (1, 0)


def test_frame_is_not_rendered_when_it_is_not_stored(journal: Journal) -> None:
    class Costly:
        t = 0.5

        @property
        def frame(self) -> np.ndarray:
            raise RuntimeError("not rendered")

        def labels(self) -> tuple[str, ...]:
            return ("cup",)

        def facts(self) -> dict[str, str]:
            return {}

        def describe(self, language: str) -> str:
            return "a cup"

        def record(self) -> dict[str, object]:
            return {}

    with journal.begin(command="x") as recorder:
        recorder.on(Observed(0.5, 1, "door", Costly()))
    mission = journal.mission("last")
    assert (len(mission.observations), mission.unreadable) == (1, ())


@pytest.mark.parametrize("frame", [None, PICTURE])
@pytest.mark.parametrize("kept", [True, False, None])
def test_frame_file_exists_only_when_frames_are_requested(
    journal: Journal, frame: np.ndarray | None, kept: bool | None
) -> None:
    wanted = {} if kept is None else {"frames": kept}
    with journal.record(journal.book(command="x"), **wanted) as recorder:
        recorder.on(Observed(0.5, 1, "door", FakeObservation(0.5, frame=frame)))
    (look,) = journal.mission("last").observations
    assert isinstance(look, Observed)
    assert isinstance(look.observation, RecordedObservation)
    assert (look.observation.frame_file is not None) is (bool(kept) and frame is not None)
    assert journal.frames.exists() is (bool(kept) and frame is not None)


def test_store_with_a_hanging_disk_is_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (framing._CLOSE_S, framing._WAITING) == (5.0, 8)
    monkeypatch.setattr(framing, "_CLOSE_S", 0.01)
    go, busy = threading.Event(), threading.Event()
    monkeypatch.setattr(framing, "write_png", lambda *given: (busy.set(), go.wait(60)))
    store = FrameStore(tmp_path / "frames", pytest.fail)
    store.offer(0, PICTURE)
    assert busy.wait(20)
    while store.offer(1, PICTURE):
        pass
    store.close()
    assert store._worker.is_alive()
    go.set()
    store.close()
