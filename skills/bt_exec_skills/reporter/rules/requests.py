"""Requests in a command on which rules depend, taken from its meaning if it has one.

A command that only a model understood has no meaning. Its requests are found by words (`keywords`,
`place_mentions`).
"""

from __future__ import annotations

from bt_exec.language.meaning import Act
from bt_exec.pack import PassContext
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.rules import keywords, place_mentions
from bt_exec_skills.reporter.rules.plan_steps import BASE, PROFESSOR, PROFESSOR_OFFICE

__all__ = ["about_past", "is_round_trip", "named_places", "names_professor", "wants_report"]

_TELLING = ("report", "tell")
_REPORTING = "report_to"
"""Predicate of "보고하다" ("report"), a report to the user even if no listener is named."""
_COMING = "come"
_SPOKEN = "Message"
_ROUND_TRIP = "round_trip"


def wants_report(context: PassContext) -> bool:
    """Return True if the command asks for a report to the user."""
    if context.meaning is None:
        return keywords.wants_report(context.command)
    korean = context.meaning.language == "ko"
    return any(
        act.positive and (_tells_user(act) or (korean and act.predicate == _REPORTING))
        for act in context.meaning.acts
    )


def is_round_trip(context: PassContext) -> bool:
    """Return True if the command asks for a round trip."""
    if context.meaning is None:
        return keywords.is_round_trip(context.command)
    last = context.meaning.acts[-1] if context.meaning.acts else None
    return last is not None and (last.predicate == _ROUND_TRIP or keywords.is_round_trip(last.text))


def names_professor(context: PassContext) -> bool:
    """Return True if the command is about the professor."""
    if context.meaning is None:
        return keywords.names_professor(context.command)
    return any(
        PROFESSOR in act.values("Person") or PROFESSOR_OFFICE in act.values("Place")
        for act in context.meaning.acts
    )


def about_past(context: PassContext) -> bool:
    """Return True if the command asks about earlier actions."""
    if context.meaning is None:
        return keywords.about_past(context.command)
    return any(act.values("Past") for act in context.meaning.acts)


def named_places(context: PassContext, site: SiteMap) -> tuple[str, ...]:
    """Return places in the order of the command, without the base and the professor's office."""
    if context.meaning is None:
        return place_mentions.named_places(context.command, site)
    said = (place for act in context.meaning.acts for place in act.values("Place"))
    own = {BASE, PROFESSOR_OFFICE, site.base}
    return tuple(
        place for place in dict.fromkeys(said) if place in site.places and place not in own
    )


def _tells_user(act: Act) -> bool:
    is_report = act.predicate in _TELLING or act.mood == "tell"
    # the predicate of "come back and tell me" is "come"
    is_report = is_report or (act.predicate == _COMING and keywords.wants_report(act.text))
    for_people = act.values(_SPOKEN) and act.values("Place")
    return is_report and PROFESSOR not in act.values("Person") and not for_people
