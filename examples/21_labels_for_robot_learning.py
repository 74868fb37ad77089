"""Write labels as a LeRobot data set, and label a LeRobot data set.

    bt-exec label dataset run --source game -v game/vocabulary.yaml --format lerobot --out set
    bt-exec label check set -v game/vocabulary.yaml

LeRobot opens it: `LeRobotDataset("me/labels", root="set")`. Its language columns contain the
current `subtask`, the records (`plan`) and, in a planner set, the recalled records (`memory`).
"""

from pathlib import Path

from bt_exec.cli.app import run_command_line
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import make_game

make_game(Path("game"), episodes=4, seed=1)
words = ["-v", "game/vocabulary.yaml"]

run_command_line(
    ["label", "run", "game", *words, "--role", "planner", "--out", "run", "--stride", "1"]
)
run_command_line(
    ["label", "dataset", "run", "--source", "game", *words, "--format", "lerobot", "--out", "set"]
)
run_command_line(["label", "check", "set", *words])

episode = next(read_source(Path("set")))
for action in episode.actions[:3]:
    print(f"{action.t:4.1f} s  {action.op} {dict(action.args)}")

# Output:
# 80 records, 0 dropped, 0 left of 80 (0 from the cache): run
# set: planner set, train 2, val 1, test 1 (episodes)
# for LeRobot 0.6; --lerobot chooses another version
# episode_000000               24.5 s     50 frames    10 actions    10 spans     46 moments
# episode_000001               26.0 s     53 frames    11 actions    10 spans     50 moments
# episode_000002               22.0 s     45 frames    10 actions    10 spans     41 moments
# episode_000003               24.5 s     50 frames    10 actions    10 spans     45 moments
# 4 episodes, 40 spans, 182 moments
#  0.0 s  MOVE_NAV {'target': 'key'}
#  2.5 s  TAKE {'item': 'key'}
#  4.0 s  MOVE_NAV {'target': 'gate'}
