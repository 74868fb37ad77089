"""Text into plain data, with the line and column of everything.

YAML is read as its 1.2 core with less: ``true`` and ``false`` are the only booleans (``no`` and
``on`` are words), numbers are decimal, dates are text. A file is data, so tags, anchors, aliases
and duplicate keys are refused, and size, depth and node count are bounded. JSON is YAML here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from bt_exec.failure import Problem, SpecError

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_VALUES", "Place", "Source", "read_file", "read_text"]

MAX_BYTES = 256 * 1024
MAX_VALUES = 20_000
MAX_DEPTH = 100
"""Nesting of YAML collections; the tree's own depth is bounded by `bt_exec.verify.bounds`."""

Place: TypeAlias = tuple[str | int, ...]
"""Where something stands in a document: keys and indices from the top."""

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?[0-9]+\.[0-9]*([eE][-+][0-9]+)?\Z")
# Both are subsets of what PyYAML resolves, so that its dumper quotes every word we would read as a
# number (held by tests/bt_exec/spec/test_dump.py).
_CONSTANTS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Source:
    """A document as plain data that remembers where everything stood.

    Attributes:
        file: File name, or what the text is ("the model's answer").
        data: Dicts, lists, strings, numbers, booleans and None.
        marks: (line, column) from 1, by place; values under their place, keys under place + key.
    """

    file: str
    data: Any = None
    marks: dict[Place, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Place, tuple[int, int]] = field(default_factory=dict)

    def mark(self, place: Place, *, key: bool = False) -> tuple[int | None, int | None]:
        """Return line and column of `place`, or of the nearest thing that encloses it."""
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
        """Return a `Problem` at `place` with its position; `key` points at the key itself."""
        line, column = self.mark(place, key=key)
        return Problem(code, message, show_place(place), found, allowed, self.file, line, column)


def show_place(place: Place) -> str:
    """Return a place as people read it: ``root/sequence[1]/with/arm``."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f"/{part}" if text else part
    return text


def read_file(path: Path) -> Source:
    """Read a YAML or JSON file.

    Raises:
        SpecError: If the file cannot be read, is no UTF-8, or is refused; see `read_text`.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SpecError([_too_big(str(path), path.stat().st_size)])
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SpecError(
            [Problem("UNREADABLE", f"cannot be read: {reason}", file=str(path))]
        ) from None
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        problem = Problem(
            "NOT_UTF8",
            "is not UTF-8 text; save it as UTF-8",
            found=f"byte 0x{error.object[error.start]:02x}",
            file=str(path),
            line=line,
            column=column,
        )
        raise SpecError([problem]) from None
    return read_text(text, str(path))


def read_text(text: str, file: str = "<text>") -> Source:
    """Read YAML or JSON text into plain data with positions.

    Raises:
        SpecError: With codes ``TOO_BIG``, ``TOO_DEEP``, ``NOT_YAML``, ``EMPTY``,
            ``SEVERAL_DOCUMENTS``, ``TAG``, ``ANCHOR``, ``DUPLICATE_KEY`` or ``KEY_NOT_TEXT``.
    """
    source = Source(file)
    if len(text) > MAX_BYTES:  # characters are at least a byte each
        raise SpecError([_too_big(file, len(text))])
    loader = _LOADER(text)
    try:
        _Reader(source, loader).read()
    except yaml.MarkedYAMLError as error:
        raise SpecError([_not_yaml(error, file)]) from None
    except yaml.YAMLError as error:  # the reader: a character YAML does not allow
        raise SpecError([_forbidden_character(text, file, error)]) from None
    finally:
        loader.dispose()
    return source


