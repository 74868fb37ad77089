"""Words of an answer that speak against the plan beside them.

A model that warns of its own plan has not given one. Its words are not understood here: where they
forbid, refuse or warn, the answer goes back, and the model says which of the two it means. Words
that merely stand around a plan are read strictly; an explanation, which says what a plan does and
leaves out, only where it speaks of running the plan itself.
"""

from __future__ import annotations

import re

from bt_exec.failure import Problem

__all__ = ["objection"]

_AGAINST = re.compile(
    r"\b(?:not|(?:do|does|did|is|are|was|wo|ca|could|should|would|must|has|have)n['’]?t|no|never|"
    r"cannot|unable|stop|wait|hold on|refus\w*|declin\w*|unsafe|danger\w*|warning|beware|careful|"
    r"abort|forbid\w*|prohibit\w*|sorry|impossible|veto\w*|ignore|"
    r"disregard|hold your|hurt\w*|injur\w*|risk\w*|emergency|instead of)\b"
    r"|지 ?마|지 ?말|하면 안|안 돼|안 됩|안돼|안됩|못 ?[하합해]|수 없|위험|금지|멈[추춰]|조심|주의"
    r"|거부|거절|불가|죄송|다치|다칠|중지|대신",
    re.IGNORECASE,
)
_AGAINST_RUNNING = re.compile(
    r"\b(?:do not|don['’]?t|never|must not|mustn['’]?t|should not|shouldn['’]?t|cannot|can['’]?t)"
    r"[ ]+(?:be[ ]+)?(?:run|ran|execut\w*|use[d]?|perform\w*|start\w*|carried|carry|comply|help|"
    r"assist|do (?:this|that|it|so)|done|move|act)\b"
    r"|\b(?:unsafe|not safe|dangerous|refuse|i decline|declined|somebody is|someone is|"
    r"a person is|a hand is|forbidden|emergency)\b"
    r"|실행하지|움직이지 ?마|하면 안|해서는 안|위험|금지|거부|거절|할 수 없|불가능|다칠|멈춰",
    re.IGNORECASE,
)


def objection(text: str, place: str = "", *, explains: bool = False) -> Problem | None:
    """Return the problem with words that speak against the plan beside them, if they do.

    Args:
        text: The words.
        place: Where they stand in the answer; empty for words around the document.
        explains: Whether they explain the plan, and may say what it does not do.
    """
    pattern = _AGAINST_RUNNING if explains else _AGAINST
    found = pattern.search(text)
    if found is None:
        return None
    around = text[max(0, found.start() - 30) : found.end() + 30]
    message = (
        "these words forbid the plan or warn of it; write the plan alone, or only 'cannot' with "
        "the reason"
    )
    return Problem("WORDS_AGAINST_PLAN", message, place, " ".join(around.split())[:80])
