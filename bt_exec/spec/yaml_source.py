"""Parsing of YAML text into plain data, with the line and column of every value.

The language is a subset of YAML 1.2: ``true`` and ``false`` are the only booleans (``no`` and
``on`` are strings), numbers are decimal, dates are strings. Tags, anchors, aliases, control
characters and duplicate keys are rejected, and size, depth and node count are limited. JSON is
accepted as YAML. Lines and columns count from 1; columns count characters, not bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from bt_exec.failure import Problem, SpecError
from bt_exec.files import read_at_most
from bt_exec.spec.shipped_yaml import SAFE_LOADER
from bt_exec.spec.yaml_mistakes import NO_ANCHORS as _NO_ANCHORS
from bt_exec.spec.yaml_mistakes import explain

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_VALUES",
    "Place",
    "Source",
    "parse_scalar",
    "read_file",
    "read_text",
    "scan_file",
    "scan_text",
    "show_place",
    "sorted_by_position",
]

MAX_BYTES = 1024 * 1024
MAX_VALUES = 100_000
MAX_DEPTH = 100
"""Maximum nesting depth of YAML collections.

The depth of nodes is limited by `bt_exec.verify.bounds_and_claims`.
"""

Place: TypeAlias = tuple[str | int, ...]
"""Place of a value in a document: keys and indices from the root."""

INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,18})\Z")
NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]*([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)\Z")
# `bt_exec.spec.dump` must quote strings that match these (see tests/bt_exec/spec/test_dump.py)
_CONSTANTS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}

_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML does not allow: controls, lone surrogates, U+FFFE and U+FFFF."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
"""Control characters that YAML escapes can produce and that may control a terminal."""

_NO_TAGS = "tags are not allowed, a file is data; put text that starts with '!' into quotes"
_NO_CONTROLS = "holds a control character or an incomplete character; remove it"
MAX_PROBLEMS = 50
"""Maximum number of problems; reading stops there."""

_SHOWN_PLACE = 6
"""Maximum number of keys and indices in the displayed place of a deeply nested value."""

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


@dataclass
class Source:
    """A document as plain data with the positions of all values.

    Attributes:
        file: File name, or a description of the text ("the model's answer").
        data: Dicts, lists, strings, numbers, booleans and None.
        marks: (line, column) of every value, counted from 1, by place.
        keys: (line, column) of every key, counted from 1, by the place of its value.
        refused: Problems with constructs that no document may contain, such as anchors.
        text: The text with its original line ends, without a byte order mark.
    """

    file: str
    data: Any = None
    marks: dict[Place, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Place, tuple[int, int]] = field(default_factory=dict)
    refused: list[Problem] = field(default_factory=list)
    text: str = field(default="", repr=False)

    def line_and_column(self, place: Place, *, key: bool = False) -> tuple[int | None, int | None]:
        """Return line and column of `place`, or of the nearest value that encloses it."""
        if key and place in self.keys:
            return self.keys[place]
        for end in range(len(place), -1, -1):
            if place[:end] in self.marks:
                return self.marks[place[:end]]
        return (None, None)

    def problem(
        self,
        code: str,
        message: str,
        place: Place = (),
        *,
        found: str = "",
        allowed: tuple[str, ...] = (),
        key: bool = False,
    ) -> Problem:
        """Return a `Problem` with the position of the value at `place`, or of its key if `key`."""
        line, column = self.line_and_column(place, key=key)
        return Problem(code, message, show_place(place), found, allowed, self.file, line, column)


def show_place(place: Place) -> str:
    """Return a place for display, such as ``root/sequence[1]/with/arm``."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f"/{part}" if text else part
    return text


