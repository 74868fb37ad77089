"""The skills and conditions of the pack."""
