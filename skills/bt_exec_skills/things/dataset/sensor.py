"""Camera effects on a picture: light, colour cast, blur, noise, compression."""

from __future__ import annotations

import cv2
import numpy as np

from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.things.dataset.colours import Rng

__all__ = ["through_sensor"]


def through_sensor(image: Frame, rng: Rng) -> Frame:
    """Return the picture with the effects of a random camera quality."""
    seen = image.astype(np.float32) / 255
    seen *= rng.uniform(0.75, 1.25)
    if rng.random() < 0.5:
        seen *= rng.uniform(0.86, 1.14, 3).astype(np.float32)
    seen = np.clip(seen, 0, 1) ** np.float32(rng.uniform(0.75, 1.25))
    kind = rng.random()
    if kind < 0.2:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), float(rng.uniform(0.5, 1.3))), np.float32)
    elif kind < 0.35:
        sharp = cv2.GaussianBlur(seen, (0, 0), 1.0)
        seen = np.asarray(seen + rng.uniform(0.3, 1.0) * (seen - sharp), np.float32)
    if rng.random() < 0.5:
        noise = rng.normal(0, rng.uniform(0.004, 0.03), image.shape).astype(np.float32)
        seen = seen + noise
    taken = np.clip(seen * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))]
        _, packed = cv2.imencode(".jpg", taken, quality)
        taken = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return taken
