"""Let a language model write the tree; a local server imitates the model.

The first answer has two mistakes. It is sent back with the code and place of each. The second
answer passes verification, and only then does the robot move.
"""

from dataclasses import replace

from bt_exec import Session, load_site
from bt_exec.events import Planned
from bt_exec.site.site import CompilerSettings
from bt_exec_llm.testing.messages_server import MessagesServer

WRONG = "root: {sequence: [{do: open_dor, with: {arm: right}}, {do: grasp}]}"
RIGHT = "root: {tree: open_door, with: {arm: left}}"


class Plans:
    """Prints every plan that passed."""

    def on(self, event):
        if isinstance(event, Planned):
            mission = event.spec.mission
            print(f"plan {mission.plan_version} by {mission.compiler}, asked {event.calls} times")


with MessagesServer([WRONG, RIGHT]) as server:
    asked = {"base_url": server.url, "model": "played", "tier": "text"}
    model = CompilerSettings(name="claude", first="model", **asked)
    site = replace(load_site("door"), compiler=model)
    with Session(site, world={"seed": "1"}, fast=True, listeners=[Plans()]) as session:
        outcome = session.run("Open the door with your left arm.")
    print(outcome.status, outcome.model_requests, outcome.message)
    told = server.requests[1].body["messages"][-1]["content"][0]["text"]
    print("sent back:", [c for c in ("UNKNOWN_SKILL", "MISSING_ARGUMENT") if c in told])

# Output:
# plan 1 by claude, asked 2 times
# satisfied 2 The door is open.
# sent back: ['UNKNOWN_SKILL', 'MISSING_ARGUMENT']
