"""Labelling of many items: batches, a cache, a budget, and an output that survives kills."""
