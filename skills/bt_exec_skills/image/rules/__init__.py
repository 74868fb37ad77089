"""Reading of questions and their plans."""
