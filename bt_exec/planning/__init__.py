"""From a command to a verified plan, and to the next one after a failure."""
