"""Labelling of recorded episodes with plan records, and export of the records as training sets."""
