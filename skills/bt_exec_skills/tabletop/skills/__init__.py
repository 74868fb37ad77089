"""Skills and conditions of the tabletop pack."""
