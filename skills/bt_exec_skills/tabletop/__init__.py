"""Tabletop pack: goals become subgoals, subgoals become driving, picking and placing."""
