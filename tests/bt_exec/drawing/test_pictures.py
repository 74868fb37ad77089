"""Pictures of trees: contents, and boxes without overlap."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings

from bt_exec.drawing.diagram_nodes import Box, boxes_of, title_of
from bt_exec.drawing.graph_text import dot_text, mermaid_text
from bt_exec.drawing.layout import place_boxes
from bt_exec.drawing.svg import html_text, svg_text
from bt_exec.interchange.xml_text import parse_xml
from bt_exec.site.site import load_site
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from tests.bt_exec.spec.strategies import documents

TREE = """
tree: fetch
root:
  fallback:
    - sequence:
        - {do: drive, with: {to: 'a "b" <c>'}, retry: 2, skip_if: near}
        - {check: {not: seen}, else: NO_CUP}
    - {parallel: [{do: a}, {do: b}], succeed_when: any}
    - {tree: inner}
"""
INNER = "tree: inner\nroot: {do: look}\n"


def boxes(*, closed=False):
    return boxes_of(load_text(TREE).document, Library([load_text(INNER)]), closed=closed)


def overlap(one, two):
    return (
        one.x < two.x + two.width
        and two.x < one.x + one.width
        and one.y < two.y + two.height
        and two.y < one.y + one.height
    )


def test_boxes_contain_names_arguments_and_modifiers():
    root = boxes()
    assert [(depth, box.kind, box.label) for depth, box in root.walk()] == [
        (0, "fallback", ""),
        (1, "sequence", ""),
        (2, "do", "drive"),
        (2, "check", "not seen"),
        (1, "parallel", ""),
        (2, "do", "a"),
        (2, "do", "b"),
        (1, "tree", "inner"),
        (2, "do", "look"),
    ]
    drive = root.children[0].children[0]
    assert (drive.about, drive.notes) == ('a "b" <c>', ("skipped if near", "up to 2 attempts"))
    assert boxes(closed=True).children[2].children == ()


def test_recursive_tree_is_drawn_once():
    text = "tree: a\nroot: {sequence: [{tree: b}]}\n"
    other = "tree: b\nroot: {tree: a}\n"
    library = Library([load_text(text), load_text(other)])
    assert [box.label for _, box in boxes_of(library.get("a"), library).walk()] == ["", "b", "a"]


@given(documents)
@settings(max_examples=20)
def test_any_document_is_drawn_without_overlaps(document):
    root = boxes_of(document, Library())
    placed = place_boxes(root).walk()
    assert len(placed) == len(list(root.walk()))
    assert min(one.y for one in placed) == 0
    assert not any(overlap(*pair) for pair in itertools.combinations(placed, 2))
    picture = parse_xml(svg_text(root, title_of(document)))
    texts = [element.text for element in picture.walk() if element.tag == "text"]
    assert len([e for e in picture.walk() if e.tag == "path"]) == len(placed) - 1
    assert len(texts) >= len([one for one in placed if one.rows])


def test_long_texts_are_wrapped_and_truncated():
    box = Box("do", "x" * 300, "자재를 " * 40, ("note " * 60,))
    placed = place_boxes(box)
    assert placed.width < 420
    assert len(placed.rows) == 9
    assert placed.rows[-1].text.endswith("…")


def test_mermaid_contains_every_node_and_edge():
    lines = mermaid_text(boxes(), 'fetch "it"').splitlines()
    assert lines[:4] == ["---", 'title: "fetch \\"it\\""', "---", "flowchart TD"]
    assert (
        '    n2["drive<br/>a #34;b#34; #60;c#62;<br/>skipped if near<br/>up to 2 attempts"]:::do'
        in lines
    )
    assert "    n1 --- n2" in lines
    assert sum(" --- " in line for line in lines) == 8


def test_dot_escapes_its_texts():
    text = dot_text(boxes(), "fetch")
    assert 'n2 [label="drive\\na \\"b\\" <c>\\nskipped if near\\nup to 2 attempts"' in text
    assert text.count("->") == 8


@pytest.mark.parametrize(
    ("theme", "light", "dark"),
    [("auto", True, True), ("light", True, False), ("dark", False, True)],
)
def test_themes_set_the_colours(theme, light, dark):
    text = svg_text(boxes(), "fetch", theme)
    assert ("#ffffff" in text) is light
    assert ("#15181c" in text) is dark
    assert ("prefers-color-scheme" in text) is (theme == "auto")


def test_page_contains_picture_summary_and_facts():
    page = html_text(boxes(), "a<b", "What & why", (("say", "<go>"),))
    assert "<title>a&lt;b</title>" in page
    assert "<p>What &amp; why</p>" in page
    assert "<dt>say</dt><dd>&lt;go&gt;</dd>" in page
    assert page.count("<svg") == 1
    assert "<script" not in page


def test_shipped_trees_are_drawn():
    site = load_site("door")
    for tree in site.library:
        root = boxes_of(tree, site.library)
        parse_xml(svg_text(root, title_of(tree)))
        assert mermaid_text(root, title_of(tree)).count(":::") == len(list(root.walk()))
