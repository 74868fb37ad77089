"""Serve a detector with text prompts and a small vision model of your own.

The stand-in finds objects by colour; a real one wraps OWL, YOLO-World or Florence in the same two
methods. Run `check_detector` and `check_picture_model` over yours.
"""

import tempfile
from pathlib import Path

import cv2
import numpy as np

from bt_exec import load_site
from bt_exec.mission.session import Session
from bt_exec_skills.image.models.conformance_checks import check_detector, check_picture_model
from bt_exec_skills.image.models.contracts import Reply
from bt_exec_skills.image.models.http_server import serve_model
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.pictures_and_boxes import box_around


class Redness:
    """Returns the reddest part of a picture for any prompt."""

    def detect(self, picture, prompts):
        red = picture[..., 0].astype(int) - picture[..., 1:].max(axis=2) > 60
        return [Detection(one, box_around(red), 0.9) for one in prompts if red.any()]

    def answer(self, picture, question):
        return Reply("It is a bicycle.", 0.99)


check_detector(Redness())
check_picture_model(Redness())
print("both contracts are kept")

folder = Path(tempfile.mkdtemp())
picture = np.full((240, 320, 3), 235, np.uint8)
cv2.circle(picture, (90, 120), 50, (205, 35, 35), -1)
cv2.imwrite(str(folder / "street.png"), picture[..., ::-1])

SITE = """
site: street
packs:
  image:
    robot: none
    detector: {{name: remote, url: "{url}"}}
    vqa: {{name: remote, url: "{url}"}}
compiler: {{name: questions}}
"""

with serve_model(Redness()) as url:
    (folder / "street.yaml").write_text(SITE.format(url=url), encoding="utf-8")
    site, world = load_site(str(folder / "street.yaml")), {"image": str(folder / "street.png")}
    with Session(site, world=world, fast=True) as session:
        for question in ("How many bicycles are there?", "자전거가 어디 있어?"):
            print(session.run(question).message)

# Output:
# both contracts are kept
# bicycle: 1. Confidence 0.70.
# 자전거: 가운데 왼쪽. 확신도 0.70.
