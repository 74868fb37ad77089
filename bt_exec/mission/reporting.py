"""Reports of a pack: turn by turn, and the messages of its robot to people.

The executive's outcome knows no domain. A pack may bring a `MissionReporter`: one is made for each
mission, with the services of the pack's rig.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from bt_exec.events import Event
from bt_exec.failure import Failure, PartBroken
from bt_exec.mission.namespaces import in_names_of
from bt_exec.nodes.runtime import Unwatched, Watch
from bt_exec.outcome import MissionStatus
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings
from bt_exec.skill import Verdict
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.journal.record import MissionLine
    from bt_exec.pack import Pack
    from bt_exec.rig import Rig

__all__ = ["Action", "MissionReporter", "MissionView", "Reporters", "Skip"]

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("bt_exec")


@dataclass(frozen=True, slots=True)
class Action:
    """A skill with its arguments: what is done, remains, or was skipped."""

    name: str
    args: Mapping[str, Any]
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"name": …, "args": {…}}``."""
        return {"name": self.name, "args": dict(self.args)}


@dataclass(frozen=True, slots=True)
class Skip:
    """An action that was not needed, and why; since `t` [s, mission clock]."""

    name: str
    reason: str
    path: str = ""
    t: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class MissionView:
    """Data for a turn reporter.

    Attributes:
        command: What the person typed.
        language: ``en`` or ``ko``.
        spec: The plan in force, expanded.
        observation: The newest observation of the pack, or None.
        next_action: The skill about to start, or None at the end or while looking.
        remaining: What is left to do, in order, the next action first; what was skipped or kept
            is not in it.
        done: What was done, in order.
        skipped: What was skipped, in order.
        verdicts: The last verdict of every question, by its text.
        status: How the mission stands.
        reason_code: ``OK`` while it goes on; the outcome's code at the end.
        message: One sentence on how it stands.
        failure: What ended it, if a failure did.
        settings: The pack's settings of the site.
    """

    command: str
    language: str
    spec: MissionSpec
    observation: Any
    next_action: Action | None
    remaining: tuple[Action, ...]
    done: tuple[Action, ...]
    skipped: tuple[Skip, ...]
    verdicts: Mapping[str, Verdict]
    status: Literal["in_progress"] | MissionStatus
    reason_code: str
    message: str
    failure: Failure | None = None
    settings: Any = field(default_factory=PackSettings)


class MissionReporter:
    """Reporter of one mission for a pack; every method does nothing unless overridden.

    An error in one of them is logged and costs the report, never the mission.

    Args:
        services: The services of the pack's rig, by name.
    """

    def __init__(self, services: Mapping[str, Any]) -> None:
        self.services = services

    def recall(self, today: Callable[[], Sequence[MissionLine]]) -> None:
        """Take note of earlier missions; called before the mission begins.

        Args:
            today: Reads the finished missions of today from the journal, oldest first.
        """

    def on(self, event: Event) -> None:
        """Take note of `event`, after it is on record; called on the loop's thread."""

    def turn(self, view: MissionView) -> Mapping[str, Any] | None:
        """Return the report of this turn, before an action and at the end; None for none."""
        del view
        return None

    def told(self) -> str:
        """Return what the robot told the operator; it opens the final message. Empty for none."""
        return ""

    def achieved(self, done: Sequence[Action]) -> bool:
        """Whether any of what was asked is done; called where parts of a mission are missing.

        Args:
            done: What the pack's skills did, in order, without the means to what is missing. An
                errand that only comes home and reports that nothing worked has achieved nothing.
        """
        return bool(done)


class Reporters:
    """The reporters of one mission, by pack; an error in one is logged, once for each of its jobs.

    Args:
        packs: The packs of the site.
        rigs: Their rigs by pack; a reporter gets the services of its own.
        watch: Watches the calls; a reporter that hangs ends the mission.
        catalogue: The names of the site, if each reporter is to be told in those of its pack.
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
            if pack.reporter is not None:
                with self._guard(pack.name, "start"):
                    services = rigs[pack.name].services if pack.name in rigs else {}
                    self._each[pack.name] = pack.reporter(services)

    def recall(self, today: Callable[[], Sequence[MissionLine]]) -> None:
        """Let every reporter take note of earlier missions."""
        for pack, reporter in self._each.items():
            with self._guard(pack, "recall earlier missions"):
                self._call(pack, reporter.recall, today)

    def on(self, event: Event) -> None:
        """Hand an event to every reporter."""
        for pack, reporter in self._each.items():
            with self._guard(pack, "take an event"):
                self._call(pack, reporter.on, in_names_of(pack, event, self._catalogue))

    def turns(self, view_of: Callable[[str], MissionView]) -> Iterator[Mapping[str, Any]]:
        """Yield the reports of this turn; `view_of` makes the view of a pack."""
        for pack, reporter in self._each.items():
            report = None
            with self._guard(pack, "report"):
                report = self._call(
                    pack, reporter.turn, in_names_of(pack, view_of(pack), self._catalogue)
                )
                if report is not None and not isinstance(report, Mapping):
                    found, report = report, None
                    raise TypeError(f"turn() returns a mapping or None; found {found!r:.80}")
            if report is not None:
                yield report

    def told(self, said_of: Callable[[str, str], str] = lambda _, said: said) -> str:
        """Return what the robots told the operator.

        Args:
            said_of: Takes a pack or robot and what it told; returns how that is said.
        """
        said: list[str] = []
        for pack, reporter in self._each.items():
            with self._guard(pack, "say what was told"):
                said.append(said_of(pack, self._call(pack, reporter.told).strip()))
        return " ".join(filter(None, said))

    def achieved(self, done: Iterable[Action], owner: Callable[[str], str]) -> bool:
        """Return whether any of what was asked is done.

        Args:
            done: What was done, without the means to what is missing.
            owner: Gives the pack of a skill.
        """
        by_pack: dict[str, list[Action]] = {}
        for action in done:
            pack = owner(action.name)
            own = action.name.removeprefix(f"{pack}.")  # as the pack calls it
            by_pack.setdefault(pack, []).append(Action(own, action.args, action.path))
        for pack, actions in by_pack.items():
            some = bool(pack)  # a pause achieves nothing
            with self._guard(pack, "say what was achieved"):
                if pack in self._each:
                    some = bool(self._call(pack, self._each[pack].achieved, actions))
            if some:
                return True
        return False

    def _call(self, pack: str, function: Callable[P, R], *args: P.args, **more: P.kwargs) -> R:
        return self._watch.call(f"the reporter of {pack}", function, *args, **more)

    @contextlib.contextmanager
    def _guard(self, pack: str, job: str) -> Iterator[None]:
        """Log what a reporter raises: its words are missing, the mission goes on."""
        try:
            yield
        except (KeyboardInterrupt, PartBroken):
            raise  # the operator's, or the watchdog's; not the reporter's
        except BaseException as error:  # noqa: BLE001 - a report is missing, the mission is not
            if (pack, job) not in self._failed:
                self._failed.add((pack, job))
                _log.error("the reporter of %s could not %s", pack, job, exc_info=error)
