"""The simulated door world: a MuJoCo scene, two arms, a head camera.

Importing this package is cheap; `mujoco` is loaded by `bt_exec_skills.door.sim.world` and by what
imports that module.
"""
