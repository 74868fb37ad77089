"""English inflection: regular plurals, degrees of adjectives, gerunds and past forms.

Irregular forms are listed with their words in lexicons and in `en.yaml`.
"""

from __future__ import annotations

import re

__all__ = ["comparison_forms", "gerund", "past_form", "plural", "singulars"]

_HISSING = re.compile(r"(?:s|x|z|ch|sh)$")
_DOUBLED = re.compile(r"(?:^|[^aeiou])[aeiou][bdgmnprt]$")
_STRESSED = re.compile(r"^[^aeiou]*[aeiou][bdgmnprt]$|get$|gin$|mit$|trol$")


def plural(noun: str) -> str:
    """Return the regular plural of a noun, or of the last word of a name."""
    if _HISSING.search(noun):
        return noun + "es"
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + "s"


def singulars(noun: str) -> tuple[str, ...]:
    """Return the singular forms that a regular plural may have, the likeliest first."""
    if noun.endswith("ies") and len(noun) > 4:
        return (noun[:-3] + "y",)
    if noun.endswith("es") and _HISSING.search(noun[:-2]):
        bare = noun[:-2]
        mute = bare.endswith(("s", "z")) and not bare.endswith(("ss", "zz", "us"))  # horses, sizes
        return (bare + "e", bare) if mute else (bare,)
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return (noun[:-1],)
    return (noun,)


def gerund(verb: str) -> str:
    """Return the gerund of a verb."""
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _double_consonant(verb) + "ing"


def _double_consonant(verb: str) -> str:
    """Return the stem for "-ing" and "-ed"; some verbs double their last letter ("stopping")."""
    return verb + verb[-1] if _STRESSED.search(verb) else verb


def past_form(verb: str) -> str:
    """Return the regular past tense of a verb."""
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    if verb.endswith("e"):
        return verb + "d"
    return _double_consonant(verb) + "ed"


def comparison_forms(adjective: str) -> tuple[str, str]:
    """Return the comparative and the superlative of a short adjective."""
    stem = adjective
    if re.search(r"[^aeiou]y$", adjective):
        stem = adjective[:-1] + "i"
    elif adjective.endswith("e"):
        stem = adjective[:-1]
    elif _DOUBLED.search(adjective):
        stem = adjective + adjective[-1]
    return stem + "er", stem + "est"
