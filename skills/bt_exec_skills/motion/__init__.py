"""Motions that packs share: the handle of a stepwise motion, and how a skill follows a motion."""
