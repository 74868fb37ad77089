"""Malformed files of every kind: code, line, column and message of each problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_file, load_text
from bt_exec.spec.yaml_source import MAX_BYTES, read_file
from bt_exec.verify import verify_document, verify_library
from tests.bt_exec.spec.workshop import DATA, catalogue, library

FOLDER = DATA / "malformed"
EXPECTED: dict[str, list[str]] = read_file(FOLDER / "expected.yaml").data
FILES = {path.stem: path for path in FOLDER.glob("*.yaml") if path.stem != "expected"}
CATALOGUE, LIBRARY = catalogue(), library()


def problems_of(path: Path) -> tuple[Problem, ...]:
    """Return all problems of a file, as found by ``bt-exec check``."""
    try:
        document, source = load_file(path)
    except SpecError as error:
        return error.problems
    return verify_document(document, CATALOGUE, LIBRARY, source)


def test_every_malformed_file_has_an_expected_result() -> None:
    assert set(FILES) == set(EXPECTED)
    assert sum(1 for expected in EXPECTED.values() if expected) >= 70


@pytest.mark.parametrize("name", EXPECTED)
def test_malformed_file_has_the_expected_problems(name: str) -> None:
    found = problems_of(FILES[name])
    expected = [line.split(" ", 2) for line in EXPECTED[name]]
    assert [f"{p.line}:{p.column} {p.code}" for p in found] == [
        f"{spot} {code}" for spot, code, _ in expected
    ]
    for problem, (_, _, words) in zip(found, expected, strict=True):
        assert words in problem.message
        assert problem.file == str(FILES[name])


def told() -> dict[str, list[str]]:
    """Return the complete expected messages of each file, from ``told.txt``."""
    lines: dict[str, list[str]] = {name: [] for name in EXPECTED}
    for line in (FOLDER / "told.txt").read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition(" | ")
        lines[name].append(text)
    return lines


TOLD = told()


@pytest.mark.sampled
@pytest.mark.parametrize("name", TOLD)
def test_messages_of_malformed_files_are_complete(name: str) -> None:
    path = FILES[name]
    assert [str(problem) for problem in problems_of(path)] == [
        f"{path}:{text}" for text in TOLD[name]
    ]


def test_several_problems_are_reported_in_the_order_of_the_text() -> None:
    found = problems_of(FILES["several_mistakes"])
    spots = [(problem.line, problem.column) for problem in found]
    assert len(found) == 7
    assert spots == sorted(spots)
    assert {problem.code for problem in found} >= {"DUPLICATE_KEY", "NO_KIND", "BAD_TIME"}


def test_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    path.write_text("tree: t\nsummary: " + "x" * MAX_BYTES)
    with pytest.raises(SpecError) as caught:
        load_file(path)
    assert str(caught.value) == f"{path}:1:1: is too big: at most 1024 KiB are read [TOO_BIG]"


@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "? ", "[{a: ", "a: [", "!x [", "&a ["])
def test_deep_nesting_is_refused_without_recursion(opener: str) -> None:
    text = opener * (100_000 // len(opener))
    with pytest.raises(SpecError) as caught:
        load_text(text)
    assert {problem.code for problem in caught.value.problems} & {
        "TOO_DEEP",
        "KEY_NOT_TEXT",
        "NOT_YAML",
        "ANCHOR",
        "TAG",
    }
    assert len(caught.value.problems) <= 50


@pytest.mark.parametrize("opener", ["[", "[\n", "{a: "])
def test_deeply_nested_brackets_are_reported_as_too_deep(opener: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_text(opener * (100_000 // len(opener)))
    assert [problem.code for problem in caught.value.problems] == ["TOO_DEEP"]


def test_too_many_values_are_refused() -> None:
    with pytest.raises(SpecError, match="holds more than 100000 values") as caught:
        load_text("tree: t\nutterances: [" + "a," * 110_000 + "]\nroot: {do: look}\n")
    assert caught.value.problems[0].line == 2


def test_file_that_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path, Path("a\0b.yaml")):
        with pytest.raises(SpecError) as caught:
            load_file(path)
        assert caught.value.problems[0].code == "UNREADABLE"
    with pytest.raises(SpecError) as caught:
        load_file(tmp_path / "none.yaml")
    path = tmp_path / "none.yaml"
    assert str(caught.value) == f"{path}: cannot be read: no such file or directory [UNREADABLE]"


def test_same_tree_in_two_files_is_reported(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text("summary: x\ntree: t\nroot: {do: look}\n")
    with pytest.raises(SpecError) as caught:
        Library.load([tmp_path])
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    message = f"{two}:2:7: tree: tree 't' is already defined in {one} [DUPLICATE_TREE]"
    assert str(caught.value) == message


def test_cycle_of_trees_is_reported(tmp_path: Path) -> None:
    for name, other in ("ab", "bc", "ca"):
        (tmp_path / f"{name}.yaml").write_text(
            f"tree: {name}\nroot:\n  sequence:\n    - do: look\n    - tree: {other}\n"
        )
    found = verify_library(Library.load([tmp_path]), CATALOGUE)
    assert [f"{p.line}:{p.column} {p.code} {p.message}" for p in found] == [
        "5:13 TREE_CYCLE a tree runs itself: a → b → c → a",
        "5:13 TREE_CYCLE a tree runs itself: b → c → a → b",
        "5:13 TREE_CYCLE a tree runs itself: c → a → b → c",
    ]


def test_shared_trees_are_visited_once(tmp_path: Path) -> None:
    """Each of forty trees runs the next one twice. There is no cycle, and each is visited once."""
    for n in range(40):
        child = (
            "{do: look}" if n == 39 else f"{{sequence: [{{tree: t{n + 1}}}, {{tree: t{n + 1}}}]}}"
        )
        (tmp_path / f"{n:02}.yaml").write_text(f"tree: t{n}\nroot: {child}\n")
    assert verify_library(Library.load([tmp_path]), CATALOGUE) == ()
