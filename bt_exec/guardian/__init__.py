"""Guardian: a separate process that stops the robot when the mission cannot.

The watchdog of a mission runs in the process that it watches, so it is killed (``kill -9``),
suspended (SIGSTOP) and blocked by the GIL together with that process. The guardian is a separate
program (`bt_exec.guardian.program`), which uses only the standard library and receives a heartbeat
from the tick loop through a socket. It has an independent method to stop the robot: a command or a
function, given by the site or by the driver.
"""

from bt_exec.guardian.client import Guardian
from bt_exec.guardian.stop_action import Guard

__all__ = ["Guard", "Guardian"]
