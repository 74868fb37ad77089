"""Labelling of recorded episodes with plan records, and training sets of these records."""
