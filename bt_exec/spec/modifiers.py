"""Modifiers of a node: names, meanings and timing, in the order of their evaluation.

They are used by the documentation, the JSON Schema, prompts and the layout.
`bt_exec.nodes.modifiers` implements them.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MODIFIERS", "Modifier", "table"]


class Modifier(NamedTuple):
    """A modifier.

    Attributes:
        name: Name in a document.
        meaning: Its meaning in a sentence or two.
        timing: Time of its evaluation.
    """

    name: str
    meaning: str
    timing: str


MODIFIERS = (
    Modifier(
        "for_each",
        "The node once per item of a list, in order: {item: $items} names the item, at_most bounds "
        "the list. Any failure ends it.",
        "once on entry; a list known in advance is expanded before the mission runs",
    ),
    Modifier(
        "skip_if",
        "If the condition holds, the node is done without doing anything.",
        "once on entry, for each item",
    ),
    Modifier(
        "repeat",
        "The node N times in a row, one round per tick. Any failure ends it.",
        "after each success",
    ),
    Modifier(
        "until",
        "With repeat: the rounds end with success once the condition holds; N rounds without it "
        "fail with NOT_REACHED, or with the code in 'else' beside the condition.",
        "after each round, until it is known",
    ),
    Modifier(
        "retry",
        "Up to N attempts in all, one per tick, while another attempt may mend the failure.",
        "after each failure",
    ),
    Modifier(
        "timeout",
        "An attempt that takes longer fails with TIMEOUT and is stopped: 500ms, 20s, 2min.",
        "each tick of an attempt, before the node",
    ),
    Modifier(
        "while",
        "A guard: when the condition does not hold, the node is stopped and fails with "
        "GUARD_BROKEN, or with the code in 'else' beside the condition.",
        "each tick, before the node",
    ),
)
"""The modifiers, the outermost first."""


def table() -> str:
    """Return the modifiers as a table in Markdown."""
    rows = [("Modifier", "Meaning", "When"), ("---", "---", "---")]
    rows += [(f"`{one.name}`", one.meaning, one.timing) for one in MODIFIERS]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"
