"""Checks of what packs declare (functions, facts, fields), and descriptions of their errors."""