def sorted_by_position(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems in the order of their positions in the text."""
    return sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))


def read_file(path: Path) -> Source:
    """Read a YAML or JSON file.

    Raises:
        SpecError: With ``UNREADABLE``, ``NOT_UTF8``, or the codes of `read_text`.
    """
    return _unless_refused(scan_file(path))


def read_text(text: str, file: str = "<text>") -> Source:
    """Read YAML or JSON text into plain data with positions; `file` is its name in messages.

    Raises:
        SpecError: Contains every problem: ``TOO_BIG``, ``TOO_DEEP``, ``NOT_YAML``,
            ``EMPTY``, ``BAD_CHARACTER``, ``SEVERAL_DOCUMENTS``, ``TAG``, ``ANCHOR``,
            ``DUPLICATE_KEY``, ``KEY_NOT_TEXT``.
    """
    return _unless_refused(scan_text(text, file))


def scan_file(path: Path) -> Source:
    """Read a YAML or JSON file like `scan_text`.

    Raises:
        SpecError: If the file cannot be read, or `scan_text` raises it.
    """
    try:
        raw = read_at_most(path, MAX_BYTES)
        if raw is None:
            raise SpecError([_too_big(str(path))])
        text = raw.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise SpecError([_not_utf8(error, str(path))]) from None
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        message = f"cannot be read: {reason}"
        raise SpecError([Problem("UNREADABLE", message, file=str(path))]) from None
    return scan_text(text, str(path))


def scan_text(text: str, file: str = "<text>") -> Source:
    """Read YAML or JSON text; problems after which reading can continue are not raised.

    They are stored in `Source.refused`, and the data can still be validated, so that all mistakes
    are reported at once.

    Raises:
        SpecError: If reading cannot continue after a problem.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES:  # without encoding: a character takes at least one byte
        raise SpecError([_too_big(file)])
    refused = _REFUSED.search(text)
    if refused:
        raise SpecError([_refused_character(text, refused.start(), file)])
    source = Source(file, text=text)
    loader = SAFE_LOADER(text)
    try:
        _Reader(source, loader).read()
    except yaml.MarkedYAMLError as error:
        raise SpecError(sorted_by_position([*source.refused, explain(error, text, file)])) from None
    finally:
        loader.dispose()
    source.refused = sorted_by_position(source.refused)
    return source


def _unless_refused(source: Source) -> Source:
    if source.refused:
        raise SpecError(source.refused)
    return source


class _Reader:
    """Builder of plain data from parse events; checks the limits before it recurses."""

    def __init__(self, source: Source, loader: Any) -> None:
        self.source = source
        self.next = loader.get_event
        self.values = 0

    def read(self) -> None:
        self.next()  # stream start
        start = self.next()
        if isinstance(start, yaml.StreamEndEvent):
            message = "is empty; a tree file starts with 'tree: NAME'"
            raise SpecError([Problem("EMPTY", message, file=self.source.file, line=1, column=1)])
        if start.tags:
            self._refuse("TAG", _NO_TAGS, (), found="%TAG", spot=_position(start))
        self.source.data = self._value(self.next(), ())
        self.next()  # document end
        after = self.next()
        if not isinstance(after, yaml.StreamEndEvent):
            line, column = _position(after)
            message = "holds a second document; write one tree per file"
            self.source.refused.append(
                Problem(
                    "SEVERAL_DOCUMENTS", message, file=self.source.file, line=line, column=column
                )
            )

    def _value(self, event: Any, place: Place) -> Any:
        self.source.marks[place] = _position(event)
        self.values += 1
        if self.values > MAX_VALUES:
            self._refuse_and_stop("TOO_BIG", f"holds more than {MAX_VALUES} values", place)
        if len(place) > MAX_DEPTH:
            self._refuse_and_stop("TOO_DEEP", f"is nested more than {MAX_DEPTH} levels deep", place)
        self._check_plain(event, place)
        if isinstance(event, yaml.AliasEvent):
            return None
        if isinstance(event, yaml.ScalarEvent):
            return event.value if event.style else parse_scalar(event.value)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Any] = []
            while not isinstance(item := self.next(), yaml.SequenceEndEvent):
                items.append(self._value(item, (*place, len(items))))
            return items
        return self._mapping(place)

    def _mapping(self, place: Place) -> dict[str, Any]:
        data: dict[str, Any] = {}
        while not isinstance(event := self.next(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                message = (
                    "a key must be a word; put text that starts with '{', '[' or '*' into quotes"
                )
                self._refuse("KEY_NOT_TEXT", message, place, spot=_position(event))
                self._value(event, (*place, "?"))
                self._value(self.next(), (*place, "?"))
                continue
            key, here = event.value, (*place, event.value)
            if key == "<<" and not event.style:
                message = "merge keys are not allowed; write the fields out"
                self._refuse("ANCHOR", message, here, found="<<", spot=_position(event))
            self._check_plain(event, here)
            if key in data:
                first = self.source.keys[here][0]
                message = f"{key!r} is given again here; it was first given on line {first}"
                self._refuse("DUPLICATE_KEY", message, here, spot=_position(event))
            self.source.keys.setdefault(here, _position(event))
            data[key] = self._value(self.next(), here)
        return data

    def _check_plain(self, event: Any, place: Place) -> None:
        """Store a problem if an event has an anchor, alias, tag or control character."""
        spot = _position(event)
        if event.anchor is not None:
            sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
            self._refuse("ANCHOR", _NO_ANCHORS, place, found=sign + event.anchor, spot=spot)
        if getattr(event, "tag", None) is not None:
            shown = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._refuse("TAG", _NO_TAGS, place, found=shown, spot=spot)
        control = _CONTROL.search(event.value) if isinstance(event, yaml.ScalarEvent) else None
        if control:
            shown = f"U+{ord(control[0]):04X}"
            self._refuse("BAD_CHARACTER", _NO_CONTROLS, place, found=shown, spot=spot)

    def _refuse(
        self, code: str, message: str, place: Place, *, found: str = "", spot: tuple[int, int]
    ) -> None:
        shown = show_place(place[:_SHOWN_PLACE])
        self.source.refused.append(
            Problem(code, message, shown, found, (), self.source.file, *spot)
        )
        if len(self.source.refused) >= MAX_PROBLEMS:
            raise SpecError(sorted_by_position(self.source.refused))

    def _refuse_and_stop(self, code: str, message: str, place: Place) -> None:
        self._refuse(code, message, place, spot=self.source.marks[place])
        raise SpecError(sorted_by_position(self.source.refused))


def parse_scalar(text: str) -> Any:
    """Return the value of an unquoted scalar by YAML 1.2's core schema, without hex and octal."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if INTEGER.match(text):
        return int(text)
    if NUMBER.match(text) and math.isfinite(number := float(text)):
        return number
    return text


def _position(event: Any) -> tuple[int, int]:
    return (event.start_mark.line + 1, event.start_mark.column + 1)


def _too_big(file: str) -> Problem:
    message = f"is too big: at most {MAX_BYTES // 1024} KiB are read"
    return Problem("TOO_BIG", message, file=file, line=1, column=1)


def _not_utf8(error: UnicodeDecodeError, file: str) -> Problem:
    line, column = _line_and_column(error.object[: error.start].decode("utf-8"))
    found = f"byte 0x{error.object[error.start]:02x}"
    message = "is not UTF-8 text; save it as UTF-8"
    return Problem("NOT_UTF8", message, found=found, file=file, line=line, column=column)


def _refused_character(text: str, position: int, file: str) -> Problem:
    line, column = _line_and_column(text[:position])
    found = f"U+{ord(text[position]):04X}"
    return Problem("BAD_CHARACTER", _NO_CONTROLS, "", found, (), file, line, column)


def _line_and_column(before: str) -> tuple[int, int]:
    """Return line and column of the character after the text `before`."""
    lines = _BREAK.split(before)
    return len(lines), len(lines[-1]) + 1
