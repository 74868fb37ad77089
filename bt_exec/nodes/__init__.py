"""Nodes of a plan as py_trees behaviours: construction, execution and fault injection."""
