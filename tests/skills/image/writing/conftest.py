import cv2
import numpy as np
import pytest


@pytest.fixture(scope="session")
def picture_file(tmp_path_factory):
    """Picture of three red circles, two of which touch, and a blue one."""
    picture = np.full((240, 320, 3), 235, np.uint8)
    for x, y, r, colour in [
        (50, 50, 25, (200, 30, 30)), (98, 60, 25, (200, 30, 30)), (200, 60, 15, (200, 30, 30)),
        (250, 170, 30, (30, 60, 200)),
    ]:  # fmt: skip
        cv2.circle(picture, (x, y), r, colour, -1, cv2.LINE_AA)
    file = tmp_path_factory.mktemp("writing") / "circles.png"
    cv2.imwrite(str(file), picture[..., ::-1])
    return file
