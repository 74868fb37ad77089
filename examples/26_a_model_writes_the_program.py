"""Let a model write a program that computes the answer; a local server imitates the model.

Its first program contains the answer as a constant. It gives the same result on a blank picture, so
it is rejected. Its second program examines the picture. From a shell, with a `writer` in the site
file: ``bt-exec ask table.png "How many red circles are there?" --program p.py --program-by model``.
"""

import runpy
from pathlib import Path

import cv2
import numpy as np

from bt_exec import Session, load_site
from bt_exec_llm.testing.messages_server import MessagesServer

PROGRAM = '''```python
"""How many red circles are there?"""

import sys

from bt_exec_skills.image import tools


def run(image_path: str) -> dict:
    """Return the number of red circles."""
    picture = tools.load_picture(image_path)
    found = tools.separate_touching(tools.segment_colour(picture))
    crops = tools.crop(picture, found)
    decisions = tools.verify_all(crops, tools.start_decisions(found), ["red", "circle"])
    counted = tools.count(found, decisions)
    return {"answer": counted.sure}


if __name__ == "__main__":
    try:
        print(run(sys.argv[1] if len(sys.argv) > 1 else "image.png"))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
```'''

picture = np.full((240, 320, 3), 235, np.uint8)
for x, y, colour in [(70, 70, (200, 30, 30)), (128, 80, (200, 30, 30)), (250, 70, (30, 60, 200))]:
    cv2.circle(picture, (x, y), 30, colour, -1)
cv2.imwrite("table.png", picture[..., ::-1])

cheat = PROGRAM.replace("counted.sure}", "len(found) * 0 + 2}")
with MessagesServer([cheat, PROGRAM]) as server:
    Path("mine.yaml").write_text(f"""
site: mine
packs:
  image:
    robot: none
    writer: {{name: claude, base_url: "{server.url}", model: played}}
compiler: {{name: questions}}
limits: {{replans: 0}}
""")
    world = {"image": "table.png", "program": "program.py", "program_by": "model"}
    with Session(load_site("mine.yaml"), world=world) as session:
        outcome = session.run("How many red circles are there?")
        made = session.rigs["image"].services["bench"].program
    sent_back = server.requests[1].body["messages"][-1]["content"][-1]["text"]
print(outcome.message)
print("SAME_WHATEVER_IT_SEES" in sent_back, "·", len(server.requests), "questions")
print(made["by"], made["ending"], made["found"], made["agrees"])

# The file starts with three comment lines that state the origin of the program.
print(runpy.run_path("program.py")["run"]("table.png"))

# Output:
# red circle: 2. Left out: blue (1). Confidence 0.98. The language model played wrote the program.
# True · 2 questions
# model returned 2 True
# {'answer': 2}
