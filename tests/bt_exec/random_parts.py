"""Skills and a condition for random plans: three facts of two values, all kinds of declarations."""

from __future__ import annotations

import random
from typing import Any

from bt_exec.skill import Verdict, condition
from bt_exec.testing import scripted_skill
from bt_exec.testing.tree_run import scripted_site

FACTS, WORDS = ("a", "b", "c"), ("1", "2")


@condition(establishes={"{fact}": "{word}"})
def fact_is(fact: str, word: str) -> Verdict:
    """Return True if a fact has a value."""
    return Verdict.yes(f"{fact} is {word}")


def _declarations(dice: random.Random) -> dict[str, dict[str, Any]]:
    """Return skills of every kind: without needs, without effects, with several of both."""
    found: dict[str, dict[str, Any]] = {}
    for number in range(60):
        needs = dice.sample(FACTS, dice.choice((0, 0, 1, 1, 2)))
        effects = dice.sample(FACTS, dice.choice((0, 1, 1, 2)))
        found[f"skill_{number}"] = {
            "needs": {fact: dice.choice((["1"], ["2"], ["1", "3"])) for fact in needs},
            "effects": {fact: dice.choice((*WORDS, *WORDS, "?")) for fact in effects},
        }
    return found


SKILLS = _declarations(random.Random(1))
SITE = scripted_site(
    [
        fact_is,
        *(
            scripted_skill(
                name,
                needs={fact: "|".join(words) for fact, words in declared["needs"].items()},
                effects=declared["effects"],
            )
            for name, declared in SKILLS.items()
        ),
    ]
)


def asked(wanted: tuple[str, str]) -> dict[str, Any]:
    """Return the check of a fact in document form."""
    return {"fact_is": {"fact": wanted[0], "word": wanted[1]}}
