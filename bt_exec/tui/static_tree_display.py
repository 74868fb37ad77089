"""Display of a tree that is not running, with expanded subtrees and modifiers as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.cells import cell_len

from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, Document, MissionSpec, NodeBase, Tree, TreeSpec, flattened_steps
from bt_exec.tui.node_text import (
    describe_parameter,
    detail_beside_label,
    label_node,
    modifiers_text,
    pass_notes_text,
)
from bt_exec.tui.terminal_text import Entry, Glyphs, Line, entry_lines, fit, pad, safe_line, wrap

__all__ = ["document_lines"]


def document_lines(document: Document, library: Library, width: int, glyphs: Glyphs) -> list[Line]:
    """Return a tree or a mission as lines; subtrees from `library` are expanded."""
    entry, top = (
        (_tree_entry(document), document.tree)
        if isinstance(document, TreeSpec)
        else (_mission_entry(document), "")
    )
    rows: list[tuple[str, str, str, str]] = []
    for node in flattened_steps(document.root):
        rows += _rows(node, library, "", "", (top,))
    starts = [cell_len(row[0]) + cell_len(row[1]) for row in rows if row[2]]
    column = min(max(starts, default=0) + 2, width // 2)
    lines = [*entry_lines([entry], width, glyphs), ()]
    for guide, label, about, note in rows:
        lines += _row_lines(guide, label, about, note, column, width, glyphs)
    return lines


def _tree_entry(tree: TreeSpec) -> Entry:
    facts = [("say", " · ".join(tree.utterances))]
    for name, param in tree.params.items():
        facts.append((name, " · ".join(filter(None, (describe_parameter(param), param.summary)))))
    given = (f"{field} = {value}" for field, value in tree.returns.items())
    facts.append(("gives", ", ".join(given)))
    for way in tree.otherwise:
        args = ", ".join(f"{name} {value}" for name, value in way.args.items())
        other = " ".join(filter(None, (way.tree, args and f"with {args}")))
        facts.append(("else", f"{other} after {', '.join(way.after)}"))
    return Entry(tree.tree, summary=tree.summary, facts=facts)


def _mission_entry(spec: MissionSpec) -> Entry:
    mission = spec.mission
    facts = [
        ("plan", str(mission.plan_version)),
        ("by", " ".join(filter(None, (mission.compiler, mission.model)))),
        ("kept", ", ".join(mission.kept)),
        *(("note", note) for note in pass_notes_text(mission.notes)),
    ]
    return Entry(mission.command, facts=facts)


def _rows(
    node: NodeBase, library: Library, own: str, below: str, above: tuple[str, ...]
) -> Iterator[tuple[str, str, str, str]]:
    """Yield guide lines, label, arguments and note of each row.

    Args:
        node: The node of the first row.
        library: Trees that may be expanded.
        own: Guide lines before the label of the node.
        below: Guide lines before the rows under the node.
        above: Names of the enclosing trees, which are not expanded again.
    """
    name = label_node(node)
    node, inner, names = _shown_node(node, library, above)
    yield own, name, detail_beside_label(node), ""
    guide = below + ("│   " if inner else "    ")
    if notes := modifiers_text(node):
        yield guide, "", "", " · ".join(notes)
    for index, child in enumerate(inner):
        last = index == len(inner) - 1
        branch, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
        yield from _rows(child, library, below + branch, below + rest, names)


def _shown_node(
    node: NodeBase, library: Library, above: tuple[str, ...]
) -> tuple[NodeBase, list[NodeBase], tuple[str, ...]]:
    """Return the node to show, its children, and the enclosing trees.

    A tree that only runs a skill with the same name is shown as that skill.
    """
    if not isinstance(node, Tree):
        return node, [step for child in node.children for step in flattened_steps(child)], above
    body = node.body
    if body is None and node.tree in library and node.tree not in above:
        body = library.get(node.tree).root
    above = (*above, node.tree)
    if body is None:
        return node, [], above
    if node.is_plain and isinstance(body, Do) and label_node(body) == node.tree:
        return body, [], above
    return node, flattened_steps(body), above


def _row_lines(
    guide: str, label: str, about: str, note: str, column: int, width: int, glyphs: Glyphs
) -> list[Line]:
    drawn = "".join(_GUIDES.get(sign, sign) for sign in guide) if glyphs.full == "#" else guide
    space = width - cell_len(guide) - 2
    if note:
        pieces = wrap(glyphs.text(safe_line(note)), space)
        return [((f" {drawn}", "dim"), (piece, "dim")) for piece in pieces]
    name = fit(glyphs.text(label), space, glyphs.dots)
    if about:
        name = pad(name, column - cell_len(guide) - 1) + " "
    rest = fit(glyphs.text(about), space - cell_len(name), glyphs.dots)
    return [((f" {drawn}", "dim"), (name, ""), (rest, "dim"))]


_GUIDES: Mapping[str, str] = {"├": "|", "└": "`", "│": "|", "─": "-"}
