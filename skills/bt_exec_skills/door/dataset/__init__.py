"""Training data for detectors: randomised pictures of the door world with labels.

The simulator's package is imported first, because it selects the OpenGL backend of `mujoco`.
"""

import bt_exec_skills.door.sim  # noqa: F401 - imported for its side effect

__all__: list[str] = []
