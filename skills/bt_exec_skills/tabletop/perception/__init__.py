"""Perception of the tabletop pack: objects, their positions and their containers."""
