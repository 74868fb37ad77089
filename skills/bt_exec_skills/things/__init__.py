"""Objects on tables: names, training pictures, shipped weights.

Shared by packs that look at tables; it knows none of them.
"""
