"""The tools as skills."""
