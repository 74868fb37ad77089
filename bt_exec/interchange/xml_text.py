"""XML as plain elements with positions: a bounded reader without entities, and a writer.

Document types, and with them all entities, are rejected. Size, depth, elements and attributes are
limited. Namespaces, comments and processing instructions are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from bt_exec.failure import Problem, SpecError
from bt_exec.files import read_at_most

__all__ = ["Element", "dump_xml", "parse_xml", "read_xml_file"]

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 400
MAX_ELEMENTS = 20_000
MAX_ATTRIBUTES = 200

_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent, not even escaped."""


@dataclass
class Element:
    """An XML element; `line` and `column` count from 1."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    text: str = ""
    line: int = 1
    column: int = 1

    def walk(self) -> Iterator[Element]:
        """Yield this element and everything under it, parents first."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)


def read_xml_file(path: Path) -> Element:
    """Return the root element of an XML file.

    Raises:
        SpecError: As for `parse_xml`, or ``UNREADABLE``.
    """
    try:
        raw = read_at_most(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        problem = Problem("UNREADABLE", f"cannot be read: {why}", file=str(path))
        raise SpecError([problem]) from None
    if raw is None:
        raise SpecError([_too_big(str(path))])
    return parse_xml(raw, str(path))


def parse_xml(raw: bytes | str, file: str = "<xml>") -> Element:
    """Return the root element of XML text.

    Raises:
        SpecError: ``NOT_XML``, ``DOCTYPE``, ``TOO_BIG`` or ``TOO_DEEP``, with the position.
    """
    data = raw.encode("utf-8", "replace") if isinstance(raw, str) else raw
    if len(data) > MAX_BYTES:
        raise SpecError([_too_big(file)])
    return _Builder(file).read(data)


class _Builder:
    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.buffer_text = True

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            message = f"is not well-formed XML: {expat.errors.messages[error.code]}"
            self.refuse("NOT_XML", message, error.lineno, error.offset + 1)
        except (UnicodeError, LookupError, ValueError) as error:
            self.refuse("NOT_XML", f"cannot be read as XML: {error}")
        assert self.root is not None, "expat accepts no document without an element"
        return self.root

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ELEMENTS:
            self.refuse("TOO_BIG", f"has more than {MAX_ELEMENTS} elements")
        if len(self.open) >= MAX_DEPTH:
            self.refuse("TOO_DEEP", f"is nested more than {MAX_DEPTH} elements deep")
        if len(attributes) > MAX_ATTRIBUTES:
            self.refuse("TOO_BIG", f"an element has more than {MAX_ATTRIBUTES} attributes")
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        element = Element(tag, dict(attributes), line=line, column=column)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        del tag
        element = self.open.pop()
        element.text = element.text.strip()

    def characters(self, text: str) -> None:
        self.open[-1].text += text

    def doctype(self, *_: object) -> None:
        message = "has a document type; remove it: entities and external files are not read"
        self.refuse("DOCTYPE", message)

    def refuse(
        self, code: str, message: str, line: int | None = None, column: int | None = None
    ) -> NoReturn:
        if line is None:
            line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        problem = Problem(code, message, file=self.file, line=line, column=column)
        raise SpecError([problem]) from None


def _too_big(file: str) -> Problem:
    return Problem("TOO_BIG", f"is too big: at most {MAX_BYTES // 1024} KiB are read", file=file)


def dump_xml(root: Element) -> str:
    """Return an element as indented XML text; `parse_xml` is the inverse.

    Raises:
        ValueError: If a text contains a character that XML does not allow.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    _write(root, 0, lines)
    return "\n".join(lines) + "\n"


def _write(element: Element, depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    attributes = "".join(f' {name}="{_escape(v)}"' for name, v in element.attributes.items())
    head = f"{indent}<{element.tag}{attributes}"
    if element.children:
        lines.append(f"{head}>")
        for child in element.children:
            _write(child, depth + 1, lines)
        lines.append(f"{indent}</{element.tag}>")
    elif element.text:
        lines.append(f"{head}>{_escape(element.text)}</{element.tag}>")
    else:
        lines.append(f"{head}/>")


def _escape(text: str) -> str:
    if found := _FORBIDDEN.search(text):
        raise ValueError(f"XML cannot hold the character U+{ord(found[0]):04X}")
    return "".join(_ESCAPES.get(character, character) for character in text)
