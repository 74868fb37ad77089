"""Passes of the reporter for every plan, whatever its compiler: one rule per file."""
