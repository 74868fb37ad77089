"""Phrasing of findings in either language; the sentences are in ``phrasing.yaml``."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.language.messages import LANGUAGES, Messages
from bt_exec_skills.reporter.perception.gathering import Gathering, NoiseState
from bt_exec_skills.reporter.reporting.notebook import Note, Notebook, PastMission
from bt_exec_skills.reporter.reporting.query import Aspect
from bt_exec_skills.reporter.rules.keywords import about_past
from bt_exec_skills.reporter.sitemap import SiteMap

__all__ = ["answer_of", "clock_of", "report_of", "say", "sentence", "told_of"]

_HERE = Path(__file__).parent


@lru_cache(maxsize=1)
def _sentences() -> Messages:
    return Messages.load([_HERE.parent / "messages.yaml", _HERE / "phrasing.yaml"])


def say(key: str, language: str, **facts: Any) -> str:
    """Return a sentence of the pack."""
    return _sentences().say(key, language, **facts)


def clock_of(seconds: float, language: str) -> str:
    """Return a time since the start of a mission: "1:05", "1분 5초"."""
    minutes, rest = divmod(int(max(seconds, 0.0)), 60)
    if language == "ko":
        return f"{minutes}분 {rest}초" if minutes else f"{rest}초"
    return f"{minutes}:{rest:02d}"


def answer_of(
    found: Gathering,
    noise: NoiseState,
    noise_db: float,
    aspects: Iterable[Aspect],
    language: str,
    site: SiteMap,
) -> str:
    """Return the answer about a place in one sentence; people of the map are named."""
    parts = []
    for aspect in aspects:
        match aspect:
            case "people":
                n = len(found.people)
                more = "" if found.complete else "_or_more"
                count = say(f"PEOPLE_{n if n < 2 else 'N'}{more}", language, n=n)
                parts.append(count + _known(found, site, language))
            case "light":
                named = [found.place.parts[part].name.of(language) for part in found.dark_parts]
                where = ", ".join(named)
                parts.append(say(f"LIGHT_{found.light}", language, parts=where))
            case "noise":
                parts.append(say(f"NOISE_{noise}", language, db=round(noise_db)))
            case "unusual":
                words = _sentences()
                things = dict.fromkeys(words.word(one.label, language) for one in found.things)
                key = "UNUSUAL_some" if things else "UNUSUAL_none"
                parts.append(say(key, language, things=", ".join(things)))
    joined = "; ".join(parts) if language == "en" else ", ".join(parts)
    return _begun(joined) + "."


def _known(found: Gathering, site: SiteMap, language: str) -> str:
    """Return the names of known people: " (the professor)"; empty if there are none."""
    names = ", ".join(site.called(who, language) for who in found.people if who in site.people)
    if not names:
        return ""
    all_known = all(who in site.people for who in found.people)
    space = " " if language == "en" else ""
    return space + say("KNOWN_all" if all_known else "KNOWN_some", language, names=names)


def sentence(note: Note, site: SiteMap, language: str, started: float = 0.0) -> str:
    """Return a note as a sentence.

    Args:
        note: The note.
        site: The map, for names.
        language: ``en`` or ``ko``.
        started: When the mission began [s].
    """
    facts = _named(note.facts, site, language)
    place = facts.get("target", site.called(note.place or "", language))
    facts = {**facts, "time": clock_of(note.t - started, language), "place": place}
    if note.kind != "failed":
        silent = note.kind == "said" and not note.facts.get("answer")
        return _begun(say("SAID_no_reply" if silent else note.kind.upper(), language, **facts))
    why = _ended(_begun(say(str(facts.pop("code")), language, **facts)))
    key = f"FAILED_{note.facts.get('skill')}"
    if note.facts.get("skill") == "navigate" and note.facts.get("target") == site.base:
        key = "FAILED_way_back"
    elif key not in _sentences():
        key = "FAILED_other"
    elif f"{key}_heard" in _sentences() and "noise_db" in facts:
        key += "_heard"
    elif f"{key}_on_tray" in _sentences() and note.facts.get("tray") == note.facts.get("object"):
        key += "_on_tray"
    return _begun(say(key, language, **{**facts, "why": why}))


def _begun(text: str) -> str:
    """Return a text with a capital at its beginning: names of people and places may lack it."""
    return text[:1].upper() + text[1:]


def _ended(text: str) -> str:
    """Return a text that ends like a sentence: what people say may not."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _named(facts: Mapping[str, Any], site: SiteMap, language: str) -> dict[str, Any]:
    """Return facts with the names of people and places instead of ids."""
    named = dict(facts)
    for key in ("target", "who", "recipient", "person"):
        if key in named:
            named[key] = site.called(str(named[key]), language)
    person = named.get("recipient", named.get("who", named.get("target", "")))
    return {"person": person, "who": person, **named}


