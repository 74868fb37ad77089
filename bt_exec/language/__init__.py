"""Meaning of commands, message catalogues and grammar, without words of any domain."""
