"""Record of every mission: command, plans, actions, observations, skipped steps, and reasons.

::

    Journal         the file: begin a mission, list missions, read one back
    Recorder        the record of one running mission: a `bt_exec.events.Listener`
    MissionRecord   a mission read back, with all its events

One SQLite file (WAL) holds all missions; frames are PNG files in a folder next to it.
"""

from bt_exec.journal.event_row_codec import RecordedObservation
from bt_exec.journal.journal import Booking, Journal, default_path, record_argument
from bt_exec.journal.png_frames import png_of, read_png, write_png
from bt_exec.journal.recorded_mission import (
    EventRow,
    Exchange,
    MissionRecord,
    MissionSummary,
    PlanRecord,
    SkillRun,
)
from bt_exec.journal.write import Recorder

__all__ = [
    "Booking",
    "EventRow",
    "Exchange",
    "Journal",
    "MissionRecord",
    "MissionSummary",
    "PlanRecord",
    "RecordedObservation",
    "Recorder",
    "SkillRun",
    "default_path",
    "png_of",
    "read_png",
    "record_argument",
    "write_png",
]
