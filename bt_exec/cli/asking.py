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
"""Maximum number of consecutive questions after a command."""


def next_command(outcome: Outcome, painter: Painter) -> str:
    """Return the operator's answer to a refusal: the intended command, or the missing information.

    Enter confirms a single suggested command; Enter, Ctrl-C and Ctrl-D leave a question open. Other
    answers than yes and no are passed to the session as a command, which may answer the question.
    The result is empty if the operator gave no answer.
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
