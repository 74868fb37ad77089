"""Motions that packs share: a handle for one that is made of steps, and how a skill follows one."""
