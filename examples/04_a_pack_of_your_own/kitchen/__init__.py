"""A kettle for bt-exec: a pack of one's own, found through its entry point."""
