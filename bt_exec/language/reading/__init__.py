"""Reading of texts into meanings, shared by all packs.

A text becomes a word lattice (`lattice`). A chart parser (`chart`) finds its readings by a grammar
that is data (`grammar`, ``en.yaml``, ``ko.yaml``), and the cheapest reading gives the meaning
(`meaning_node`). Packs provide words (`lexicon`) and turn meanings into plans.
"""
