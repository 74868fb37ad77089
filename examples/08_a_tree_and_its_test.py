"""Test a tree with arguments: scripted skills, their results, and a failed attempt."""

from typing import NamedTuple

from bt_exec import Running, Steps, Verdict, condition, skill
from bt_exec.testing import run_tree, scripted_condition, scripted_skill


class Poured(NamedTuple):
    millilitres: int
    into: str


@skill(fails={"SPILT", "EMPTY"}, needs={"jug": "full"})
def pour(cups: int, into: str = "mug") -> Steps[Poured]:
    """Pour some cups."""
    yield Running()
    return Poured(200 * cups, into)


@condition
def jug_is_full() -> Verdict:
    """Return whether the jug is full enough."""
    return Verdict.unknown("nobody looked")


SERVE = """
tree: serve
params:
  cups: {type: integer, default: 1}
returns: {served: $poured}
root:
  sequence:
    - check: jug_is_full
      else: JUG_EMPTY
    - do: pour
      with: {cups: $cups}
      save: {millilitres: poured}
      retry: 2
"""

# Scripted parts have the signatures of the real ones. The first attempt to pour fails.
parts = [
    scripted_skill(
        like=pour, script=["SPILT", "done"], result={"millilitres": 400, "into": "mug"}, needs={}
    ),
    scripted_condition(like=jug_is_full),
]
run = run_tree(SERVE, parts, args={"cups": 2})
print(run.outcome.ok, run.results)
for name, args in run.robot.calls:
    print(name, args)

# A failed `assert run.outcome.ok` prints the same explanation of the outcome.
parts = [
    scripted_skill(like=pour, needs={}),
    scripted_condition(like=jug_is_full, verdicts=[False]),
]
print(run_tree(SERVE, parts).outcome.explain())

# At the end, `pytest --bt-cov` lists the nodes of trees and the declared failures of skills that no
# test reached:
#     pour: no test made it fail with EMPTY

# Output:
# True {'served': 400}
# pour {'cups': 2, 'into': 'mug'}
# pour {'cups': 2, 'into': 'mug'}
# blocked: JUG_EMPTY: jug_is_full is False
#   JUG_EMPTY · jug_is_full · jug_is_full is False
