"""Correction of the light in a picture; the light is estimated from the background."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.image.perception.colours import background_mask
from bt_exec_skills.perception.pictures_and_boxes import Frame, border_pixels

__all__ = ["even_light", "relit_versions"]

_LONGEST = 800  # longer side of the reduced picture [px]
_COARSE, _FINE = 120, 240  # shorter side of the picture on which the light is estimated [px]
_WIDE = 0.35  # kernel size [share of the shorter side]: larger than objects, smaller than shadows
_WHITE = 235.0  # grey level of a white background in good light
_DARKEST = 60.0  # minimum level of a background from which light can be estimated [grey level]
_CLIPPED = 290.0  # maximum grey level of the brightest parts before clipping
_EVEN, _NEUTRAL, _LIT = 1.1, 1.04, 0.8
"""Limits that require a correction: ratio of the light across the background (maximum), ratio of
its channels (maximum), and ratio to white (minimum)."""
_SLIPS = ((0.93, (1.02, 1.0, 0.96)), (1.07, (0.98, 1.0, 1.03)))
"""Gains that simulate small errors of exposure and white balance."""
_TINTS = ((1.3, 1.0, 1.0), (1.0, 1.3, 1.0), (1.0, 1.0, 1.3), (1.0, 0.77, 1.0))
"""Gains for coloured light that a dark background cannot show."""
_PLAIN, _MOSTLY, _GAIN = 0.95, 0.5, 0.1
"""Conditions for removing shadows: minimum shares of the border and of the picture that have the
colour of the background after the removal, and minimum growth of the first share."""
_WARM, _WHITER, _BRIGHT = (1.25, 2.5), 1.06, 200.0
"""Range of the ratio of red to blue in lamp light; ratio of blue at which another object is whiter
than the background; minimum red of a white background [grey level]."""
_SHADED = 3.0  # maximum ratio of the brightest to the darkest light on a background


def even_light(picture: Frame) -> Frame | None:
    """Return the picture corrected to even, white light, or None.

    A shadow or a gradient is removed if the background then has one colour. A background in the
    colour of warm lamps is assumed to be white, unless an object in the picture is whiter. The
    result is None if the background needs no correction, or has several colours in any light.
    """
    plain = border_pixels(background_mask(picture)).mean()
    evened = None if plain > 1 - _GAIN else _without_shadows(picture, plain)
    shown = picture if evened is None else evened
    if plain > 1 - _GAIN or evened is not None:
        ground = np.median(border_pixels(shown).reshape(-1, 3), axis=0)
        if _is_lamp_light(shown, ground):
            return _clip_to_bytes(shown * (ground.max() / ground))
    return evened


def _is_lamp_light(picture: Frame, ground: npt.NDArray[np.floating]) -> bool:
    """Return True if the background may be white in warm light, and no object is whiter."""
    red, green, blue = (max(1.0, float(one)) for one in ground)
    warm = red >= green >= blue and _WARM[0] <= red / blue <= _WARM[1] and red >= _BRIGHT
    return warm and float(np.percentile(picture[..., 2], 99)) <= _WHITER * blue


def _without_shadows(picture: Frame, before: float) -> Frame | None:
    light = _estimate_light(picture, _FINE, sharp=True)
    level = np.median(light.reshape(-1, 3), axis=0)
    dark, bright = np.percentile(light.mean(axis=2), (1, 99))
    if level.max() < _DARKEST or bright > _SHADED * dark:
        return None
    evened = _clip_to_bytes(picture * (level / np.maximum(light, 1.0)))
    ground = background_mask(evened)
    plain = border_pixels(ground).mean() >= max(_PLAIN, before + _GAIN)
    return evened if plain and ground.mean() >= _MOSTLY else None


def relit_versions(picture: Frame) -> list[Frame]:
    """Return versions of a picture in other plausible light, at most 800 px long.

    The light of a picture is unknown. A tinted background may be white in coloured light, a dark
    background may be badly lit, a background with a gradient may be in shadow, and every camera has
    small errors. Each version assumes one of these causes and corrects it.
    """
    factor = min(1.0, _LONGEST / max(picture.shape[:2]))
    small = picture
    if factor < 1:
        small = np.asarray(
            cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8
        )
    light = small.astype(np.float32)
    found = [_clip_to_bytes(light * gain * np.array(tint, np.float32)) for gain, tint in _SLIPS]
    ground = _estimate_light(small, _COARSE)
    level = np.median(ground.reshape(-1, 3), axis=0)
    brightest = float(np.percentile(small, 99))
    if level.max() < min(_DARKEST, brightest / 2):
        exposed = light * max(1.0, _WHITE / max(1.0, brightest))
        tinted_ones = (_clip_to_bytes(light * np.array(tint, np.float32)) for tint in _TINTS)
        return [*found, _clip_to_bytes(exposed), *tinted_ones]
    level = np.maximum(level, 1.0)
    grey = ground.mean(axis=2)
    uneven = float(np.percentile(grey, 97) / max(1.0, np.percentile(grey, 3))) > _EVEN
    tinted = float(level.max() / level.min()) > _NEUTRAL
    if uneven:
        found.append(_clip_to_bytes(light * (level / np.maximum(ground, 1.0))))
    if tinted:
        found.append(_clip_to_bytes(light * (level.mean() / level)))
    if uneven or tinted or level.mean() < _LIT * _WHITE:
        least = _WHITE * brightest / _CLIPPED  # a brighter correction would clip the picture
        base = np.maximum(ground if uneven else level, max(1.0, least))
        found.append(_clip_to_bytes(light * (_WHITE / base)))
    return found


def _estimate_light(picture: Frame, size: int, *, sharp: bool = False) -> npt.NDArray[np.float32]:
    """Return the light on a bright background at each pixel: objects removed, shadows kept.

    Args:
        picture: RGB.
        size: Shorter side of the estimate [px].
        sharp: Whether the edges of shadows are kept.
    """
    factor = min(1.0, size / min(picture.shape[:2]))
    tiny = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    side = max(3, int(_WIDE * min(tiny.shape[:2])) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    closed = cv2.morphologyEx(
        cv2.medianBlur(tiny, 5), cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE
    )
    smooth = cv2.GaussianBlur(closed.astype(np.float32), (0, 0), 1.0 if sharp else side / 6)
    full = picture.shape[1], picture.shape[0]
    return np.asarray(cv2.resize(smooth, full, interpolation=cv2.INTER_LINEAR), np.float32)


def _clip_to_bytes(light: npt.NDArray[np.floating]) -> Frame:
    return np.asarray(np.clip(light, 0, 255), np.uint8)
