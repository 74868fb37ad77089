"""Extraction of the single document in a model's answer.

The document may be in a fence, or after a usual opening ("Here is the plan:"). It is never
assembled from fragments or chosen among several candidates. Other words around the document,
comments, duplicate keys, and keys in look-alike letters are problems that are reported to the
model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.model import KINDS
from bt_exec.spec.shipped_yaml import SAFE_LOADER
from bt_exec.spec.yaml_source import Source, read_text, show_place
from bt_exec_llm.client import read_answer
from bt_exec_llm.client.answer_parser import LONGEST
from bt_exec_llm.client.documents_in_answer import without_thoughts
from bt_exec_llm.client.text_repairs import json_comments
from bt_exec_llm.model_compiler.text_beside_plan_checks import surrounding_words_problem

__all__ = ["WHOLE", "Document", "document_in"]

WHOLE = ("root", "nodes", "steps", "full_action_list", "next_action", "cannot")
"""Keys of which every complete plan has at least one."""
_KEYS = (*WHOLE, "explanation", "assumes", "subgoals", "mission", "plan")
_NAME = "the answer"
_NO_DATA = frozenset({"ANCHOR", "TAG", "DUPLICATE_KEY", "KEY_NOT_TEXT", "SEVERAL_DOCUMENTS"})
_AROUND = "words around"
_COMMENTS_LEFT_OUT = "comments left out"
_BEFORE = "words before the document left out"


class Document(NamedTuple):
    """Result of the extraction: data, or the problems.

    Attributes:
        data: Data of the document, unchecked.
        notes: Deviations from the format that were tolerated.
        problems: Reasons why there is no data; empty if there is data.
    """

    data: Any = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def document_in(text: str) -> Document:
    """Return the single document in a model's text, or the problems."""
    if len(text) > LONGEST:
        message = f"the answer is longer than any plan: more than {LONGEST} characters"
        return Document(problems=(Problem("TOO_BIG", message),))
    said, thought = without_thoughts(text)
    if thought and not text.endswith(said.lstrip()):
        message = "thinking text after or inside the plan; write only the plan"
        return Document(problems=(Problem("WORDS_BESIDE_PLAN", message),))
    found = _whole_document(said.strip()) or _document_in_prose(said)
    if thought:
        found = found._replace(notes=("thoughts left out", *found.notes))
    if found.problems:
        return found
    odd = _suspicious_key_problem(found.data)
    return Document(problems=(odd,)) if odd is not None else found


def _document_in_prose(text: str) -> Document:
    reading = read_answer(text, keys=_KEYS, alone=WHOLE, any_case=False)
    if reading.source is None:
        return Document(None, reading.notes, tuple(map(_answer_problem, reading.problems)))
    if not reading.complete:
        message = "the answer is cut off or cannot be read to its end; write it again, whole"
        return Document(None, reading.notes, (Problem("NOT_READABLE", message),))
    torn_out = any(_AROUND in note for note in reading.notes)
    whole = isinstance(reading.data, dict) and any(key in reading.data for key in WHOLE)
    if torn_out and not whole:
        return Document(None, reading.notes, (_no_plan(),))
    beside = surrounding_words_problem(reading.words) or _comment_problem(reading.text)
    if beside is None and _COMMENTS_LEFT_OUT in reading.notes:
        message = "comments in the answer; write the plan alone"
        beside = surrounding_words_problem("\n".join(json_comments(text)))
        beside = beside or Problem("WORDS_BESIDE_PLAN", message)
    if beside is not None:
        return Document(None, reading.notes, (beside,))
    return Document(reading.data, reading.notes)


def _whole_document(text: str) -> Document | None:
    """Return the whole text as one document; None if it is not one."""
    try:
        source = read_text(text, _NAME)
    except SpecError as error:
        first = text[:1] in "{[-%" or text.partition(":")[0].strip("\"' ") in (*_KEYS, *KINDS)
        codes = {problem.code for problem in error.problems}
        sure = first and codes and codes <= _NO_DATA
        return Document(problems=error.problems) if sure else None
    found = _after_colon(source) or _document_of_data(source.data)
    comment = None if found is None else _comment_problem(text)
    return found if comment is None else Document(problems=(comment,))


def _document_of_data(data: Any) -> Document | None:
    known = isinstance(data, dict) and any(key in data for key in (*_KEYS, *KINDS))
    listed = isinstance(data, list) and all(isinstance(item, dict) for item in data)
    return Document(data) if known or listed else None


def _after_colon(source: Source) -> Document | None:
    """Return the document after an opening sentence with a colon, which YAML parses as a key."""
    data = source.data
    if not isinstance(data, dict) or not data:
        return None
    key, inner = next(iter(data.items()))
    if (
        key
        and inner is None
        and len(data) > 1
        and key not in _KEYS
        and not surrounding_words_problem(key)
    ):
        rest = {other: value for other, value in data.items() if other != key}
        return Document(rest, (_BEFORE,))
    if len(data) != 1:
        return None
    if key in (*_KEYS, *KINDS) or not (" " in key or not key.isascii()):
        return None
    if not isinstance(inner, dict | list):
        return None
    beside = surrounding_words_problem(key)
    if beside is not None:
        return Document(problems=(beside,))
    return Document(inner, (_BEFORE,))


def _suspicious_key_problem(data: Any) -> Problem | None:
    """Return a problem for a key that equals another except for case, or has look-alike letters."""
    stack: list[tuple[Any, tuple[str | int, ...]]] = [(data, ())]
    while stack:
        value, place = stack.pop()
        if isinstance(value, list):
            stack += [(inner, (*place[:8], index)) for index, inner in enumerate(value)]
        elif isinstance(value, dict):
            seen: dict[str, str] = {}
            for key, inner in value.items():
                where = show_place((*place, key))
                if not key.isascii() or not key.isprintable():
                    message = "keys are written in plain Latin letters; this one only looks alike"
                    return Problem("ODD_KEY", message, where, ascii(key)[1:-1][:60])
                flat = key.casefold().replace("-", "_").replace(" ", "_")
                if flat in seen:
                    message = f"{key!r} and {seen[flat]!r} are one key, given twice"
                    return Problem("DUPLICATE_KEY", message, where, key[:60])
                seen[flat] = key
                stack.append((inner, (*place[:8], key)))
    return None


def _comment_problem(text: str) -> Problem | None:
    """Return a problem if a text has a comment, which operators read but parsers ignore."""
    found = (surrounding_words_problem(comment) for comment in _yaml_comments(text))
    return next((problem for problem in found if problem is not None), None)


def _yaml_comments(text: str) -> Iterator[str]:
    """Yield the comments of a YAML text, including those in headers of text blocks."""
    if "#" not in text:
        return
    loader, end = SAFE_LOADER(text), 0
    text = text.removeprefix("\ufeff")
    try:
        while loader.check_token():
            token = loader.get_token()
            start = token.start_mark.index
            yield text[end:start].partition("#")[2]
            end = max(end, token.end_mark.index)
            if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
                yield text[start:end].partition("\n")[0].partition("#")[2]
    finally:
        loader.dispose()
    yield text[end:].partition("#")[2]


def _answer_problem(problem: Problem) -> Problem:
    return _no_plan() if problem.code == "EMPTY" else problem


def _no_plan() -> Problem:
    message = "the answer contains no plan; write one YAML document and nothing else"
    return Problem("NO_PLAN", message)
