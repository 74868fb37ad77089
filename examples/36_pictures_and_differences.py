"""Draw a tree for a page or a paper, and list the differences of its next version."""

from pathlib import Path

from bt_exec.drawing.diagram_nodes import boxes_of
from bt_exec.drawing.graph_text import mermaid_text
from bt_exec.drawing.svg import svg_text
from bt_exec.drawing.tree_changes import tree_changes
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text

OLD = """
tree: tea
root:
  sequence:
    - {do: fill, with: {liquid: water}}
    - {do: boil, skip_if: water_hot}
"""
NEW = """
tree: tea
root:
  sequence:
    - {do: fill, with: {liquid: water}}
    - {do: boil, skip_if: water_hot, retry: 2}
    - {check: water_hot, else: STILL_COLD}
"""
old, new = (boxes_of(load_text(text).document, Library()) for text in (OLD, NEW))

print(mermaid_text(old, "tea"))
Path("tea.svg").write_text(svg_text(new, "tea"), encoding="utf-8")

for row in tree_changes(old, new):
    print(f"{row.kind:8}{'  ' * row.depth}{row.new or row.old}")

# Output:
# ---
# title: "tea"
# ---
# flowchart TD
#     n0["→"]:::sequence
#     n1["fill<br/>water"]:::do
#     n0 --- n1
#     n2["boil<br/>skipped if water_hot"]:::do
#     n0 --- n2
#     classDef do fill:#e8f0fb,stroke:#3b6ea8,color:#10233a
#     classDef check fill:#eaf6ec,stroke:#3f8a4d,color:#102a15
#     classDef tree fill:#f5eefb,stroke:#7a55a8,color:#25133a
#     classDef sequence fill:#f4f4f2,stroke:#6b6b66,color:#1f1f1d
#     classDef fallback fill:#f4f4f2,stroke:#6b6b66,color:#1f1f1d
#     classDef parallel fill:#f4f4f2,stroke:#6b6b66,color:#1f1f1d
#
# same    → sequence
# same      fill water
# changed   boil · skipped if water_hot · up to 2 attempts
# added     water_hot · else STILL_COLD
