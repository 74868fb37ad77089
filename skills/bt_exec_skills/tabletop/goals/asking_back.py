"""Commands that refer to earlier ones: an answer to "which one?", and "go on".

Earlier commands are read again in the world as it is now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from bt_exec.language.context import Turn
from bt_exec.language.messages import language_of
from bt_exec_skills.tabletop.goals.asked import cleaned
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.spoken import said

__all__ = ["ASKS_BACK", "made_whole", "unfinished"]

ASKS_BACK = "WHICH_ONE"
"""The refusal that a name answers."""
_END = re.compile(r"(?:이요|요|이야|야)?[\s.!?]*$")
_EMPTY_WORDS = frozenset({"the", "one", "a", "an", "that", "this", "거", "것", "그", "걸로"})

_UNFINISHED = ("aborted", "blocked", "failed", "partial")

Try = Callable[[str], Trouble | None]
"""Reads a command; returns why it cannot be followed, or None."""


def made_whole(command: str, turns: Sequence[Turn], trouble_of: Try) -> str:
    """Return a command with what earlier ones left open; itself if it answers no question.

    Args:
        command: What was typed.
        turns: What was said before, oldest first.
        trouble_of: Reads a command.
    """
    asked = list(takewhile(lambda turn: turn.code == ASKS_BACK, reversed(turns)))[::-1]
    text = ""
    for words in (*(turn.command for turn in asked), command):
        before, text = text, words
        trouble = trouble_of(words) if before else None
        if trouble is not None and trouble.code in ("NOT_UNDERSTOOD", "UNKNOWN_WORD"):
            text = _filled(before, words, trouble_of) or words
    return text


def unfinished(turns: Sequence[Turn], trouble_of: Try) -> str:
    """Return the last command that was begun and not finished, made whole.

    Raises:
        Trouble: NOTHING_UNFINISHED if there is none.
    """
    done = [turn for turn in turns if turn.status not in ("", "refused")]
    if not done or done[-1].status not in _UNFINISHED:
        raise Trouble("NOTHING_UNFINISHED")
    before = turns[: max(at for at, turn in enumerate(turns) if turn is done[-1])]
    return made_whole(done[-1].command, before, trouble_of)


def _filled(command: str, answer: str, trouble_of: Try) -> str:
    """Return the command with the answer in place of the words that were not clear."""
    trouble = trouble_of(command)
    if trouble is None or trouble.code != ASKS_BACK:
        return ""
    unclear, text = str(trouble.facts["what"]), cleaned(command)
    chosen = _chosen(answer, trouble.choices)
    name = chosen or _END.sub("", cleaned(answer))
    clearer = ""
    for start in _places(unclear, text):
        found = text[:start] + name + text[start + len(unclear) :]
        left = trouble_of(found)
        if left is None:
            return found
        if chosen and left.code == ASKS_BACK and not clearer:
            clearer = found
    return clearer


def _chosen(answer: str, choices: Sequence[str]) -> str:
    """Return what the one choice is called that has every word of the answer."""
    language = language_of(answer)
    words = set(_END.sub("", cleaned(answer)).split()) - _EMPTY_WORDS
    names = [said(choice, language) for choice in choices]
    found = [name for name in names if words and words <= set(name.split())]
    return found[0] if len(found) == 1 else ""


def _places(part: str, text: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(re.escape(part), text)) if part else iter(())
