"""Program of the guardian: stops a robot when the heartbeat of its mission ends.

It is started as a file and uses only the standard library, so that it is small and ready within
milliseconds. A socket connects it with its parent, the process of the mission. Messages from the
parent are single letters::

    A  armed: a mission runs, heartbeats follow        B  heartbeat
    D  disarmed: nothing moves                         T  try the stop now
    R  released: others may drive the robot            Q  quit

The guardian sends lines: an empty line answers heartbeats, the other lines are JSON.

The stop is executed by helpers, processes that are forked in advance. A full process table or a
hanging stop therefore cannot prevent further attempts.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import struct
import sys
import time

TYPE_CHECKING = False  # importing typing takes as long as all other modules together
if TYPE_CHECKING:
    from typing import Any

HELPER_S = 1.0  # minimum time limit for one attempt to stop [s]
GIVE_UP_S = 10.0  # time after which the stop is reported as failed [s]
AGAIN_S = 0.2  # delay of a second stop after the parent's death: commands may be in transit [s]
AGAIN_OFTEN_S, OFTEN = 0.5, 20  # interval of the first stops [s], and their number
AGAIN_SELDOM_S = 5.0  # interval of later stops [s]
CLOSED_S = 0.02  # polling period for the end of a parent that has closed the socket [s]
IDLE_S = 0.25  # polling period for the parent while nothing moves [s]
IGNORED = ("INT", "TERM", "HUP", "QUIT", "PIPE", "TSTP", "TTIN", "TTOU", "USR1", "USR2", "ALRM")
FLOCK = "hhqqi4x"


def suspend_aware_time() -> float:
    """Return the time [s] of a clock that includes suspension of the machine."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Helper:
    """A process that waits for a signal, then stops the robot and ends.

    Args:
        stop: ``{"command": words}`` or ``{"call": "module:function", "args": […]}``.
        path: `sys.path` for the function.
        close: File descriptor that the process must close.
    """

    def __init__(self, stop: dict[str, Any], path: list[str], close: int) -> None:
        self.stop = stop
        waits, self._go = os.pipe()
        self._said, says = os.pipe()
        os.set_blocking(self._said, False)
        self._why = b""
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.close(self._go)
                os.close(close)
                status = self._wait_and_stop(waits, says, path)
            finally:
                os._exit(status)
        os.close(waits)
        os.close(says)

    def _wait_and_stop(self, waits: int, says: int, path: list[str]) -> int:
        """Wait for a signal of the guardian, then stop the robot; runs in the helper process."""
        os.setpgid(0, 0)
        for name in IGNORED:
            signal.signal(getattr(signal, f"SIG{name}"), signal.SIG_DFL)
        os.dup2(says, 2)
        os.dup2(2, 1)
        function = None
        try:
            if "call" in self.stop:
                function = _import_function(self.stop["call"], path)
        except BaseException as error:  # the module belongs to a pack
            os.read(waits, 1)
            return self._report_failure(error)
        if os.read(waits, 1) != b"g":
            return 0  # the guardian has ended, which its parent detects
        try:
            if function is None:
                words = self.stop["command"]
                os.execvp(words[0], words)  # the command from the site file
            function(*self.stop["args"])
        except BaseException as error:  # the function belongs to a pack
            return self._report_failure(error)
        return 0

    def _report_failure(self, error: BaseException) -> int:
        """Write to stderr why the stop failed; return the exit status of the helper."""
        name = self.stop.get("call") or self.stop["command"][0]
        why = f"{name}: {type(error).__name__}: {error}".rstrip(": ")
        os.write(2, why.encode(errors="replace"))
        return 1

    def signal_stop(self) -> None:
        """Signal the process to stop the robot."""
        with contextlib.suppress(OSError):  # `stop_result` reports a killed helper
            os.write(self._go, b"g")

    def stop_result(self) -> str | None:
        """Return None while the helper runs, "" after a successful stop, else an error message."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._said, 4096):
                self._why = (self._why + data)[-2000:]
        if pid == 0:
            return None
        self._close()
        if status == 0:
            return ""
        code = os.waitstatus_to_exitcode(status)
        said = self._why.decode(errors="replace").strip()
        how = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
        return f"{how}: {said}" if said else how

    def kill(self) -> None:
        """Kill the helper with its child processes."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self.pid, 0)
        self._close()

    def _close(self) -> None:
        os.close(self._go)
        os.close(self._said)


