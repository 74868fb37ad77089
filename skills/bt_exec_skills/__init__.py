"""Packs that ship with bt-exec, one folder each. Packs do not import each other."""
