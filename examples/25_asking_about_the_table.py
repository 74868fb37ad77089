"""Ask about the objects on a table; a name alone answers "which one?".

A question is a plan of one check, ``answer_to`` with ``tell: true``: it moves nothing.
"""

from bt_exec import load_site
from bt_exec.mission.session import Session

site = load_site("tabletop")
with Session(site, world={"seed": "3", "objects": "4", "by": "mixed"}, fast=True) as session:
    for said in (
        "what is on the table?",
        "사과 어디 있어?",
        "how many cubes are there?",
        "put the apple in the bowl",
        "the blue bowl",  # the answer to "Which one do you mean"
        "사과 어디 있어?",
        "is there a banana?",
    ):
        outcome = session.run(said)
        print(f"{said}\n  {outcome.message}")

# Output:
# what is on the table?
#   On table 0: green cup 0, blue plate 0. On table 1: apple 0, purple cup 0, big green cube 0, red bowl 0. On table 2: blue bowl 0, tray 0.
# 사과 어디 있어?
#   사과 0은 테이블 1 위에 있습니다.
# how many cubes are there?
#   1: big green cube 0.
# put the apple in the bowl
#   Which one do you mean by “the bowl”: red bowl 0, blue bowl 0?
# the blue bowl
#   Done: apple 0 in blue bowl 0. My hand is empty.
# 사과 어디 있어?
#   사과 0은 파란 그릇 0 안에 있습니다. 파란 그릇 0은 테이블 2 위에 있습니다.
# is there a banana?
#   No. There is none.
