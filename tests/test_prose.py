"""Words of a private dialect in docstrings, test names, messages and docs, counted per folder.

A folder without an entry in `ALLOWED` is held at zero. The others are held at their last count;
lower it, or delete it, after rewriting a folder.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
DEPTH = {"bt_exec": 2, "skills": 3, "llm": 3, "labeler": 3, "tests": 3, "docs": 1}
"""Roots, and the number of path parts that name a folder."""
WORDS = re.compile(
    r"\b(?:told|tells|says|nobody|somebody|whoever|people|heed(?:s|ed|ing)?"
    r"|(?<!there )(?:is|are) (?-i:no|none)|of (?:its|their) own|take note|made good|broken off"
    r"|goes on|lets? go of|(?:lies|stands) in)\b",
    re.IGNORECASE,
)
VAGUE = re.compile(r"(?:What|Who|Its|See|Where)\b")
"""First words of a docstring that does not name its subject."""
ENGLISH = re.compile(r"""\ben: *("(?:[^"\\]|\\.)*"|'[^']*'|[^,}\n]*)""")
ALLOWED: dict[str, int] = {
    "bt_exec/language": 2,
    "bt_exec/mission": 2,
    "bt_exec/testing": 3,
    "bt_exec/tui": 4,
    "docs": 13,
    "labeler/bt_exec_labeler/datasets": 1,
    "labeler/bt_exec_labeler/labelers": 6,
    "labeler/bt_exec_labeler/lerobot": 1,
    "labeler/bt_exec_labeler/review": 1,
    "labeler/bt_exec_labeler/testing": 1,
    "llm/bt_exec_llm/model_compiler": 3,
    "llm/bt_exec_llm/offline": 16,
    "llm/bt_exec_llm/prompts": 1,
    "llm/bt_exec_llm/turns": 2,
    "skills/bt_exec_skills/door": 3,
    "skills/bt_exec_skills/image": 9,
    "skills/bt_exec_skills/reporter": 116,
    "skills/bt_exec_skills/tabletop": 1,
    "skills/bt_exec_skills/things": 8,
    "tests/bt_exec/planning": 2,
    "tests/bt_exec/spec": 1,
    "tests/bt_exec/tui": 2,
    "tests/missions": 2,
    "tests/mutants": 5,
    "tests/skills/reporter": 13,
    "tests/truth": 1,
}
"""Upper bounds of the folders that are not rewritten yet, or whose subject is such a word."""


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line numbers and texts: docstrings, test names, messages, paragraphs."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from enumerate(source.splitlines(), 1)
    elif path.suffix == ".yaml":
        for number, line in enumerate(source.splitlines(), 1):
            yield from ((number, found[1]) for found in ENGLISH.finditer(line))
    else:
        yield from _texts_of_code(ast.parse(source), messages="tests" not in path.parts)


def _texts_of_code(module: ast.Module, *, messages: bool) -> Iterator[tuple[int, str]]:
    docstrings = set()
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, node.name.replace("_", " ")
        for statement in getattr(node, "body", []) if isinstance(node, _SCOPES) else []:
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text)) as constant):
                    docstrings.add(constant)
                    vague = VAGUE.match(text)
                    yield constant.lineno, f"{text}\n{'whoever' if vague else ''}"
    for node in ast.walk(module) if messages else ():
        match node:
            case ast.Constant(value=str(text)) if node not in docstrings and text.count(" ") > 1:
                yield node.lineno, text


_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def _found(root: str) -> dict[str, list[str]]:
    """Return the places of such words by folder."""
    found: dict[str, list[str]] = {}
    for path in sorted((HERE / root).rglob("*")):
        if (
            path.suffix not in (".py", ".yaml", ".md")
            or "data" in path.parts
            or path == Path(__file__)
        ):
            continue
        place = path.relative_to(HERE)
        folder = "/".join(place.parent.parts[: DEPTH[root]])
        for line, text in _texts(path):
            found.setdefault(folder, []).extend(
                f"{place}:{line}: {hit[0]}" for hit in WORDS.finditer(text)
            )
    return found


@pytest.mark.parametrize("root", DEPTH)
def test_prose_contains_no_more_private_words_than_allowed(root: str) -> None:
    grown = {
        folder: (len(places), "allowed", ALLOWED.get(folder, 0), places[:20])
        for folder, places in _found(root).items()
        if len(places) > ALLOWED.get(folder, 0)
    }
    assert not grown
