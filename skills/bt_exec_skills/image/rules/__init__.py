"""Interpretation of questions, and their plans."""
