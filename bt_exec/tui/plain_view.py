"""Display of a mission as one line per change, for pipes, screen readers and ``--plain``."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len

from bt_exec import events as ev
from bt_exec.planning.plan_preparation import NEED_NOT_MET
from bt_exec.spec.model import Mission
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.terminal_text import WORDS, pad, safe_line
from bt_exec.tui.view_model import ViewModel

__all__ = ["PlainView"]


class PlainView:
    """Event listener that writes one line for each change.

    Args:
        model: State of the mission, which this view updates.
        write: Writes a line.
        verbose: Whether to show paths, and grouping nodes as well as steps.
    """

    def __init__(
        self, model: ViewModel, write: Callable[[str], None], *, verbose: bool = False
    ) -> None:
        self.model = model
        self.write = write
        self.verbose = verbose
        self._seen = ""
        self._noted: tuple[str, ...] = ()
        self._states: dict[int, object] = {}
        # a stopped node; its line is delayed, because the failure of the node may follow at once
        self._stopped: ViewNode | None = None

    def on(self, event: ev.Event) -> None:  # noqa: C901 - one case for each kind of event
        """Update the model for an event and write the change."""
        model, stopped = self.model, self._stopped
        self._stopped = None
        changed_node = isinstance(event, ev.NodeChanged) and model.forest.by_path.get(event.path)
        if stopped is not None and changed_node is not stopped:
            self._write_state_change(stopped)
        model.on(event)
        match event:
            case ev.MissionStarted():
                self._states.clear()
                self._seen, self._noted = "", ()
                ident = f"  ({event.mission_id}, site {event.site})" if self.verbose else ""
                self.write_change("command", f"{model.command}{ident}")
            case ev.Planning() if event.failure is not None:
                by = safe_line(event.compiler) if self.verbose else ""
                self.write_change(
                    "planning",
                    f"{model.translated_text('again with' if by else 'again')} {by}".rstrip(),
                )
            case ev.Planned():
                self._write_plan(event.spec.mission)
            case ev.NodeChanged() if event.will_retry:
                self._write_retry(event)
            case ev.NodeChanged(state="stopped"):
                self._stopped = model.forest.by_path.get(event.path)
            case ev.NodeChanged():
                self._write_state_change(model.forest.by_path.get(event.path))
            case ev.Finished():  # no event reports that grouping nodes were stopped
                for node in filter(lambda node: node.state == "stopped", model.forest):
                    self._write_state_change(node)
            case ev.Asked() if event.told and event.verdict.holds is not None:
                self.write_change("answer", model.answer(event.path, event.verdict))
            case ev.PerceptionFailed():
                self._write_observations()
            case ev.Rejected():
                for problem in event.problems:
                    has_sentence = problem.code == NEED_NOT_MET or problem.code in model.messages
                    # otherwise the summary contains the sentences
                    if self.verbose or not has_sentence:
                        self.write_change("rejected", model.problem_text(problem))
            case ev.Aborting():
                self.write_change("stop", model.stopping)

    def _write_plan(self, mission: Mission) -> None:
        model = self.model
        self._states.clear()  # these states belong to rows of the old plan
        self._write_observations()
        steps = sum(not node.children for node in model.forest)
        made = model.translated_text(f"{steps} steps" if steps != 1 else "1 step")
        by = safe_line(mission.compiler) if self.verbose else ""
        made = ", ".join(filter(None, (made, by)))
        self.write_change(
            f"plan {mission.plan_version}", model.past[-1].change if model.past else made
        )
        notes = model.pass_notes()
        for note in notes:
            if note not in self._noted:
                self.write_change("note", note)
        self._noted = notes

    def _write_state_change(self, node: ViewNode | None) -> None:
        if node is not None and self._states.get(id(node)) != node.state:
            self._states[id(node)] = node.state
            if self.verbose or not node.children:
                self._write_node(node)

    def _write_retry(self, event: ev.NodeChanged) -> None:
        """Write that an attempt failed and will be repeated."""
        node = self.model.forest.by_path.get(event.path)
        if node is None or event.failure is None:
            return
        for inner in node.walk():  # its steps may end in the same states again
            self._states.pop(id(inner), None)
        why = ": ".join(
            filter(
                None,
                (self.model.failure_code(event.failure), self.model.failure_reason(event.failure)),
            )
        )
        label = self.model.label(node, verbose=self.verbose)
        attempt = self.model.translated_text(event.detail)
        parts = (label, self.model.detail_beside_label(node, verbose=self.verbose), attempt, why)
        self.write_change("retry", "  ".join(filter(None, parts)))

    def _write_node(self, node: ViewNode) -> None:
        took = ""
        if node.began is not None and node.ended is not None and node.ended - node.began >= 0.05:
            took = f"({self.model.duration_text(node.ended - node.began)})"
        why = ""
        if node.state == "failed":
            code = self.model.failure_code(node.failure) if node.failure else ""
            message = self.model.failure_reason(node.failure) if node.failure else node.detail
            why = ": ".join(filter(None, (code, message)))
            self._write_observations()
        elif node.state in ("skipped", "kept", "stopped", "unmet"):
            why = node.detail.removeprefix(self.model.translated_text(node.state)).strip()
        path = node.path if self.verbose else ""
        label = self.model.label(node, verbose=self.verbose)
        parts = (label, self.model.detail_beside_label(node, verbose=self.verbose), why, took, path)
        self.write_change(WORDS[node.state or ""], "  ".join(filter(None, parts)))

    def _write_observations(self) -> None:
        seen = self.model.newest_observations_text()
        if seen and seen != self._seen:
            self._seen = seen
            self.write_change("sees", seen)

    def write_change(self, word: str, text: str) -> None:
        """Write a line for a change: a fixed word for its kind, and its text."""
        shown = pad(self.model.fixed_word(word), 8)
        at = self.model.fixed_word(f"{round(self.model.t - self.model.began, 3):.1f} s")
        self.write(f"{at:>{10 - cell_len(at) + len(at)}}  {shown}  {text}".rstrip())
