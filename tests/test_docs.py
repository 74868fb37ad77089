"""Commands and files of the documentation."""

from __future__ import annotations

import io
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

import bt_exec
from bt_exec.cli import app as program
from bt_exec.spec.modifier_table import MODIFIERS

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [ROOT / "README.md", ROOT / "README.ko.md", ROOT / "UPGRADING.md", *ROOT.glob("docs/*.md")]
)
LISTED = re.findall(r": ([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
WRITTEN = [page.relative_to(ROOT / "docs").as_posix() for page in ROOT.glob("docs/**/*.md")]
KOREAN = sorted(ROOT.glob("docs/ko/*.md"))
BLOCK = re.compile(r"^```(\w*)(?: title=\"([^\"]*)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> Iterator[tuple[str, str, str]]:
    """Yield language, title and text of each fenced block."""
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield found[1], found[2] or "", found[3]


def lines_of(page: Path) -> Iterator[str]:
    """Yield each shell line that begins with bt-exec, without its comment."""
    for language, _, text in blocks(page):
        if language in ("", "bash"):
            for line in text.replace("\\\n", " ").splitlines():
                if line.strip().startswith("bt-exec"):
                    yield re.sub(r"\s+#.*$", "", line.strip())


def commands(page: Path) -> Iterator[str]:
    """Yield each call of bt-exec in the blocks of a page."""
    for line in lines_of(page):
        for part in re.split(r"\s\|\s", line):
            if part.startswith("bt-exec"):
                yield part


@cache
def installed_command() -> Any:
    """Return the program with the commands of installed packages."""
    program._add_plugin_commands()
    return typer.main.get_command(program.app)


EVERY = [(page.name, line) for page in PAGES for line in dict.fromkeys(commands(page))]


@pytest.mark.parametrize(("page", "line"), EVERY)
def test_documented_command_and_its_options_exist(page: str, line: str) -> None:
    """Only names are compared: files, missions and services need not exist."""
    command = installed_command()
    words = shlex.split(line.split(" > ")[0])[1:]
    context = command.make_context("bt-exec", [], resilient_parsing=True)
    while words and getattr(command, "commands", None):
        name = words.pop(0)
        found = command.get_command(context, name)
        if found is None and not name.startswith("-"):
            pytest.fail(f"{page}: {line}: there is no command {name!r}")
        if found is None:
            words.insert(0, name)
            break
        command, context = (
            found,
            found.make_context(name, [], parent=context, resilient_parsing=True),
        )
    command.make_parser(context).parse_args(list(words))


def test_documentation_contains_more_than_ninety_commands() -> None:
    assert len(EVERY) > 90


@pytest.mark.parametrize("page", KOREAN, ids=lambda page: page.name)
def test_korean_page_has_the_commands_and_files_of_the_english(page: Path) -> None:
    """The English commands are run below; comments may be translated."""
    english = page.parents[1] / page.name
    found, wanted = list(blocks(page)), list(blocks(english))
    assert [one[:2] for one in found] == [one[:2] for one in wanted]
    for (_, _, text), (_, _, original) in zip(found, wanted, strict=True):
        assert without_comments(text) == without_comments(original)
    heads = [re.findall(r"^#+ ", file.read_text("utf-8"), re.MULTILINE) for file in (page, english)]
    assert heads[0] == heads[1]


def without_comments(text: str) -> list[str]:
    return [re.sub(r"\s*#.*$", "", line) for line in text.splitlines()]


def test_main_pages_exist_in_korean() -> None:
    assert {page.name for page in KOREAN} >= {"tutorial.md", "trees.md", "skills.md", "robots.md"}


def test_navigation_lists_every_page() -> None:
    assert set(WRITTEN) <= set(LISTED)


def test_generated_reference_covers_commands_codes_and_names() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "_reference.py"))["pages"]()
    assert set(pages) == {name for name in LISTED if name not in WRITTEN}
    assert "## `bt-exec rehearse`" in pages["reference/commands.md"]
    assert "| `DOOR_STUCK` | open_door, close_door |" in pages["reference/codes.md"]
    assert all(f"### `{name}`" in pages["reference/api.md"] for name in bt_exec.__all__)
    assert all(f"| `{one.name}` |" in pages["reference/language.md"] for one in MODIFIERS)
    assert "](docs/" not in pages["index.md"]


