"""Put objects onto a table, to a part of it, beside others, and exchange them.

The position is computed from the geometry: it has room for the object and for the hand.
"""

from bt_exec import load_site
from bt_exec.mission.session import Session

site = load_site("tabletop")
with Session(site, world={"seed": "5", "by": "mixed", "objects": "4"}, fast=True) as session:
    world = session.rigs["tabletop"].robot.world
    for command in (
        "swap the cups",
        "사과를 다른 테이블로 옮겨줘",
        "사과를 table_2 가운데에 놔줘",
        "Put the cups next to the blue bowl.",
    ):
        outcome = session.run(command)
        print(f"{outcome.status}: {outcome.message}")
    now = world.environment()
    print({name: now.place_of(name) for name in now.objects if "cup" in name or "apple" in name})

# Output:
# satisfied: Done: green cup 0 ↔ red cup 0. My hand is empty.
# satisfied: 마쳤습니다: 사과 0 → 테이블 0. 손이 비어 있습니다.
# satisfied: 마쳤습니다: 사과 0 → 테이블 2. 손이 비어 있습니다.
# satisfied: Done: green cup 0, red cup 0 next to blue bowl 0. My hand is empty.
# {'object_apple_0': 'table_2', 'object_green_cup_0': 'table_0', 'object_red_cup_0': 'table_0'}
