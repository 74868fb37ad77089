"""Example pack with a kettle, registered for bt-exec through an entry point."""
