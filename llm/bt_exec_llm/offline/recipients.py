"""Messages, questions and deliveries of an earlier act for other recipients."""

from __future__ import annotations

from dataclasses import replace

from bt_exec_llm.offline.lexicon import Lexicon, Slot
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["address_last_place", "address_others"]


def address_others(step: Step, others: list[Piece], lexicon: Lexicon) -> list[Step]:
    """Return the step that does the same for other recipients: "and the professor, too".

    The recipients are named persons, or the persons at places. The result is empty if `others`
    contains anything else, or if `step` takes no text or depends on a condition.
    """
    named = [one.with_mark("") for one in others if one.kind == "value"]
    texts = [one for one in step.pieces if one.kind == "text" and one.name in lexicon.texts]
    if len(texts) != 1 or step.condition is not None or not step.positive or not named:
        return []
    if any(one.kind not in ("value", "pronoun") for one in others):
        return []
    slot = lexicon.texts[texts[0].name]
    present = slot.present.items()
    kinds = {one.name for one in named if (one.name, one.value) not in present}
    named = [one for one in named if one.name in kinds]
    persons = kinds <= lexicon.recipient_types
    if not kinds or (not persons and not kinds <= {*lexicon.list_types("each")}):
        return []
    if persons or slot.shape == "noun":
        recipients = [one.with_mark("to") for one in named]
    else:
        recipients = [*(one.with_mark("at") for one in named), *_persons_present(slot)]
    kept = [replace(one, start=0, end=0) for one in (*recipients, *texts)]
    return [replace(step, pieces=kept, pronoun=False, start=0, end=0)]


def address_last_place(steps: list[Step], lexicon: Lexicon, *, plural: bool) -> list[Step]:
    """Return a message, addressed to the persons at the place of the last command.

    The list is empty unless the command is a single message without recipients.

    Args:
        steps: The steps of the command.
        lexicon: The words of the site.
        plural: Whether the command contains "them", which may stand for these persons.
    """
    if len(steps) != 1 or not steps[0].pieces:
        return []
    *others, text = steps[0].pieces
    slot = lexicon.texts.get(text.name) if text.kind == "text" else None
    addressed = not all(one.kind == "pronoun" for one in others) or bool(others) != plural
    if slot is None or slot.shape == "noun" or addressed:
        return []
    pieces = [Piece("pronoun", mark="at"), *_persons_present(slot), text]
    return [replace(steps[0], pieces=pieces, pronoun=True)]


def _persons_present(slot: Slot) -> list[Piece]:
    """Return the recipients that stand for the persons present at a place."""
    return [Piece("value", name, value, mark="to") for name, value in slot.present.items()]
