"""Goals of a command: read, resolved to objects, split into subgoals and tasks."""
