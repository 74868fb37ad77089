"""Goals of a command: parsing, resolution to objects, decomposition into subgoals and tasks."""
