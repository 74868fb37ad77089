"""Reporters of one mission, which receive events with the names that their packs use.

If two packs define a skill or condition with the same name, the site calls it ``pack.name``. The
code of a pack uses the plain name, so its reporter receives events and views with plain names.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from bt_exec.events import Event
from bt_exec.failure import Failure, PartBroken
from bt_exec.mission_reporter import Action, EarlierMission, MissionReporter, MissionView
from bt_exec.nodes.runtime import Unwatched, Watch
from bt_exec.pack import Catalogue
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.pack import Pack
    from bt_exec.planning.compiler import Done
    from bt_exec.rig import Rig

__all__ = ["Reporters", "in_pack_names"]

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("bt_exec")


class Reporters:
    """Reporters of one mission, by pack. An error is logged once for each pack and method.

    Args:
        packs: The packs of the site.
        rigs: Their rigs by pack; a reporter receives the services of its pack's rig. A pack whose
            robot was not opened has no reporter, because the mission cannot use its skills.
        watch: Watches the calls; a reporter that hangs ends the mission.
        catalogue: Names of the site's skills and conditions; by default, no names clash.
    """

    def __init__(
        self,
        packs: Iterable[Pack],
        rigs: Mapping[str, Rig],
        watch: Watch | None = None,
        catalogue: Catalogue | None = None,
    ) -> None:
        self._watch: Watch = watch or Unwatched()
        self._failed: set[tuple[str, str]] = set()
        self._each: dict[str, MissionReporter] = {}
        self._catalogue = catalogue or Catalogue([])
        for pack in packs:
            opened = pack.name in rigs or not pack.robots
            if pack.reporter is not None and opened:
                with self._log_exceptions(pack.name, "start"):
                    services = rigs[pack.name].services if pack.name in rigs else {}
                    self._each[pack.name] = pack.reporter(services)

    def load_earlier_missions(self, today: Callable[[], Sequence[EarlierMission]]) -> None:
        """Call `MissionReporter.load_earlier_missions` of every reporter."""
        for pack, reporter in self._each.items():
            with self._log_exceptions(pack, "recall earlier missions"):
                self._call(pack, reporter.load_earlier_missions, today)

    def load_finished_steps(self, done: Sequence[Done]) -> None:
        """Pass the finished steps of the continued mission to the reporters of their packs."""
        by_pack: dict[str, list[Done]] = {}
        for step in done:
            pack = self._catalogue.owner(step.skill) if step.skill else ""
            own = step.skill.removeprefix(f"{pack}.")
            by_pack.setdefault(pack, []).append(replace(step, skill=own))
        for pack, steps in by_pack.items():
            if pack in self._each:
                with self._log_exceptions(pack, "load earlier work"):
                    self._call(pack, self._each[pack].load_finished_steps, steps)

    def on(self, event: Event) -> None:
        """Pass an event to every reporter."""
        for pack, reporter in self._each.items():
            with self._log_exceptions(pack, "handle an event"):
                self._call(pack, reporter.on, in_pack_names(pack, event, self._catalogue))

    def turn_reports(self, view_of: Callable[[str], MissionView]) -> Iterator[Mapping[str, Any]]:
        """Yield the reports of this turn; `view_of` returns the view of a pack."""
        for pack, reporter in self._each.items():
            report = None
            with self._log_exceptions(pack, "report"):
                report = self._call(
                    pack, reporter.turn_report, in_pack_names(pack, view_of(pack), self._catalogue)
                )
                if report is not None and not isinstance(report, Mapping):
                    found, report = report, None
                    raise TypeError(f"turn() must return a mapping or None; found {found!r:.80}")
            if report is not None:
                yield report

    def operator_messages(self, said_of: Callable[[str, str], str] = lambda _, said: said) -> str:
        """Return the robots' messages to the operator as one text.

        Args:
            said_of: Called with the name of a pack and its message; returns the text to show.
        """
        said: list[str] = []
        for pack, reporter in self._each.items():
            with self._log_exceptions(pack, "return its messages"):
                said.append(said_of(pack, self._call(pack, reporter.operator_messages).strip()))
        return " ".join(filter(None, said))

    def achieved(self, done: Iterable[Action], owner: Callable[[str], str]) -> bool:
        """Return True if any requested action has been achieved, according to its pack's reporter.

        Args:
            done: Finished actions, except actions that only prepared a part that was not done.
            owner: Returns the pack of a skill.
        """
        by_pack: dict[str, list[Action]] = {}
        for action in done:
            pack = owner(action.name)
            own = action.name.removeprefix(f"{pack}.")  # in the pack's own names
            by_pack.setdefault(pack, []).append(Action(own, action.args, action.path))
        for pack, actions in by_pack.items():
            some = bool(pack)  # built-in skills such as `wait` achieve nothing
            with self._log_exceptions(pack, "report what was achieved"):
                if pack in self._each:
                    some = bool(self._call(pack, self._each[pack].achieved, actions))
            if some:
                return True
        return False

    def _call(self, pack: str, function: Callable[P, R], *args: P.args, **more: P.kwargs) -> R:
        return self._watch.call(f"the reporter of {pack}", function, *args, **more)

    @contextlib.contextmanager
    def _log_exceptions(self, pack: str, job: str) -> Iterator[None]:
        """Log an exception of a reporter; its report is missing, and the mission continues."""
        try:
            yield
        except (KeyboardInterrupt, PartBroken):
            raise  # raised by the operator or the watchdog, not by the reporter
        except BaseException as error:  # noqa: BLE001 - only the report is missing
            if (pack, job) not in self._failed:
                self._failed.add((pack, job))
                _log.error("the reporter of %s could not %s", pack, job, exc_info=error)


EventOrView = TypeVar("EventOrView", bound="Event | MissionView")

_FULL = re.compile(r"(?<![\w.])\w+\.\w+")


def in_pack_names(pack: str, event_or_view: EventOrView, catalogue: Catalogue) -> EventOrView:
    """Return an event or a view with the names that `pack` uses; unchanged if no name clashes."""
    if not catalogue.clashes(pack):
        return event_or_view

    def plain(name: str) -> str:
        return catalogue.name_in_pack(pack, name)

    def text(question_text: str) -> str:
        return _FULL.sub(lambda found: plain(found[0]), question_text)

    def with_pack_names(field: str, value: Any) -> Any:
        match value:
            case MissionSpec():
                return catalogue.with_pack_names(pack, value)
            case Failure(node=node, cause=cause):
                return replace(value, node=plain(node), cause=with_pack_names("cause", cause))
        match field:
            case "skill":
                return plain(value)
            case "question":
                return text(value)
            case "verdicts":
                return {text(question): verdict for question, verdict in value.items()}
            case "next_action" if value is not None:
                return replace(value, name=plain(value.name))
            case "remaining" | "done" | "skipped":
                return tuple(replace(part, name=plain(part.name)) for part in value)
        return value

    before = {field.name: getattr(event_or_view, field.name) for field in fields(event_or_view)}
    return replace(
        event_or_view, **{name: with_pack_names(name, value) for name, value in before.items()}
    )
