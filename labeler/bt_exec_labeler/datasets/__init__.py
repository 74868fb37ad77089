"""Training sets of records: one for planners, one for controllers, never mixed."""
