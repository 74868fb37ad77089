"""Questions to the operator about an incomplete command, and the continuation with the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bt_exec.cli.stopping import forget

if TYPE_CHECKING:
    from bt_exec.outcome import Outcome
    from bt_exec.tui.paint import Painter

__all__ = ["MOST_QUESTIONS", "NO", "YES", "next_command"]

YES = frozenset({"y", "yes", "ok", "yep", "yeah", "네", "예", "응", "ㅇ", "ㅇㅇ", "좋아", "그래"})
NO = frozenset({"n", "no", "nope", "아니", "아니요", "아니오", "ㄴ", "ㄴㄴ", "아뇨"})
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
    word = answer.casefold().strip(" .!")
    if meant and (not word or word in YES):
        return meant
    return "" if word in NO else answer
