"""Prices in questions: superlatives and comparisons of the articles on a receipt or a menu."""

from __future__ import annotations

from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts
from bt_exec_skills.image.perception.written_values import Written
from bt_exec_skills.image.rules.question import Phrase

__all__ = ["PRICED", "article_name", "superlative_of_price", "without_document"]

PRICED: dict[str, tuple[Written, Written]] = {
    "expensive": ("dearest", "dearer"), "cheap": ("cheapest", "cheaper"),
}  # fmt: skip
"""Requested values for the superlative and the comparative, by adjective of price."""
_PAPERS = tuple(Node("thing", (("name", name),)) for name in ("receipt", "menu"))


def superlative_of_price(formula: Node) -> Written | None:
    """Return the value that a superlative of price asks for ("the dearest article"), or None."""
    priced = formula.kind == "most" and formula.text("attribute") in PRICED
    return PRICED[formula.text("attribute")][0] if priced and not formula.get("rank") else None


def without_document(top: Node) -> Node:
    """Return the formula of the articles in a superlative, without the receipt or menu."""

    def is_paper(part: Node) -> bool:
        to = part.get("to") if part.kind == "rel" else None
        return part in _PAPERS or (isinstance(to, Node) and to.get("of") in _PAPERS)

    return conjunction(*(part for part in conjuncts(top.node("of")) if not is_paper(part)))


def article_name(phrase: Phrase) -> str:
    """Return the name of an article as it may be written, such as "green tea"."""
    return " ".join((*phrase.attributes, phrase.thing))
