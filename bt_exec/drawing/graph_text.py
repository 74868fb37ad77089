"""Trees as Mermaid flowcharts and Graphviz graphs."""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.drawing.diagram_nodes import SIGNS, Box, Kind

__all__ = ["dot_text", "mermaid_text"]

_MERMAID_SHAPES: dict[Kind, tuple[str, str]] = {
    "do": ("[", "]"),
    "check": ("([", "])"),
    "tree": ("[[", "]]"),
    "sequence": ("[", "]"),
    "fallback": ("[", "]"),
    "parallel": ("[", "]"),
}
_DOT_SHAPES: dict[Kind, str] = {
    "do": 'shape=box style="rounded"',
    "check": "shape=ellipse",
    "tree": "shape=box peripheries=2",
    "sequence": "shape=box",
    "fallback": "shape=box",
    "parallel": "shape=box",
}


def mermaid_text(root: Box, title: str) -> str:
    """Return a Mermaid flowchart, which GitHub and GitLab render in Markdown."""
    lines = ["---", f"title: {_yaml_string(title)}", "---", "flowchart TD"]
    for name, box, above in _named_boxes(root):
        before, after = _MERMAID_SHAPES[box.kind]
        text = "<br/>".join(map(_mermaid_escaped, _lines(box)))
        lines.append(f'    {name}{before}"{text}"{after}:::{box.kind}')
        if above:
            lines.append(f"    {above} --- {name}")
    lines += [
        "    classDef do fill:#e8f0fb,stroke:#3b6ea8,color:#10233a",
        "    classDef check fill:#eaf6ec,stroke:#3f8a4d,color:#102a15",
        "    classDef tree fill:#f5eefb,stroke:#7a55a8,color:#25133a",
        "    classDef sequence fill:#f4f4f2,stroke:#6b6b66,color:#1f1f1d",
        "    classDef fallback fill:#f4f4f2,stroke:#6b6b66,color:#1f1f1d",
        "    classDef parallel fill:#f4f4f2,stroke:#6b6b66,color:#1f1f1d",
    ]
    return "\n".join(lines) + "\n"


def dot_text(root: Box, title: str) -> str:
    """Return a Graphviz graph, which ``dot -Tpdf`` converts to PDF."""
    lines = [
        "digraph tree {",
        f"  label={_dot_string(title)}; labelloc=t; fontname=Helvetica;",
        "  node [fontname=Helvetica fontsize=11 margin=0.12]; edge [arrowhead=none];",
        "  ordering=out;",
    ]
    for name, box, above in _named_boxes(root):
        lines.append(
            f"  {name} [label={_dot_string(chr(10).join(_lines(box)))} {_DOT_SHAPES[box.kind]}];"
        )
        if above:
            lines.append(f"  {above} -> {name};")
    return "\n".join([*lines, "}"]) + "\n"


def _named_boxes(root: Box) -> Iterator[tuple[str, Box, str]]:
    """Yield a new name for every box, the box, and the name of its parent (empty for the root)."""
    above: list[str] = []
    for number, (depth, box) in enumerate(root.walk()):
        name = f"n{number}"
        del above[depth:]
        yield name, box, above[-1] if above else ""
        above.append(name)


def _lines(box: Box) -> list[str]:
    sign = SIGNS.get(box.kind, "")
    head = " ".join(filter(None, (sign, box.label))) or box.kind
    return [head, *filter(None, (box.about,)), *box.notes]


def _mermaid_escaped(text: str) -> str:
    """Return text with Mermaid's special characters replaced by entities."""
    special = '"#&<>`;{}[]()|\\*$%'
    return "".join(f"#{ord(sign)};" if sign in special else sign for sign in text)


def _yaml_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _dot_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
