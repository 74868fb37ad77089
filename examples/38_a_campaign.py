"""Run a command in several worlds, with and without a fault: rates, and the failed cells.

On the command line: ``bt-exec campaign worlds.yaml -j 2``; see docs/campaigns.md.
"""

from pathlib import Path

from bt_exec.campaign.model import load_campaign
from bt_exec.campaign.report import rerun_command, summary_lines
from bt_exec.campaign.run import run_campaign

WORLDS = """\
campaign: corridor
site: building
commands: [go to the lounge]
worlds: {blocked: [none, lounge]}
seeds: 2
"""

if __name__ == "__main__":  # its worker processes import this file
    file = Path("worlds.yaml")
    file.write_text(WORLDS, encoding="utf-8")
    results = run_campaign(load_campaign(file), Path("results"), workers=2)
    print(*summary_lines(results, total=len(results)), sep="\n")
    print(rerun_command(results[0]))

# Output:
# 50.0 % (2 of 4, 95 % interval 15.0 to 85.0 %) as expected
#   blocked lounge: 0.0 % (0 of 2, 95 % interval 0.0 to 65.8 %)
# ! blocked SKILL_FAILED: bt-exec run 'go to the lounge' --fast --site building --world blocked=lounge --world seed=0
# ! blocked SKILL_FAILED: bt-exec run 'go to the lounge' --fast --site building --world blocked=lounge --world seed=1
# bt-exec run 'go to the lounge' --fast --site building --world blocked=none --world seed=0
