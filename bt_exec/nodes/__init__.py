"""Construction of py_trees behaviours from specs."""
