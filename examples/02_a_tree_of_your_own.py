"""Write a tree in YAML, find its mistakes, and run it.

`knock` opens the door a second time only if it is not open yet, and reports what it sees.
"""

from bt_exec import Session, SpecError, load_site
from bt_exec.planning.compiler import Plan
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.verify import verify_document

WRONG = """
tree: look_inside
root:
  sequence:
    - do: open_dor
      with: {arm: middle}
    - check: material_visible
      els: NOTHING_THERE
"""
RIGHT = """
tree: look_inside
root:
  sequence:
    - do: open_door
      with: {arm: left, object_label: door-handle}
      skip_if: {door_is: {state: open}}
      retry: 2
    - check: material_visible
      tell: true
"""
site = load_site("door")


def problems_of(text: str) -> list[str]:
    try:
        loaded = load_text(text, "look_inside.yaml")
    except SpecError as error:  # the form: fields, kinds, values
        return [str(problem) for problem in error.problems]
    found = verify_document(loaded.document, site.catalogue, site.library, loaded.source)
    return [str(problem) for problem in found]  # the meaning: names, types


print(*problems_of(WRONG), sep="\n")
print(*problems_of(WRONG.replace("els:", "else:")), sep="\n")
assert not problems_of(RIGHT)


class Fixed:
    """Compiler that returns the same tree for every request."""

    name = "fixed"

    def compile(self, request):
        header = Mission(command=request.command, compiler=self.name)
        return Plan(MissionSpec(mission=header, root=load_text(RIGHT).document.root))


with Session(site, world={"door": "ajar", "seed": "3"}, fast=True) as session:
    session.compiler = Fixed()
    print(session.run("Look inside.").message)

# Output:
# look_inside.yaml:8:7: root/sequence[1]/els: a 'check' node has no field 'els' (found els; allowed: else, tell, name, for_each, skip_if, while, retry, timeout, repeat, until, check) [UNKNOWN_FIELD]
# look_inside.yaml:5:11: root/sequence[0]/do: there is no skill 'open_dor' (found open_dor; allowed: open_door, close_door, move_arm, grasp, release, return_arm, return_home, wait) [UNKNOWN_SKILL]
# The material is in view. The door is open.
