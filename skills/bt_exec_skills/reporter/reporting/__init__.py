"""Notes, speech and written reports of the reporter."""
