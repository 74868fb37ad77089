"""Write a tree with a list, choices, bounds, a text with values, and a loop with a condition."""

from bt_exec import Running, Steps, skill
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.testing import scripted_condition
from bt_exec.testing.tree_run import scripted_site
from bt_exec.verify import verify_file

TREE = """
tree: water_plants
params:
  plants: {type: text, many: true}
  amount: [little, much]
  rounds: {type: integer, min: 1, max: 3, default: 1}
root:
  sequence:
    - do: water
      for_each: {plant: $plants}
      with: {place: $plant, amount: $amount}
      repeat: $rounds
      until: {soil_wet: {}, else: STILL_DRY}
    - do: say
      with:
        text: $"watered {rounds} times"
"""


@skill
def water(place: str, amount: str) -> Steps:
    """Water one plant."""
    yield Running(doing="pouring")


@skill
def say(text: str) -> Steps:
    """Say a sentence."""
    yield Running()


site = scripted_site([water, say, scripted_condition("soil_wet")])
loaded = load_text(TREE)
print([str(problem) for problem in verify_file(loaded, site.catalogue, Library())])

call = {"tree": "water_plants", "with": {"plants": ["fern", "moss"], "amount": "much", "rounds": 2}}
spec = MissionSpec.model_validate({"mission": {"command": "water"}, "root": call})
print(dump_yaml(expand(spec, Library([loaded]))).partition("body:\n")[2], end="")

# Output:
# []
#     sequence:
#     - sequence:
#       - do: water
#         with:
#           place: fern
#           amount: much
#         repeat: 2
#         until:
#           soil_wet: {}
#           else: STILL_DRY
#       - do: water
#         with:
#           place: moss
#           amount: much
#         repeat: 2
#         until:
#           soil_wet: {}
#           else: STILL_DRY
#     - do: say
#       with:
#         text: watered 2 times
