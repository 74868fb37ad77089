"""Skills of the reporter pack (one per file), conditions and shared functions."""
