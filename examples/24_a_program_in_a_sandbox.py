"""Compare two pictures, write the answer as a program, and run untrusted programs.

From a shell: ``bt-exec ask before.png after.png "What is different?" --program same.py``.
"""

from pathlib import Path

import cv2
import numpy as np

from bt_exec.mission.session import Session
from bt_exec_skills.image import tools
from bt_exec_skills.image.sandbox.run import run_program

before = np.full((240, 320, 3), 235, np.uint8)
cv2.circle(before, (70, 70), 30, (200, 30, 30), -1)
after = before.copy()
cv2.rectangle(after, (220, 150), (280, 210), (30, 60, 200), -1)
one, two = (tools.save_image(picture, Path(name)) for picture, name in
            [(before, "before.png"), (after, "after.png")])  # fmt: skip

world = {"image": str(one), "second": str(two), "program": "same.py"}
with Session("image", world=world) as session:
    for question in ("What is different?", "두 사진이 같아?"):
        outcome = session.run(question)
        print(outcome.status, "·", outcome.message)
    program = session.rigs["image"].services["bench"].program
    print(program["ending"], program["found"], program["agrees"])

# A program written by a model runs in a sandbox without network, other files and processes. On a
# machine that supports no such sandbox, it is not run.
for body in (
    "return open('/etc/passwd').read()",
    "import socket; socket.create_connection(('1.1.1.1', 80)); return 'out'",
    "open(image_path, 'w'); return 'spoiled'",
):
    ran = run_program(f"def run(image_path):\n    {body}\n", one)
    print("contained" if ran.result is None else ran)

# Output:
# satisfied · The pictures differ (1): bottom right. Confidence 0.98.
# satisfied · 두 사진이 다릅니다 (1곳): 아래 오른쪽. 확신도 0.98.
# returned False True
# contained
# contained
# contained
