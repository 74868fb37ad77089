"""Skills and conditions of the door pack, and their shared functions."""
