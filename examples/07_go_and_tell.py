"""Run a second robot, which drives through a building, observes, asks and reports.

The executive is the same; the pack and the site differ. The report contains what was seen and said.
"""

from bt_exec import Session

COMMANDS = (
    "교수님께 가서 프로젝트 언제 할지 여쭤보고 내게 다시 알려줘.",
    "How many people are in the lounge? Come back and tell me.",
)
with Session("building", world={"seed": "3"}, fast=True) as session:
    for command in COMMANDS:
        outcome = session.run(command)
        print(command)
        print(f"  {outcome.status}: {outcome.message}")

# Output:
# 교수님께 가서 프로젝트 언제 할지 여쭤보고 내게 다시 알려줘.
#   satisfied: 교수님께 여쭤보았습니다: “프로젝트 언제 할지”. 대답은 이렇습니다: “네, 그렇게 하세요.” 베이스캠프에 있습니다.
# How many people are in the lounge? Come back and tell me.
#   satisfied: I looked around the lounge about 30 seconds ago. There is nobody there. I am at basecamp.
