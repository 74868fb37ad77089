"""Compilers from commands to behavior trees, offline or with a language model."""
