"""Results of commands in the reader's language: no literal text is printed untranslated."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import bt_exec.cli
import bt_exec_skills.image
from bt_exec.cli.output_streams import localized, use_language_of
from bt_exec.language.korean_errors import korean_error
from tests.bt_exec.cli.conftest import Run

FILES = sorted(Path(bt_exec.cli.__file__).parent.glob("*.py"))
PRINTS = ("say",)
WORD = re.compile(r"(?<!bt-exec )(?<![\w-])(?!bt-exec)[a-z]{2,}")
AUTHORS = {"evaluate.py": "figures for authors, with the names of columns"}
"""Files with texts in English only, and the reason."""


def literals(node: ast.expr) -> Iterator[str]:
    """Yield the texts that a literal may have, with a number in place of each value."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.IfExp():
            yield from (*literals(node.body), *literals(node.orelse))
        case ast.JoinedStr():
            parts = ([*literals(part)] for part in node.values)
            yield from map("".join, itertools.product(*parts))
        case ast.FormattedValue(value=ast.IfExp() as value):
            yield from literals(value)
        case _:
            yield "7"


def calls(file: Path, names: tuple[str, ...]) -> Iterator[str]:
    """Yield the literal first arguments of calls of the given functions or methods."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in names:
                yield from (text for text in literals(node.args[0]) if WORD.search(text))


def test_printed_literals_are_localized() -> None:
    wrong = {
        file.name: found
        for file in FILES
        if file.name not in AUTHORS and (found := [*calls(file, PRINTS)])
    }
    assert wrong == {}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_localized_literals_have_korean_translations(file: Path) -> None:
    with use_language_of("ko"):
        assert [text for text in calls(file, ("localized",)) if localized(text) == text] == []


def test_localized_text_is_unchanged_in_english() -> None:
    with use_language_of("en"):
        assert localized("3 missions removed, 1.0 MB") == "3 missions removed, 1.0 MB"
    with use_language_of("ko"):
        assert localized("3 missions removed, 1.0 MB") == "지운 것: 임무 3개(1.0 MB)"


IMAGE = Path(bt_exec_skills.image.__file__).parent
OPERATED = [
    *(Path(bt_exec.__file__).parent / name for name in ("nodes", "journal", "serve")),
    *(IMAGE / name for name in ("perception/picture_loading.py", "perception/annotation_files.py")),
    *(
        IMAGE / f"{name}.py"
        for name in ("cli", "mission_worlds", "picture_sources", "picture_download")
    ),
    IMAGE / "rigs.py",
]
"""Parts whose usage errors operators can cause."""
UNTRANSLATED = {
    "campaign.py": "for authors of campaigns",
    "check.py": "for authors of trees",
    "interchange.py": "for authors of trees",
    "understand.py": "for authors of compilers",
    "unwritten_row_files.py": "a reason within another message",
}


def usage_errors() -> Iterator[str]:
    files = [file for part in OPERATED for file in (sorted(part.rglob("*.py")) or [part])]
    for file in (*FILES, *files):
        if file.name not in UNTRANSLATED:
            yield from (text for text in calls(file, ("UsageError",)) if text[:2] != "77")


def test_usage_errors_of_operators_have_korean_translations() -> None:
    texts = [text for text in usage_errors() if text != "7 needs 7"]
    assert len(texts) > 80
    assert [text for text in texts if not re.search("[가-힣]", korean_error(text))] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fault", "open_door:1=NOPE"), "'open_door' 동작은 NOPE 코드로 실패하지 않습니다."),
        (("--fault", "open_door:0=NO_GRIP"), "결함 'open_door:0=NO_GRIP': 호출은 1부터 셉니다"),
        (
            ("--faults", "missing.yaml"),
            "missing.yaml: 읽을 수 없습니다: 그런 파일이나 폴더가 없습니다",
        ),
    ],
)
def test_usage_errors_of_a_korean_command_are_in_korean(
    bt: Run, options: tuple[str, str], said: str
) -> None:
    ran = bt("run", "문 열어", *options)
    assert (ran.code, ran.err.startswith(f"bt-exec: {said}")) == (2, True), ran.err


FAULTS = {
    "{part: planner, does: crash}": "계획기에서 오류가 발생했습니다: 일부러 오류를 냈습니다.",
    "{part: skill, name: open_door, does: slow, call: 1, seconds: 2.2}": (
        r"“오른팔로 문 열기” 동작 때문에 임무가 \d\.\d초 동안 멈춰 있었습니다\."
    ),
}


@pytest.mark.parametrize(("fault", "said"), FAULTS.items())
def test_warnings_of_a_korean_mission_are_in_korean(
    bt: Run, tmp_path: Path, fault: str, said: str
) -> None:
    plan = tmp_path / "faults.yaml"
    plan.write_text(f"command: 문 열어\nfaults: [{fault}]\n", encoding="utf-8")
    err = bt("run", "--faults", str(plan), "--fast").err
    assert re.match(f"bt-exec: {said}", err), err
    assert WORD.search(err.replace("bt-exec", "")) is None


def test_command_why_names_a_planner_crash_after_a_failure(bt: Run, tmp_path: Path) -> None:
    plan = tmp_path / "faults.yaml"
    failing = "{part: skill, name: open_door, does: fail, code: DOOR_STUCK, call: 1}"
    crash = "{part: planner, does: crash, since: 0.01}"
    plan.write_text(f"command: open the door\nfaults: [{failing}, {crash}]\n", encoding="utf-8")
    bt("run", "--faults", str(plan), "--fast")
    cause = bt("why", "--json")
    assert "The planner crashed: injected crash." in json.loads(cause.out)["cause"]
    assert "injected failure" in json.loads(cause.out)["cause"]
