"""Objects on tables: names, training pictures, shipped weights.

The package is shared by packs that observe tables, and depends on none of them.
"""