@pytest.mark.slow
def test_site_builds_without_broken_links(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    build = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-q",
        "-d",
        str(tmp_path / "site"),
    ]
    run = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    for folder in ("", "ko"):
        assert (tmp_path / "site" / folder / "tutorial" / "index.html").is_file()
        home = tmp_path / "site" / folder / "index.html"
        shown = re.findall(r'<img[^>]* src="([^"]+\.svg)"', home.read_text(encoding="utf-8"))
        assert shown
        assert all((home.parent / picture).is_file() for picture in shown)


NOT_RUN = {
    "labels.md": "the reader's recordings; tests/labeler runs these commands",
    "pictures.md": "the reader's pictures; tests/skills/image runs these commands",
    "service.md": "serves until it is stopped; tests/bt_exec/serve runs it",
    "tutorial.md": "another test runs it",
    "campaigns.md": "starts processes for minutes; tests/bt_exec/campaign runs these commands",
    "bt-exec torture": "takes minutes; tests/bt_exec/testing runs it",
    "bt-exec check my_robot": "the tutorial does it",
    'bt-exec run "Turn on the lamp." --site my_robot.yaml': "the tutorial does it",
    "bt-exec check kitchen": "a pack that is not installed",
    "bt-exec import nav.xml": "files of others",
    "bt-exec vision dataset": "takes minutes",
    "bt-exec vision train": "takes hours",
    "bt-exec vision eval": "needs a trained network",
    "bt-exec watch": "follows another process",
    "bt-exec history show 7 --follow": "follows another process",
    "bt-exec doctor": "its exit code tells of the machine",
    "bt-exec show get_material --format dot | dot": "needs Graphviz",
    "bt-exec fmt --check trees/": "fmt was run before",
    "bt-exec eval door --compiler offline": "needs a key",
    "bt-exec eval my_commands.yaml": "files of the reader; tests/bt_exec/evaluation",
    "bt-exec resume": "needs an interrupted mission; tests/bt_exec/mission makes one",
    'bt-exec run "go on"': "needs an interrupted mission",
}
"""Pages and line prefixes whose names are compared without running them."""


def runs(page: str, line: str) -> bool:
    return page not in NOT_RUN and not any(line.startswith(begin) for begin in NOT_RUN)


def lines_by_page() -> dict[str, list[str]]:
    """Return the lines to run by page; a line of several pages is run for the first of them."""
    found: dict[str, list[str]] = {}
    known: set[str] = set()
    for page in PAGES:
        lines = [line for line in dict.fromkeys(lines_of(page)) if runs(page.name, line)]
        found[page.name] = [line for line in lines if line not in known]
        known |= {*lines}
    return {page: lines for page, lines in found.items() if lines}


RUN = lines_by_page()
FAILS = ("fault", "swap the cups")
"""Commands that may fail, because their exit codes are those of missions."""


