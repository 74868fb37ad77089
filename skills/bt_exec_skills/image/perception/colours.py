"""Names of colours: each pixel gets the name of the nearest prototype in CIELAB.

A name has several prototypes, from dark to light. The distance weights differences in lightness by
half, because light and shadow change lightness most (CIE 1976 Lab, D65).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, get_args

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.pictures_and_boxes import Frame, Mask, border_pixels

__all__ = [
    "COLOURS",
    "ColourName",
    "background_mask",
    "colour_shares",
    "ground_colours",
    "name_pixels",
    "to_cielab",
]  # fmt: skip

ColourName = Literal[
    "red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "brown",
    "black", "grey", "white",
]  # fmt: skip
COLOURS: tuple[ColourName, ...] = get_args(ColourName)

_PROTOTYPES: dict[ColourName, tuple[str, ...]] = {
    "red": ("d01c1c", "96141a", "e63c32", "6e0f14", "c83c46"),
    "orange": ("ff8c00", "e66e1e", "ffa540", "c8641e", "f5b878"),
    "yellow": ("fadc1e", "dcbe28", "f5eb6e", "c8b428"),
    "green": ("1e9628", "145a23", "6ebe46", "3cc85a", "78a03c", "a0dc8c"),
    "cyan": ("28c8d2", "0096a0", "82dce6", "146e78"),
    "blue": ("1e3cc8", "142878", "4682dc", "82b4eb", "3c50a0"),
    "purple": ("7828a0", "501e6e", "a064c8", "c8a0e6"),
    "pink": ("f596b4", "eb6496", "ffbecd", "e646a0"),
    "brown": ("784623", "5a3219", "a06e46", "8c5a3c"),
    "black": ("0f0f0f", "2a2a2a"),
    "grey": ("808080", "5a5a5a", "afafaf"),
    "white": ("fafafa", "e1e1e1"),
}
_WEIGHTS = np.array([0.5, 1, 1], np.float32)  # weights of differences in L, a, b
_GROUND = 11.0  # a pixel is background below this distance from the border's colour
_OF_GROUND = 0.25  # minimum share of the border that has a background colour
_BITS = 5  # leading bits of each channel that index the table of names


def to_cielab(pixels: Frame) -> npt.NDArray[np.float32]:
    """Return CIELAB values, L in 0..100, of RGB pixels of shape (height, width, 3)."""
    return np.asarray(cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB))


@lru_cache(maxsize=1)
def _weighted_cielab_table() -> npt.NDArray[np.float32]:
    """Return a table from the leading bits of a colour to its weighted CIELAB value."""
    side = 1 << _BITS
    steps = (np.arange(side) * 255 / (side - 1)).round().astype(np.uint8)
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    return np.asarray(to_cielab(grid)[:, 0] * _WEIGHTS, np.float32)


@lru_cache(maxsize=1)
def _nearest_name_table() -> npt.NDArray[np.uint8]:
    """Return a table from the leading bits of a colour to the number of the nearest colour name."""
    here = np.ascontiguousarray(
        _weighted_cielab_table().T
    )  # one row per channel makes the search several times as fast
    best = np.full(here.shape[1], np.inf, np.float32)
    names = np.zeros(here.shape[1], np.uint8)
    for number, name in enumerate(COLOURS):
        rgb = np.frombuffer(bytes.fromhex("".join(_PROTOTYPES[name])), np.uint8)
        for prototype in to_cielab(rgb.reshape(1, -1, 3))[0] * _WEIGHTS:
            distance = np.square(here - prototype[:, None]).sum(axis=0)
            nearer = distance < best
            names[nearer], best[nearer] = number, distance[nearer]
    return names


def _quantized_rgb_codes(pixels: Frame) -> npt.NDArray[np.uint16]:
    parts = (pixels >> (8 - _BITS)).astype(np.uint16)
    return np.asarray(
        (parts[..., 0] << 2 * _BITS) | (parts[..., 1] << _BITS) | parts[..., 2], np.uint16
    )


def name_pixels(pixels: Frame) -> npt.NDArray[np.uint8]:
    """Return the index in `COLOURS` of the nearest colour name of each pixel."""
    return np.asarray(_nearest_name_table()[_quantized_rgb_codes(pixels)], np.uint8)


def ground_colours(picture: Frame) -> frozenset[ColourName]:
    """Return the names of the colours that each cover at least a quarter of the border."""
    border = border_pixels(picture)[None]
    shares = colour_shares(border, np.ones(border.shape[:2], bool))
    return frozenset(name for name, share in shares.items() if share >= _OF_GROUND)


def background_mask(picture: Frame, times: float = 1.0) -> Mask:
    """Return the pixels whose colour is near the median colour of the picture's border.

    Args:
        picture: RGB.
        times: Factor on the usual maximum distance of a background colour.
    """
    codes = _quantized_rgb_codes(border_pixels(picture)[None])[0]
    ground = np.median(_weighted_cielab_table()[codes], axis=0)
    near = np.linalg.norm(_weighted_cielab_table() - ground, axis=1) < _GROUND * times
    return np.asarray(near[_quantized_rgb_codes(picture)], bool)


def colour_shares(pixels: Frame, own: Mask) -> dict[ColourName, float]:
    """Return the share of each colour among the pixels in a mask, most frequent first."""
    names = name_pixels(pixels)[own]
    counts = np.bincount(names, minlength=len(COLOURS)) / max(1, names.size)
    order = np.argsort(-counts, kind="stable")
    return {COLOURS[place]: float(counts[place]) for place in order if counts[place] > 0}
