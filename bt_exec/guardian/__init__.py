"""Guardian: a separate process that stops the robot when the mission cannot.

The watchdog of a mission is part of the process that it watches: it is killed (``kill -9``),
suspended (SIGSTOP) and blocked by the GIL together with it. The guardian is not. It is a separate
program of the standard library only (`bt_exec.guardian.program`) that receives a heartbeat from the
tick loop through a socket. It has an independent way to stop the robot: a command or a function,
given by the site or by the driver.
"""

from bt_exec.guardian.client import Guardian
from bt_exec.guardian.stop_action import Guard

__all__ = ["Guard", "Guardian"]
