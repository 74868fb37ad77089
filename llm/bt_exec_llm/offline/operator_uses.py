"""Check that every operator word of a command is used by one of its clauses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby

from bt_exec.language.operators import OperatorKind, Uses, operators_in, unused_operator
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["find_unused_operator"]


def find_unused_operator(
    text: str, language: str, clauses: Iterable[Clause], vocabulary: Vocabulary
) -> str:
    """Return the first operator word that no clause contains; "" if there is none."""
    operators = operators_in(text, language, _phrases_with_operator_words(vocabulary, language))
    clauses = list(clauses)
    taken = [(p.start, p.end) for clause in clauses for p in clause.pieces if p.kind == "text"]
    taken += [(c.start, c.end) for c in clauses if c.mood == "said"]
    left = [
        one
        for one in operators
        if not any(start <= one.start and one.end <= end for start, end in taken)
    ]
    lost = unused_operator(left, _uses_by_end(clauses))
    return lost.text if lost is not None else ""


def _uses_by_end(clauses: list[Clause]) -> list[Uses]:
    end, found = 0, []
    for clause in clauses:
        end = max(end, clause.end)
        found.append((end, _operators_in_clause(clause)))
    return found


def _operators_in_clause(clause: Clause) -> Mapping[OperatorKind, int]:
    asked = clause.asked is not None or clause.mood == "ask" or "?" in clause.verbs
    left_out = sum(out for out, _ in groupby(p.mark == "not" for p in clause.pieces))
    denied = clause.asked is not None and not clause.asked.positive
    return {
        "condition": 1 if clause.mood in ("if", "else") or asked else 0,
        "negation": left_out + (not clause.positive) + clause.unless + denied,
        "order": (clause.mood == "before") + bool(clause.first),
        "limit": 0 if clause.mood == "if" else len(clause.said) + 1,
    }


@lru_cache(maxsize=16)
def _phrases_with_operator_words(vocabulary: Vocabulary, language: str) -> tuple[str, ...]:
    """Return the lexicon phrases that contain an operator word with another meaning."""
    if language == "ko":
        phrases: Iterable[str] = vocabulary.korean_names()
    else:
        phrases = (" ".join(words) for words in vocabulary.english.entries)
    return tuple(phrase for phrase in phrases if operators_in(phrase, language))
