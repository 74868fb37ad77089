"""Checks of the declarations of packs (functions, facts, fields), and descriptions of errors."""
