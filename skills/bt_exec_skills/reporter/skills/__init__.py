"""Skills and conditions of the reporter pack, and their shared functions."""
