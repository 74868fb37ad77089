"""Run one skill and one tree with text arguments, like ``bt-exec do`` and ``run --tree``."""

from bt_exec import Running, Steps, skill
from bt_exec.cli.plan_from_call import plan_of_skill, plan_of_tree
from bt_exec.failure import BtExecError
from bt_exec.nodes.fault_injection import Faults
from bt_exec.testing import run_tree
from bt_exec.testing.tree_run import scripted_site


@skill(fails={"SPILT"})
def pour(cups: int, into: str = "mug") -> Steps:
    """Pour some cups."""
    yield Running()


SERVE = "tree: serve\nparams: {cups: {type: integer}}\nroot: {do: pour, with: {cups: $cups}}\n"
site = scripted_site([pour], [SERVE])

print(plan_of_skill("pour", ["cups=2", "into=5"], site).root.args)
print(plan_of_tree("serve", ["cups=3"], site).root.body.args)
for texts in (["cups=many"], ["cup=1"], []):
    try:
        plan_of_skill("pour", texts, site)
    except BtExecError as error:
        print(error)

print(run_tree(SERVE, [pour], args={"cups": 3}).outcome.status)

faults = Faults.parse(["pour:2=SPILT"], site.catalogue.skills)
faults.for_call("pour", 1)  # the first call; the fault is for the second
for fault, calls in faults.unused():
    print(fault, "did not fire; calls:", calls)

# Output:
# {'cups': 2, 'into': '5'}
# {'cups': 3}
# 'cups' takes integer (found "many") [WRONG_TYPE]
# skill pour has no argument 'cup'; known, nearest first: cups, into
# skill pour needs cups=integer
# satisfied
# pour:2=SPILT did not fire; calls: 1
