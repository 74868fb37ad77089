"""The skills of the reporter pack, one a file, its conditions, and what the skills share."""
