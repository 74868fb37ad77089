"""Display of a mission on a terminal: the live view and the final sentences."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from bt_exec import events as ev
from bt_exec.cli.output_streams import program_stream, to_json
from bt_exec.cli.stop_signals import stop_mission_on_signals
from bt_exec.cli.typed_lines import TypedLines, can_ask_operator
from bt_exec.language.messages import language_of
from bt_exec.mission.self_questions import asks_to_stop
from bt_exec.planning.compiler import REPLIES
from bt_exec.tui.live import LiveView
from bt_exec.tui.paint import Painter
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.summary import summary_lines
from bt_exec.tui.terminal_text import fit, safe_line
from bt_exec.tui.view_drawing import tree_lines
from bt_exec.tui.view_model import ViewModel

if TYPE_CHECKING:
    from bt_exec.mission.session import Session
    from bt_exec.mission_outcome import Outcome
    from bt_exec.spec.model import MissionSpec

__all__ = ["MissionDisplay", "final_lines", "print_outcome_and_exit"]

RECORD_COMMANDS: tuple[str, ...] = ("why", "replay")
"""Commands that take the number of a record, as suggested by the summary."""


def final_lines(
    model: ViewModel,
    painter: Painter,
    outcome: Outcome | None,
    *,
    tree: bool,
    verbose: bool,
    prompt: bool = False,
) -> Iterator[Any]:
    """Yield the tree of a mission, if requested, and its summary, if it has an outcome."""
    width, ascii_only = painter.width, painter.is_ascii_only
    if tree:
        yield from tree_lines(model, width, ascii=ascii_only, verbose=verbose)
    if outcome is not None:
        yield from summary_lines(
            outcome,
            width,
            model=model,
            ascii=ascii_only,
            commands=RECORD_COMMANDS,
            prompt=prompt,
            verbose=verbose,
        )


class MissionDisplay:
    """Runner of a session's missions with their display.

    Args:
        painter: The output for the operator.
        plain: Whether to print one line for each change even on a terminal.
        full: Whether to use the whole screen.
        verbose: Whether to show paths and identifiers of records.
        last: Whether the program ends with the mission; a further Ctrl-C then has no effect.
        prompt: Whether the operator types the next command at the prompt of the program.
    """

    def __init__(
        self,
        painter: Painter,
        *,
        plain: bool = False,
        full: bool = False,
        verbose: bool = False,
        last: bool = False,
        prompt: bool = False,
    ) -> None:
        self.painter = painter
        self.full = full
        self.verbose = verbose
        self.last = last
        self.prompt = prompt
        self.live = painter.can_redraw and not plain
        self.model = ViewModel(ascii=painter.is_ascii_only, verbose=verbose)
        self.listener: ev.Listener = (
            self.model if self.live else PlainView(self.model, self._write_line, verbose=verbose)
        )
        self.view: LiveView | None = None
        self.typed = TypedLines()
        self._trouble: OSError | None = None

    @contextlib.contextmanager
    def preparation_line(self, what: str) -> Iterator[None]:
        """Show `what` in a line during a preparation, and remove the line afterwards."""
        if not self.live:
            yield
            return
        glyphs = self.painter.glyphs
        text = fit(glyphs.text(f" … {what}"), self.painter.width - 1, glyphs.dots)
        self.painter.file.write(text)
        self.painter.file.flush()
        try:
            yield
        finally:
            self.painter.file.write("\r\x1b[K")
            self.painter.file.flush()

    def run(self, session: Session, command: str, plan: MissionSpec | None = None) -> Outcome:
        """Run one command to its end with a live view, and print its summary."""
        return self.show_mission(session, lambda: session.run(command, plan))

    def show_mission(self, session: Session, mission: Callable[[], Outcome]) -> Outcome:
        """Run a mission of a session to its end with a live view, and print its summary."""
        model, painter = self.model, self.painter
        # at a prompt, the operator types lines meanwhile, so the view does not read keys
        view = LiveView(model, painter, keys=self.last, full=self.full) if self.live else None
        self.view = view
        with (
            view or contextlib.nullcontext(),
            stop_mission_on_signals(session, view, last=self.last),
            self._reading_typed_lines(session),
        ):
            outcome = mission()
        if self._trouble is not None and not isinstance(self._trouble, BrokenPipeError):
            raise self._trouble  # raised only now, so that the mission could continue
        if self._trouble is None:
            tree = self.live and outcome.reason_code not in REPLIES
            lines = final_lines(
                self.model,
                self.painter,
                outcome,
                tree=tree,
                verbose=self.verbose,
                prompt=self.prompt,
            )
            self.painter.write_lines(lines)
        if outcome.is_stop:
            for line in self.typed.take_lines_before_stop():
                self._write_line(self._sentence_about_typed_line("TYPED_DROPPED", line))
        return outcome

    def _reading_typed_lines(self, session: Session) -> contextlib.AbstractContextManager[None]:
        """Return a context that reads lines typed at the prompt while a mission runs."""
        if not self.prompt or not can_ask_operator(self.painter):
            return contextlib.nullcontext()

        def report(line: str) -> None:
            text = self._sentence_about_typed_line(
                "TYPED_STOP" if asks_to_stop(line) else "TYPED", line
            )
            if self.view is None:
                self._write_line(text)
            else:
                with contextlib.suppress(OSError, ValueError):  # the terminal was closed
                    self.view.print_above(self.painter.file, f"{self.painter.glyphs.text(text)}\n")

        return self.typed.background_reading(session.abort, report)

    def _sentence_about_typed_line(self, code: str, line: str) -> str:
        """Return a sentence about a typed line, in the language of the line."""
        language = "en" if self.painter.is_ascii_only else language_of(line)
        return self.model.messages.say(code, language, command=safe_line(line))

    def _write_line(self, text: str) -> None:
        """Write a line; store an error of the stream, which must not end the mission."""
        if self._trouble is not None:
            return
        try:
            self.painter.write_text(text)
        except OSError as error:
            self._trouble = error


def print_outcome_and_exit(outcome: Outcome, *, json: bool = False) -> None:
    """Print the outcome of a mission whose main thread hangs, and end the program.

    The main thread may hold the lock of a stream, so buffered streams are not used.
    """
    if json:
        out = program_stream(sys.stdout).fileno()
        os.write(out, f"{to_json(outcome.to_dict())}\n".encode())
    line = f"bt-exec: {outcome.status}: {outcome.reason_code}: {outcome.message}\n"
    os.write(2, f"\r{line}".encode())
    os._exit(outcome.exit_code)
