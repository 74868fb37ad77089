"""Compilers from commands to trees: offline, or with a language model."""
