"""A tree as SVG for papers and pages, and as an HTML page.

Colours are plain values with a media query for dark mode. Browsers follow the reader's setting;
converters without media queries use the light picture. Text is kept as text, so that it can be
searched and edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from bt_exec.drawing.diagram_nodes import SIGNS, Box
from bt_exec.drawing.layout import LINE_HEIGHT, Placed, place_boxes

__all__ = ["Theme", "html_text", "svg_text"]

Theme = Literal["auto", "light", "dark"]

_MARGIN = 16.0
_SIGN_SIZE = 30.0
_FONT = "'Noto Sans','Noto Sans KR','Helvetica Neue',Arial,sans-serif"


class _Colours(NamedTuple):
    """Colours of text, lines and background, and of the fill and frame of each kind of box."""

    text: str
    dim: str
    edge: str
    paper: str
    boxes: Mapping[str, tuple[str, str]]


_LIGHT = _Colours(
    "#1c1e21",
    "#5c636b",
    "#8b929a",
    "#ffffff",
    {
        "do": ("#e8f0fb", "#3b6ea8"),
        "check": ("#eaf6ec", "#3f8a4d"),
        "tree": ("#f5eefb", "#7a55a8"),
        "group": ("#f3f4f5", "#6b7178"),
    },
)
_DARK = _Colours(
    "#e8eaed",
    "#a3abb4",
    "#6f7780",
    "#15181c",
    {
        "do": ("#1b2a3d", "#6fa3de"),
        "check": ("#18301d", "#6cc07c"),
        "tree": ("#2b2138", "#b391dd"),
        "group": ("#22262b", "#8d959e"),
    },
)


def svg_text(root: Box, title: str, theme: Theme = "auto", *, inline: bool = False) -> str:
    """Return the picture of a tree.

    Args:
        root: The boxes.
        title: Description of the picture for screen readers.
        theme: Colours: light, dark, or those of the reader's setting.
        inline: Whether to omit the XML declaration and the background, for use within a page.
    """
    top = place_boxes(root)
    placed = top.walk()
    width = max(one.x + one.width for one in placed) + 2 * _MARGIN
    height = max(one.y + one.height for one in placed) + 2 * _MARGIN
    parts = [] if inline else ['<?xml version="1.0" encoding="UTF-8"?>']
    parts += [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-family="{_FONT}" font-size="13">',
        f"<title>{_escape(title)}</title>",
        f"<style>{_style(theme)}</style>",
    ]
    if not inline:
        parts.append('<rect class="paper" width="100%" height="100%"/>')
    parts.append(f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">')
    for one in placed:
        parts += _edges(one)
    for one in placed:
        parts += _box_elements(one)
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def html_text(
    root: Box, title: str, summary: str = "", facts: tuple[tuple[str, str], ...] = ()
) -> str:
    """Return a page with the picture of a tree, its summary and further facts."""
    rows = "".join(f"<dt>{_escape(name)}</dt><dd>{_escape(text)}</dd>" for name, text in facts)
    about = f"<p>{_escape(summary)}</p>" if summary else ""
    listed = f"<dl>{rows}</dl>" if rows else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{_escape(title)}</title>\n<style>\n{_PAGE}</style>\n</head>\n<body>\n"
        f"<h1>{_escape(title)}</h1>\n{about}\n{listed}\n<figure>\n"
        f"{svg_text(root, title, inline=True)}</figure>\n<p class=legend>{_LEGEND}</p>\n"
        "</body>\n</html>\n"
    )


_LEGEND = (
    "→ one after another · ? until one works · ⇉ at once · rounded: skill · "
    "pill: condition · double frame: subtree"
)
_PAGE = f"""\
:root {{ color-scheme: light dark; }}
body {{ margin: 2rem; font: 15px/1.5 {_FONT}; color: {_LIGHT.text}; \
background: {_LIGHT.paper}; }}
figure {{ margin: 1.5rem 0; overflow-x: auto; }}
dl {{ display: grid; grid-template-columns: max-content auto; gap: .2rem 1rem; }}
dt, .legend {{ color: {_LIGHT.dim}; }}
dd {{ margin: 0; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: {_DARK.text}; background: {_DARK.paper}; }}
  dt, .legend {{ color: {_DARK.dim}; }}
}}
"""


def _style(theme: Theme) -> str:
    if theme == "auto":
        return f"{_css_rules(_LIGHT)}@media (prefers-color-scheme:dark){{{_css_rules(_DARK)}}}"
    return _css_rules(_LIGHT if theme == "light" else _DARK)


def _css_rules(colours: _Colours) -> str:
    text, dim, edge, paper, boxes = colours
    rules = [
        f".paper{{fill:{paper}}}",
        f".edge{{fill:none;stroke:{edge};stroke-width:1.2}}",
        f".label{{fill:{text};font-weight:600}}.about{{fill:{text}}}",
        f".note{{fill:{dim};font-style:italic;font-size:12px}}",
        f".sign{{fill:{text};font-weight:600;font-size:15px;text-anchor:middle}}",
    ]
    for kind, (fill, stroke) in boxes.items():
        rules.append(f".{kind}{{fill:{fill};stroke:{stroke};stroke-width:1.2}}")
    return "".join(rules)


def _edges(one: Placed) -> Iterator[str]:
    """Yield the curves from the right side of a box to the left sides of its children."""
    start = one.x + one.width
    for child in one.children:
        middle = (start + child.x) / 2
        yield (
            f'<path class="edge" d="M{start:.1f} {one.middle:.1f}C{middle:.1f} {one.middle:.1f} '
            f'{middle:.1f} {child.middle:.1f} {child.x:.1f} {child.middle:.1f}"/>'
        )


def _box_elements(one: Placed) -> Iterator[str]:
    """Yield the frame of a box and its text."""
    box = one.box
    group = box.kind in SIGNS
    radius = {"do": 7.0, "check": one.height / 2}.get(box.kind, 3.0)
    shape = f'x="{one.x:.1f}" y="{one.y:.1f}" width="{one.width:.1f}" height="{one.height:.1f}"'
    yield f'<rect class="{"group" if group else box.kind}" {shape} rx="{min(radius, 15):.1f}"/>'
    if box.kind == "tree":
        inner = f'x="{one.x + 3:.1f}" y="{one.y + 3:.1f}" width="{one.width - 6:.1f}"'
        yield f'<rect class="tree" {inner} height="{one.height - 6:.1f}" rx="1.5"/>'
    left = one.x + 11
    if group:
        yield (
            f'<text class="sign" x="{one.x + _SIGN_SIZE / 2:.1f}" y="{one.middle + 5:.1f}">'
            f"{_escape(SIGNS[box.kind])}</text>"
        )
        left = one.x + _SIGN_SIZE - 2
    first = one.middle - len(one.rows) * LINE_HEIGHT / 2 + 12.5
    for number, row in enumerate(one.rows):
        y = first + number * LINE_HEIGHT
        yield f'<text class="{row.role}" x="{left:.1f}" y="{y:.1f}">{_escape(row.text)}</text>'


def _escape(text: str) -> str:
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, entity)
    return text
