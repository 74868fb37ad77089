"""The tabletop pack: a command is split into subgoals, and each into drives, picks and places."""
