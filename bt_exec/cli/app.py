"""Application ``bt-exec``: its commands and the handling of their errors.

A usage error is shown as one paragraph on standard error, an internal error as one line. Tracebacks
are shown only with ``BT_EXEC_DEBUG=1``. Exit codes of missions are defined in
`bt_exec.mission_outcome`. Other exit codes are 2 for a usage error, 1 for an internal error, 74 if
output cannot be written, and 141 after a broken pipe.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import logging
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer

from bt_exec.cli.campaign import COMMANDS as CAMPAIGN
from bt_exec.cli.check import COMMANDS as CHECK
from bt_exec.cli.compile import COMMANDS as PLAN
from bt_exec.cli.diff import COMMANDS as DIFF
from bt_exec.cli.doctor import COMMANDS as DOCTOR
from bt_exec.cli.evaluate import COMMANDS as EVALUATE
from bt_exec.cli.history_and_why import COMMANDS as WHY
from bt_exec.cli.history_and_why import HISTORY
from bt_exec.cli.interchange import COMMANDS as EXCHANGE
from bt_exec.cli.new_and_format import COMMANDS as FMT
from bt_exec.cli.new_and_format import NEW
from bt_exec.cli.output_streams import separate_streams
from bt_exec.cli.rehearse import COMMANDS as REHEARSE
from bt_exec.cli.repl import COMMANDS as REPL
from bt_exec.cli.repl import repl
from bt_exec.cli.replay import COMMANDS as REPLAY
from bt_exec.cli.resume import COMMANDS as RESUME
from bt_exec.cli.run import COMMANDS as RUN
from bt_exec.cli.serve import COMMANDS as SERVE
from bt_exec.cli.site_contents import COMMANDS as SITE
from bt_exec.cli.stop_signals import (
    EXIT_SIGNAL,
    ProgramExit,
    limit_exit_time,
    record_interrupts,
    signal_name,
    was_interrupted,
)
from bt_exec.cli.torture import COMMANDS as TORTURE
from bt_exec.cli.understand import COMMANDS as UNDERSTAND
from bt_exec.cli.watch import COMMANDS as WATCH
from bt_exec.declarations.exception_description import describe_error, extra_hint
from bt_exec.failure import BtExecError, SpecError, UnknownName
from bt_exec.language.sanitize import printable

__all__ = ["app", "main", "run_command_line", "run_nested_command_line"]

EXIT_BUG = 1
EXIT_USAGE = 2
EXIT_OUTPUT = 74
EXIT_STOPPED = 130
EXIT_READER_GONE = 141

_IMPOSSIBLE_PATHS = frozenset({errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR})
"""Error numbers that mean an invalid path from the operator, not a fault of the machine."""

_CLICK_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""Base class of click's errors, whose module differs between versions of typer."""

_LONGEST_LINE = 4000
"""Maximum length of a message line [characters]; longer ones repeat the operator's input."""

_GROUPS = "bt_exec.commands"
"""Entry-point group of further command groups. Each is a `typer.Typer` with few imports."""

_NUMBERED = re.compile(r"\[Errno -?\d+\] ")
"""Pattern of the error number in messages of the operating system."""

_LOOK_UP = {
    "tree": "bt-exec trees",
    "skill": "bt-exec skills",
    "condition": "bt-exec skills",
    "site": "bt-exec doctor",
    "pack": "bt-exec doctor",
    "compiler": "bt-exec doctor",
    "mission": "bt-exec history",
}

