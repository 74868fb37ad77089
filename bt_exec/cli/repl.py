"""Command ``repl``: a prompt that runs one command after another in the same world."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.output_streams import localized, reader_language, use_language_of
from bt_exec.cli.prompt_words import asks_why, command_name, prompt_words
from bt_exec.cli.stop_signals import clear_interrupt, was_interrupted, was_killed
from bt_exec.mission_outcome import EXIT_CODES

if TYPE_CHECKING:
    from bt_exec.cli.mission_setup import MissionConsole
    from bt_exec.tui.paint import Painter

__all__ = ["COMMANDS", "repl"]

_PROGRAM = "bt-exec"
_RECORD_COMMANDS = ("why", "replay", "watch")
_NO_VERBS = ("why", "replay", "history", "resume")  # never begin a command to the robot
_OTHERS = ("history", "show", "resume")
_RECENT = 10
"""Number of recent missions that are searched for a stopped one after "why did you stop?"."""
_MISSION = re.compile(r"last|\d{1,9}|\d{4}-\d\d-\d\d-\d{4,}")
_HISTORY_REST = re.compile(r"-|(show|export|check|prune)$")


def repl(
    site: opt.SiteName = "",
    world: opt.WorldTexts = None,
    fault: opt.FaultTexts = None,
    fast: opt.Fast = False,
    plain: opt.Plain = False,
    journal: opt.JournalFile = None,
    no_journal: opt.NoJournal = False,
    compiler: opt.CompilerName = None,
    guard: opt.Guard = False,
    inspected: opt.Inspected = False,
    verbose: opt.Verbose = False,
) -> None:
    """Run one command after another in the same world.

    Also reads commands from a pipe, one per line; the exit code is then that of the first mission
    that did not end satisfied.
    """
    from bt_exec.cli.mission_setup import Options, open_stage
    from bt_exec.language.messages import LANGUAGES

    prompt = sys.stdin is not None and sys.stdin.isatty()
    options = Options(
        site=site,
        world=world or (),
        faults=fault or (),
        fast=fast,
        plain=plain,
        journal=journal,
        no_journal=no_journal,
        compiler=compiler,
        verbose=verbose,
        languages=LANGUAGES,
        prompt=prompt,
        guard=guard,
        inspected=inspected,
    )
    with open_stage(options) as stage:
        code = _Prompt(stage, verbose=verbose).run()
    raise typer.Exit(code)


class _Prompt:
    def __init__(self, stage: MissionConsole, *, verbose: bool) -> None:
        self.stage = stage
        self.verbose = verbose
        self.painter: Painter = stage.display.painter
        self.people = sys.stdin is not None and sys.stdin.isatty()
        self.words = prompt_words()
        self.code = 0
        self.ends = False
        self.last = ""  # identifier of the last mission of this session that was not only a reply

    def run(self) -> int:
        site = self.stage.session.site
        if self.people:
            language = "en" if self.painter.is_ascii_only else reader_language()
            hint = site.messages.say("PROMPT_HINT", language)
            head = " · ".join(filter(None, (site.name, site.summary_in(language))))
            self.painter.write_text(f"{head}\n{hint}")
            if self.stage.session.unfinished() is not None:
                self.stage.say_world_is_new(language)
        for line in self.typed_lines():
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            if not self.answer(text) or self.ends:
                break
        return 0 if self.people and not self.ends else self.code

    def answer(self, text: str) -> bool:
        """Handle a typed line; return False if it ends the prompt."""
        program, _, rest = text.partition(" ")
        named = program == _PROGRAM
        text = (rest.strip() or _PROGRAM) if named else text
        first = text.split(maxsplit=1)[0]
        word = next((key for key, words in self.words.items() if first in words), "")
        word = "why" if asks_why(text) else word
        if arguments := self.terminal_command(text):
            self.run_terminal_command(arguments, first)
            return self.people or not was_interrupted()
        if word == "quit" and text in self.words["quit"]:
            return False
        word = "resume" if self.is_resumption(text, named=named) else word
        if named and not word:
            self.reject_line("PROMPT_NOT_HERE", first, "")
        elif word not in ("why", "reset", "resume") and self.is_misused_word(text, word):
            self.reject_line("PROMPT_WORD", first, text)
        else:
            self.handle_line(word, text)
        return True

    def is_resumption(self, text: str, *, named: bool) -> bool:
        """Return True for ``resume N``, and for ``resume`` alone if it is a prompt command.

        Args:
            text: The typed line, without the name of the program.
            named: Whether the line began with the name of the program, as ``bt-exec resume``.
                Otherwise, the English word alone is a request to the robot.
        """
        first, *rest = text.split()
        if command_name(first) != "resume":
            return False
        alone = not rest and (named or first != "resume")
        return alone or (len(rest) == 1 and _MISSION.fullmatch(rest[0]) is not None)

    def is_misused_word(self, text: str, word: str) -> bool:
        """Return True for a line that begins with a prompt word but is not a valid command."""
        if word and text in self.words[word]:
            return False
        known = bool(word) or command_name(text.split()[0]) in _NO_VERBS
        return known and self.stage.session.refuses(text)

    def reject_line(self, code: str, word: str, text: str) -> None:
        """Report that a line is not a command of this prompt; nothing moves."""
        from bt_exec.language.messages import language_of

        self.code = self.code or 2
        language = language_of(text) if text else reader_language()
        self.say(code, "en" if self.painter.is_ascii_only else language, word=word, text=text)

    def handle_line(self, word: str, text: str) -> None:
        """Handle a prompt word or a robot command; a usage error does not end the prompt."""
        from bt_exec.failure import BtExecError
        from bt_exec.language.korean_errors import error_message
        from bt_exec.language.messages import language_of
        from bt_exec.planning.compiler import REPLIES

        language = language_of(text)
        try:
            if word == "help" and text in self.words["help"]:
                self.help(language)
            elif word == "status" and text in self.words["status"]:
                self.status(language)
            elif word == "why":
                self.why(text)
            elif word == "resume":
                with use_language_of("" if text.isascii() else language):
                    self.resume("".join(text.split()[1:]))
            elif word == "reset":
                self.reset_world(text.split()[1:], language)
            else:
                outcome = self.stage.run(text)
                self.last = self.last if outcome.reason_code in REPLIES else outcome.mission_id
                self.code = self.code or outcome.exit_code
                self.ends = was_killed() or (outcome.is_stop and not self.people)
        except KeyboardInterrupt:
            clear_interrupt()
            self.code = self.code or EXIT_CODES["aborted"]
            self.ends = not self.people
            self.painter.write_text("")  # a Ctrl-C after the end of a mission keeps the prompt
        except BtExecError as error:
            self.code = self.code or 2
            said = error_message(error, language, codes=self.verbose)
            self.painter.write_text(f"bt-exec: {said}", "failed")
        if self.ends:
            self.say("PROMPT_STOPPED", language)

    def terminal_command(self, text: str) -> list[str]:
        """Return the command-line arguments for a line such as ``why 91``; empty for other lines.

        ``why 91``, ``history --failed`` and ``show get_material`` work as on the command line.
        Other lines that begin with such a word ("show me the material") are commands to the robot.
        """
        word, *rest = text.split()
        word = command_name(word)
        if word not in _RECORD_COMMANDS and word not in _OTHERS[:2]:
            return []
        try:
            arguments = [word, *shlex.split(text)[1:]]
        except ValueError:  # an unpaired apostrophe occurs only in commands to the robot
            return []
        site = self.stage.session.site
        names = {*site.library.names(), *site.catalogue.skills, *site.catalogue.conditions}
        first = rest[0] if rest else ""
        if word == "show" and (not rest or _MISSION.fullmatch(first)):
            return ["history", *arguments]
        alone = not rest and word != "why"  # "why" alone asks about the last mission here
        record = alone or first.startswith("-") or "://" in first
        one_name = len(rest) == 1 and first.isascii() and "?" not in first
        known = {
            "why": record or one_name,
            "show": first in names,
            "history": not rest or _HISTORY_REST.match(first) is not None,
        }
        fits = known.get(word, record or _MISSION.fullmatch(first) is not None)
        return arguments if fits else []

    def run_terminal_command(self, arguments: list[str], typed: str) -> None:
        """Run a command of the command line with the journal and the site of this prompt.

        Args:
            arguments: The command with its arguments.
            typed: Name of the command as typed, which determines the language.
        """
        from bt_exec.cli.app import run_nested_command_line
        from bt_exec.language.messages import language_of

        session = self.stage.session
        if arguments[0] == "show":
            arguments = [*arguments, "--site", str(session.site.file)]
        elif "--journal" not in arguments:
            if session.journal is None:
                self.code = self.code or 2
                said = localized("no record is kept here (--no-journal)")
                self.painter.write_text(f"bt-exec: {said}", "failed")
                return
            at = 2 if arguments[0] == "history" and arguments[1:2] == ["show"] else 1
            arguments[at:at] = ["--journal", str(session.journal.path)]
        with use_language_of("" if typed.isascii() else language_of(typed)):
            code = run_nested_command_line(arguments)
        self.code = self.code or code

    def typed_lines(self) -> Iterator[str]:
        if not self.people:
            yield from sys.stdin or ()
            return
        from bt_exec.cli.typed_lines import configure_line_editing

        typed = self.stage.display.typed
        with configure_line_editing(self.utterances()):
            while True:
                try:
                    yield typed.next_line(
                        f"{self.stage.session.site.name}> ", self.painter.write_text
                    )
                except EOFError:
                    self.painter.write_text("")
                    return
                except KeyboardInterrupt:
                    clear_interrupt()
                    self.painter.write_text("")  # Ctrl-C discards the line and keeps the prompt

    def help(self, language: str) -> None:
        from bt_exec.tui.site_listing import first_utterances

        trees = [tree for tree in self.stage.session.site.library if tree.utterances]
        said = [f"  {' · '.join(first_utterances(tree.utterances))}" for tree in trees]
        self.say("PROMPT_HELP", language, examples="\n".join(said))

    def status(self, language: str) -> None:
        """Print sentences about the known state.

        Facts without a sentence are listed if there are no sentences, or with ``--verbose``.
        """
        from bt_exec.language.fact_sentences import fact_sentences

        session = self.stage.session
        world = " ".join(f"{key}={value}" for key, value in session.world.items())
        site, messages = session.site.name, session.site.messages
        began = messages.say("PROMPT_WORLD", language, world=world) if world else ""
        self.painter.write_text(" · ".join(filter(None, (site, began))))
        said, rest = fact_sentences(dict(sorted(session.facts().items())), messages, language)
        if self.verbose or not said:
            said += tuple(f"{name}: {value}" for name, value in rest.items())
        for line in said:
            self.painter.write_text(f"  {line}")
        if not said:
            self.say("PROMPT_NOTHING_SEEN", language)

    def why(self, text: str) -> None:
        """Answer a question about the last mission from the record; nothing moves."""
        from bt_exec.failure import UsageError
        from bt_exec.language.messages import language_of
        from bt_exec.mission.self_questions import question_of
        from bt_exec.planning.compiler import REPLIES
        from bt_exec.tui.recorded_mission_messages import mission_explanation

        journal = self.stage.session.journal
        if journal is None:
            raise UsageError("no record is kept here (--no-journal), so the reason is unknown")
        language = "" if command_name(text.strip(" ?")) == "why" else language_of(text)
        line = journal.mission_summary(self.last)
        which = self.last or "last"
        bare = command_name(text.strip(" ?")) == "why"
        # the last command failed, or nothing had to be done for it; it was not a question
        decisive = line is not None and line.reason_code not in ("OK", *REPLIES)
        asked = question_of(text)
        session = self.stage.session
        named = None if bare else session.action_in_question(text)
        if named is not None and named.mission is not None:
            which = named.mission.id
        elif asked in ("STOPPED", "WHY") or not (bare or decisive):
            # the question is about the last mission with an action, not about an answered question
            site, actions = session.site.name, session.conversation.actions
            acted = journal.last_mission_with_action(site, actions)
            if acted is None:
                self.say("SELF_NOTHING_DONE", language_of(text))
                return
            if asked == "STOPPED":  # prefer a stopped mission to a later one that went well
                recent = journal.missions_with_actions(site, actions, limit=_RECENT)
                acted = next((one for one in recent if one.status != "satisfied"), acted)
            which = acted.id
            if named is not None:
                self.say("SELF_OTHER_MISSION", language_of(text))
        said = mission_explanation(journal.mission(which), language)
        self.painter.write_lines(said.lines(self.painter.width, self.painter.glyphs))

    def resume(self, which: str) -> None:
        """Continue a mission of this site: the named one, or the last unfinished one."""
        from bt_exec.cli.resume import continue_mission, mission_to_continue
        from bt_exec.failure import UsageError
        from bt_exec.journal import record_argument

        session = self.stage.session
        if session.journal is None:
            raise UsageError("no record is kept here (--no-journal)")
        record = mission_to_continue(session.journal, which, session.site.name)
        if record.line.site != session.site.name:
            number = record_argument(record.id, session.journal.path)
            raise UsageError(
                f"mission {record.id} belongs to the site {record.line.site}; leave this prompt, "
                f"then: bt-exec resume {number}"
            )
        session.open()
        outcome = continue_mission(session, self.stage.display, record)
        self.last = outcome.mission_id
        self.code = self.code or outcome.exit_code

    def reset_world(self, pairs: list[str], language: str) -> None:
        from bt_exec.mission.rig_construction import parse_world_settings

        self.stage.session.reset(parse_world_settings(pairs) if pairs else None)
        self.say("PROMPT_NEW_WORLD" if pairs else "PROMPT_WORLD_AGAIN", language)

    def say(self, code: str, language: str, **facts: str) -> None:
        """Print one of the executive's own sentences."""
        self.painter.write_text(self.stage.session.site.messages.say(code, language, **facts))

    def utterances(self) -> list[str]:
        library = self.stage.session.site.library
        words = ("status", "why", "reset", "help", "history", "show", "replay", "resume")
        return [*(text for tree in library for text in tree.utterances), *words]


COMMANDS: Mapping[str, Callable[..., None]] = {"repl": repl}
