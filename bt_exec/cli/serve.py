"""Command ``serve``: missions over HTTP, and a page to watch them."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bt_exec.cli import options as opt
from bt_exec.failure import UsageError

if TYPE_CHECKING:
    from bt_exec.serve.queued_session import QueuedSession
    from bt_exec.serve.server import HttpServer

__all__ = ["COMMANDS", "Notifier", "serve"]


_SWITCH_S = 0.001  # switch interval of the interpreter's threads [s]
_HELD_S = 1.0


def serve(
    site: Annotated[
        list[str] | None,
        typer.Option(
            "--site", metavar="NAME", help="A site, or several: --site door --site tabletop."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 chooses a free one.")
    ] = 8900,
    token_file: Annotated[
        list[str] | None,
        typer.Option(
            "--token-file",
            metavar="[SITE=]FILE",
            help="File with the token; or set BT_EXEC_TOKEN. Required unless --host is "
            "this machine's own. Each of several sites may have its own.",
            show_default=False,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Additional host name to accept."),
    ] = None,
    queue: Annotated[
        int,
        typer.Option(
            "--queue",
            min=0,
            max=1000,
            help="Maximum number of waiting missions; 0 rejects a second one with 409.",
        ),
    ] = 16,
    world: opt.WorldTexts = None,
    fault: opt.FaultTexts = None,
    fast: opt.Fast = False,
    journal: opt.JournalFile = None,
    frames: opt.KeepFrames = False,
    compiler: opt.CompilerName = None,
    speech: Annotated[
        str, typer.Option("--speech", metavar="NAME", help="Plugin for /stt and /tts.")
    ] = "",
    guard: opt.Guard = False,
    inspected: opt.Inspected = False,
) -> None:
    """Take commands over HTTP and run them one after another; the page is at /.

    bt-exec serve --site door, then open http://127.0.0.1:8900/

    Ctrl-C stops the mission, completes the record and closes the robots; a second one stops the
    robot at once.
    """
    from bt_exec.cli.history_and_why import open_journal, report_interrupted_mission
    from bt_exec.cli.mission_display import print_outcome_and_exit
    from bt_exec.cli.output_streams import localized, operator_painter, reader_language
    from bt_exec.mission.rig_construction import parse_world_settings
    from bt_exec.models import find_speech
    from bt_exec.serve.queued_session import QueuedSession
    from bt_exec.serve.server import HttpServer
    from bt_exec.site.site import load_site
    from bt_exec.web.login import Login, required_token

    sites = [load_site(name) for name in site or [""]]
    names = [one.name for one in sites]
    if len(set(names)) < len(names):
        raise UsageError(f"--site: each site may be given only once; found {', '.join(names)}")
    if len(sites) > 1 and (world or fault):
        raise UsageError("--world and --fault work only with a single site; give one --site")
    files = _token_files(token_file or (), names)
    logins = [Login(required_token(host, files.get(name, files.get("")))) for name in names]
    shown = ", ".join(names)
    spoken = find_speech(speech)
    kept = open_journal(journal)
    painter = operator_painter()
    report_interrupted_mission(painter, kept)
    services = [
        QueuedSession(
            loaded,
            kept,
            queue=queue,
            world=parse_world_settings(world or ()),
            fast=fast,
            faults=fault or (),
            frames=frames,
            compiler=compiler,
            speech=spoken,
            guard=guard,
        )
        for loaded in sites
    ]
    others = zip(services[1:], logins[1:], strict=True)
    server = HttpServer(services[0], logins[0], host, port, allow_host or (), others)
    sys.setswitchinterval(_SWITCH_S)
    painter.write_text(sites[0].messages.say("PREPARING", reader_language(), site=shown))
    notifier = Notifier()
    try:
        for service in services:
            service.open()
            service.session.abandoned = print_outcome_and_exit
            if inspected:
                service.session.life.mark_inspected()
        server.start()
        painter.write_text(localized(f"{shown} at {server.url} · Ctrl-C ends it"))
        notifier.notify_ready(f"{shown} takes commands")
        code = _wait_for_stop(services, server, notifier)
    finally:
        notifier.notify_stopping("the robots are closed")
        for service in services:
            service.stop("operator")
        closed = [service.close() for service in services]
        in_time = all(closed)
        server.stop()
    if not in_time:
        painter.write_text(localized("ended · a part did not return; the robots may still be open"))
        sys.stdout.flush()
        os._exit(4)  # a thread of the hanging part would delay the end of the interpreter
    painter.write_text(localized("ended · the robots are closed"))
    raise typer.Exit(code)


def _wait_for_stop(services: list[QueuedSession], server: HttpServer, notifier: Notifier) -> int:
    """Wait until a signal stops the services or the server fails; return the exit code."""
    from bt_exec.cli.stop_signals import stop_reason, stop_service_on_signals

    count, second, ends = 0, 0.0, False

    def handle_signal(number: int, _: object) -> None:
        nonlocal count, second, ends
        count, ends = count + 1, True
        if count == 2:
            second = time.monotonic()
        if count > 2 and time.monotonic() - second >= _HELD_S:
            os._exit(130)  # code of a pack blocks the exit; the record is on disk
        for service in services:
            service.stop(stop_reason(number))

    with contextlib.ExitStack() as stack:
        for service in services:
            stack.enter_context(stop_service_on_signals(handle_signal, service.session))
        while not ends and server.alive:
            if not any(service.why_unavailable() for service in services):
                notifier.notify_alive()
            time.sleep(0.1)
        if not ends:
            return 1
        for service in services:
            service.close()
    return 0


def _token_files(given: Iterable[str], sites: Iterable[str]) -> dict[str, Path]:
    """Return token files by the name of the site; the key "" stands for all other sites."""
    found = {}
    for text in given:
        name, equals, file = text.partition("=")
        own = bool(equals) and name in sites
        found[name if own else ""] = Path(file if own else text)
    return found


COMMANDS: Mapping[str, Callable[..., Any]] = {"serve": serve}


class Notifier:
    """Sender of a service's state to systemd; does nothing unless systemd started the service.

    Attributes:
        period_s: Interval of `alive` messages: half of ``WatchdogSec`` [s]; 0 for none.
    """

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        mine = os.environ.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        microseconds = os.environ.get("WATCHDOG_USEC", "")
        self.period_s = int(microseconds) / 2e6 if mine and microseconds.isdecimal() else 0.0
        self._last = 0.0

    def notify_ready(self, status: str) -> bool:
        """Report that the service accepts commands; return whether systemd was notified."""
        return self._send(f"READY=1\nSTATUS={status}")

    def notify_alive(self) -> bool:
        """Report that the service works, once per `period_s`; return whether it was reported."""
        now = time.monotonic()
        if not self.period_s or now - self._last < self.period_s:
            return False
        self._last = now
        return self._send("WATCHDOG=1")

    def notify_stopping(self, status: str) -> bool:
        """Report that the service ends; return whether systemd was notified."""
        return self._send(f"STOPPING=1\nSTATUS={status}")

    def _send(self, text: str) -> bool:
        if not self._address:
            return False
        address = self._address
        if address.startswith("@"):  # address of an abstract socket
            address = "\0" + address[1:]
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection:
                connection.setblocking(False)
                connection.sendto(text.encode(), address)
        except OSError:
            return False
        return True
