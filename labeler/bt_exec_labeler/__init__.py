"""Labelling of recorded episodes with plan records, and training sets from them."""
