"""Simulated door world: a MuJoCo scene, two arms, a head camera."""

from bt_exec_skills.simulation import choose_gl

choose_gl()
