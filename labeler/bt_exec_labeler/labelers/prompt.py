"""Prompt for a vision model: a system part that all batches share, and one user turn per batch."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from bt_exec_labeler.clips import Clip, decode_frame, pixel_digest
from bt_exec_labeler.episode import Frame, Image
from bt_exec_labeler.labeler_items import Item, Role
from bt_exec_labeler.vocabulary import Argument, Vocabulary
from bt_exec_llm.client import Block, Turn, image_block
from bt_exec_llm.client import Image as Picture

__all__ = ["contact_sheet", "items_turn", "system_prompt"]

_FOLDER = Path(__file__).with_name("prompts")
_COLUMNS = 4
_ON_SHEET = 16
_TILE = 256  # longest side of a frame on a sheet [px]
_DRAWING = threading.Lock()


def system_prompt(vocabulary: Vocabulary, role: Role, language: str) -> list[Block]:
    """Return the system part of a prompt.

    This part is the same for every batch, so that servers can cache it.
    """
    steps = [f"- {name}: {step.said(language)}" for name, step in vocabulary.mid_steps.items()]
    ops = [
        f"- {name}({', '.join(map(_describe_argument, op.args.items()))})"
        + (f": {op.text}" if op.text else "")
        for name, op in vocabulary.ops.items()
    ]
    limits = vocabulary.limits
    lists = [
        "Mid steps:",
        *steps,
        "Operations:",
        *ops,
        f"Evidence: {', '.join(vocabulary.done_evidence)}",
        f"Fallbacks: {', '.join(vocabulary.fallbacks) or 'none; leave the list empty'}",
        f"A step is {limits.step_s:g} s; horizon_steps is at most {limits.horizon_steps}; a short "
        f"goal has at most {limits.goal_ops} operations.",
    ]
    role_text = (_FOLDER / f"{role}.md").read_text(encoding="utf-8").strip()
    return [Block(role_text), Block("\n".join(lists), cache=True)]


def items_turn(
    items: Mapping[int, Item], vocabulary: Vocabulary, language: str, *, sheet: bool
) -> Turn:
    """Return the turn that shows items and requests their records.

    Every picture is sent once: the frames of all clips are numbered, and each clip lists the
    numbers and times of its frames.

    Args:
        items: Items by their number in the request; all their frames must be decodable.
        vocabulary: Vocabulary with the texts of mid steps.
        language: Language of these texts.
        sheet: Whether contact sheets of 16 frames are sent instead of single frames.

    Raises:
        ValueError: If a frame is damaged.
        OSError: If a frame cannot be read.
    """
    frames = _distinct_frames(items)
    numbers = {digest: number for number, digest in enumerate(frames, start=1)}
    parts: list[str | Block | Picture] = []
    images = [decode_frame(frame) for frame in frames.values()]
    for first in range(0, len(images), _ON_SHEET if sheet else 1):
        shown = images[first : first + (_ON_SHEET if sheet else 1)]
        last = first + len(shown)
        parts.append(f"Frames {first + 1} to {last}:" if last > first + 1 else f"Frame {last}:")
        block = image_block(contact_sheet(shown, first + 1) if sheet else shown[0])
        parts.append(block)
    for number, item in items.items():
        parts.append("\n".join(_item_lines(number, item, numbers, vocabulary, language)))
    parts.append(f"Answer about {', '.join(f'item {number}' for number in items)}.")
    return Turn.user(*parts)


def _distinct_frames(items: Mapping[int, Item]) -> dict[str, Frame]:
    """Return the distinct frames of all clips by digest, sorted by episode and time."""
    episodes: dict[int, dict[str, Frame]] = {}
    for item in items.values():
        found = episodes.setdefault(id(item.episode), {})
        found.update({pixel_digest(f): f for clip in item.clips for f in reversed(clip.frames)})
    ordered = (sorted(found.items(), key=lambda one: one[1].t) for found in episodes.values())
    return {digest: frame for found in ordered for digest, frame in found}


def _item_lines(
    number: int,
    item: Item,
    numbers: Mapping[str, int],
    vocabulary: Vocabulary,
    language: str,
) -> Iterator[str]:
    """Yield the lines of the request about an item."""
    step = vocabulary.mid_steps[item.mid_step_id]
    yield f"Item {number}: mid step {item.mid_step_id}: {step.said(language)}"
    if item.t:
        yield f"At {item.t:g} s of the episode."
    if item.episode.command:
        yield f"Command: {item.episode.command}"
    yield from (f"Not allowed: {text}" for text in item.constraints)
    yield from (f"Known: {text}" for text in item.events)
    if item.state_summary:
        yield f"State: {item.state_summary}"
    for clip in item.clips:
        places = [
            f"{numbers[pixel_digest(frame)]} ({round(frame.t - clip.t, 2) + 0.0:g} s)"
            for frame in clip.frames
        ]
        yield f"{_caption(clip)}: {', '.join(places) or 'none'}"


def contact_sheet(images: list[Image], first: int = 1) -> Image:
    """Return one picture with all frames in rows, numbered from left to right.

    Args:
        images: The frames.
        first: Number that is drawn on the first frame.
    """
    tiles = [_numbered_tile(image, number) for number, image in enumerate(images, start=first)]
    height, width = (max(tile.shape[axis] for tile in tiles) for axis in (0, 1))
    columns = min(_COLUMNS, len(tiles))
    rows = math.ceil(len(tiles) / columns)
    sheet = np.zeros((rows * height, columns * width, 3), np.uint8)
    for at, tile in enumerate(tiles):
        top, left = at // columns * height, at % columns * width
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    return sheet


def _numbered_tile(image: Image, number: int) -> Image:
    scale = min(1.0, _TILE / max(image.shape[:2]))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    tile = np.ascontiguousarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    mark = np.hstack([_digit_pictures()[int(digit)] for digit in str(number)])[: size[1], : size[0]]
    tile[: mark.shape[0], : mark.shape[1]] = mark
    return tile


def _digit_pictures() -> Sequence[Image]:
    """Return cached pictures of the digits, because OpenCV loads its font in each thread anew."""
    with _DRAWING:
        return _drawn_digits()


@lru_cache(maxsize=1)
def _drawn_digits() -> Sequence[Image]:
    digits = [np.zeros((16, 11, 3), np.uint8) for _ in range(10)]
    for number, digit in enumerate(digits):
        white = (255, 255, 255)
        cv2.putText(digit, str(number), (1, 13), cv2.FONT_HERSHEY_SIMPLEX, 0.5, white, 1)
    return digits


def _caption(clip: Clip) -> str:
    """Return the description of a clip and of its missing frames."""
    text = f"{clip.form.name} clip, {len(clip.frames)} frames, oldest first"
    if clip.before_start:
        text += "; the episode had only just begun"
    if clip.empty_s:
        text += f"; {len(clip.empty_s)} frames are missing in the recording"
    if clip.damaged:
        text += f"; {len(clip.damaged)} frames are damaged"
    return text


def _describe_argument(pair: tuple[str, Argument]) -> str:
    name, argument = pair
    allowed = " | ".join(map(str, argument.values)) or argument.type
    if argument.minimum is not None or argument.maximum is not None:
        allowed += f" {argument.minimum if argument.minimum is not None else ''}.."
        allowed += f"{argument.maximum if argument.maximum is not None else ''}"
    return f"{name}{'' if argument.required else '?'}: {allowed}"
