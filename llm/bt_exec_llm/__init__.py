"""Compilers: from a command to a tree, offline or by a model."""
