"""What a request for labels holds: items of frames, by name or as data, and what they must say.

::

    POST /label
    {"items": [{"mid_step_id": "open_gate", "mid_step_text": "Open the gate.",
                "recent_clip": ["game_00/000012.png", "data:image/png;base64,iVBOR…",
                                {"image": "game_00/000014.png", "t": 0.0}],
                "summary_clip": [], "constraints": []}]}

A frame is the name of a file below the folder of the service, or a picture as a ``data:`` address.
Frames without times fill the last places of their clip: the last one is now.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from bt_exec.failure import nearest
from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, ClipForm
from bt_exec_labeler.episode import Episode, Frame, Image
from bt_exec_labeler.items import ControllerItem, Item, PlannerItem, Role
from bt_exec_labeler.record import Breach
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["ITEMS", "Asked", "AskedItem", "body_of", "item_of"]

ITEMS = 64
"""The most items of a request."""

_PIXELS = 16 * 1024 * 1024  # of a picture; a larger one is refused
_ENDINGS = {".jpg", ".jpeg", ".png"}

Text = Annotated[str, Field(max_length=500)]
Picture = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class AskedFrame(_Part):
    """A frame with its time.

    Attributes:
        image: A file's name, or a ``data:`` address.
        t: When it was taken [s]; 0 is now, what was before is negative.
    """

    image: Picture
    t: Annotated[float, Field(le=0, ge=-3600)]


Frames = Annotated[tuple[Picture | AskedFrame, ...], Field(max_length=SUMMARY.count)]


class AskedItem(_Part):
    """One moment.

    Attributes:
        mid_step_id: Of the vocabulary.
        mid_step_text: Its text, in any language of the vocabulary; may be left out.
        recent_clip: What just happened, oldest first.
        summary_clip: The last minute, for planners alone.
        constraints: What must not be done.
    """

    mid_step_id: Annotated[str, Field(max_length=64)]
    mid_step_text: Text = ""
    recent_clip: Annotated[Frames, Field(min_length=1, max_length=RECENT.count)]
    summary_clip: Frames = ()
    constraints: Annotated[tuple[Text, ...], Field(max_length=20)] = ()


class Asked(_Part):
    """A request."""

    items: Annotated[tuple[AskedItem, ...], Field(min_length=1, max_length=ITEMS)]


def item_of(
    asked: AskedItem, number: int, role: Role, vocabulary: Vocabulary, folder: Path | None
) -> Item | tuple[Breach, ...]:
    """Return what a labeler is asked, or everything that is wrong with it.

    Args:
        asked: What came in.
        number: Its place in the request.
        role: For whom the service labels.
        vocabulary: What may be said.
        folder: Where frames are found by name; None takes no names.
    """
    breaches = _words(asked, role, vocabulary)
    clips: dict[str, Clip] = {}
    for form, frames in ((RECENT, asked.recent_clip), (SUMMARY, asked.summary_clip)):
        read = _frames(form, frames, folder, breaches)
        clips[form.name] = Clip(form, 0.0, read, form.count - len(read))
    if breaches:
        return tuple(breaches)
    episode = Episode(f"request-{number}", clips["recent"].frames)
    about = (episode, 0.0, asked.mid_step_id, clips["recent"], None, asked.constraints)
    if role == "controller":
        return ControllerItem(*about)
    return PlannerItem(*about, summary=clips["summary"])


@dataclass(frozen=True, slots=True)
class _Shown:
    """A frame of a request; its picture was read already."""

    t: float
    name: str
    picture: Image

    def image(self) -> Image:
        return self.picture


def _words(asked: AskedItem, role: Role, vocabulary: Vocabulary) -> list[Breach]:
    step = vocabulary.mid_steps.get(asked.mid_step_id)
    found: list[Breach] = []
    if step is None:
        near = nearest(asked.mid_step_id, tuple(vocabulary.mid_steps))
        allowed = ", ".join(near or tuple(vocabulary.mid_steps)[:5])
        message = f"{asked.mid_step_id!r} is in no list; allowed: {allowed}"
        found.append(Breach("UNKNOWN_MID_STEP", "mid_step_id", message))
    elif asked.mid_step_text and asked.mid_step_text not in step.text.values():
        message = f"is not the text of {asked.mid_step_id}: {' | '.join(step.text.values())}"
        found.append(Breach("OTHER_TEXT", "mid_step_text", message))
    if role == "controller" and asked.summary_clip:
        message = "a controller is shown no summary clip; leave it empty"
        found.append(Breach("NO_SUMMARY", "summary_clip", message))
    return found


def _frames(
    form: ClipForm,
    asked: tuple[str | AskedFrame, ...],
    folder: Path | None,
    breaches: list[Breach],
) -> tuple[Frame, ...]:
    found: list[_Shown] = []
    for at, frame in enumerate(asked):
        where = f"{form.name}_clip[{at}]"
        place = (
            AskedFrame(image=frame, t=(at + 1 - len(asked)) * form.step_s + 0.0)
            if isinstance(frame, str)
            else frame
        )
        if found and place.t < found[-1].t:
            breaches.append(Breach("OUT_OF_ORDER", where, "is older than the one before it"))
        try:
            picture = _picture(_data(place.image, folder))
        except ValueError as error:
            breaches.append(Breach("DAMAGED_FRAME", where, str(error)))
        else:
            name = "data" if place.image.startswith("data:") else place.image
            found.append(_Shown(place.t, name, picture))
    return tuple(found)


def _data(image: str, folder: Path | None) -> bytes:
    """Return the bytes of a picture.

    Raises:
        ValueError: If there are none; the message says what is wrong.
    """
    if image.startswith("data:"):
        head, comma, coded = image.partition(",")
        if not comma or not head.startswith("data:image/") or not head.endswith(";base64"):
            raise ValueError("must be data:image/png;base64,…, or a file's name")
        try:
            return base64.b64decode(coded, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("is no base64") from None
    if folder is None:
        raise ValueError("names a file, but the service was started without --frames FOLDER")
    refusal = f"{image[:100]!r} is no picture below the folder of the service"
    try:
        path = (folder / image).resolve()
        inside = path.is_relative_to(folder.resolve()) and path.suffix.lower() in _ENDINGS
        if not inside or not path.is_file():
            raise ValueError(refusal)
        return path.read_bytes()
    except OSError:
        raise ValueError(refusal) from None


def _picture(data: bytes) -> Image:
    """Return a picture; one that is too large, by its own head, is never unpacked.

    Raises:
        ValueError: If it is damaged, too large or of another kind.
    """
    pixels = _png_pixels(data) or _jpeg_pixels(data)
    if not pixels:
        raise ValueError("is damaged, or neither PNG nor JPEG")
    if pixels > _PIXELS:
        raise ValueError(f"has {pixels} pixels; at most {_PIXELS}")
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if found is None:
        raise ValueError("is damaged")
    return np.ascontiguousarray(found[:, :, ::-1], np.uint8)


def _png_pixels(data: bytes) -> int:
    """Return how many pixels the head of a PNG names (ISO/IEC 15948, 11.2.2); 0 if it is none."""
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        return 0
    return int.from_bytes(data[16:20], "big") * int.from_bytes(data[20:24], "big")


def _jpeg_pixels(data: bytes) -> int:
    """Return how many pixels the frame header of a JPEG names (ITU-T T.81, B.2.2); else 0."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(data[at + 5 : at + 7], "big")
            return height * int.from_bytes(data[at + 7 : at + 9], "big")
        at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return 0


def _coded(image: Image) -> str:
    """Return a picture as a ``data:`` address, without loss: it has the same digest there."""
    done, data = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    assert done
    return f"data:image/png;base64,{base64.b64encode(data.tobytes()).decode('ascii')}"


def body_of(item: Item, vocabulary: Vocabulary, language: str) -> Mapping[str, Any]:
    """Return an item as `AskedItem` reads it.

    Raises:
        ValueError: If a frame is damaged.
        OSError: If a frame cannot be read.
    """
    clips = {
        f"{clip.form.name}_clip": [
            {"image": _coded(frame.image()), "t": min(0.0, round(frame.t - clip.t, 3))}
            for frame in clip.frames
        ]
        for clip in item.clips
    }
    return {
        "mid_step_id": item.mid_step_id,
        "mid_step_text": vocabulary.mid_steps[item.mid_step_id].said(language),
        **clips,
        "constraints": list(item.constraints),
    }
