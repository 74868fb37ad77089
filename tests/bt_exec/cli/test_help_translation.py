"""Help and usage errors in Korean: complete, without English sentences, without lasting effect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.text import Text

from bt_exec.cli import help_translation
from bt_exec.cli.app import _add_plugin_commands, app
from bt_exec.cli.help_translation import _module_of_command, _translations_beside
from bt_exec.spec.shipped_yaml import read_yaml
from tests.bt_exec.cli.conftest import Run

TABLE: dict[str, dict[str, str]] = read_yaml(Path(help_translation.__file__).with_suffix(".yaml"))
PARAGRAPHS = re.compile(r"\n\s*\n")
EXAMPLE = re.compile(r"bt-exec \w+( \S+)*")
HANGUL_NEEDED = re.compile(r", then| is a ")
ENGLISH = re.compile(r"(?<![\w'/.:=-])[a-z]{2,} [a-z]{2,}\b")
"""Two words in a row; a single one may be a name."""
TYPED = re.compile(
    r"bt-exec( [\w-]+)*|'[^']*'|\"[^\"]*\"|--[a-z-]+( [a-z]+)?|<[^>]*>|(int|float) range"
)


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all commands with their paths, those of installed packages too."""
    _add_plugin_commands()
    waiting: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(app))]
    while waiting:
        path, command = waiting.pop()
        yield path, command
        inner = getattr(command, "commands", {})
        waiting += [((*path, name), each) for name, each in inner.items()]


COMMANDS = dict(commands())


def shown(command: Any) -> Iterator[str]:
    """Yield each paragraph in the help of a command."""
    for each in (command, *command.params):
        for name in ("help", "epilog", "rich_help_panel"):
            text = getattr(each, name, None)
            for paragraph in PARAGRAPHS.split(text) if isinstance(text, str) else ():
                yield " ".join(paragraph.split())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_text_has_a_translation(path):
    command = COMMANDS[path]
    texts = _translations_beside(_module_of_command(command))
    assert not {text for text in shown(command) if text not in texts if not is_example(text)}


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_text_is_unchanged_by_the_markup_of_rich(path):
    texts = _translations_beside(_module_of_command(COMMANDS[path]))
    for text in shown(COMMANDS[path]):
        for each in (text, texts.get(text, "")):
            assert Text.from_markup(each).plain == each.replace("\\[", "[")


def is_example(text: str) -> bool:
    return not text or (EXAMPLE.fullmatch(text) is not None and not HANGUL_NEEDED.search(text))


def test_translation_of_help_is_used():
    listed = list(TABLE["help"])
    frame = set(listed[: listed.index("Missions")])
    tables = [TABLE["help"]]
    for path in COMMANDS:
        own = _translations_beside(_module_of_command(COMMANDS[path]))
        tables += [own.maps[0]] if own.maps[0] not in tables else []
    used = {text for command in COMMANDS.values() for text in shown(command)}
    assert {text for table in tables for text in table} - frame - used == set()


@pytest.mark.parametrize(
    ("width", "step"),
    [("80", 6), *(pytest.param(width, 1, marks=pytest.mark.slow) for width in ("50", "80", "120"))],
)
def test_korean_help_contains_no_english_sentence(bt: Run, monkeypatch, width: str, step: int):
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    monkeypatch.setenv("COLUMNS", width)
    for path in list(COMMANDS)[::step]:
        ran = bt(*path, "-h" if path else "--help")
        assert ran.code == 0
        assert "사용법: " in ran.out
        assert not ENGLISH.findall(TYPED.sub("", ran.out)), path


def test_english_help_after_korean_help_is_english(bt: Run, monkeypatch):
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    before = bt("run", "--help").out
    assert "옵션" in bt("run", "문 열어", "--help").out
    assert bt("run", "--help").out == before
    assert "Usage: bt-exec run" in before


def _takes_integer(option: Any) -> bool:
    """Return whether an option takes an integer; from typer 0.28 on it has no ``type``."""
    kind = getattr(option, "type", None)
    return "int" in kind.name if kind else option.type_descriptor.annotation is int


def usage_errors() -> Iterator[tuple[str, ...]]:
    """Yield wrong command lines of every command and option."""
    yield ("없는명령",)
    yield ("runn", "문 열어")
    yield ("run", "문", "열어")
    yield ("run", "문 열어", "--tree", "open_door", "--plan", "x.yaml")
    yield ("run", "문 열어", "--journal", "j.db", "--no-journal")
    yield ("run", "문 열어", "--frames", "--no-journal")
    yield ("run", "문 열어", "--json", "--turns", "-")
    yield ("run", "문 열어", "--site", "nowhere")
    yield ("run", "문 열어", "--compiler", "nobody")
    yield ("run", "문 열어", "--fault", "grasp")
    yield ("run", "문 열어", "--world", "door")
    yield ("run", "문 열어", "--plan", "missing.yaml")
    yield ("show", "없는트리")
    yield ("do", "없는동작")
    yield ("skills", "없는동작")
    yield ("why", "없는임무")
    yield ("history", "--site", "없는곳")
    for path, command in COMMANDS.items():
        if not path:
            continue
        yield (*path, "--없는옵션")
        for option in command.params:
            if (name := option.opts[0]).startswith("-"):
                flag = getattr(option, "is_flag", False)
                yield (
                    (*path, "문", f"{name}=1")
                    if flag and name.startswith("--")
                    else (*path, "문", name)
                )
                if _takes_integer(option):
                    yield (*path, "문", name, "하나")


@pytest.mark.slow
def test_usage_errors_of_korean_command_lines_are_korean(bt: Run):
    wrong = []
    for line in usage_errors():
        ran = bt(*line)
        assert (ran.code, ran.out) == (2, ""), line
        said = TYPED.sub(" ", ran.err)
        if ENGLISH.search(said) or not re.search("[가-힣]", said):
            wrong.append(ran.err)
    assert not wrong
