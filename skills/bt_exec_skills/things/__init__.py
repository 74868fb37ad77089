"""Names, training pictures and shipped weights for objects on tables.

Packs that observe tables share this package; it depends on no pack.
"""
