"""Export as one self-contained HTML page with tree, timeline, pictures and causes."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from bt_exec.events import Observed, SkillEnded, SkillStarting
from bt_exec.export.json_lines import moments
from bt_exec.journal import Journal, MissionRecord
from bt_exec.journal.event_row_codec import RecordedObservation
from bt_exec.journal.json_text import replace_surrogates as encodable
from bt_exec.tui.recorded_mission_messages import catalogue_and_messages, mission_explanation
from bt_exec.tui.terminal_text import safe_line
from bt_exec.tui.why import Why

__all__ = ["page_data", "write_page"]

_PICTURES = 400
"""Maximum number of frames on a page; longer records are sampled at regular intervals."""
_PLACE = "/*DATA*/null"


def write_page(journal: Journal, record: MissionRecord, path: Path) -> None:
    """Write a mission as an HTML page.

    Raises:
        OSError: If the file cannot be written.
    """
    del journal
    template = files("bt_exec.export").joinpath("page.html").read_text(encoding="utf-8")
    data = json.dumps(page_data(record), ensure_ascii=False, default=str)
    for sign, escaped in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        data = data.replace(sign, escaped)  # so that no text can close the script element
    with path.open("x", encoding="utf-8") as file:
        file.write(template.replace(_PLACE, encodable(data), 1))


def page_data(record: MissionRecord) -> dict[str, Any]:
    """Return the data of the page in the command's language; times [s] count from the start."""
    start = record.events[0].t if record.events else 0.0
    end = max((event.t for event in record.events), default=start)
    said = mission_explanation(record)
    return {
        "id": record.id,
        "command": safe_line(record.command),
        "language": record.line.language,
        "site": record.line.site,
        "when": f"{record.line.started_at:%Y-%m-%d %H:%M}",
        "program": record.program,
        "status": said.status_word,
        "status_word": said.word("stopped" if said.status_word == "aborted" else said.status_word),
        "message": safe_line(record.outcome.message) if record.outcome is not None else "",
        "seconds": round(end - start, 3),
        "cause": said.cause(),
        "facts": [list(row) for row in said.course_lines()],
        "moments": [
            {
                "t": round(moment.t - start, 3),
                "plan": moment.plan,
                "rows": moment.nodes,
                "said": moment.sentences,
            }
            for moment in moments(record)
        ],
        "skills": _skill_bars(record, start, end, said),
        "seen": _observations(record, start),
        "words": _page_texts(record),
    }


def _skill_bars(record: MissionRecord, start: float, end: float, said: Why) -> list[dict[str, Any]]:
    """Return the bars of the timeline, one for each call of a skill."""
    ends: Mapping[tuple[str, int], SkillEnded] = {
        (event.skill, event.call): event for event in record.events if isinstance(event, SkillEnded)
    }
    bars = []
    for event in record.events:
        if isinstance(event, SkillStarting):
            ended = ends.get((event.skill, event.call))
            bars.append(
                {
                    "label": said.step_phrase(event.skill, event.args),
                    "from": round(event.t - start, 3),
                    "to": round((ended.t if ended is not None else end) - start, 3),
                    "state": ended.state if ended is not None else "running",
                }
            )
    return bars


def _observations(record: MissionRecord, start: float) -> list[dict[str, Any]]:
    """Return the observations, at most `_PICTURES` of them with their frames."""
    looks = [
        (event.t, event.pack, event.observation)
        for event in record.events
        if isinstance(event, Observed) and isinstance(event.observation, RecordedObservation)
    ]
    framed = [look for look in looks if _has_frame(look[2])]
    step = -(-len(framed) // _PICTURES) or 1
    kept = {id(look[2]) for look in framed[::step]}
    return [
        {
            "t": round(t - start, 3),
            "pack": pack,
            "text": safe_line(one.text),
            "frame": _picture(one) if id(one) in kept else None,
        }
        for t, pack, one in looks
    ]


def _has_frame(observation: RecordedObservation) -> bool:
    return observation.frame_file is not None and observation.frame_file.is_file()


def _picture(observation: RecordedObservation) -> str:
    assert observation.frame_file is not None
    data = base64.b64encode(observation.frame_file.read_bytes()).decode()
    return f"data:image/png;base64,{data}"


_WORDS = (
    *("plan", "sees", "tree", "timeline", "events", "cause", "no pictures were kept"),
    *("# s", "# min # s", "play or pause", "speed", "time"),
)


def _page_texts(record: MissionRecord) -> dict[str, str]:
    """Return the fixed texts of the page in the command's language, by English text."""
    _, messages = catalogue_and_messages(record)
    return {word: messages.fixed_word(word, record.line.language) for word in _WORDS}
