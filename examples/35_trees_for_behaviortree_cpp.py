"""Export a tree to BehaviorTree.CPP's XML, import it again, and import a foreign tree."""

from bt_exec.interchange.btcpp_export import export_btcpp
from bt_exec.interchange.btcpp_import import import_btcpp
from bt_exec.interchange.xml_text import parse_xml
from bt_exec.pack import Catalogue
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text

TREE = """
tree: fetch
params: {place: {type: text, default: shelf}}
root:
  sequence:
    - do: drive
      with: {to: $place}
      skip_if: at_place
    - {check: cup_seen, else: NO_CUP}
"""
THEIRS = """
<root BTCPP_format="4">
  <BehaviorTree ID="OpenUp">
    <RetryUntilSuccessful num_attempts="3">
      <OpenDoor handle="{handle}"/>
    </RetryUntilSuccessful>
  </BehaviorTree>
  <TreeNodesModel><Action ID="OpenDoor"/></TreeNodesModel>
</root>
"""

tree = load_text(TREE).document
text, report = export_btcpp(tree, Library(), Catalogue([]))
print(text)
print(*report.codes())
print(import_btcpp([("fetch.xml", parse_xml(text))]).documents == (tree,))

(theirs,), report = import_btcpp([("theirs.xml", parse_xml(THEIRS))])
print(dump_yaml(theirs))
print(*report.lines(), sep="\n")

# Output:
# <?xml version="1.0" encoding="UTF-8"?>
# <root BTCPP_format="4" main_tree_to_execute="fetch">
#   <BehaviorTree ID="fetch" _bt_exec="1">
#     <Sequence>
#       <Fallback _as="skip_if">
#         <at_place/>
#         <drive to="{place}"/>
#       </Fallback>
#       <cup_seen _else="NO_CUP"/>
#     </Sequence>
#   </BehaviorTree>
#   <TreeNodesModel>
#     <Action ID="drive">
#       <input_port name="to"/>
#     </Action>
#     <Condition ID="at_place"/>
#     <Condition ID="cup_seen"/>
#     <SubTree ID="fetch">
#       <input_port name="place" type="text" default="shelf"/>
#     </SubTree>
#   </TreeNodesModel>
# </root>
#
# DOUBT FAILURE_CODE SKILL_TIMEOUT
# True
# tree: OpenUp
# params:
#   handle:
#     type: text
# root:
#   do: OpenDoor
#   with:
#     handle: $handle
#   retry: 3
#
# SAME_TICK (changed): the next attempt or round begins one tick later here
#     RetryUntilSuccessful:4 RetryUntilSuccessful
