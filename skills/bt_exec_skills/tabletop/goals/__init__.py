"""What a command asks of a table: read, resolved to objects, split into subgoals and tasks."""
