"""Goals of a command: parsing, resolution to objects, and decomposition into subgoals."""
