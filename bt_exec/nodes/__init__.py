"""Specs become py_trees behaviours here, and nowhere else."""
