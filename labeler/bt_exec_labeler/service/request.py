"""Format and validation of labelling requests.

::

    POST /label
    {"items": [{"mid_step_id": "open_gate", "mid_step_text": "Open the gate.",
                "recent_clip": ["game_00/000012.png", "data:image/png;base64,iVBOR…",
                                {"image": "game_00/000014.png", "t": 0.0}],
                "summary_clip": [], "constraints": [], "events": [], "state_summary": ""}]}

A frame is given by the name of a file below the folder of the service, by a ``data:`` address, or
by a name in ``pictures`` of the request, which maps names to such addresses. Frames without times
fill the last slots of their clip; the last frame is the current one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from bt_exec.failure import nearest_names
from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, ClipForm, decode_frame, pixel_digest
from bt_exec_labeler.episode import Episode, Frame, Image, decode_picture, encode_png
from bt_exec_labeler.labeler_items import ControllerItem, Item, PlannerItem, Role
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["ITEMS", "Asked", "AskedItem", "item_body", "items_of_request", "make_request"]

ITEMS = 64
"""Maximum number of items in a request."""

_FRAMES = RECENT.count + SUMMARY.count
_PIXELS = 16 * 1024 * 1024  # maximum size of a picture [px]
_ENDINGS = {".jpg", ".jpeg", ".png"}

Text = Annotated[str, Field(max_length=500)]
Picture = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class AskedFrame(_Part):
    """Frame with its time.

    Attributes:
        image: A file name, or a ``data:`` address.
        t: Time [s]; 0 is now, earlier times are negative.
    """

    image: Picture
    t: Annotated[float, Field(le=0, ge=-3600)]


Frames = Annotated[Sequence[Picture | AskedFrame], Field(max_length=SUMMARY.count)]


class AskedItem(_Part):
    """Moment to be labelled.

    Attributes:
        mid_step_id: Identifier of a mid step of the vocabulary.
        mid_step_text: Text of the mid step, in any language of the vocabulary; optional.
        recent_clip: Latest frames, oldest first.
        summary_clip: Frames of the last minute; only for planners.
        constraints: Forbidden actions, as text.
        events: Known events, as text.
        state_summary: Known state, as text.
    """

    mid_step_id: Annotated[str, Field(max_length=64)]
    mid_step_text: Text = ""
    recent_clip: Annotated[Frames, Field(min_length=1, max_length=RECENT.count)]
    summary_clip: Frames = ()
    constraints: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    events: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    state_summary: Annotated[str, Field(max_length=2000)] = ""


class Asked(_Part):
    """Labelling request.

    Attributes:
        items: The moments.
        command: Command of the items' episode.
        pictures: Pictures as ``data:`` addresses, by the name that clips use. A picture that
            several clips share is sent only once.
    """

    command: Text = ""
    pictures: Annotated[Mapping[str, Picture], Field(max_length=ITEMS * _FRAMES)] = Field(
        default_factory=dict
    )
    items: Annotated[Sequence[AskedItem], Field(min_length=1, max_length=ITEMS)]


def items_of_request(
    asked: Asked, role: Role, vocabulary: Vocabulary, folder: Path | None
) -> list[Item | tuple[Breach, ...]]:
    """Return a labeler's item, or all breaches, for each item of a request.

    Args:
        asked: The request.
        role: Role of the requested records.
        vocabulary: Vocabulary of the records.
        folder: Folder of the frame files that items may name; None allows no file names.
    """
    pictures = _Pictures(asked.pictures, folder)
    return [
        _item(
            one, Episode(f"request-{number}", (), command=asked.command), role, vocabulary, pictures
        )
        for number, one in enumerate(asked.items)
    ]


def _item(
    asked: AskedItem, episode: Episode, role: Role, vocabulary: Vocabulary, pictures: _Pictures
) -> Item | tuple[Breach, ...]:
    breaches = _word_breaches(asked, role, vocabulary)
    clips: dict[str, Clip] = {}
    for form, frames in ((RECENT, asked.recent_clip), (SUMMARY, asked.summary_clip)):
        read = _frames(form, frames, pictures, breaches)
        clips[form.name] = Clip(form, 0.0, read, form.count - len(read))
    if breaches:
        return tuple(breaches)
    shown = replace(episode, frames=clips["recent"].frames)
    about = (shown, 0.0, asked.mid_step_id, clips["recent"], None, asked.constraints)
    known = (asked.events, asked.state_summary)
    if role == "controller":
        return ControllerItem(*about, *known)
    return PlannerItem(*about, *known, summary=clips["summary"])


class _Pictures:
    """Pictures of a request; each one is decoded only once."""

    def __init__(self, named: Mapping[str, str], folder: Path | None) -> None:
        self._named, self._folder = named, folder
        self._read: dict[str, Image] = {}

    def get(self, image: str) -> Image:
        """Return a picture by its name or address.

        Raises:
            ValueError: If the picture is missing or damaged; the message states the problem.
        """
        if image not in self._read:
            data = self._named.get(image, image)
            self._read[image] = _decode_checked(_picture_bytes(data, self._folder))
        return self._read[image]


@dataclass(frozen=True, slots=True)
class _RequestFrame:
    """Frame of a request, with its decoded picture."""

    t: float
    name: str
    picture: Image

    def image(self) -> Image:
        return self.picture

    def digest(self) -> str:
        return hashlib.sha256(self.picture.tobytes()).hexdigest()


def _word_breaches(asked: AskedItem, role: Role, vocabulary: Vocabulary) -> list[Breach]:
    step = vocabulary.mid_steps.get(asked.mid_step_id)
    found: list[Breach] = []
    if step is None:
        near = nearest_names(asked.mid_step_id, tuple(vocabulary.mid_steps))
        allowed = ", ".join(near or tuple(vocabulary.mid_steps)[:5])
        message = f"{asked.mid_step_id!r} is not listed; allowed: {allowed}"
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
    asked: Sequence[str | AskedFrame],
    pictures: _Pictures,
    breaches: list[Breach],
) -> tuple[Frame, ...]:
    found: list[_RequestFrame] = []
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
            picture = pictures.get(place.image)
        except ValueError as error:
            breaches.append(Breach("DAMAGED_FRAME", where, str(error)))
        else:
            name = "data" if place.image.startswith("data:") else place.image
            found.append(_RequestFrame(place.t, name, picture))
    return tuple(found)


def _picture_bytes(image: str, folder: Path | None) -> bytes:
    """Return the bytes of a picture, given by a ``data:`` address or a file name.

    Raises:
        ValueError: If they cannot be read; the message states the problem.
    """
    if image.startswith("data:"):
        head, comma, coded = image.partition(",")
        if not comma or not head.startswith("data:image/") or not head.endswith(";base64"):
            raise ValueError("must be data:image/png;base64,…, or a file's name")
        try:
            return base64.b64decode(coded, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("is not base64") from None
    if folder is None:
        raise ValueError("names a file, but the service was started without --frames FOLDER")
    refusal = f"{image[:100]!r} is not a picture below the folder of the service"
    try:
        path = (folder / image).resolve()
        inside = path.is_relative_to(folder.resolve()) and path.suffix.lower() in _ENDINGS
        if not inside or not path.is_file():
            raise ValueError(refusal)
        return path.read_bytes()
    except (OSError, RuntimeError):  # pathlib raises RuntimeError for circular symbolic links
        raise ValueError(refusal) from None


def _decode_checked(data: bytes) -> Image:
    """Decode a picture, unless it is too large according to its header.

    Raises:
        ValueError: If the picture is damaged, too large or in another format.
    """
    pixels = _png_pixels(data) or _jpeg_pixels(data)
    if not pixels:
        raise ValueError("is damaged, or neither PNG nor JPEG")
    if pixels > _PIXELS:
        raise ValueError(f"has {pixels} pixels; at most {_PIXELS}")
    return decode_picture(data, "the picture")


def _png_pixels(data: bytes) -> int:
    """Return a PNG's number of pixels from its header (ISO/IEC 15948, 11.2.2); 0 without one."""
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        return 0
    return int.from_bytes(data[16:20], "big") * int.from_bytes(data[20:24], "big")


