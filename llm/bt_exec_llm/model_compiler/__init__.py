"""Planning with a language model: prompt, rounds of repair, and the faults that models make.

::

    request ── prompt ──► model ──► text ── form ──► spec ── faults, checkers, passes, verification
                  ▲                                              │ problems, all at once
                  └──────────────── at most three rounds ────────┘ none: a plan
"""
