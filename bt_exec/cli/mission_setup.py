"""Setup and teardown of a mission on the command line, from its options."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bt_exec.cli.output_streams import operator_painter, reader_language
from bt_exec.cli.resume import continue_mission
from bt_exec.cli.stop_signals import clear_interrupt
from bt_exec.cli.turn_report_and_picture_output import FrameWriter, TurnReportWriter
from bt_exec.failure import UsageError
from bt_exec.language.closed_classes import is_no, is_yes

if TYPE_CHECKING:
    from bt_exec.cli.mission_display import MissionDisplay
    from bt_exec.mission.session import Session
    from bt_exec.mission_outcome import Outcome
    from bt_exec.spec.model import MissionSpec
    from bt_exec.tui.paint import Painter

__all__ = ["MissionConsole", "Options", "open_stage"]


@dataclass(frozen=True)
class Options:
    """The options of ``run`` and ``repl``; see `bt_exec.cli.options` for their help."""

    site: str = ""
    world: Sequence[str] = ()
    faults: Sequence[str | Mapping[str, Any]] = ()
    fast: bool = False
    plain: bool = False
    full: bool = False
    json: bool = False
    turns: str | None = None
    frames: Path | None = None
    keep_frames: bool = False
    journal: Path | None = None
    no_journal: bool = False
    compiler: str | None = None
    verbose: bool = False
    last: bool = False
    languages: Sequence[str] = ()
    tools: Sequence[Path] = ()
    guard: bool = False
    inspected: bool = False
    interrupted: bool = True
    prompt: bool = False
    defer: bool = False
    groot2: int | None = None
    step: bool = False
    breaks: Sequence[str] = ()
    watch: Sequence[str] = ()


@dataclass
class MissionConsole:
    """A session with its display.

    Attributes:
        session: Runs the missions.
        display: Displays the missions.
        asks: Whether the operator can be asked for missing information.
        interrupted: Command of an interrupted mission whose state was just reported; empty if none.
        knows_world: Whether the operator knows the state of the simulated world: the notice that it
            is new was printed, or the world was restored.
    """

    session: Session
    display: MissionDisplay
    asks: bool = False
    interrupted: str = ""
    knows_world: bool = False

    def run(self, command: str, plan: MissionSpec | None = None) -> Outcome:
        """Run and display one command, with `plan` if given; return the outcome.

        If a command is refused and the operator can be asked for the missing information, the
        answer is run as the next command. The outcome of the last command is returned.
        """
        from bt_exec.language.messages import language_of
        from bt_exec.mission.self_questions import NEED_WORLD, asks_to_continue, question_of

        site, ascii_only = self.session.site, self.display.painter.is_ascii_only
        language = "en" if ascii_only else language_of(command)
        continues = plan is None and asks_to_continue(command)
        if continues and (record := self.session.unfinished()) is not None:
            self.session.open()
            self.knows_world = True  # the world of the mission is restored
            return continue_mission(self.session, self.display, record, language)
        with self.display.preparation_line(
            site.messages.say("PREPARING", language, site=site.name)
        ):
            if plan is None:
                self.session.open_for(command)
            else:
                self.session.open()
        asks = command.rstrip().endswith("?") or question_of(command) in NEED_WORLD
        if self.interrupted or (plan is None and asks):
            self.say_world_is_new(language)
        outcome = self.display.run(self.session, command, plan)
        for _ in range(_MOST_QUESTIONS if self.asks else 0):
            said = _ask_for_command(outcome, self.display.painter)
            if not said:
                break
            if asks_to_continue(said):
                return self.run(said)
            outcome = self.display.run(self.session, said)
        return outcome

    def say_world_is_new(self, language: str) -> None:
        """Print once that this simulated world lacks the results of the last mission.

        Nothing is printed after a mission in this world, because the world is not new then; the
        last mission on record may belong to another program.
        """
        session = self.session
        used = any(turn.ran for turn in session.conversation.context().turns)
        if self.knows_world or used or session.journal is None or not session.simulated:
            return
        self.knows_world, self.interrupted = True, ""
        record, code = session.unfinished(), "WORLD_IS_NEW"
        if record is None:
            actions, today = session.conversation.actions, datetime.now().astimezone().date()
            acted = session.journal.missions_with_actions(
                session.site.name, actions, day=today, limit=1
            )
            record = next((session.journal.mission(one.id) for one in acted), None)
            code = "WORLD_IS_NEW_DONE"
        if record is not None and record.session != session.world_id:
            say = session.site.messages.say
            self.display.painter.write_text(say(code, language, command=record.command))


def _print_unused_faults(session: Session, painter: Painter, language: str) -> None:
    """Print the faults that did not fire and the breakpoints that were not reached."""
    say = session.site.messages.say
    for fault, calls in session.faults.unused():
        code = (
            "FAULT_UNUSED" if calls is None else "FAULT_UNUSED_CALLS" if calls else "FAULT_NO_CALL"
        )
        shown = "en" if painter.is_ascii_only else language
        words = (session.site.messages.fixed_word(f"fault {word}", shown) for word in fault.words())
        what = " ".join(word.removeprefix("fault ") for word in words)
        painter.write_text(say(code, shown, fault=what, skill=fault.name, calls=calls))
    if session.debugger is not None:
        for option, name, near in session.debugger.unused_breakpoints():
            code = "DEBUG_UNUSED_NEAR" if near else "DEBUG_UNUSED"
            facts = {"option": option, "name": name, "near": ", ".join(near)}
            painter.write_text(say(code, "en" if painter.is_ascii_only else language, **facts))


def _report_lost_world(session: Session, painter: Painter) -> None:
    """Print how a stopped mission can be continued after its simulated world has ended."""
    from bt_exec.journal import record_argument

    journal = session.journal
    left = session.unfinished() if session.simulated else None
    if (
        journal is not None
        and left is not None
        and left.status == "aborted"
        and left.session == session.world_id
    ):
        number = record_argument(left.id, journal.path)
        language = "en" if painter.is_ascii_only else left.line.language
        say = session.site.messages.say
        painter.write_text(say("WORLD_ENDS", language, command=left.command, number=number))


@contextlib.contextmanager
def open_stage(options: Options) -> Iterator[MissionConsole]:
    """Open a session and its display with these options, and close them at the end.

    Raises:
        BtExecError: If an option is invalid; nothing has moved.
    """
    from bt_exec.cli.history_and_why import open_journal, report_interrupted_mission
    from bt_exec.cli.mission_display import MissionDisplay, print_outcome_and_exit
    from bt_exec.cli.terminal_confirmation_and_debugger import TerminalConfirm, terminal_debugger
    from bt_exec.cli.typed_lines import can_ask_operator
    from bt_exec.journal.maintenance import Retention
    from bt_exec.mission.rig_construction import parse_world_settings
    from bt_exec.mission.session import Session
    from bt_exec.site.site import load_site

    if options.journal is not None and options.no_journal:
        raise UsageError("--journal and --no-journal contradict each other; give one of them")
    if options.keep_frames and options.no_journal:
        raise UsageError("--frames stores pictures in the journal, which --no-journal disables")
    if options.json and options.turns == "-":
        raise UsageError("--json and --turns - both write to standard output; give --turns a file")
    with contextlib.ExitStack() as stack:
        site = load_site(options.site, options.tools)
        world = parse_world_settings(options.world)
        try:
            journal = None if options.no_journal else open_journal(options.journal)
        except UsageError as error:
            raise UsageError(f"{error}. Try: --journal FILE, or --no-journal") from error
        beside = options.json or options.turns == "-"
        painter = operator_painter(beside=beside)
        for line in site.replaced if options.verbose else ():
            painter.write_text(line)
        display = MissionDisplay(
            painter,
            plain=options.plain,
            full=options.full,
            verbose=options.verbose,
            last=options.last,
            prompt=options.prompt,
        )
        interrupted = ""
        if journal is not None and options.interrupted:
            spoken = options.languages[0] if len(options.languages) == 1 else ""
            interrupted = report_interrupted_mission(
                painter, journal, prompt=options.prompt, language=spoken
            )
        listeners = [display.listener]
        if options.turns is not None:
            turns = TurnReportWriter(options.turns)
            stack.callback(turns.close)
            listeners.append(turns)
        if options.groot2 is not None:
            from bt_exec.interchange.groot2_publisher import Groot2Publisher

            publisher = Groot2Publisher(options.groot2)
            stack.callback(publisher.close)
            listeners.append(publisher)
        if options.frames is not None:
            frames = FrameWriter(options.frames)
            stack.callback(frames.close)
            listeners.append(frames)
        single = len(options.languages) == 1 and not painter.is_ascii_only
        language = options.languages[0] if single else reader_language()
        with display.preparation_line(site.messages.say("PREPARING", language, site=site.name)):
            session = Session(
                site,
                world=world,
                fast=options.fast,
                faults=options.faults,
                listeners=listeners,
                journal=journal,
                frames=options.keep_frames,
                compiler=options.compiler,
                confirm=TerminalConfirm(display) if can_ask_operator(painter) else None,
                languages=options.languages,
                guard=options.guard,
                inspected=options.inspected,
                defer=options.defer,
            )
        stack.enter_context(session)
        language = next(iter(options.languages), "en")
        stack.callback(_print_unused_faults, session, painter, language)
        stack.callback(_report_lost_world, session, painter)
        if options.step or options.breaks or options.watch:
            session.debugger = terminal_debugger(
                session,
                display,
                language,
                step=options.step,
                breaks=options.breaks,
                watch=options.watch,
            )
        session.abandoned = functools.partial(print_outcome_and_exit, json=options.json)
        display.model.messages = site.messages
        if journal is not None and (site.keep.days or site.keep.megabytes):
            journal.prune(Retention(**site.keep.model_dump()), site=site.name)
        asks = not beside and can_ask_operator(painter)
        yield MissionConsole(session, display, asks=asks, interrupted=interrupted)


_MOST_QUESTIONS = 3
"""Maximum number of consecutive questions after a command."""


def _ask_for_command(outcome: Outcome, painter: Painter) -> str:
    """Ask the operator about a refusal; return the next command, or "" without an answer.

    Enter or yes confirms a single suggested command. Enter, Ctrl-C and Ctrl-D leave a question
    open. Answers other than yes and no are returned as a command, which the session may interpret
    as the missing information.
    """
    if outcome.status != "refused" or not (outcome.did_you_mean or outcome.question):
        return ""
    meant = outcome.did_you_mean[0] if len(outcome.did_you_mean) == 1 else ""
    try:
        answer = input("[Y/n] " if meant else "> ").strip()
    except EOFError:
        painter.write_text("")
        return ""
    except KeyboardInterrupt:
        clear_interrupt()
        painter.write_text("")
        return ""
    if meant and (not answer.strip(" .!") or is_yes(answer)):
        return meant
    return "" if is_no(answer) else answer