def report_of(notebook: Notebook, language: str, topic: str = "") -> str:
    """Return the report of this mission; if there is nothing to report, of earlier missions.

    Args:
        notebook: What was found.
        language: ``en`` or ``ko``.
        topic: What it is to be about; opens the report.
    """
    told = told_of(notebook, language)
    if not told:
        told.append(_past_of(notebook, language) or say("NOTHING_NEW", language))
    opening = [say("REPORT_OPENING", language, topic=topic)] if topic else []
    return " ".join([*opening, *told])


def told_of(notebook: Notebook, language: str) -> list[str]:
    """Return the sentences to report: notes not yet reported, else all.

    A drive is reported only if nothing else happened at that place and the past was not asked for;
    coming home is never reported.
    """
    notes = _worth_telling(notebook, notebook.news()) or _worth_telling(notebook, notebook.all())
    site, started = notebook.site, notebook.started
    return [
        (_trip if note.kind == "went" else sentence)(note, site, language, started)
        for note in notes
    ]


def _trip(note: Note, site: SiteMap, language: str, started: float) -> str:
    """Return the sentence for a drive that was all that happened at its place."""
    place = site.called(str(note.facts.get("target")), language)
    return say("TRIP", language, place=place, time=clock_of(note.t - started, language))


def _worth_telling(notebook: Notebook, notes: list[Note]) -> list[Note]:
    """Leave out drives that led to more, and failed talks with the person who gets the report."""
    remote = {name for name, person in notebook.site.people.items() if person.remote}
    done = [note for note in notes if note.kind != "went" and not _talk_with(remote, note)]
    told = {notebook.site.base, *(note.place for note in done)}
    trips = [note for note in notes if note.kind == "went" and note.facts.get("target") not in told]
    if about_past(notebook.command):
        return done
    return [note for note in notes if note in done or note in trips]


def _talk_with(people: Container[str], note: Note) -> bool:
    """Whether a note is of a talk with one of these people that failed."""
    talk = note.kind == "failed" and note.facts.get("skill") == "talk_to_person"
    return talk and note.facts.get("target") in people


def _past_of(notebook: Notebook, language: str) -> str:
    """Return earlier missions, one line each; empty if there are none.

    Refused commands are left out.
    """
    past = [one for one in notebook.past if one.status != "refused" and not _summed_up(one)]
    if not past:
        return ""
    lines = [say("PAST_OPENING", language), *(_past_mission(one, language) for one in past)]
    return (" " if len(past) == 1 else "\n").join(lines)


def _past_mission(mission: PastMission, language: str) -> str:
    """Return a mission with the time of day at which it began, as far as that is known."""
    key = "PAST_MISSION" if mission.command else "PAST_PLAN"
    told = say(key, language, command=mission.command, message=mission.message)
    return f"{mission.started_at:%H:%M} {told}" if mission.started_at else told


def _summed_up(mission: PastMission) -> bool:
    """Whether a mission only reported on earlier missions."""
    return any(say("PAST_OPENING", language) in mission.message for language in LANGUAGES)
