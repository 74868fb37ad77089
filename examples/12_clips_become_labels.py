"""Label recorded clips of a toy game and create a training set.

The same steps in a shell, for your own recording and vocabulary:

    python -m bt_exec_labeler.testing.toy_game_episodes game
    bt-exec label check game -v game/vocabulary.yaml
    bt-exec label run game -v game/vocabulary.yaml --labeler rules --role planner --out run
    bt-exec label report run -v game/vocabulary.yaml --source game --html report.html
    bt-exec label dataset run --source game -v game/vocabulary.yaml --out planner_set
"""

import json
from pathlib import Path

from bt_exec.cli.app import run_command_line
from bt_exec_labeler.testing.toy_game_episodes import make_game

game = make_game(Path("game"), episodes=2, seed=3)
words = ["-v", "game/vocabulary.yaml"]

run_command_line(["label", "check", "game", *words])
run_command_line(["label", "run", "game", *words, "--out", "run", "--stride", "1"])

first = json.loads(Path("run/records.jsonl").read_text(encoding="utf-8").splitlines()[0])
print(json.dumps(first["record"], indent=1))

run_command_line(["label", "report", "run", *words, "--source", "game"])
run_command_line(["label", "dataset", "run", "--source", "game", *words, "--out", "controller_set"])
print(sorted(path.name for path in Path("controller_set").iterdir()))

# Output:
# game_00                      23.9 s     96 frames    10 actions    10 spans     42 moments
# game_01                      25.5 s    102 frames    10 actions    10 spans     47 moments
# 2 episodes, 20 spans, 89 moments
# 40 records, 0 dropped, 0 left of 40 (0 from the cache): run
# {
#  "schema_version": "plan_v1.0",
#  "plan_id": "plan_game_00_0",
#  "mid_step_id": "go_to_key",
#  "short_goal_dsl": [
#   {
#    "op": "MOVE_NAV",
#    "args": {
#     "target": "key"
#    }
#   }
#  ],
#  "horizon_steps": 6,
#  "terminate_on": "done_evidence_or_replan",
#  "done_evidence": [
#   "at=key"
#  ],
#  "fallback_if_failed": [
#   "recenter_camera"
#  ],
#  "uncertainty": "low"
# }
# 40 items, 40 records, 40 usable
#   uncertainty low      40 100.0 %
#   uncertainty mid       0   0.0 %
#   uncertainty high      0   0.0 %
#        5 go_to_key
#        2 take_key
#        5 go_to_gate
#        4 talk_gate_guard
#        2 open_gate
#        5 go_to_chest
#        2 open_chest
#        2 take_gem
#       10 go_home
#        3 rest
# ! 3 groups of near duplicates
# splits by episode: train 40; 10 for review
# ! no records for val and test: 2 episodes have records; 3 are needed
# controller_set: controller set, train 40 (rows)
# ! no records for val and test: 2 episodes have records; 3 are needed
# ['README.md', 'chat', 'data', 'images']
