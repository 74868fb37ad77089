"""Objects on tables: names, training pictures, shipped weights.

Shared by packs that observe tables; it depends on none of them.
"""
