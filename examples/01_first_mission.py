"""Run one mission from Python: fetch the material from behind the door, in simulated time.

A session owns a site's robots; its world keeps its state between missions.
"""

from bt_exec import Session

with Session("door", world={"door": "closed", "seed": "1"}, fast=True) as session:
    for command in ("Is the door open?", "문 안의 자재를 가져와", "Close the door."):
        outcome = session.run(command)
        print(f"{command}\n  {outcome.status} · {outcome.reason_code}: {outcome.message}")

# Output:
# Is the door open?
#   satisfied · OK: No. The door is closed.
# 문 안의 자재를 가져와
#   satisfied · OK: 문이 닫혀 있습니다. 팔은 제자리에 있습니다. 오른손에 자재가 있습니다.
# Close the door.
#   satisfied · ALREADY_CLOSED: The door is already closed.
