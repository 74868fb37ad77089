"""Simulated kitchen: tables, objects and bowls, a base with an arm (MuJoCo)."""

from bt_exec_skills.simulation import choose_gl

choose_gl()
