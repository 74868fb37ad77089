"""The tabletop pack: goals into subgoals, subgoals into going, picking and placing."""
