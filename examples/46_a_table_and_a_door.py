"""Give one command to two packs: a table and a door on one site."""

from pathlib import Path
from tempfile import TemporaryDirectory

from bt_exec import Session, load_site

SITE = """
site: table_and_door
packs:
  door: {robot: sim, detector: oracle}
  tabletop: {robot: sim, detector: oracle, picture_every_s: 0}
compiler: {name: offline, of: {tabletop: table}}
"""

with TemporaryDirectory() as folder:
    (Path(folder) / "table_and_door.yaml").write_text(SITE, encoding="utf-8")
    site = load_site(f"{folder}/table_and_door.yaml")

world = {"seed": "0", "door": "closed"}
with Session(site, world=world, fast=True, faults=["open_door:1=GRASP_SLIPPED"]) as session:
    for command in (
        "Put the blue things in the blue bowl and open the window.",
        "Put the blue things in the red bowl and open the door.",
        "문 열고 파란 것들을 빨간 그릇에 담아 줘",
        "If the door is open, put the blue things in the blue bowl.",
        "Put the blue things in the blue bowl and open the door.",
        "문 닫고 보라색 물건들을 보라색 그릇에 담아 줘",
    ):
        outcome = session.run(command)
        print(f"{outcome.status}: {outcome.message}")
        if outcome.failures:
            print("recovered from", [failure["code"] for failure in outcome.failures])

# Output:
# refused: Nothing was done, because I do not know “window”.
# refused: Nothing was done, because “put the blue things in the red bowl” cannot be done: There is nothing like “the red bowl” here. Available: purple bowl 0, blue bowl 0.
# refused: “파란 것들을 빨간 그릇에 담아 줘” 부분을 할 수 없어 아무것도 하지 않았습니다: “빨간 그릇”에 맞는 것이 없습니다. 있는 것: 보라색 그릇 0, 파란 그릇 0.
# satisfied: The door is not open, so nothing was done. The door is closed.
# satisfied: Done: blue thing 0, blue thing 1 in blue bowl 0. My hand is empty. The door is open.
# recovered from ['GRASP_SLIPPED']
# satisfied: 마쳤습니다: 물건 5개 → 보라색 그릇 0. 문이 닫혀 있습니다. 손이 비어 있습니다.
