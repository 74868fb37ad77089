"""Phases of skills: all are translated to the language of the command."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bt_exec.failure import INJECTED, Failure
from bt_exec.language.messages import Messages
from bt_exec.site.site import load_site
from bt_exec_skills import door, navigation, reporter

pytestmark = pytest.mark.sampled

_DOING = re.compile(r"[a-z]+ing( [a-z]+)*")
_CALLS = {"Running", "Command", "phase", "run_in_thread", "_wait", "_idle", "_move_door"}


def _phases(folder: Path) -> set[str]:
    """Return the texts of phases in the files of a pack."""
    found = set()
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and getattr(node.func, "id", "") in _CALLS
            told = isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple)
            if named or told:
                texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
                found |= {one for one in texts if isinstance(one, str) and _DOING.fullmatch(one)}
    return found


PHASES = [
    (site, text)
    for site, module in (("door", door), ("building", reporter), ("building", navigation))
    for text in sorted(_phases(Path(module.__file__).parent))
]


def test_phases_are_extracted_from_the_skills() -> None:
    assert {("door", "lifting"), ("door", "pulling"), ("building", "driving")} <= {*PHASES}


@pytest.fixture(scope="module")
def messages() -> dict[str, Messages]:
    return {name: load_site(name).messages for name in ("door", "building")}


@pytest.mark.parametrize(("site", "text"), PHASES)
def test_every_phase_has_a_translation(site: str, text: str, messages: dict[str, Messages]) -> None:
    assert messages[site].translate_word(text, "en").isascii()
    assert re.search("[가-힣]", messages[site].translate_word(text, "ko"))


INJECTED_FAILURES = [
    (site, skill.name, code)
    for site in ("door", "building", "tabletop")
    for skill in load_site(site).catalogue.skills.values()
    for code in sorted(skill.fails)
]


@pytest.mark.parametrize(("site", "skill", "code"), INJECTED_FAILURES)
def test_message_of_an_injected_failure_states_that_it_was_injected(
    site: str, skill: str, code: str
) -> None:
    messages = load_site(site).messages
    failure = Failure(code, f"{INJECTED} at call 1", node=skill)
    assert messages.explain_failure(failure, "en").endswith(": injected failure at call 1.")
    assert messages.explain_failure(failure, "ko").endswith(
        ": 첫 번째 실행을 일부러 실패시켰습니다."
    )
