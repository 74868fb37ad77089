"""Command ``replay``: shows a recorded mission again, verifies it, or writes it as a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.history_and_why import MissionName, open_journal

if TYPE_CHECKING:
    from bt_exec.journal import Journal, MissionRecord
    from bt_exec.tui.paint import Painter
    from bt_exec.tui.player import Player
    from bt_exec.tui.view_model import ViewModel

__all__ = ["COMMANDS", "replay"]

_DIFFERS = 4
"""Exit code of ``--verify`` if the new run differs."""
_FRAME_S = 0.05
_JUMP_S = 10.0
_KEYS = frozenset({" ", "space", "right", "left", "home", "end", *"pnb[]+=-q"})


def replay(
    which: MissionName = "last",
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed", min=0.0, metavar="X", help="Speed factor; 0 prints everything at once."
        ),
    ] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Start paused; the arrow keys step.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Run the mission again in its recorded world and compare."),
    ] = False,
    to: Annotated[
        tuple[str, Path] | None,
        typer.Option(
            "--to", metavar="pytest FILE", help="Write the mission as a test.", show_default=False
        ),
    ] = None,
    plain: opt.Plain = False,
    full: opt.Full = False,
    journal: opt.JournalFile = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Replay a recorded mission, without robot, perception or model.

    Keys: space pauses, left and right step, [ and ] jump ten seconds, - and + change the speed,
    q leaves; ? lists the others.
    """
    from bt_exec.cli.output_streams import operator_painter

    kept = open_journal(journal)
    record = kept.mission(which)
    if to is not None:
        _write_test(kept, record, *to)
    if verify:
        raise typer.Exit(_verify(kept, record, json=json))
    if to is None:
        painter = operator_painter()
        if painter.can_redraw and not plain:
            pace = 1.0 if speed is None else speed
            _play(record, painter, pace, paused=step, full=full, verbose=verbose)
        else:
            _print_changes(record, painter, speed or 0.0, verbose=verbose)


def _verify(journal: Journal, record: MissionRecord, *, json: bool) -> int:
    """Run a mission again and report the first difference; return the exit code."""
    from dataclasses import asdict

    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.mission.rerun import verify
    from bt_exec.tui.node_text import duration_text
    from bt_exec.tui.recorded_mission_messages import catalogue_and_messages

    found = verify(journal, record.id)
    if json:
        write_json({"mission_id": record.id, "same": found.agrees, **asdict(found)})
        return 0 if found.agrees else _DIFFERS
    painter = operator_painter()
    _, messages = catalogue_and_messages(record)
    language = "en" if painter.is_ascii_only else record.line.language

    def say(code: str, style: str = "", **facts: object) -> None:
        painter.write_text(messages.say(code, language, **facts), style)

    if found.difference is None:
        say("VERIFIED", "done", events=found.events)
        return 0
    one, nothing = found.difference, messages.say("VERIFIED_NOTHING", language)
    at = messages.fixed_word(duration_text(one.t - record.events[0].t), language)
    say("VERIFIED_NOT", "failed", events=found.events, at=at, tick=one.tick)
    say("VERIFIED_WAS", what=one.recorded or nothing)
    say("VERIFIED_NOW", what=one.found or nothing)
    if found.changed:
        say("VERIFIED_CHANGED", what=", ".join(found.changed))
    return _DIFFERS


def _write_test(journal: Journal, record: MissionRecord, form: str, path: Path) -> None:
    """Write a test that runs a mission again and expects the same result."""
    from bt_exec.cli.output_streams import operator_painter
    from bt_exec.failure import UnknownName, UsageError
    from bt_exec.files import expand_home, file_errors
    from bt_exec.testing.record_to_test import generate_test
    from bt_exec.tui.recorded_mission_messages import catalogue_and_messages

    if form != "pytest":
        raise UnknownName("test format", form, ("pytest",))
    before = [journal.mission(name) for name in journal.session_of(record.id)[:-1]]
    text = generate_test(record, [one for one in before if one.line.begun])
    path = expand_home(path)
    if path.exists():
        raise UsageError(f"{path} already exists; choose another file")
    with file_errors(path, "written"), path.open("x", encoding="utf-8") as file:
        file.write(text)
    _, messages = catalogue_and_messages(record)
    operator_painter().write_text(messages.say("FILE_WRITTEN", record.line.language, path=path))


