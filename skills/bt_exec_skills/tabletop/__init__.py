"""Tabletop pack: goals are decomposed into subgoals of driving, picking and placing."""
