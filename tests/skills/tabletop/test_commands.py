"""Corpus of commands in Korean and English, with subgoals and tasks.

``python -m tests.skills.tabletop.test_commands`` prints the differences.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bt_exec.language.meaning import Turn
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.compiler import refusal_message, understand
from bt_exec_skills.tabletop.goals.model import Trouble

pytestmark = pytest.mark.sampled

DATA = Path(__file__).parents[2] / "data" / "tabletop"
LEAST = 0.97
FILES = ("commands.txt", "fresh_commands.txt", "stranger_commands.txt")


def worlds():
    found = {}
    for name, world in parse_yaml((DATA / "worlds.yaml").read_text(encoding="utf-8")).items():
        objects = {
            thing: Placed(number, Point(*at))
            for number, (thing, at) in enumerate(world["objects"].items())
        }
        found[name] = Environment(0.0, objects, Pose(*world["base"]))
    return found


WORLDS = worlds()


class Row(NamedTuple):
    world: str
    command: str
    expected: str


def rows(file="commands.txt"):
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    parts = [line.split("|") for line in lines if line and not line.startswith("#")]
    return [Row(*(part.strip() for part in row)) for row in parts]


def full(short):
    """Return the full name of a short one."""
    if short.startswith("table_"):
        return short
    last = short.rsplit("_", 1)[-1]
    return f"object_{short}" if last.isdigit() else f"object_{short}_0"


def wanted(text):
    """Return the subgoals of a row: a list of sets of (object, side, target)."""
    found = []
    for part in text.split(";"):
        moves = set()
        for word in part.split():
            thing, _, target = word.partition(">")
            side, _, near = target.rpartition(":")
            moves.add((full(thing), side or "in", full(near) if near else ""))
        found.append(moves)
    return found


def understood(row):
    """Return the subgoals of a command, or its refusal as ``!CODE``."""
    try:
        found = understand(row.command, WORLDS[row.world])
    except Trouble as trouble:
        return f"!{trouble.code}"
    if found.question is not None:
        return "?"
    subgoals = found.subgoals
    return [{(move.thing, move.side, move.target) for move in one.moves} for one in subgoals]


def as_expected(row, got):
    """Return True if a row is right; "!" alone matches any refusal."""
    if row.expected == "!":
        return isinstance(got, str)
    return got == (row.expected if row.expected[0] in "!?" else wanted(row.expected))


def score(found):
    """Return the number of right rows, and the rows with unrequested actions."""
    right = sum(as_expected(row, got) for row, got in found)
    wrong = [
        (row, got) for row, got in found if isinstance(got, list) and not as_expected(row, got)
    ]
    return right / len(found), wrong


@pytest.mark.parametrize("file", FILES)
def test_corpus_is_understood_without_unrequested_actions(file):
    found = [(row, understood(row)) for row in rows(file)]
    assert len(found) >= 60
    share, wrong = score(found)
    assert wrong == []
    assert share >= LEAST


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_refusal_is_a_sentence_in_the_language_of_the_command(language):
    from bt_exec_skills.tabletop.goals.compiler import _sentences

    sentences = _sentences()
    for row in [row for file in FILES for row in rows(file)]:
        if len(row.expected) > 1 and row.expected.startswith("!"):
            said = sentences.say(row.expected[1:], language, what="x", options="y", word="z")
            assert said != row.expected[1:]


@pytest.mark.parametrize("code", ["NOTHING_BEFORE", "NOTHING_LIKE_THAT", "TOO_FEW", "WHICH_ONE"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_refusal_quotes_no_empty_words(code, language):
    facts = {"what": "", "options": (), "wanted": "2", "there": "1"}
    assert "“”" not in refusal_message(Trouble(code, **facts), language)


if __name__ == "__main__":
    bad = False
    for file in sys.argv[1:] or FILES:
        results = [(row, understood(row)) for row in rows(file)]
        for row, got in results:
            if not as_expected(row, got):
                print(f"{row.world} | {row.command}\n  expected {row.expected}\n  got      {got}")
        share, wrong = score(results)
        print(f"{file}: {share:.1%} of {len(results)} right, {len(wrong)} wrongly done")
        bad = bad or bool(wrong)
    sys.exit(bad)


@pytest.mark.parametrize("joint", ["랑", ",", "하고"])
def test_every_listed_exception_is_excluded(joint):
    found = understood(Row("mixed", f"사과{joint} 컵 빼고 다 빨간 그릇에 담아", ""))
    moved = {thing for one in found for thing, _, _ in one}
    assert moved
    assert not any("apple" in thing or "cup" in thing for thing in moved)


@pytest.mark.parametrize(
    "command",
    [
        "put the apple {} and then put it back in its place",
        "put the apple {}, put the ball in the red bowl and put the apple back",
        "put the apple {} and return it to where it was",
    ],
)
@pytest.mark.parametrize("goal", ["on the tray", "in the blue bowl", "next to the red cup"])
def test_object_returns_to_where_it_was_before_the_command(command, goal):
    now = WORLDS["mixed"]
    at = now.objects["object_apple_0"].pos
    moves = [one for goal in understand(command.format(goal), now).subgoals for one in goal.moves]
    (away, *_, back) = [one for one in moves if one.thing == "object_apple_0"]
    assert (back.target, back.spot) == (now.table_of("object_apple_0"), (at.x, at.y))
    assert (away.target, away.spot) != (back.target, back.spot)


@pytest.mark.parametrize(
    ("said", "plain"),
    [("put the one you just moved on the tray", "put it on the tray"),
     ("방금 옮긴 거 쟁반에 놔", "그거 쟁반에 놔")],
)  # fmt: skip
def test_object_moved_last_is_known_only_after_a_command(said, plain):
    now = WORLDS["mixed"]
    moved, asked = Turn("put the apple on the blue plate"), Turn("where is the red cup?")
    found = understand(said, now, [moved]).subgoals
    assert found == understand(plain, now, [moved]).subgoals
    for turns in ([], [asked], [moved, asked]):
        with pytest.raises(Trouble, match="NOTHING_BEFORE"):
            understand(said, now, turns)
