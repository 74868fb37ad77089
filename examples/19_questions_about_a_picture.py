"""Ask about a picture without a model: tools are skills, and a question is a mission.

From a shell: ``bt-exec ask FILE "How many red circles are there?" --out seen.png``.
"""

from pathlib import Path

import cv2
import numpy as np

from bt_exec.mission.session import Session
from bt_exec_skills.image import tools

RED, BLUE = (200, 30, 30), (30, 60, 200)

picture = np.full((240, 320, 3), 235, np.uint8)
for x, y, radius, colour in [(70, 70, 30, RED), (128, 80, 30, RED), (250, 70, 22, BLUE)]:
    cv2.circle(picture, (x, y), radius, colour, -1)
cv2.rectangle(picture, (60, 150), (120, 210), BLUE, -1)
file = tools.save_image(picture, Path("shapes.png"))

with Session("image", world={"image": str(file)}) as session:
    for question in (
        "How many red circles are there?",  # two of them touch
        "파란 정사각형은 어디에 있어?",
        "빨간 원 말고 몇 개야?",
        "How many dogs are there?",  # no tool detects dogs, so this is refused
        "Is the man happy?",
    ):
        outcome = session.run(question)
        print(outcome.status, "·", outcome.message)

# The same tools are plain functions.
discs = tools.separate_touching(tools.segment_colour(picture, "red"))
print(len(discs), [tools.name_shape(crop)[0] for crop in tools.crop(picture, discs)])

# Output:
# satisfied · red circle: 2. Left out: blue (2). Confidence 0.98.
# satisfied · 파란 정사각형: 아래 왼쪽. 제외: 빨간색 (2), 원 (1). 확신도 0.98.
# satisfied · 빨간 원이 아닌 물체: 2개. 제외: 빨간색 원 (2). 확신도 0.98.
# refused · I cannot find dog by colour or shape alone, and I do not guess. Please give boxes: --annotation FILE with COCO JSON, YOLO text (and classes.txt) or the results of a detector.
# refused · This question needs a vision model (“happy”). Without one, I can only count, locate and compare objects, name their colour and read text. Describe the objects by colour, shape, size or annotated name.
# 2 ['circle', 'circle']
