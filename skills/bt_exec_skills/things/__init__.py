"""Things on tables: what they are called, pictures of them for training, the weights that ship.

Shared by packs that look at tables; it knows none of them.
"""
