"""Planning with a language model: prompt, checks of the answer, and rounds of repair.

::

    request ── prompt ──► model ──► text ── form ──► spec ── faults, checkers, passes, verification
                  ▲                                              │ problems, all at once
                  └──────────────── at most three rounds ────────┘ none: a plan
"""
