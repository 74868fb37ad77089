"""Guardian: a small process beside a mission that stops the robot when the mission cannot.

The watchdog of a mission lives in the process that it watches. It ends with that process
(``kill -9``), sleeps with it (SIGSTOP) and waits for the interpreter's lock with it. The guardian
does not: it is a program of the standard library only (`bt_exec.guardian.process`) that receives a
heartbeat from the tick loop through a socket, and that holds its own way to stop the robot: a
command or a function, named by the site or by the driver.
"""

from bt_exec.guardian.client import Guardian
from bt_exec.guardian.guard import Guard

__all__ = ["Guard", "Guardian"]