def _jpeg_pixels(data: bytes) -> int:
    """Return a JPEG's number of pixels from its frame header (ITU-T T.81, B.2.2); 0 without one."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(data[at + 5 : at + 7], "big")
            return height * int.from_bytes(data[at + 7 : at + 9], "big")
        at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return 0


def make_request(items: Sequence[Item], vocabulary: Vocabulary, language: str) -> dict[str, Any]:
    """Return items of one episode in the form of `Asked`; every picture is included once.

    Raises:
        ValueError: If a frame is damaged.
        OSError: If a frame cannot be read.
    """
    frames = {
        _name_of_frame(frame): frame for i in items for clip in i.clips for frame in clip.frames
    }
    return {
        "command": items[0].episode.command[:500],
        "pictures": {name: _data_address(frame) for name, frame in frames.items()},
        "items": [item_body(item, vocabulary, language, _name_of_frame) for item in items],
    }


def _name_of_frame(frame: Frame) -> str:
    return pixel_digest(frame)[:32]


def _data_address(frame: Frame) -> str:
    """Return a frame as a lossless ``data:`` address, which preserves its digest."""
    data = base64.b64encode(encode_png(decode_frame(frame))).decode("ascii")
    return f"data:image/png;base64,{data}"


def item_body(
    item: Item, vocabulary: Vocabulary, language: str, image: Callable[[Frame], str] = _data_address
) -> dict[str, Any]:
    """Return an item in the form of `AskedItem`.

    Args:
        item: The item.
        vocabulary: Vocabulary with the text of its mid step.
        language: Language of that text.
        image: Function that returns the string by which a clip refers to a frame; by default a
            ``data:`` address.

    Raises:
        ValueError: If a frame is damaged.
        OSError: If a frame cannot be read.
    """
    clips = {
        f"{clip.form.name}_clip": [
            {"image": image(frame), "t": min(0.0, round(frame.t - clip.t, 3))}
            for frame in clip.frames
        ]
        for clip in item.clips
    }
    return {
        "mid_step_id": item.mid_step_id,
        "mid_step_text": vocabulary.mid_steps[item.mid_step_id].said(language),
        **clips,
        "constraints": list(item.constraints),
        "events": list(item.events),
        "state_summary": item.state_summary,
    }
