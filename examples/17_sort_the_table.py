"""Sort objects on tables: a command becomes subgoals, and the report is checked.

The subgoals are parts of the plan. The bowls are observed once more at the end.
"""

from bt_exec import load_site
from bt_exec.mission.session import Session

site = load_site("tabletop")
with Session(site, world={"seed": "3", "objects": "3"}, fast=True) as session:
    world = session.rigs["tabletop"].robot.world
    print(*world.items)
    for command in (
        "Sort by colour.",
        "보라색은 빨간 그릇에 담아줘.",
        "Put the yellow one in the purple bowl.",
    ):
        outcome = session.run(command)
        print(f"{outcome.status}: {outcome.message}")
    print({name: world.environment().container_of(name) for name in list(world.items)[:3]})

# Output:
# object_yellow_0 object_purple_0 object_yellow_1 object_yellow_bowl_0 object_purple_bowl_0
# satisfied: Done: yellow objects in yellow bowl 0, purple objects in purple bowl 0. My hand is empty.
# refused: “빨간 그릇”에 맞는 것이 없습니다. 있는 것: 노란 그릇 0, 보라색 그릇 0.
# refused: Which one do you mean by “the yellow one”: yellow thing 0, yellow thing 1?
# {'object_yellow_0': 'object_yellow_bowl_0', 'object_purple_0': 'object_purple_bowl_0', 'object_yellow_1': 'object_yellow_bowl_0'}
