"""Interpretation of questions about pictures, plans for them, and answers with their checks."""
