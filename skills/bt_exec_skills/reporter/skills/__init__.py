"""Skills of the reporter pack, one per file, its conditions and shared functions."""
