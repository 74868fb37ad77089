"""Compilers from commands to behavior trees: an offline one, and two that use a language model."""
