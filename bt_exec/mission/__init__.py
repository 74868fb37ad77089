"""One mission at a time: session, executive, perception, planner, progress, last words."""
