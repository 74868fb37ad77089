"""Practice for the eyes: randomised pictures of the door world with labels.

The simulator's package comes first: it settles which OpenGL `mujoco` uses.
"""

import bt_exec_skills.door.sim  # noqa: F401 - for what its import settles

__all__: list[str] = []
