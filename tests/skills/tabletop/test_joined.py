"""Parts of a command that say one thing together."""

import pytest

from bt_exec_skills.tabletop.goals.merging import joined
from bt_exec_skills.tabletop.goals.model import Ask, Phrase

TABLE = Phrase("the left table", order="left", table=True, number="all")
RIGHT = Phrase("the right one", order="right")
ALL = Phrase("everything", number="all")
CUPS = Phrase("the cups", kind="cup", number="all")
CLEAR = Ask("clear", "clear the left table", (TABLE,))


def test_what_is_cleared_goes_where_the_next_part_says():
    (ask,) = joined([CLEAR, Ask("move", "put everything on the right one", (ALL,), RIGHT)])
    assert (ask.verb, ask.themes[0].relation) == ("move", ("in", TABLE))
    assert ask.to is not None
    assert ask.to.table


def test_what_is_left_out_stays_left_out():
    less = Phrase("everything but the cups", number="all", but=(CUPS,))
    (ask,) = joined([CLEAR, Ask("move", "", (less,), RIGHT)])
    assert ask.themes[0].but == (CUPS,)


def test_cleared_things_are_the_things_themselves():
    them = Phrase("them", again=True)
    (ask,) = joined([Ask("clear", "", (CUPS,)), Ask("move", "", (them,), RIGHT)])
    assert ask.themes == (CUPS,)
    assert ask.to == RIGHT  # "the right one" of no table is not a table


@pytest.mark.parametrize(
    "then",
    [
        Ask("move", "", (CUPS,), RIGHT),
        Ask("move", "", (ALL,), RIGHT, side="behind"),
        Ask("move", "", (ALL, CUPS), RIGHT),
        Ask("bring", "", (ALL,)),
    ],
)
def test_what_the_next_part_names_itself_is_a_part_of_its_own(then):
    assert joined([CLEAR, then]) == (CLEAR, then)


def test_a_part_that_says_where_stays_as_it_is():
    done = Ask("clear", "", (TABLE,), Phrase("the basket", kind="basket"))
    then = Ask("move", "", (ALL,), RIGHT)
    assert joined([done, then]) == (done, then)
