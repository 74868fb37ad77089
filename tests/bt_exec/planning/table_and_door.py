"""Site with a table and a door, and a world of it."""

from bt_exec.observation import Situation

SITE = """
site: table_and_door
packs: {door: {robot: sim, detector: oracle}, tabletop: {robot: sim, detector: oracle}}
compiler: {name: offline, of: {tabletop: table}}
"""
THINGS = {
    "object_apple_0": "1 0 0.8",
    "object_lemon_0": "1.2 0.1 0.8",
    "object_red_cube_0": "1.1 0.2 0.8",
    "object_red_bowl_0": "1 0.4 0.8",
    "object_blue_bowl_0": "1.2 0.5 0.8",
    "object_tray_0": "1.4 -0.3 0.8",
}
WORLD = Situation(
    labels=tuple(THINGS),
    facts={
        **{f"pos.{name}": at for name, at in THINGS.items()},
        "table.table_0": "1.2 0.1 0.75 1.0 1.6",
        "pos.robot": "0 0 0",
        "hand": "empty",
        "door": "closed",
    },
)
