"""Facts and failure codes of packs, checked in their source."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import pytest

from bt_exec import Failed, Running, Steps, Verdict, condition, skill
from bt_exec.pack import Catalogue, Pack, find_pack, pack_names
from bt_exec.standby_threads import run_in_thread
from bt_exec.testing import check_pack
from bt_exec.verify.pack_declarations import fact_problems, skill_problems

HERE = Path(__file__)
LATE = "TOO_LATE"
FACTS = {"door": ("open", "closed")}


def line_of(text):
    """Return the number of the first line of this file that ends in a marker."""
    lines = HERE.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {text}"))


@skill(
    needs={"att": "x"},  # misspelt need
    effects={
        "door": "opne",  # misspelt value
    },
)
def push() -> Steps:
    """Push."""
    yield Running()


@condition(establishes={"dor": "{state}"})  # misspelt fact
def door_is(state: Literal["open", "closed"]) -> Verdict:
    """Whether the door is in a state."""
    return Verdict.yes()


def help_out():
    raise Failed("HELPLESS")  # helper


@skill(fails={"STUCK"})
def pull(strong: bool = True) -> Steps:
    """Pull."""
    yield Running()
    if strong:
        raise Failed("STUCK")
    if not strong:
        raise Failed(LATE)  # constant
    help_out()
    try:
        help_out()
    except Failed as failed:
        raise Failed("STUCK") from failed
    finally:
        raise Failed("WEAK" if strong else "STUCK", "why")  # choice


@skill
def stop_and_pass_on(code: str) -> Steps:
    """Fail with codes that cannot be determined from the source, and with that of a stop."""
    yield Running()
    LATE = code  # noqa: N806 - shadows the constant
    if code:
        raise Failed(LATE)
    raise Failed("STOPPED")


def test_undeclared_facts_are_reported_with_their_line():
    pack = Pack("p", skills=(push,), conditions=(door_is,), facts=FACTS)
    found = [(p.code, p.found, p.file, p.line) for p in fact_problems(Catalogue([pack]))]
    file = str(HERE)
    assert found == [
        ("UNKNOWN_FACT", "att", file, line_of("misspelt need")),
        ("UNKNOWN_FACT_VALUE", "opne", file, line_of("misspelt value")),
        ("UNKNOWN_FACT", "dor", file, line_of("misspelt fact")),
    ]


def test_pack_without_facts_gets_an_example_declaration():
    (problem,) = fact_problems(Catalogue([Pack("p", conditions=(door_is,))]))
    assert 'Pack(facts={"door": ("open", …)})' in problem.message
    assert problem.allowed == ()


def test_undeclared_codes_are_reported_with_their_line():
    found = [(p.found, p.line) for p in skill_problems(Catalogue([Pack("p", skills=(pull,))]))]
    assert sorted(found) == sorted(
        [
            ("TOO_LATE", line_of("constant")),
            ("HELPLESS", line_of("helper")),
            ("WEAK", line_of("choice")),
        ]
    )


def test_codes_that_cannot_be_determined_are_ignored():
    assert skill_problems(Catalogue([Pack("p", skills=(stop_and_pass_on,))])) == []


def test_skill_without_source_is_ignored():
    space: dict[str, object] = {"skill": skill, "Running": Running, "Failed": Failed}
    text = (
        "from bt_exec import Steps\n@skill(effects={'a': 'b'})\ndef go() -> Steps:\n"
        " 'Go.'\n yield Running()\n raise Failed('X')\n"
    )
    exec(compile(text, "<nowhere>", "exec"), space)
    catalogue = Catalogue([Pack("p", skills=(space["go"],))])
    assert skill_problems(catalogue) == []
    (problem,) = fact_problems(catalogue)
    assert (problem.file, problem.line) == ("", None)


@pytest.mark.parametrize("name", pack_names())
def test_installed_packs_declare_their_facts_and_codes(name):
    check_pack(find_pack(name))


def test_check_pack_reports_the_first_mistake():
    with pytest.raises(AssertionError, match="UNKNOWN_FACT"):
        check_pack(Pack("p", skills=(push,), facts=FACTS))
    with pytest.raises(AssertionError, match="UNDECLARED_CODE"):
        check_pack(Pack("p", skills=(pull,)))


def test_calls_that_block_the_tick_are_found():
    @skill()
    def nap(robot) -> Steps:
        """Sleep in the tick, and fetch a page on a worker."""
        time.sleep(1)
        yield from run_in_thread(lambda: time.sleep(1))
        _doze()

    problems = skill_problems(Catalogue([Pack("p", skills=(nap,))]))
    here = nap.function.__code__.co_firstlineno
    assert [(one.code, one.found, one.line) for one in problems] == [
        ("BLOCKING_CALL", "time.sleep", here + 3),
        ("BLOCKING_CALL", "time.sleep", _doze.__code__.co_firstlineno + 1),
    ]


def _doze():
    time.sleep(1)
