"""Run a mission with a faulty camera: the robot observes again, then stops with the reason.

The camera of the simulated robot has several failure modes. Each is detected and reported, and none
leads to a motion.
"""

from bt_exec import Session

for camera in ("none", "dark", "frozen", "noise", "occluded"):
    with Session("door", world={"seed": "1", "camera": camera}, fast=True) as session:
        outcome = session.run("Get the material inside the door.")
        held = session.facts()["hand.right"]
        evidence = outcome.failures[0]["evidence"]["evidence"] if outcome.failures else []
        print(f"{camera:9} {outcome.status:10} {outcome.reason_code:21} {held:9} {evidence}")

# Output:
# none      satisfied  OK                    material  []
# dark      blocked    UNCERTAIN_PERCEPTION  empty     ['primary:camera_dark']
# frozen    blocked    UNCERTAIN_PERCEPTION  empty     ['primary:camera_frozen']
# noise     blocked    UNCERTAIN_PERCEPTION  empty     ['primary:camera_noise']
# occluded  blocked    UNCERTAIN_PERCEPTION  empty     ['primary:camera_occluded']
