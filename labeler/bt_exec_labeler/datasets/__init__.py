"""Training sets from records: one for planners, one for controllers, never mixed."""
