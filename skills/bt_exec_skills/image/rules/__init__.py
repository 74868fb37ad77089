"""How a question is read and what plan it becomes."""
