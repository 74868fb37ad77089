"""Requests of the service: their limits, and the breaches of their items."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pydantic import ValidationError

from bt_exec_labeler.clips import RECENT, SUMMARY
from bt_exec_labeler.labeler_items import ControllerItem, Item, PlannerItem, Role
from bt_exec_labeler.service import request as module
from bt_exec_labeler.service.request import Asked, items_of_request, make_request
from bt_exec_labeler.vocabulary import Vocabulary


def coded(shade: int = 0, height: int = 4, width: int = 6) -> bytes:
    done, data = cv2.imencode(".png", np.full((height, width, 3), shade, np.uint8))
    assert done
    return data.tobytes()


def address(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


BLACK, GREY = address(coded()), address(coded(90))
ITEM: dict[str, Any] = {"mid_step_id": "rest", "recent_clip": [BLACK]}


def read(vocabulary: Vocabulary, role: Role = "controller", **change: Any) -> Any:
    asked = Asked.model_validate({"command": "go", "items": [{**ITEM, **change}]})
    (found,) = items_of_request(asked, role, vocabulary, None)
    return found if not isinstance(found, tuple) else [str(breach) for breach in found]


@pytest.mark.parametrize(
    ("field", "most", "one"),
    [
        ("mid_step_id", 64, "x"),
        ("mid_step_text", 500, "x"),
        ("state_summary", 2000, "x"),
        ("recent_clip", RECENT.count, [BLACK]),
        ("summary_clip", SUMMARY.count, [BLACK]),
        ("constraints", 20, ["x"]),
        ("events", 20, ["x"]),
    ],
)
def test_fields_of_an_item_have_a_maximum_length(field: str, most: int, one: Any) -> None:
    Asked.model_validate({"items": [{**ITEM, field: one * most}]})
    with pytest.raises(ValidationError, match=f"items.0.{field}\n.*at most {most} "):
        Asked.model_validate({"items": [{**ITEM, field: one * (most + 1)}]})


def test_request_has_a_limit_of_items_and_pictures() -> None:
    pictures = {str(n): BLACK for n in range(module.ITEMS * (RECENT.count + SUMMARY.count))}
    assert len(Asked.model_validate({"items": [ITEM] * 64, "pictures": pictures}).items) == 64
    for wrong in (
        {"items": [ITEM] * 65},
        {"items": []},
        {"items": [ITEM], "pictures": {**pictures, "one more": BLACK}},
        {"items": [ITEM], "pictures": {"a": ""}},
        {"items": [ITEM], "command": "x" * 501},
        {"items": [{**ITEM, "recent_clip": []}]},
        {"items": [{**ITEM, "recent_clip": [""]}]},
        {"items": [{**ITEM, "events": ["x" * 501]}]},
        {"items": [ITEM], "note": "x"},
    ):
        with pytest.raises(ValidationError):
            Asked.model_validate(wrong)


@pytest.mark.parametrize(
    ("t", "good"), [(0, True), (-3600, True), (0.01, False), (-3600.5, False), ("NaN", False)]
)
def test_frame_time_must_be_within_the_last_hour(t: Any, good: bool) -> None:
    body = {"items": [{**ITEM, "recent_clip": [{"image": BLACK, "t": float(t)}]}]}
    if good:
        Asked.model_validate(body)
        return
    with pytest.raises(ValidationError):
        Asked.model_validate(body)


def test_frames_without_times_fill_the_last_slots_of_a_clip(vocabulary: Vocabulary) -> None:
    item = read(vocabulary, "planner", recent_clip=[BLACK, GREY, BLACK], summary_clip=[GREY, BLACK])
    assert isinstance(item, PlannerItem)
    recent, summary = item.clips
    assert [frame.t for frame in recent.frames] == [-2 * recent.form.step_s, -recent.form.step_s, 0]
    assert [frame.t for frame in summary.frames] == [-summary.form.step_s, 0]
    assert [clip.before_start for clip in item.clips] == [
        recent.form.count - 3, summary.form.count - 2
    ]  # fmt: skip
    assert str(recent.frames[2].t) == "0.0"
    assert [frame.image()[0, 0, 0] for frame in recent.frames] == [0, 90, 0]
    shown = recent.frames[1]
    assert (shown.name, shown.digest()) == (
        "data", hashlib.sha256(shown.image().tobytes()).hexdigest()
    )  # fmt: skip


def test_item_has_the_context_of_its_request(vocabulary: Vocabulary) -> None:
    more = {"constraints": ["No."], "events": ["Rain."], "state_summary": "Wet."}
    item = read(vocabulary, mid_step_text="Rest at home.", **more)
    assert isinstance(item, ControllerItem)
    assert (item.mid_step_id, item.t, item.span) == ("rest", 0.0, None)
    assert (item.constraints, item.events, item.state_summary) == (("No.",), ("Rain.",), "Wet.")
    assert (item.episode.id, item.episode.command) == ("request-0", "go")
    assert item.episode.frames == item.recent.frames


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"mid_step_id": "go_to_kez"},
            "mid_step_id: 'go_to_kez' is not listed; allowed: go_to_key, go_to_gate, go_to_chest",
        ),
        (
            {"mid_step_id": "!"},
            "mid_step_id: '!' is not listed; allowed: go_to_key, take_key, go_to_gate, "
            "talk_gate_guard, open_gate",
        ),
        (
            {"mid_step_text": "Fly."},
            "mid_step_text: is not the text of rest: Rest at home. | 집에서 쉰다.",
        ),
        (
            {"summary_clip": [BLACK]},
            "summary_clip: a controller is shown no summary clip; leave it empty",
        ),
        (
            {"recent_clip": [{"image": BLACK, "t": 0}, {"image": BLACK, "t": -1}]},
            "recent_clip[1]: is older than the one before it",
        ),
        (
            {"recent_clip": [BLACK, "a.png"]},
            "recent_clip[1]: names a file, but the service was started without --frames FOLDER",
        ),
        (
            {"recent_clip": ["data:image/png,AA"]},
            "recent_clip[0]: must be data:image/png;base64,…, or a file's name",
        ),
        ({"recent_clip": ["data:image/png;base64,A"]}, "recent_clip[0]: is not base64"),
        (
            {"recent_clip": ["data:image/png;base64,AAAA"]},
            "recent_clip[0]: is damaged, or neither PNG nor JPEG",
        ),
    ],
)
def test_breach_of_an_item_contains_the_path_of_the_field(
    change: dict[str, Any], said: str, vocabulary: Vocabulary
) -> None:
    found = read(vocabulary, **change)
    assert [text.rpartition(" [")[0] for text in found][:1] == [said]


def test_frames_with_equal_times_are_accepted(vocabulary: Vocabulary) -> None:
    at = [{"image": BLACK, "t": t} for t in (-1, -1, 0)]
    assert isinstance(read(vocabulary, recent_clip=at), ControllerItem)


def header(height: int, width: int) -> bytes:
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return coded()[:16] + size + coded()[24:]


def test_picture_above_the_limit_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "decode_picture", lambda data, name: (data, name))
    most: Any = header(4096, 4096)
    assert module._decode_checked(most) == (most, "the picture")
    said = r"^has 16781312 pixels; at most 16777216$"
    with pytest.raises(ValueError, match=said):
        module._decode_checked(header(4096, 4097))


def test_jpeg_size_is_read_from_data_that_ends_with_the_header() -> None:
    data = b"\xff\xd8\xff\xc0\x00\x07\x08\x00\x05\x00\x07"
    assert module._jpeg_pixels(data) == 35
    assert module._jpeg_pixels(data[:-1]) == 0
    empty = b"\xff\xe0\x00\x00"  # a segment of no length is still two bytes long
    assert module._jpeg_pixels(b"\xff\xd8" + empty + data[2:]) == 35


def test_picture_of_a_request_is_read_once(
    monkeypatch: pytest.MonkeyPatch, vocabulary: Vocabulary
) -> None:
    read_: list[bytes] = []
    plain = module._decode_checked

    def counted(data: bytes) -> Any:
        read_.append(data)
        return plain(data)

    monkeypatch.setattr(module, "_decode_checked", counted)
    frames = ["a", "b", "a", BLACK]
    body = {"pictures": {"a": BLACK, "b": GREY}, "items": [{**ITEM, "recent_clip": frames}] * 2}
    found = items_of_request(Asked.model_validate(body), "controller", vocabulary, None)
    assert [type(one) for one in found] == [ControllerItem] * 2
    assert len(read_) == 3
    assert [one.episode.id for one in found if not isinstance(one, tuple)] == [
        "request-0", "request-1"
    ]  # fmt: skip
    names = [
        frame.name for one in found if not isinstance(one, tuple) for frame in one.recent.frames
    ]
    assert names == ["a", "b", "a", "data"] * 2


@pytest.mark.parametrize("kind", ["PNG", "Jpeg", "jpg", "gif"])
def test_file_type_is_determined_by_the_extension(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"a.{kind}").write_bytes(b"data")
    if kind == "gif":
        with pytest.raises(ValueError, match=r"^'a.gif' is not a picture below the folder"):
            module._picture_bytes("a.gif", tmp_path)
        return
    assert module._picture_bytes(f"a.{kind}", tmp_path) == b"data"


def test_long_name_of_a_picture_is_truncated_in_the_message(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^'x{100}' is not a picture"):
        module._picture_bytes("x" * 101, tmp_path)


def test_pictures_are_transferred_to_a_service_unchanged(
    items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    body = make_request(items, vocabulary, "ko")
    assert body["command"] == items[0].episode.command
    found = items_of_request(Asked.model_validate(body), "controller", vocabulary, None)
    for one, item in zip(found, items, strict=True):
        assert isinstance(one, ControllerItem)
        assert one.clip_hash == item.clip_hash
        assert [frame.t for frame in one.recent.frames] == [
            pytest.approx(frame.t - item.t, abs=1e-3) for frame in item.recent.frames
        ]
        assert np.array_equal(one.recent.frames[-1].image(), item.recent.frames[-1].image())
    assert body["items"][0]["mid_step_text"] == "열쇠로 걸어간다."
    assert all(len(name) == 32 for name in body["pictures"])
