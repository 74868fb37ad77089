"""Korean particles, which join a phrase to its verb or to the next phrase."""

from __future__ import annotations

from bt_exec.language.closed import marks
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.piece import Piece

__all__ = ["end_of_particles", "mark_particles"]

_MARKS = marks("ko")


def mark_particles(pieces: list[Piece], every: list[Morph], at: int) -> list[Piece]:
    """Mark the last piece with the particles after it."""
    mark = ""
    if _is_and(every, at):
        mark = "and"
    while at < len(every) and every[at].tag[0] == "J":
        form = every[at].form
        if form == "보다":
            mark = "than"
        mark = _MARKS.get(form, mark)
        at += 1
    if not mark or not pieces:
        return pieces
    return [*pieces[:-1], pieces[-1].with_mark(mark)]


def _is_and(every: list[Morph], at: int) -> bool:
    """Return True if 하고 is the particle "and" after a name."""
    if at + 1 >= len(every) or not at:
        return False
    one, two = every[at], every[at + 1]
    joined = one.start == every[at - 1].end and every[at - 1].tag[0] == "N"
    return joined and one.form == "하" and two.form == "고" and two.tag == "EC"


def end_of_particles(every: list[Morph], at: int) -> int:
    """Return the end of the particles that begin at `at`."""
    if _is_and(every, at):
        at += 2
    while at < len(every) and every[at].tag[0] == "J":
        at += 1
    return at
