"""Tools of the pack as skills."""
