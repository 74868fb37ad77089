"""Parts of a command that are merged."""

import pytest

from bt_exec_skills.tabletop.goals.decompose import merge_parts
from bt_exec_skills.tabletop.goals.model import Phrase, UnresolvedGoal

TABLE = Phrase("the left table", order="left", table=True, number="all")
RIGHT = Phrase("the right one", order="right")
ALL = Phrase("everything", number="all")
CUPS = Phrase("the cups", kind="cup", number="all")
CLEAR = UnresolvedGoal("clear", "clear the left table", (TABLE,))


def test_cleared_objects_go_to_the_place_of_the_next_part():
    (ask,) = merge_parts(
        [CLEAR, UnresolvedGoal("move", "put everything on the right one", (ALL,), RIGHT)]
    )
    assert (ask.verb, ask.themes[0].relation) == ("move", ("in", TABLE))
    assert ask.to is not None
    assert ask.to.table


def test_merged_part_keeps_its_excluded_objects():
    less = Phrase("everything but the cups", number="all", but=(CUPS,))
    (ask,) = merge_parts([CLEAR, UnresolvedGoal("move", "", (less,), RIGHT)])
    assert ask.themes[0].but == (CUPS,)


def test_cleared_objects_do_not_include_the_table():
    them = Phrase("them", again=True)
    (ask,) = merge_parts(
        [UnresolvedGoal("clear", "", (CUPS,)), UnresolvedGoal("move", "", (them,), RIGHT)]
    )
    assert ask.themes == (CUPS,)
    assert ask.to == RIGHT  # without a table before it, "the right one" is not a table


@pytest.mark.parametrize(
    "then",
    [
        UnresolvedGoal("move", "", (CUPS,), RIGHT),
        UnresolvedGoal("move", "", (ALL,), RIGHT, side="behind"),
        UnresolvedGoal("move", "", (ALL, CUPS), RIGHT),
        UnresolvedGoal("bring", "", (ALL,)),
    ],
)
def test_part_about_other_objects_is_not_merged(then):
    assert merge_parts([CLEAR, then]) == (CLEAR, then)


def test_part_with_a_destination_is_not_merged():
    done = UnresolvedGoal("clear", "", (TABLE,), Phrase("the basket", kind="basket"))
    then = UnresolvedGoal("move", "", (ALL,), RIGHT)
    assert merge_parts([done, then]) == (done, then)
