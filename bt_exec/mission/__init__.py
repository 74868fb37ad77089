"""Execution of one mission at a time: session, executive, perception, planner, progress."""
