"""Reading: from words to meaning, once, for every pack.

A text becomes a lattice of words (`lattice`), a chart parser (`chart`) finds its readings by a
grammar that is data (`grammar`, ``en.yaml``, ``ko.yaml``), and the cheapest reading gives the
meaning (`node`). Packs bring words (`lexicon`) and turn meanings into plans.
"""
