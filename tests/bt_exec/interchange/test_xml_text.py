"""XML parsing and writing: accepted and refused texts, and round trips."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.failure import SpecError
from bt_exec.interchange import xml_text
from bt_exec.interchange.xml_text import Element, dump_xml, parse_xml, read_xml_file

BOMB = (
    '<!DOCTYPE root [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<root>&b;</root>"
)
OUTSIDE = '<!DOCTYPE root [<!ENTITY x SYSTEM "file:///etc/hostname">]><root>&x;</root>'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BOMB, "DOCTYPE"),
        (OUTSIDE, "DOCTYPE"),
        ('<!DOCTYPE root SYSTEM "http://localhost/x.dtd"><root/>', "DOCTYPE"),
        ("<!DOCTYPE root><root/>", "DOCTYPE"),
        ("<root>&undefined;</root>", "NOT_XML"),
        ("", "NOT_XML"),
        ("tree: a", "NOT_XML"),
        ("<root>", "NOT_XML"),
        ("<root><a></root>", "NOT_XML"),
        ("<root a='1' a='2'/>", "NOT_XML"),
        ("<root/><root/>", "NOT_XML"),
        ("<root>\0</root>", "NOT_XML"),
        ("<root>&#0;</root>", "NOT_XML"),
        ('<?xml version="1.0" encoding="no-such"?><root/>', "NOT_XML"),
        ("<a>" * 401 + "</a>" * 401, "TOO_DEEP"),
        ("<a>" + "<b/>" * 20_000 + "</a>", "TOO_BIG"),
        ("<a " + " ".join(f"a{n}='1'" for n in range(201)) + "/>", "TOO_BIG"),
        ("<a>" + " " * 1024 * 1024 + "</a>", "TOO_BIG"),
    ],
)
def test_hostile_or_broken_text_is_refused(text, code):
    with pytest.raises(SpecError) as raised:
        parse_xml(text, "a.xml")
    (problem,) = raised.value.problems
    assert (problem.code, problem.file) == (code, "a.xml")


def test_invalid_xml_is_refused_with_the_position():
    with pytest.raises(SpecError) as raised:
        parse_xml("<root>\n  <a>\n  </b>\n</root>")
    assert (raised.value.problems[0].line, raised.value.problems[0].column) == (3, 5)


def test_files_that_cannot_be_read_are_refused(tmp_path, monkeypatch):
    for path in (tmp_path, tmp_path / "none.xml", Path("x" * 300), Path("a\0b")):
        with pytest.raises(SpecError, match="UNREADABLE"):
            read_xml_file(path)
    monkeypatch.setattr(xml_text, "MAX_BYTES", 10)
    (tmp_path / "big.xml").write_text("<root>      </root>")
    with pytest.raises(SpecError, match="TOO_BIG"):
        read_xml_file(tmp_path / "big.xml")


def test_elements_have_positions_and_text():
    root = parse_xml(
        '<?xml version="1.0"?>\n<root>\n  <!-- no --><a b="&lt;1&#10;2"> text </a>\n</root>'
    )
    (child,) = root.children
    assert (child.line, child.column, child.text) == (3, 14, "text")
    assert child.attributes == {"b": "<1\n2"}
    assert [element.tag for element in root.walk()] == ["root", "a"]


def test_characters_outside_xml_cannot_be_written():
    with pytest.raises(ValueError, match=r"U\+0001"):
        dump_xml(Element("a", {"b": "\x01"}))


attribute_texts = st.text(
    st.characters(
        codec="utf-8", exclude_characters="\x00\ufffe\uffff", exclude_categories=("Cc", "Cs")
    )
    | st.sampled_from("\t\n\r<>&\"'"),
    max_size=20,
)


@given(attribute_texts, attribute_texts)
def test_xml_text_is_unchanged_by_a_round_trip(attribute, text):
    root = parse_xml(dump_xml(Element("a", {"b": attribute}, [], text)))
    assert root.attributes == {"b": attribute}
    if not any(character in text for character in "\r"):
        assert root.text == text.strip()
