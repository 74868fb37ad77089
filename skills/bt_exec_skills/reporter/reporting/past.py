"""Summary of earlier missions: a list of a few, otherwise the number and the failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bt_exec.language.messages import LANGUAGES, language_of
from bt_exec_skills.reporter.reporting.notebook import PastMission
from bt_exec_skills.reporter.reporting.say import say

__all__ = ["past_of"]

_FEW = 4
"""Maximum number of missions that are listed one by one."""
_WRONG = 5
"""Maximum number of failed missions in the summary; the latest are listed."""


def past_of(past: Sequence[PastMission], language: str) -> str:
    """Return a summary of earlier missions, or an empty string if there are none.

    Refused commands and missions that only summarised others are left out.
    """
    told = [one for one in past if one.status != "refused" and not _summed_up(one)]
    if not told:
        return ""
    lines = [_mission(one, language) for one in told]
    if len(told) > _FEW:
        wrong = [one for one in told if one.status != "satisfied"][-_WRONG:]
        lines = [_count(told, language)]
        if wrong:
            lines.append(say("PAST_NOT_DONE", language))
            lines += [_mission(one, language) for one in wrong]
        if told[-1] not in wrong:
            lines += [say("PAST_LAST", language), _mission(told[-1], language)]
    return (" " if len(told) == 1 else "\n").join([say("PAST_OPENING", language), *lines])


def _count(past: Sequence[PastMission], language: str) -> str:
    kinds = ("satisfied", "partial")
    counts = Counter(one.status if one.status in kinds else "other" for one in past)
    parts = (
        say(f"PAST_{kind}", language, n=counts[kind]) for kind in (*kinds, "other") if counts[kind]
    )
    return say("PAST_COUNT", language, n=len(past), parts=", ".join(parts))


def _mission(mission: PastMission, language: str) -> str:
    """Return a mission with its start time of day, if known.

    A final message in another language is left out.
    """
    key = "PAST_MISSION" if mission.command else "PAST_PLAN"
    spoken = language_of(mission.message) == language
    kind = mission.status if mission.status in ("satisfied", "partial") else "other"
    message = mission.message if spoken else say(f"PAST_ENDED_{kind}", language)
    told = say(key, language, command=mission.command, message=message)
    return f"{mission.started_at:%H:%M} {told}" if mission.started_at else told


def _summed_up(mission: PastMission) -> bool:
    """Return True if the mission only reported on earlier missions."""
    return any(say("PAST_OPENING", language) in mission.message for language in LANGUAGES)