def _import_function(name: str, path: list[str]) -> Any:
    """Import and return the function ``module:name``."""
    sys.path[:] = path
    module, _, inside = name.partition(":")
    try:
        found = __import__(module, fromlist=["_"])
    except ImportError:  # may be found by an import hook of site-packages
        import site

        site.main()
        found = __import__(module, fromlist=["_"])
    for part in inside.split("."):
        found = getattr(found, part)
    return found


class GuardianProcess:
    """State and main loop of the guardian process, which monitors the heartbeat and stops robots.

    Args:
        connection: Descriptor of the socket to the parent.
        settings: Settings from `bt_exec.guardian.client`.
    """

    def __init__(self, connection: int, settings: dict[str, Any]) -> None:
        self.connection = connection
        self.parent = settings["parent"]
        self.within_s = settings["within_s"]
        self.path = settings["path"]
        self.report = settings["report"]
        self.robot = settings["robot"]
        self.stops = settings["stops"]
        self.armed = self.was_armed = self.released = self.closed = self.quits = False
        self.stopped = 0  # consecutive stops without a heartbeat
        self.last = suspend_aware_time()
        self.answered = 0.0
        self.pending = b""
        self.locks = [os.open(name, os.O_RDWR | os.O_CLOEXEC) for name in settings["locks"]]
        self.lock_robots()
        os.set_blocking(connection, False)
        self.helpers = [self.start_helper(stop) for stop in self.stops]
        self.send({"ready": os.getpid()})

    def start_helper(self, stop: dict[str, Any]) -> Helper | None:
        """Return a new helper, or None if no process can be started."""
        try:
            return Helper(stop, self.path, self.connection)
        except (OSError, MemoryError):
            return None

    # -- the parent ------------------------------------------------------------------------------

    def run(self) -> None:
        """Run until the parent ends or sends Q."""
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        while not self.quits:
            wait_s = min(self.within_s / 4, IDLE_S) if self.armed else IDLE_S
            if self.closed:  # the parent is ending, or has lost the connection
                time.sleep(CLOSED_S)
                if self.released and suspend_aware_time() - self.last > self.within_s:
                    self.stop_during_slow_exit()
            else:
                poll.poll(wait_s * 1000)
                self.read_messages()
            if os.getppid() != self.parent:
                self.stop_after_parent_end()
                return
            if self.armed and suspend_aware_time() - self.last > self.within_s:
                self.stop_without_heartbeat()
            self.send()

    def read_messages(self) -> None:
        """Read the messages from the parent process."""
        while True:
            try:
                data = os.read(self.connection, 4096)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self.closed = True
                self.last = suspend_aware_time() if self.released else self.last
                return
            for letter in data.decode("ascii", "replace"):
                self.handle_message(letter)

    def handle_message(self, letter: str) -> None:
        """Handle one letter of the protocol."""
        now = suspend_aware_time()
        if letter == "B":
            self.last, self.stopped = now, 0
            if now - self.answered > self.within_s / 4:
                self.answered = now
                self.send(b"\n")
        elif letter == "A":
            self.armed, self.last, self.stopped = True, now, 0
            self.was_armed = True
        elif letter == "D":
            self.armed = False
        elif letter == "T":
            self.send({"tried": self.stop_robot(tries=1)})
        elif letter == "R":
            self.armed, self.released = False, True
            self.unlock_robots()
            self.send({"released": True})
        elif letter == "Q":
            self.quits = True

    def send(self, message: bytes | dict[str, Any] = b"") -> None:
        """Send a message and earlier unsent ones, without waiting."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.pending += data
        try:
            while self.pending:
                self.pending = self.pending[os.write(self.connection, self.pending) :]
        except OSError:
            if len(self.pending) > 65536:
                self.pending = b""

    # -- the robot -------------------------------------------------------------------------------

    def stop_without_heartbeat(self) -> None:
        """Stop the robot because the parent is alive but sends no heartbeat."""
        silent_s = suspend_aware_time() - self.last
        self.stopped += 1
        result = self.stop_robot(tries=None if self.stopped == 1 else 1)
        if self.stopped == 1:
            why = f"process {self.parent} gave no heartbeat for {silent_s:.2f} s"
            report = {**result, "why": why, "at": time.time(), "robot": self.robot}
            self.send({"stopped": report})
            self.write_report(report)
        pause_s = min(self.within_s, AGAIN_OFTEN_S) if self.stopped < OFTEN else AGAIN_SELDOM_S
        self.last = suspend_aware_time() - self.within_s + pause_s

    def stop_during_slow_exit(self) -> None:
        """Stop the robot if the parent takes long to end, unless another process drives it."""
        self.last = suspend_aware_time()
        if self.lock_robots():
            self.stop_robot(tries=1)
            self.unlock_robots()

    def stop_after_parent_end(self) -> None:
        """Stop the robot after the parent has ended, unless another process drives it now."""
        if self.released and not self.lock_robots():
            return
        interrupted = self.armed
        result = self.stop_robot()
        time.sleep(AGAIN_S)
        result = self.stop_robot(tries=1) if result["ok"] else result
        if interrupted or (self.was_armed and not result["ok"]):
            when = "in the middle of a mission" if interrupted else "and the last stop failed"
            why = f"process {self.parent} ended {when}"
            self.write_report({**result, "why": why, "at": time.time(), "robot": self.robot})

    def lock_robots(self) -> bool:
        """Lock the robots as their guardian; return False if another process drives one."""
        for lock in self.locks:
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 1)
            except OSError:
                return False
            if self.released or os.getppid() != self.parent:
                asked = struct.pack(FLOCK, fcntl.F_WRLCK, 0, 0, 1, 0)
                kind = struct.unpack(FLOCK, fcntl.fcntl(lock, fcntl.F_GETLK, asked))[0]
                if kind != fcntl.F_UNLCK:
                    return False
        return True

    def unlock_robots(self) -> None:
        """Release the locks of the robots."""
        for lock in self.locks:
            fcntl.lockf(lock, fcntl.LOCK_UN)

    def stop_robot(self, tries: int | None = None) -> dict[str, Any]:
        """Execute every stop action, repeat those that fail; return success, error and duration.

        Args:
            tries: Maximum number of attempts; None for attempts until `GIVE_UP_S`.
        """
        began, trouble, attempt = suspend_aware_time(), "no stop was attempted", 0
        left = list(range(len(self.stops)))
        while (
            left and (tries is None or attempt < tries) and suspend_aware_time() - began < GIVE_UP_S
        ):
            attempt += 1
            trouble = self.run_pending_stops(left)
        took = suspend_aware_time() - began
        return {"ok": not left, "trouble": trouble if left else "", "took_s": round(took, 3)}

    def run_pending_stops(self, left: list[int]) -> str:
        """Execute the stops in `left` concurrently and remove the successful ones from it.

        Returns:
            Error of the last stop that failed; only meaningful if `left` is not empty.
        """
        running: dict[int, Helper] = {}
        trouble = "cannot start a process"
        for number in left:
            helper = self.helpers[number] or self.start_helper(self.stops[number])
            self.helpers[number] = None
            if helper is not None:
                helper.signal_stop()
                running[number] = helper
        limit_s = max(HELPER_S, self.within_s)
        until = suspend_aware_time() + limit_s
        while running and suspend_aware_time() < until:
            for number, helper in list(running.items()):
                why = helper.stop_result()
                if why is not None:
                    del running[number]
                    if why:
                        trouble = why
                    else:
                        left.remove(number)
            if running:
                time.sleep(0.002)
        for helper in running.values():
            trouble = f"did not end within {limit_s:g} s"
            helper.kill()
        for number in range(len(self.stops)):
            if self.helpers[number] is None:
                self.helpers[number] = self.start_helper(self.stops[number])
        return trouble

    def write_report(self, report: dict[str, Any]) -> None:
        """Write a report for the next mission process, and print it."""
        with contextlib.suppress(OSError):
            beside = f"{self.report}.{os.getpid()}"
            with open(beside, "w") as file:  # importing pathlib takes longer
                json.dump(report, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.report)
        line = "stopped" if report["ok"] else f"COULD NOT STOP ({report['trouble']})"
        with contextlib.suppress(OSError):
            os.write(2, f"bt-exec guardian: {line} {report['robot']}: {report['why']}\n".encode())


def main() -> None:
    """Run the guardian on the socket whose descriptor is the first argument."""
    for name in IGNORED:
        signal.signal(getattr(signal, f"SIG{name}"), signal.SIG_IGN)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("-900")  # makes the OOM killer choose this process last; requires privileges
    connection = int(sys.argv[1])
    text = b""
    while not text.endswith(b"\n"):
        data = os.read(connection, 65536)
        if not data:
            return
        text += data
    GuardianProcess(connection, json.loads(text)).run()


if __name__ == "__main__":
    main()