class _Reader:
    """Builds plain data from parse events: no composing, so nothing recurses before we count."""

    def __init__(self, source: Source, loader: Any) -> None:
        self.source = source
        self.next = loader.get_event
        self.values = 0
        self.problems: list[Problem] = []

    def read(self) -> None:
        self.next()  # stream start
        if isinstance(self.next(), yaml.StreamEndEvent):
            message = "is empty; a tree file starts with 'tree:'"
            raise SpecError([Problem("EMPTY", message, file=self.source.file, line=1, column=1)])
        self.source.data = self._value(self.next(), ())
        self.next()  # document end
        after = self.next()
        if not isinstance(after, yaml.StreamEndEvent):
            line, column = _spot(after)
            message = "holds a second document; write one tree per file"
            self.problems.append(
                Problem(
                    "SEVERAL_DOCUMENTS", message, file=self.source.file, line=line, column=column
                )
            )
        if self.problems:
            raise SpecError(self.problems)

    def _value(self, event: Any, place: Place) -> Any:
        self.source.marks[place] = _spot(event)
        self.values += 1
        if self.values > MAX_VALUES:
            self._stop("TOO_BIG", f"holds more than {MAX_VALUES} values", place)
        if len(place) > MAX_DEPTH:
            self._stop("TOO_DEEP", f"is nested more than {MAX_DEPTH} levels deep", place)
        if event.anchor is not None:
            self._refuse("ANCHOR", "anchors and aliases are not allowed; write it out", place)
            if isinstance(event, yaml.AliasEvent):
                return None
        if event.tag is not None:
            self._refuse("TAG", "tags are not allowed: a file is data", place, found=event.tag)
        if isinstance(event, yaml.ScalarEvent):
            return event.value if event.style else _plain(event.value)
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
                self._refuse("KEY_NOT_TEXT", "a key must be a word", place, found="a collection")
                self._value(event, (*place, "?"))
                self._value(self.next(), (*place, "?"))
                continue
            key, here = event.value, (*place, event.value)
            if key == "<<" and not event.style:
                self._refuse("ANCHOR", "merge keys are not allowed; write it out", place)
            if key in data:
                line, column = _spot(event)
                first = self.source.keys[here][0]
                message = f"{key!r} stands here again; it was first given on line {first}"
                self.problems.append(
                    Problem(
                        "DUPLICATE_KEY",
                        message,
                        show_place(here),
                        "",
                        (),
                        self.source.file,
                        line,
                        column,
                    )
                )
            self.source.keys.setdefault(here, _spot(event))
            data[key] = self._value(self.next(), here)
        return data

    def _refuse(self, code: str, message: str, place: Place, *, found: str = "") -> None:
        self.problems.append(self.source.problem(code, message, place, found=found))

    def _stop(self, code: str, message: str, place: Place) -> None:
        self._refuse(code, message, place[:6])
        raise SpecError(self.problems)


def _plain(text: str) -> Any:
    """Return what an unquoted scalar means in YAML 1.2's core, decimal numbers only."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.match(text) and len(text) < 20:
        return int(text)
    return float(text) if _FLOAT.match(text) else text


def _spot(event: Any) -> tuple[int, int]:
    return (event.start_mark.line + 1, event.start_mark.column + 1)


def _too_big(file: str, size: int) -> Problem:
    message = f"is too big: {size} bytes, at most {MAX_BYTES} are read"
    return Problem("TOO_BIG", message, file=file)


def _not_yaml(error: yaml.MarkedYAMLError, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    reason = error.problem or "cannot be read"
    if "alias" in reason or "anchor" in reason:
        message = "anchors and aliases are not allowed; write it out"
        return Problem("ANCHOR", message, file=file, line=line, column=column)
    hint = ""
    if "'\\t'" in reason:
        hint = "; indent with spaces, not tabs"
    elif "mapping values are not allowed" in reason:
        hint = "; put text that holds ': ' into quotes"
    return Problem("NOT_YAML", f"is not YAML: {reason}{hint}", file=file, line=line, column=column)


def _forbidden_character(text: str, file: str, error: yaml.YAMLError) -> Problem:
    position = getattr(error, "position", None)
    found = getattr(error, "character", None)
    line = column = None
    for index, char in enumerate(text):
        if (ord(char) < 32 and char not in "\t\n\r") or ord(char) in (0x7F, 0xFFFE, 0xFFFF):
            before = text[:index]
            line, column = before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1
            found = char
            break
    shown = f"U+{ord(found):04X}" if isinstance(found, str) and found else f"position {position}"
    message = "holds a character that YAML does not allow; remove it"
    return Problem("NOT_YAML", message, found=shown, file=file, line=line, column=column)
