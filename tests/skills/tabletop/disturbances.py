"""Disturbances of a table during a mission: slips, moved objects, missing bowls."""

import random

from bt_exec.events import SkillEnded, SkillStarting


class Troubles:
    """Listener that disturbs a world, with random events from a seed."""

    def __init__(self, seed, slips=0.2, moves=0.15, vanish=0.05):
        self.random = random.Random(f"troubles {seed}")
        self.slips, self.moves, self.vanish = slips, moves, vanish
        self.world = None
        self.happened = []
        self.gone = False

    def on(self, event):
        if self.world is None:
            return
        if isinstance(event, SkillEnded) and event.skill == "pick_object" and event.state == "done":
            if self.random.random() < self.slips:
                self.world.drop_held_object()
                self.happened.append("slip")
        elif isinstance(event, SkillStarting) and event.skill == "go_to_object":
            self._somebody(event.args["target"])

    def _somebody(self, target):
        draw = self.random.random()
        if draw < self.moves and "bowl" not in target and target in self.world.items:
            z = self.world.data.body(target).xpos[2]
            table = self.world.layout.tables[0]
            if z > 0.3 and self.world.held_item() != target:
                x = table.x + self.random.uniform(-0.4, 0.4)
                self.world.move_item(target, x, table.y + self.random.uniform(-0.2, 0.2), 0.85)
                self.happened.append("move")
        elif draw > 1 - self.vanish and not self.gone:
            bowls = [name for name in self.world.items if name.endswith("bowl_0")]
            if len(bowls) > 1:
                self.gone = True
                self.world.remove_item(bowls[0])
                self.happened.append("vanish")
