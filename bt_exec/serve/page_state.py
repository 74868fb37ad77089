"""State of the page, computed from events outside the mission's thread.

The ticking thread only puts each event into a queue. A separate thread updates the model of the
terminal's live view and serializes it to JSON at most ten times a second, for all subscribers
together. Subscribers receive the newest text; slow ones miss intermediate texts.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from bt_exec.events import Event, MissionStarted, Observed, Progress
from bt_exec.failure import describe_exception
from bt_exec.journal.json_text import to_json
from bt_exec.language.messages import LANGUAGES, Messages
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue
from bt_exec.planning.robot_views import site_situation
from bt_exec.robot import Observation
from bt_exec.serve.page_rows import page_view
from bt_exec.serve.pictures_and_maps import Pictures, map_of
from bt_exec.serve.plan_confirmation_questions import Question
from bt_exec.tui.plan_preview import execution_modifiers, preview_model
from bt_exec.tui.terminal_text import safe_line
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.view_state import Display
from bt_exec.web.streams import Latest

__all__ = ["PageState"]

_log = logging.getLogger("bt_exec")

_PERIOD_S = 0.1  # minimum time between two texts [s]
_IDLE_S = 1.0  # time between two texts if there are no events, to update displayed ages [s]


class PageState:
    """Listener that maintains the state of the page; implements `bt_exec.events.Listener`.

    Args:
        messages: Sentences of the site.
        standing: Returns the state of the service that does not belong to a mission, such as the
            queue.

    Attributes:
        latest: The newest text, for subscribers.
        pictures: The newest pictures.
        maps: The newest map of each pack, with its number.
        progress: Progress and phase of running skills of the current mission, by path.
    """

    def __init__(self, messages: Messages, standing: Callable[[], dict[str, Any]]) -> None:
        self.latest = Latest(self.refresh)
        self.progress: dict[str, tuple[float | None, str]] = {}
        self.pictures = Pictures(messages.translate_word)
        self._messages = messages
        self.maps: dict[str, tuple[int, dict[str, Any]]] = {}
        self._observed: dict[str, Observation] = {}
        # descriptions of observations, by pack and language
        self._said: dict[str, dict[str, str]] = {}
        self._model = ViewModel(messages=messages)
        self._standing = standing
        self._inbox: queue.SimpleQueue[Event | str] = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=self._update_and_publish, name="watching", daemon=True
        )

    def on(self, event: Event) -> None:
        """Queue an event for the worker thread."""
        self._inbox.put(event)

    def situation(self, catalogue: Catalogue) -> Situation:
        """Return the last observed situation, for compiler calls without a mission."""
        return site_situation(catalogue, dict(self._observed))

    def refresh(self) -> None:
        """Publish a new text after a change without an event, such as a change of the queue."""
        self._inbox.put("refresh")

    def open(self) -> None:
        """Start the worker thread."""
        self._thread.start()

    def close(self) -> None:
        """Publish a last text and stop the worker thread."""
        self._inbox.put("close")
        if self._thread.is_alive():
            self._thread.join(_IDLE_S)

    # -- on the worker thread ----------------------------------------------------------------

    def _update_and_publish(self) -> None:
        changed, made = True, 0.0
        while True:
            due_s = max(made + _PERIOD_S - time.monotonic(), 0.0)
            items = self._wait_for_items(due_s if changed and self.latest.watched else _IDLE_S)
            for item in items:
                if not isinstance(item, str):
                    self._update_model(item)
            rested = time.monotonic() - made
            changed = changed or bool(items) or rested >= _IDLE_S
            if "close" in items or (changed and self.latest.watched and rested >= _PERIOD_S):
                self._publish()
                changed, made = False, time.monotonic()
            if "close" in items:
                return

    def _wait_for_items(self, wait_s: float) -> list[Event | str]:
        """Wait for an item; return all queued items."""
        found: list[Event | str] = []
        try:
            found.append(self._inbox.get(timeout=wait_s) if wait_s else self._inbox.get_nowait())
            while True:
                found.append(self._inbox.get_nowait())
        except queue.Empty:
            return found

    def _update_model(self, event: Event) -> None:
        """Update the model for an event; exceptions of pack code are logged."""
        try:
            self._model.on(event)
            if isinstance(event, MissionStarted):
                self.progress.clear()
            elif isinstance(event, Progress):
                self.progress[event.path] = (event.progress, event.doing)
            elif isinstance(event, Observed):
                self._observed[event.pack] = event.observation
                self._said[event.pack] = {
                    language: safe_line(event.observation.describe(language))
                    for language in LANGUAGES
                }
                self.pictures.add(event.pack, event.observation)
                map_data = map_of(event.observation.record(), self._messages.translate_word)
                if map_data is not None:
                    number = self.maps.get(event.pack, (0, {}))[0] + 1
                    self.maps[event.pack] = number, map_data
        except Exception as error:  # noqa: BLE001 - observations run code of packs
            _log.warning("the page misses an event: %s", describe_exception(error))

    def _publish(self) -> None:
        try:
            self.latest.publish(to_json(self._page_data()).encode())
        except Exception as error:  # noqa: BLE001 - one failed text must not end the thread
            _log.warning("the page could not be brought up to date: %s", describe_exception(error))

    def _page_data(self) -> dict[str, Any]:
        model, standing = self._model, self._standing()
        question: Question | None = standing.pop("question")
        with model.lock:
            mission = page_view(model) if model.mission_id else None
            sees = [
                {
                    "pack": pack,
                    "text": line.text,
                    "said": self._said.get(pack, {}),
                    "age_s": round(max(model.now() - line.t, 0), 2),
                }
                for pack, line in model.buffers.items()
            ]
        return {
            **standing,
            "mission": mission,
            "sees": sees,
            "maps": [
                {"pack": pack, "number": number, "robot": map_data["robot"]}
                for pack, (number, map_data) in self.maps.items()
            ],
            "pictures": [picture.drawing_data() for picture in self.pictures.newest()],
            "question": None if question is None else self._question_data(question),
        }

    def _question_data(self, question: Question) -> dict[str, Any]:
        """Return a question with all rows of its plan, in the language of the command."""
        plan = preview_model(question.spec, self._messages)
        rows = page_view(plan, Display(unfolded=True))["rows"]
        for row in rows:
            if (node := plan.forest.by_path.get(row.get("path", ""))) is not None:
                said = (row.get("about", ""), *execution_modifiers(plan, node))
                row["about"] = " · ".join(filter(None, said))
        return {"number": question.number, "why": question.why, "rows": rows}