def _play(
    record: MissionRecord,
    painter: Painter,
    speed: float,
    *,
    paused: bool,
    full: bool,
    verbose: bool,
) -> None:
    """Play a mission in the live view until its end or until the user leaves."""
    from bt_exec.tui.keys import Keys
    from bt_exec.tui.live import LiveView
    from bt_exec.tui.player import Player

    player = Player(
        record, _view_models(record, painter, verbose), speed=speed or 1e9, paused=paused
    )
    view = LiveView(player.model, painter, full=full)
    view.display.taken = _KEYS
    with view, Keys() as keys:
        while True:
            player.play()
            if player.model is not view.model:
                view.show_model(player.model)
            player.model.hint = _hint(player)
            if player.is_over and not (keys.is_available and player.paused):
                break
            key = keys.read(_FRAME_S)
            if key in _KEYS and view.display.typed is None:
                if not _handle_key(player, key):
                    break
            elif key:
                view.handle_key(key)
    _show_end(record, player.model, painter, left=not player.is_over, verbose=verbose)


def _handle_key(player: Player, key: str) -> bool:
    """Handle a key; return whether to continue."""
    match key:
        case " " | "p":
            player.paused = not player.paused
        case "right" | "n":
            player.step()
        case "left" | "b":
            player.step(-1)
        case "]":
            player.jump(_JUMP_S)
        case "[":
            player.jump(-_JUMP_S)
        case "+" | "=":
            player.change_speed()
        case "-":
            player.change_speed(-1)
        case "home":
            player.seek(0)
        case "end":
            player.seek(len(player.events))
        case "q":
            return False
    return True


def _hint(player: Player) -> str:
    model = player.model
    language = "en" if model.ascii else model.language
    at, end = (model.duration_text(t - player.start) for t in (player.t, player.end))
    code = "REPLAY_PAUSED" if player.paused else "REPLAY_AT"
    speed = f"{player.speed:g}" if player.speed < 1e6 else "∞"
    said = model.messages.say(code, language, at=at, end=end, speed=speed)
    return f"{said} · {model.messages.say('REPLAY_KEYS', language)}"


def _print_changes(record: MissionRecord, painter: Painter, speed: float, *, verbose: bool) -> None:
    """Print one line for each change, at `speed` times the recorded speed; 0 for no delays."""
    import time

    from bt_exec.tui.plain_view import PlainView
    from bt_exec.tui.player import Player

    player = Player(record, _view_models(record, painter, verbose), speed=speed or 1e9)
    lines = PlainView(player.model, painter.write_text, verbose=verbose)
    while not player.is_over:
        player.play(lines)
        if speed:
            time.sleep(_FRAME_S)
    _show_end(record, player.model, painter, tree=False, verbose=verbose)


def _view_models(
    record: MissionRecord, painter: Painter, verbose: bool
) -> Callable[[Callable[[], float]], ViewModel]:
    from bt_exec.tui.recorded_mission_messages import catalogue_and_messages
    from bt_exec.tui.view_model import ViewModel

    _, messages = catalogue_and_messages(record)
    return lambda wall: ViewModel(
        messages=messages, ascii=painter.is_ascii_only, verbose=verbose, wall=wall
    )


def _show_end(
    record: MissionRecord,
    model: ViewModel,
    painter: Painter,
    *,
    tree: bool = True,
    left: bool = False,
    verbose: bool = False,
) -> None:
    """Show the end of a mission: its tree, and its summary if it has ended.

    Args:
        record: The mission.
        model: State of the view when the replay ended.
        painter: The output.
        tree: Whether the tree is shown.
        left: Whether the operator left before the end of the record.
        verbose: Whether details are shown.
    """
    from bt_exec.cli.mission_display import final_lines

    shown = tree and model.spec is not None
    painter.write_lines(final_lines(model, painter, model.outcome, tree=shown, verbose=verbose))
    if model.outcome is None and record.outcome is None and not left:
        language = "en" if painter.is_ascii_only else record.line.language
        painter.write_text(model.messages.say("REPLAY_ENDS_HERE", language), "stopped")


COMMANDS: Mapping[str, Callable[..., None]] = {"replay": replay}
