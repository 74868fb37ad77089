"""Training data: randomised pictures of tables, labelled from the renderer's segmentation."""

from bt_exec_skills.simulation import choose_gl

choose_gl()
