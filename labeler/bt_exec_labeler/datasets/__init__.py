"""Training sets of records, for planners or for controllers."""