class Ran(NamedTuple):
    """Exit code and output of a line."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(
    tmp_path: Path,
    shell: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Callable[[str], Ran]]:
    """Yield a function that runs a line in the folder of the test.

    Single commands run in this process, where imports and words are loaded once. Pipes and files
    are left to the shell.
    """
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}

    def run(line: str) -> Ran:
        words = shlex.split(line)
        if words[0] != "bt-exec" or {"|", "<", ">"} & {*words}:
            ran = subprocess.run(
                line,
                shell=True,
                cwd=tmp_path,
                env=shell,
                capture_output=True,
                text=True,
                timeout=300,
                stdin=subprocess.DEVNULL,
            )
            return Ran(ran.returncode, ran.stdout, ran.stderr)
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        code = program.run_command_line(words[1:])
        return Ran(code, *capsys.readouterr())

    monkeypatch.chdir(tmp_path)
    for name, value in shell.items():
        monkeypatch.setenv(name, value)
    yield run
    for number, handler in handlers.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_documented_commands_succeed(page: str, tmp_path: Path, run: Callable[[str], Ran]) -> None:
    """Each command runs in a folder with its files, after seven missions."""
    shutil.copytree(ROOT / "trees" / "door", tmp_path / "trees")
    (tmp_path / "my_lab.yaml").write_text("site: lab\npacks: {door: {robot: sim}}\n")
    (tmp_path / "my_tree.yaml").write_text("tree: mine\nroot: {do: return_home}\n")
    shown = run("bt-exec show get_material --format yaml")
    text = shown.out if shown.code == 0 else ""
    (tmp_path / "my_version.yaml").write_text(
        text or (ROOT / "trees/door/get_material.yaml").read_text()
    )
    tool = "from bt_exec import Running, Steps, skill\n\n\n@skill\ndef rest() -> Steps:\n"
    (tmp_path / "my_skills.py").write_text(f'{tool}    """Do nothing."""\n    yield Running()\n')
    for language, _, text in blocks(ROOT / "docs" / "faults.md"):
        if language == "yaml" and not (tmp_path / "plan.yaml").exists():
            (tmp_path / "plan.yaml").write_text(text, encoding="utf-8")
    (file,) = (one for one in PAGES if one.name == page)
    for _, title, text in blocks(file):
        if title:
            (tmp_path / title).write_text(text, encoding="utf-8")
    if " 7" in "".join(RUN[page]):
        (tmp_path / "seven").write_text("is the door open?\n" * 6 + "get the material\n")
        seven = "bt-exec repl --fast --fault grasp:1=GRASP_SLIPPED < seven"
        assert run(seven).code == 0
    for line in RUN[page]:
        fast = line if "--fast" in line else re.sub(r"bt-exec (run|do)", r"\g<0> --fast", line)
        ran = run(
            fast.replace("replay 7", "replay 7 --plain") if line == "bt-exec replay 7" else fast
        )
        allowed = (0, 3, 4, 6) if any(word in line for word in FAILS) else (0,)
        assert ran.code in allowed, (line, ran.out[-2000:], ran.err[-2000:])


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """Return an environment with the programs of this package and separate folders."""
    path = os.pathsep.join([str(tmp_path / "installed"), str(tmp_path / "garden"), str(ROOT)])
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": path,
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
    }


def install(folder: Path) -> None:
    """Write an entry point into a folder of `sys.path`, like pip without a package index."""
    info = folder / "bt_exec_garden-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text("[bt_exec.packs]\ngarden = garden.pack:PACK\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bt-exec-garden\nVersion: 0.1.0\n")


@pytest.mark.slow
def test_tutorial_works_as_printed(tmp_path: Path, shell: dict[str, str]) -> None:
    """Every file is written and every command is run, in order; the output is compared."""
    folder, before = tmp_path, ""
    for language, title, text in blocks(ROOT / "docs" / "tutorial.md"):
        if title:
            (folder / title).write_text(text, encoding="utf-8")
        elif language == "text":
            assert before == text
        elif language == "bash":
            before = ""
            for line in text.splitlines():
                if line.startswith("cd "):
                    folder /= line.removeprefix("cd ")
                elif line.startswith("pip install"):
                    install(tmp_path / "installed")
                else:
                    run = subprocess.run(
                        line,
                        shell=True,
                        cwd=folder,
                        env=shell,
                        capture_output=True,
                        text=True,
                        timeout=120,
                        stdin=subprocess.DEVNULL,
                    )
                    assert run.returncode == 0, (line, run.stdout, run.stderr)
                    before += run.stdout + run.stderr
    assert "<svg" in (folder / "water_beds.svg").read_text(encoding="utf-8")
    assert "<BehaviorTree" in (folder / "water_bed.xml").read_text(encoding="utf-8")
