"""Tabletop pack: splits a command into subgoals, and each subgoal into drives, picks and places."""
