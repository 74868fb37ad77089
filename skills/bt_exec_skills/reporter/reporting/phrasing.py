"""Phrasing of findings in English or Korean; the sentences are in ``phrasing.yaml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bt_exec.language.messages import LANGUAGES, OWN_MESSAGES, language_of, load_messages
from bt_exec_skills.reporter.perception.findings_at_place import ANSWERED_BY_MODEL, PlaceFindings
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.reporting.notebook import Note, Notebook, PastMission
from bt_exec_skills.reporter.reporting.place_comparison import Comparison
from bt_exec_skills.reporter.reporting.question_aspects import Aspect, aspects_of, expects_answer
from bt_exec_skills.reporter.rules.keywords import about_past

__all__ = [
    "age_phrase",
    "answer_of",
    "catalogue_sentence",
    "elapsed_time_text",
    "note_sentence",
    "recorded_answer",
    "report_of",
    "sentences_to_report",
]

_HERE = Path(__file__).parent


_sentences = partial(
    load_messages, OWN_MESSAGES, _HERE.parent / "messages.yaml", _HERE / "phrasing.yaml"
)


def catalogue_sentence(key: str, language: str, **facts: Any) -> str:
    """Return the sentence `key` of ``phrasing.yaml`` in a language, with the facts inserted."""
    return _sentences().say(key, language, **facts)


def elapsed_time_text(seconds: float, language: str) -> str:
    """Return a time since the start of a mission, such as "1:05" or "1분 5초"."""
    minutes, rest = divmod(int(max(seconds, 0.0)), 60)
    if language == "ko":
        return f"{minutes}분 {rest}초" if minutes else f"{rest}초"
    return f"{minutes}:{rest:02d}"


def answer_of(
    found: PlaceFindings,
    aspects: Iterable[Aspect],
    language: str,
    site: SiteMap,
    wanted: Iterable[str] = (),
) -> str:
    """Return the answer about a place, one sentence per aspect, with the names of known persons.

    Args:
        found: The findings.
        aspects: Aspects to report.
        language: ``en`` or ``ko``.
        site: The map.
        wanted: Ids of persons in the question; the answer states whether they are present. Absent
            persons whose usual place is the observed one are mentioned in any case.
    """
    parts = []
    if found.looks:
        parts += [_presence_sentence(who, found, language, site) for who in wanted]
    for aspect in aspects:
        match aspect:
            case "people":
                n = max(found.people, 0)
                more = "" if found.complete else "_or_more"
                count = catalogue_sentence(f"PEOPLE_{n if n < 2 else 'N'}{more}", language, n=n)
                parts.append(count + _known_names_text(found, site, language))
                parts += _absent_persons(found, site, language, frozenset(wanted))
            case "light":
                named = site.places[found.place].sections_or_whole
                where = ", ".join(named[part].name.name_in(language) for part in found.dark_parts)
                parts.append(catalogue_sentence(f"LIGHT_{found.light}", language, parts=where))
            case "noise":
                parts.append(
                    catalogue_sentence(f"NOISE_{found.noise}", language, db=round(found.noise_db))
                )
            case "unusual":
                words = _sentences()
                things = [
                    words.translate_word(f"thing: {label}", language) for label in found.unusual
                ]
                key = "UNUSUAL_some" if things else "UNUSUAL_none"
                parts.append(
                    catalogue_sentence(key, language, things=", ".join(dict.fromkeys(things)))
                )
    return " ".join(f"{_capitalize(part)}." for part in parts)


def recorded_answer(result: Mapping[str, Any], language: str, site: SiteMap) -> str:
    """Return the answer of a recorded observation, translated if it is in another language.

    These answers are not translated: an answer of a vision model, an answer about a place that is
    no longer on the map, and an answer whose record lacks fields.

    Args:
        result: Recorded fields of the `PlaceFindings`.
        language: ``en`` or ``ko``.
        site: The map.
    """
    said = str(result.get("answer", ""))
    required = set(PlaceFindings._fields) - set(PlaceFindings._field_defaults)
    if language_of(said) == language or not required <= result.keys():
        return said
    found = PlaceFindings(
        **{name: result[name] for name in PlaceFindings._fields if name in result}
    )
    if ANSWERED_BY_MODEL in found.evidence or found.place not in site.places:
        return said
    query = found.query
    return answer_of(found, aspects_of(query), language, site, site.people_in(query))


def _presence_sentence(who: str, found: PlaceFindings, language: str, site: SiteMap) -> str:
    """Return the sentence that states whether a person is present."""
    key = "YES_THERE" if who in found.who else "NOT_THERE_0" if found.complete else "NOT_SEEN"
    return catalogue_sentence(key, language, names=site.display_name(who, language))


def _absent_persons(
    found: PlaceFindings, site: SiteMap, language: str, wanted: Container[str]
) -> Iterable[str]:
    """Yield the absent persons whose usual place is the observed one, except those in `wanted`."""
    for who, person in site.people.items():
        mine = person.place == found.place and not person.remote
        if mine and who not in found.who and who not in wanted:
            key = "ABSENT" if found.complete else "NOT_SEEN"
            yield catalogue_sentence(key, language, names=site.display_name(who, language))


def _known_names_text(found: PlaceFindings, site: SiteMap, language: str) -> str:
    """Return the names of known persons, such as " (the professor)"; empty if there are none."""
    names = ", ".join(site.display_name(who, language) for who in found.who if who in site.people)
    if not names:
        return ""
    all_known = all(who in site.people for who in found.who)
    space = " " if language == "en" else ""
    return space + catalogue_sentence(
        "KNOWN_all" if all_known else "KNOWN_some", language, names=names
    )


def age_phrase(seconds: float, language: str) -> str:
    """Return the age of an event as a phrase, or an empty string if it is recent."""
    if seconds < 20.0:
        return ""
    if seconds < 55.0:
        said = catalogue_sentence("AGO_SECONDS", language, n=round(seconds / 10) * 10)
    elif seconds < 90.0:
        said = catalogue_sentence("AGO_MINUTE", language)
    else:
        said = catalogue_sentence("AGO_MINUTES", language, n=round(seconds / 60))
    return f" {said}" if language == "en" else f"{said} "


def note_sentence(note: Note, site: SiteMap, language: str, now: float | None = None) -> str:
    """Return a note as a sentence.

    Args:
        note: The note.
        site: The map, for names.
        language: ``en`` or ``ko``.
        now: Time of the report [s, mission clock]; None leaves times out.
    """
    if note.kind == "compared":
        return _comparison_text(note.facts["comparison"], note.facts["looks"], site, language)
    facts = _with_names_for_ids(note.facts, site, language)
    place = facts.get("target", site.display_name(note.place or "", language))
    when = age_phrase(now - note.t, language) if now is not None else ""
    facts = {**facts, "ago": when, "place": place}
    if "topic" in facts:
        facts["topic"] = _topic_without_lead(str(facts["topic"]))
    talks = note.kind in ("said", "asked") or note.facts.get("skill") == "talk_to_person"
    to_place = note.facts.get("target" if talks else "recipient") in site.places
    if note.kind != "failed":
        silent = note.kind == "said" and not note.facts.get("answer") and not to_place
        key = "SAID_no_reply" if silent else note.kind.upper()
        said = catalogue_sentence(f"{key}_at_place" if to_place else key, language, **facts)
        if "giver" in facts:
            key = "COLLECTED_at_place" if note.facts["giver"] in site.places else "COLLECTED"
            collected = catalogue_sentence(key, language, **facts)
            said = f"{_capitalize(collected)} {_capitalize(said)}"
        return _capitalize(said)
    why = _with_final_punctuation(
        _capitalize(catalogue_sentence(str(facts.pop("code")), language, **facts))
    )
    at_place = "FAILED_talk_at_place" if talks else "FAILED_bring_object"
    key = at_place if to_place else f"FAILED_{note.facts.get('skill')}"
    if note.facts.get("skill") == "navigate" and note.facts.get("target") == site.base:
        key = "FAILED_way_back"
    elif key not in _sentences():
        key = "FAILED_other"
    elif key == "FAILED_talk_to_person" and not expects_answer(str(note.facts.get("topic", ""))):
        key += "_tell"
    elif f"{key}_heard" in _sentences() and "noise_db" in facts:
        key += "_heard"
    elif f"{key}_on_tray" in _sentences():
        if note.facts.get("tray") == note.facts.get("object"):
            key += "_on_tray"
        elif "giver" in facts:
            key = "FAILED_collect_object"
    return _capitalize(catalogue_sentence(key, language, **{**facts, "why": why}))


def _comparison_text(
    found: Comparison, looks: Mapping[str, Mapping[str, Any]], site: SiteMap, language: str
) -> str:
    """Return the sentence about a comparison, with the finding at each place."""

    def finding_at(place: str) -> str:
        facts = dict(looks[place])
        key = f"FOUND_{found.aspect}"
        if found.aspect == "light":
            key += f"_{facts['light']}"
        elif found.aspect == "people" and facts.get("complete") is False:
            key += "_or_more"
        return catalogue_sentence(
            key, language, **{**facts, "place": site.display_name(place, language)}
        )

    places = found.first if found.outcome in ("equal", "first") else found.places
    named = ", ".join(site.display_name(place, language) for place in places)
    values = ", ".join(map(finding_at, found.places))
    what = catalogue_sentence(f"COMPARED_{found.aspect}_{found.order}", language)
    key = f"COMPARED_{found.outcome}"
    return _capitalize(catalogue_sentence(key, language, what=what, places=named, values=values))


def _topic_without_lead(topic: str) -> str:
    """Return a topic without its lead "question about", or the Korean ending "문의" ("inquiry")."""
    return topic.removeprefix("question about ").removesuffix(" 문의")


def _capitalize(text: str) -> str:
    """Return a text with an initial capital; display names may begin with a small letter."""
    return text[:1].upper() + text[1:]


def _with_final_punctuation(text: str) -> str:
    """Return a text with final punctuation, which quoted speech may lack."""
    return text if text.endswith((".", "!", "?", "…", "”")) else f"{text}."


def _with_names_for_ids(facts: Mapping[str, Any], site: SiteMap, language: str) -> dict[str, Any]:
    """Return `facts` with the names of people and places instead of ids."""
    named = dict(facts)
    for key in ("target", "who", "recipient", "person", "giver"):
        if key in named:
            named[key] = site.display_name(str(named[key]), language)
    person = named.get("recipient", named.get("who", named.get("target", "")))
    return {"person": person, "who": person, **named}


def report_of(notebook: Notebook, language: str, now: float | None = None) -> str:
    """Return the report of this mission; of earlier missions if it has nothing to report.

    Args:
        notebook: The notes.
        language: ``en`` or ``ko``.
        now: Time of the report [s, mission clock]; None omits times.
    """
    sentences = sentences_to_report(notebook, language, now)
    if not sentences:
        sentences.append(
            _earlier_missions_text(notebook.past, language)
            or catalogue_sentence("NOTHING_NEW", language)
        )
    return " ".join(sentences)


def sentences_to_report(notebook: Notebook, language: str, now: float | None = None) -> list[str]:
    """Return a sentence for each unreported note, or for each note if all are reported.

    A drive is reported only if nothing else happened at its target and the command is not about
    the past. The drive home is never reported.
    """
    notes = _without_redundant_notes(
        notebook, notebook.unreported_notes()
    ) or _without_redundant_notes(notebook, notebook.current_notes())
    site = notebook.site
    return [
        (_drive_sentence if note.kind == "went" else note_sentence)(note, site, language, now)
        for note in notes
    ]


def _drive_sentence(note: Note, site: SiteMap, language: str, now: float | None) -> str:
    """Return the sentence for a drive to a place where nothing else happened."""
    place = site.display_name(str(note.facts.get("target")), language)
    when = age_phrase(now - note.t, language) if now is not None else ""
    return catalogue_sentence("TRIP", language, place=place, ago=when)


def _without_redundant_notes(notebook: Notebook, notes: list[Note]) -> list[Note]:
    """Return the notes without redundant drives and without failures to report to the user."""
    remote = {name for name, person in notebook.site.people.items() if person.remote}
    done = [
        note
        for note in notes
        if note.kind != "went"
        and not _is_failed_talk_with(remote, note)
        and not _is_outdated_drive_home(notebook, note)
    ]
    noted_places = {notebook.site.base, *(note.place for note in done)}
    trips = [
        note
        for note in notes
        if note.kind == "went" and note.facts.get("target") not in noted_places
    ]
    if about_past(notebook.command):
        return done
    return [note for note in notes if note in done or note in trips]


def _is_outdated_drive_home(notebook: Notebook, note: Note) -> bool:
    """Return True if a note is a failed drive home, but the robot is at home now."""
    base = notebook.site.base
    way = note.kind == "failed" and note.task == ("navigate", base)
    return way and notebook.where() == base


def _is_failed_talk_with(people: Container[str], note: Note) -> bool:
    """Return True if a note is a failed conversation with one of these people."""
    talk = note.kind == "failed" and note.facts.get("skill") == "talk_to_person"
    return talk and note.facts.get("target") in people


_KINDS = ("satisfied", "partial", "interrupted")
"""Statuses that are counted separately; all others are counted together."""
_FEW = 4
"""Maximum number of missions that are listed one by one."""
_WRONG = 5
"""Maximum number of failed missions in the summary; the latest are listed."""


def _earlier_missions_text(past: Sequence[PastMission], language: str) -> str:
    """Return a summary of earlier missions, or an empty string if there are none.

    Refused commands and missions that only summarised earlier missions are left out.
    """
    missions = [one for one in past if one.status != "refused" and not _is_summary_only(one)]
    if not missions:
        return ""
    lines = [_mission_text(one, language) for one in missions]
    if len(missions) > _FEW:
        failed = [one for one in missions if one.status != "satisfied"]
        wrong = failed[-_WRONG:]
        lines = [_counts_sentence(missions, language)]
        if wrong:
            lines.append(catalogue_sentence("PAST_NOT_DONE", language))
            lines += [_mission_text(one, language) for one in wrong]
        if more := len(failed) - len(wrong):
            lines.append(catalogue_sentence("PAST_MORE", language, n=more))
        if missions[-1] not in wrong:
            lines += [
                catalogue_sentence("PAST_LAST", language),
                _mission_text(missions[-1], language),
            ]
    return (" " if len(missions) == 1 else "\n").join(
        [catalogue_sentence("PAST_OPENING", language), *lines]
    )


def _counts_sentence(past: Sequence[PastMission], language: str) -> str:
    counts = Counter(map(_kind_of_ending, past))
    parts = (
        catalogue_sentence(f"PAST_{kind}", language, n=counts[kind])
        for kind in (*_KINDS, "other")
        if counts[kind]
    )
    return catalogue_sentence("PAST_COUNT", language, n=len(past), parts=", ".join(parts))


def _mission_text(mission: PastMission, language: str) -> str:
    """Return the text about an earlier mission, with the time of day of its start, if known.

    Its final message is quoted, because it describes the state at that time. A message in another
    language is left out.
    """
    key = "PAST_MISSION" if mission.command else "PAST_PLAN"
    spoken = bool(mission.message) and language_of(mission.message) == language
    code = "PAST_SAID" if spoken else f"PAST_ENDED_{_kind_of_ending(mission)}"
    message = catalogue_sentence(code, language, message=mission.message)
    text = catalogue_sentence(key, language, command=mission.command, message=message)
    return f"{mission.started_at:%H:%M} {text}" if mission.started_at else text


def _kind_of_ending(mission: PastMission) -> str:
    return mission.status if mission.status in _KINDS else "other"


def _is_summary_only(mission: PastMission) -> bool:
    """Return True if the mission only reported on earlier missions."""
    return any(
        catalogue_sentence("PAST_OPENING", language) in mission.message for language in LANGUAGES
    )
