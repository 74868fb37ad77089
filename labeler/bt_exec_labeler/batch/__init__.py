"""Labelling of many items in batches, with a cache, a budget, and output that can be resumed."""
