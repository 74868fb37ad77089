"""Nodes of a plan as py_trees behaviours: their construction, execution and faults for tests."""
