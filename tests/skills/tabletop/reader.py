"""Independent evaluation of the world: raw positions and names, without code of the pack."""

import math
import re

from bt_exec_skills.tabletop.display_names import display_name_or_id

COMMANDS = (
    ("colour", "Sort by colour."),
    ("size", "크기별로 정리해."),
    ("shape", "Sort everything by shape."),
    ("colour", "전부 같은 색 그릇에 담아줘."),
    ("mixed", "Put the apple in the red bowl and the cups on the tray."),
    ("mixed", "빨간 건 빨간 그릇에, 파란 건 파란 그릇에 담아줘."),
    ("size", "Put the small things in the small bowl."),
    ("mixed", "Bring me the apple."),
)
_COLOURS = ("red", "green", "blue", "yellow", "purple", "white")
_SIZES = ("small", "medium", "big")
_SHAPES = ("cube", "cylinder", "ball")
_HOLDERS = ("bowl", "plate", "tray")


def words(name):
    return [word for word in re.split("_", name)[1:] if not word.isdigit()]


def attribute(name, of):
    return next((word for word in words(name) if word in of), None)


def holds(name):
    return words(name)[-1] in _HOLDERS


class Judge:
    """Expected result of a command in an initial world, and its evaluation afterwards."""

    def __init__(self, world, command):
        self.world, self.command = world, command
        names = [item.name for item in world.layout.items]
        self.things = [name for name in names if not holds(name)]
        self.holders = [name for name in names if holds(name)]

    def at(self, name):
        return tuple(self.world.data.body(name).xpos)

    def within(self, thing, holder):
        """Return True if `thing` is inside the rim of `holder` and not under the table."""
        (x, y, z), (a, b, c) = self.at(thing), self.at(holder)
        return (x - a) ** 2 + (y - b) ** 2 <= 0.15**2 and -0.02 < z - c < 0.2

    def where(self, thing):
        """Return the nearest container, since plates may overlap."""
        there = [holder for holder in self.holders if holder in self.world.items]
        found = [holder for holder in there if self.within(thing, holder)]
        x, y, _ = self.at(thing)
        away = {holder: math.dist((x, y), self.at(holder)[:2]) for holder in found}
        return min(away, key=away.get, default=None)

    def wanted(self):
        """Return (object, container or None for "one for each group", group)."""
        command, things = self.command, self.things
        if command in ("Sort by colour.", "전부 같은 색 그릇에 담아줘."):
            return [(one, f"object_{attribute(one, _COLOURS)}_bowl_0", "") for one in things]
        if command == "크기별로 정리해.":
            return [(one, f"object_{attribute(one, _SIZES)}_bowl_0", "") for one in things]
        if command == "Sort everything by shape.":
            return [(one, None, attribute(one, _SHAPES)) for one in things]
        if command.startswith("Put the apple"):
            cups = [one for one in things if "cup" in one]
            pairs = [("object_apple_0", "object_red_bowl_0")]
            pairs += [(one, "object_tray_0") for one in cups]
            return [(*pair, "") for pair in pairs]
        if command.startswith("빨간 건"):
            return [
                (one, f"object_{colour}_bowl_0", "")
                for colour in ("red", "blue")
                for one in things
                if attribute(one, _COLOURS) == colour
            ]
        if command.startswith("Put the small"):
            small = [one for one in things if attribute(one, _SIZES) == "small"]
            return [(one, "object_small_bowl_0", "") for one in small]
        return [("object_apple_0", "object_tray_0", "")]

    def wrong(self):
        """Return the objects that are not at their place."""
        found, places = [], {}
        for thing, holder, group in self.wanted():
            gone = thing not in self.world.items or (holder and holder not in self.world.items)
            where = None if gone else self.where(thing)
            if holder is not None and where != holder:
                found.append(thing)
            if holder is None and (where is None or places.setdefault(where, group) != group):
                found.append(thing)
        return found

    def impossible(self):
        """Return True if the command names a group without objects."""
        if not self.command.startswith("빨간 건"):
            return False
        there = {attribute(one, _COLOURS) for one in self.things}
        return not {"red", "blue"} <= there

    def as_asked(self):
        return not self.wrong()

    def told(self, message):
        """Return True if every misplaced object is named in the final message."""
        return all(
            any(display_name_or_id(thing, language) in message for language in ("en", "ko"))
            for thing in self.wrong()
        )
