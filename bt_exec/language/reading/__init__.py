"""Reading of texts into meanings, shared by all packs.

A text becomes a word lattice (`lattice`). A chart parser (`chart`) finds its readings with the
grammar (`grammar`) in ``en.yaml`` or ``ko.yaml``, and the cheapest reading gives the meaning
(`meaning_node`). Packs provide words (`lexicon`) and turn meanings into plans.
"""
