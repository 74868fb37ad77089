"""Create a skill and its test from a template, and format a tree file with its comments."""

import tempfile
from pathlib import Path

from bt_exec.scaffold.create import create_skill
from bt_exec.scaffold.format_and_correct_yaml import format_source
from bt_exec.spec.yaml_source import read_text

MESSY = """\
tree:   wave
root:
    retry: 2             # to be seen
    do:   wave
    with: {times:   2}
"""

with tempfile.TemporaryDirectory() as folder:
    for path in create_skill("wave", Path(folder)):
        print(path.name, len(path.read_text(encoding="utf-8").splitlines()), "lines")

print(format_source(read_text(MESSY)), end="")

# Output:
# wave.py 28 lines
# test_wave.py 26 lines
# tree: wave
# root:
#   do: wave
#   with: {times: 2}
#   retry: 2               # to be seen