app = typer.Typer(
    name="bt-exec",
    help="Tell a robot what to do; watch it, and see why. Without a command: a prompt.",
    epilog="Exit codes: 0 satisfied, 2 usage, 3 blocked, 4 failed, 5 refused, 6 done in part, "
    "130 stopped, 143 terminated outside a mission.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"bt-exec {version('bt-exec')}")
        except PackageNotFoundError:
            typer.echo("bt-exec (not installed)")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _run_without_command(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback answers
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        repl()


_PANELS = (
    ("Missions", RUN),
    ("Missions", REPL),
    ("Missions", SERVE),
    ("Missions", WHY),
    ("Missions", RESUME),
    ("Missions", WATCH),
    ("Missions", REPLAY),
    ("Missions", CAMPAIGN),
    ("Missions", TORTURE),
    ("Plans", PLAN),
    ("Plans", CHECK),
    ("Plans", EVALUATE),
    ("Plans", DIFF),
    ("Plans", REHEARSE),
    ("Plans", FMT),
    ("Plans", EXCHANGE),
    ("Plans", UNDERSTAND),
    ("Site", SITE),
    ("Site", DOCTOR),
)
for _panel, _commands in _PANELS:
    for _name, _command in _commands.items():
        app.command(_name, rich_help_panel=_panel)(_command)
_OF_AUTHORS = {"new", *CAMPAIGN, *TORTURE}.union(
    *(commands for panel, commands in _PANELS if panel != "Missions")
)
"""Commands for authors of plans and sites, who are shown the codes of problems."""

app.add_typer(HISTORY, name="history", rich_help_panel="Missions")
app.add_typer(NEW, name="new", rich_help_panel="Plans")


def _add_plugin_commands() -> None:
    """Add the command groups of installed packages; skip a broken one with a warning."""
    from bt_exec.plugins import load_plugin, plugin_names

    have = {group.name for group in app.registered_groups}
    for name in plugin_names(_GROUPS):
        if name not in have:
            try:
                group = load_plugin(_GROUPS, "command group", name)
            except BtExecError as error:
                logging.getLogger("bt_exec").warning("%s", error)
                continue
            app.add_typer(group, name=name, rich_help_panel="Further")


@lru_cache
def _click_group(name: str | None) -> Any:
    """Return a click group with only the command `name`; for None, with all commands.

    A group of one command is created faster.
    """
    only = copy.copy(app)
    if name is not None:
        only.registered_commands = [one for one in app.registered_commands if one.name == name]
        only.registered_groups = []
    return typer.main.get_command(only)


def main() -> NoReturn:
    """Run the command line of this process and exit with its exit code."""
    try:
        record_interrupts()
        code = run_command_line([*map(_decode_argument, sys.argv[1:])])
        limit_exit_time(code)
    except KeyboardInterrupt:  # raised outside of the error handling of `run_command_line`
        code = EXIT_STOPPED
        limit_exit_time(code)
        _print_error("stopped", code)
    except ProgramExit as leaving:
        limit_exit_time(leaving.code)
        said = f"stopped by the signal {signal_name(leaving.code - EXIT_SIGNAL)}"
        _print_error(_localized_message(said, sys.argv[1:]), leaving.code)
        raise
    sys.exit(code)


def _decode_argument(argument: str) -> str:
    """Return an argument decoded as UTF-8 if the locale could not decode it."""
    with contextlib.suppress(UnicodeError):
        return os.fsencode(argument).decode("utf-8")
    return argument


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command line; return its exit code."""
    if not _prepare_streams():
        return EXIT_OUTPUT
    _log_to_stderr()
    return run_nested_command_line(arguments)


def run_nested_command_line(arguments: Sequence[str]) -> int:
    """Run a command line within another command, on the same streams; return the exit code."""
    try:
        with separate_streams(data=_writes_data(arguments)):
            code = _run(list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output(sys.stdout)
        return EXIT_READER_GONE
    except OSError as error:
        if error.errno in _IMPOSSIBLE_PATHS and error.filename is not None:
            return _print_error(f"{error.filename!s:.80}: {_reason_of(error)}", EXIT_USAGE)
        _discard_output(sys.stdout)
        return _print_error(
            _localized_message(f"cannot write or read: {_reason_of(error)}", arguments), EXIT_OUTPUT
        )
    return code


def _writes_data(arguments: Sequence[str]) -> bool:
    """Return True if the command writes data to standard output."""
    own = {command.name for command in app.registered_commands} | {"history"}
    turns = "--turns=-" in arguments or ("--turns", "-") in pairwise(arguments)
    return len(arguments) > 0 and arguments[0] in own and ("--json" in arguments or turns)


def _run(arguments: list[str]) -> int:
    try:
        own = any(arguments[:1] == [command.name] for command in app.registered_commands)
        if not own:
            _add_plugin_commands()
        result = _invoke_command(arguments, arguments[0] if own else None)
    except (typer.Abort, KeyboardInterrupt):
        return _print_error(_localized_message("stopped", arguments), EXIT_STOPPED)
    except OSError:
        raise
    except ProgramExit:
        raise
    except SystemExit as leaving:
        return _exit_code_of(leaving, arguments)
    except Exception as error:  # noqa: BLE001 - reported without a traceback
        if was_interrupted():  # other code turned the Ctrl-C into an error
            return _print_error(_localized_message("stopped", arguments), EXIT_STOPPED)
        return _report_error(error, arguments)
    except BaseException as error:  # noqa: BLE001 - code of a pack may raise it
        return _print_error(describe_error(error), EXIT_USAGE)
    if result == EXIT_STOPPED and was_interrupted():  # typer handled a Ctrl-C outside a mission
        return _print_error(_localized_message("stopped", arguments), EXIT_STOPPED)
    return result if isinstance(result, int) else 0


def _invoke_command(arguments: list[str], name: str | None) -> object:
    """Call the command of a command line, with help in the reader's language.

    Args:
        arguments: The command line.
        name: Name of the command if bt-exec itself defines it, otherwise None.
    """
    command = _click_group(name)
    with contextlib.ExitStack() as stack:
        if not {"--help", "-h"}.isdisjoint(arguments) and _is_korean(arguments, sys.stdout):
            from bt_exec.cli.help_translation import use_korean_help

            command = _click_group.__wrapped__(name)
            stack.enter_context(use_korean_help(command))
        return command.main(args=arguments, prog_name="bt-exec", standalone_mode=False)


def _is_korean(arguments: Sequence[str], file: TextIO) -> bool:
    """Return True if the stream supports Korean, and the locale or the command line is Korean.

    If some arguments contain spaces, only these determine the language, because the others may be
    file names.
    """
    from bt_exec.cli.output_streams import reader_language

    korean = reader_language() == "ko"
    said = [word for word in arguments if " " in word] or arguments
    if words := [word for word in said if not word.isascii()]:
        from bt_exec.language.messages import language_of

        korean = korean or any(language_of(word) == "ko" for word in words)
    if not korean:
        return False
    from bt_exec.tui.paint import Painter

    return not Painter(file).is_ascii_only


def _localized_message(message: str, arguments: Sequence[str]) -> str:
    """Return a message in the reader's language."""
    if not _is_korean(arguments, sys.stderr):
        return message
    from bt_exec.language.korean_errors import korean_error

    return korean_error(message)


def _exit_code_of(leaving: SystemExit, arguments: Sequence[str]) -> int:
    """Return the exit code after other code has called ``sys.exit``.

    The call is reported as an error, unless a command of an installed package made it.
    """
    raised = traceback.extract_tb(leaving.__traceback__)[-1]
    if leaving.code == 1 and {"click", "rich", "typer"} & set(Path(raised.filename).parts):
        raise BrokenPipeError from leaving  # command groups exit with 1 for a closed pipe
    groups = {group.name for group in app.registered_groups}
    if arguments[:1] and arguments[0] in groups - {"history"} and isinstance(leaving.code, int):
        return leaving.code or 0  # commands of installed packages may exit
    file = Path(raised.filename)
    return _print_error(f"{file}, line {raised.lineno}: {describe_error(leaving)}", EXIT_USAGE)


def _report_error(error: Exception, arguments: Sequence[str]) -> int:
    """Report an error and the next step; return the exit code."""
    if isinstance(error, _CLICK_ERROR):
        return _print_error(_usage_message(error, arguments), EXIT_USAGE)
    if isinstance(error, BtExecError):
        return _print_error(_error_text(error, arguments), EXIT_USAGE)
    if hint := extra_hint(error):
        return _print_error(hint, EXIT_USAGE)
    if os.environ.get("BT_EXEC_DEBUG"):
        raise error
    kind = type(error).__name__
    text = f"internal error in bt-exec: {kind}: {error}; BT_EXEC_DEBUG=1 prints the traceback"
    return _print_error(_localized_message(text, arguments), EXIT_BUG)


def _error_text(error: BtExecError, arguments: Sequence[str]) -> str:
    """Return the text of an error with a suggested next command, including ``--site`` if given."""
    from bt_exec.language.korean_errors import error_message

    language = "ko" if _is_korean(arguments, sys.stderr) else "en"
    text = error_message(error, language, codes=_shows_codes(arguments))
    text, site = _NUMBERED.sub("", text), _site_option(arguments)
    if isinstance(error, UnknownName) and (look := _LOOK_UP.get(error.kind)):
        of_a_site = error.kind in ("tree", "skill", "condition")
        see = _localized_message(f"See: {look}{site if of_a_site else ''}", arguments)
        return f"{text}. {see}"
    if isinstance(error, SpecError) and error.checkable:
        files = dict.fromkeys(
            problem.file
            for problem in error.problems
            if problem.line and not problem.file.endswith(".py")
        )
        named = " ".join(files)
        own = "" if any(site.endswith(f" {shlex.quote(file)}") for file in files) else site
        return (
            f"{text}\n{_localized_message(f'Try: bt-exec check {named}{own}', arguments)}"
            if named
            else text
        )
    return text


def _shows_codes(arguments: Sequence[str]) -> bool:
    """Return True if messages include the codes of problems: for authors, or with ``-v``."""
    verbose = {"-v", "--verbose"}.intersection(arguments)
    return bool(verbose) or not _OF_AUTHORS.isdisjoint(arguments[:1])


def _site_option(arguments: Sequence[str]) -> str:
    """Return the option ``--site`` of a command line, for use in suggested commands."""
    for index, word in enumerate(arguments):
        if word.startswith("--site="):
            return f" --site {shlex.quote(word.partition('=')[2])}"
        if word == "--site" and index + 1 < len(arguments):
            return f" --site {shlex.quote(arguments[index + 1])}"
    return ""


def _usage_message(error: Exception, arguments: Sequence[str]) -> str:
    """Return a message about an invalid command line with a pointer to the help."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else _command_path(arguments)
    message = str(getattr(error, "format_message", lambda: str(error))()).rstrip()
    if "extra argument" in message and path.endswith((" run", " compile")):
        message += "; put the command into quotes"
    elif path == "bt-exec" and "No such option" in message:
        path = "bt-exec repl"  # options without a command belong to the prompt
    message = _localized_message(f"{message[:1].lower()}{message[1:]}", arguments)
    stop = "" if message.endswith(("?", ".")) else "."
    return f"{message}{stop} {_localized_message(f'See: {path} --help', arguments)}"


def _command_path(arguments: Sequence[str]) -> str:
    """Return the command at the beginning of a command line, as typed."""
    names = [command.name for command in app.registered_commands]
    names += [group.name for group in app.registered_groups]
    return " ".join(["bt-exec", *(word for word in arguments[:1] if word in names)])


def _print_error(message: str, code: int) -> int:
    from bt_exec.tui.paint import Painter

    text = "\n".join(map(_shorten_line, message.splitlines()))
    try:
        Painter(sys.stderr).write_text(f"bt-exec: {text}")
    except OSError:
        _discard_output(sys.stderr)
    return code


def _shorten_line(line: str) -> str:
    """Return a line without its middle part if it is too long."""
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[: _LONGEST_LINE // 10]} … {line[-_LONGEST_LINE // 10 :]}"


def _prepare_streams() -> bool:
    """Make the streams replace unsupported characters; return False if stdout is closed."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - open until the program ends
    if sys.stdout is None:
        sys.stderr.write("bt-exec: standard output is closed; open it, or use > /dev/null\n")
        return False
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    return True


def _discard_output(stream: object) -> None:
    """Redirect an unwritable stream to the null device, so that the program exits silently."""
    try:
        number = stream.fileno()  # type: ignore[attr-defined]
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    except (OSError, ValueError, AttributeError):
        return


def _reason_of(error: OSError) -> str:
    reasons = {errno.ENOSPC: "no space is left on the device", errno.EIO: "the terminal was closed"}
    reason = reasons.get(error.errno or 0, error.strerror or str(error))
    return f"{error.filename}: {reason}" if error.filename else reason


class _StderrHandler(logging.Handler):
    """Logging handler that prints warnings and errors of the library as one line on stderr.

    The exception is appended, unless the record has the attribute ``complete``, which means that
    the message already contains it.
    """

    def emit(self, record: logging.LogRecord) -> None:
        line = f"bt-exec: {printable(record.getMessage())}"
        if record.exc_info and record.exc_info[1] is not None:
            if not getattr(record, "complete", False):
                line += f": {type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
            if os.environ.get("BT_EXEC_DEBUG"):
                line += "\n" + logging.Formatter().formatException(record.exc_info)
        try:
            print(line, file=sys.stderr, flush=True)
        except (OSError, ValueError):
            return


def _log_to_stderr() -> None:
    logger = logging.getLogger("bt_exec")
    if not any(isinstance(handler, _StderrHandler) for handler in logger.handlers):
        logger.addHandler(_StderrHandler(logging.WARNING))
        logger.propagate = False
