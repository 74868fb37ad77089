"""Questions to the operator about an incomplete command, and the continuation with the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bt_exec.cli.stopping import forget
from bt_exec.cli.words import is_no, is_yes

if TYPE_CHECKING:
    from bt_exec.outcome import Outcome
    from bt_exec.tui.paint import Painter

__all__ = ["MOST_QUESTIONS", "next_command"]

MOST_QUESTIONS = 3
"""How many questions in a row follow one command."""


def next_command(outcome: Outcome, painter: Painter) -> str:
    """Return what the person says to a refusal: the command that was meant, or what was missing.

    Enter agrees to the one command that may have been meant; Enter, Ctrl-C and Ctrl-D leave a
    question open. What is neither yes nor no is said in the session, where it may be the answer to
    the question. Empty if there is nothing to go on with.
    """
    if outcome.status != "refused" or not (outcome.did_you_mean or outcome.question):
        return ""
    meant = outcome.did_you_mean[0] if len(outcome.did_you_mean) == 1 else ""
    try:
        answer = input("[Y/n] " if meant else "> ").strip()
    except EOFError:
        painter.say("")
        return ""
    except KeyboardInterrupt:
        forget()
        painter.say("")
        return ""
    if meant and (not answer.strip(" .!") or is_yes(answer)):
        return meant
    return "" if is_no(answer) else answer
