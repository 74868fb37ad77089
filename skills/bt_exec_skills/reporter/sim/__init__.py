"""Simulated building: a MuJoCo floor with people, lights and noise, and a robot.

It needs no OpenGL, but another world in the same process may. The first import of `mujoco` selects
the OpenGL backend.
"""

from bt_exec_skills.simulation import choose_gl

choose_gl()
