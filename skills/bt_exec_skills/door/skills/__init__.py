"""The skills of the door pack, one a file, its conditions, and what the skills share."""
