"""English requests with an omitted verb or a negative object ("the material, please")."""

from __future__ import annotations

from collections.abc import Mapping

from bt_exec_llm.offline.english_scan import EnglishScan
from bt_exec_llm.offline.english_words import Token
from bt_exec_llm.offline.lexicon import Verb
from bt_exec_llm.offline.piece import Clause

__all__ = [
    "add_verb_of_request",
    "follows_question",
    "make_if_so_clause",
    "replace_nothing_by_anything",
]

_NONE = {"nothing": "anything", "no": "any"}


def add_verb_of_request(
    clauses: list[Clause], tokens: list[Token], verbs: Mapping[str, Verb]
) -> None:
    """Read a requested object as the verb that gets it ("the material, please")."""
    said = [token.text for token in tokens if token.is_word]
    if len(clauses) != 1 or not said or said[-1] != "please":
        return
    clause = clauses[0]
    nouns = [p for p in clause.pieces if p.kind == "noun"]
    bare = clause.mood == "do" and clause.positive and not clause.verbs and not clause.whys
    things = [p for p in clause.pieces if (p.kind, p.value) != ("limit", "1")]
    if bare and len(nouns) == len(things) == 1:
        clause.verbs = tuple(name for name, verb in verbs.items() if verb.asked_for)


def replace_nothing_by_anything(scan: EnglishScan, tokens: list[Token], at: int) -> list[Token]:
    """Return the tokens of a condition with "anything" for "nothing"; None without "nothing".

    A "nothing" of the lexicon is kept, as in "if it is open do nothing".
    """
    end = scan.end_of_clause(tokens, at, asks=True)
    end = scan.end_of_condition(tokens, at, end)
    none = [k for k in range(at, end) if tokens[k].text in _NONE]
    none = [
        k for k in none if tokens[k].text == "nothing" or not scan.is_end_of_part(tokens, k + 1)
    ]
    if len(none) != 1 or scan.phrases.find_entries(tokens, none[0]) is not None:
        return []
    changed = tokens[none[0]]._replace(text=_NONE[tokens[none[0]].text])
    return [*tokens[: none[0]], changed, *tokens[none[0] + 1 :]]


def follows_question(clauses: list[Clause], tokens: list[Token], at: int) -> bool:
    """Return True if a question mark precedes `at` ("is it visible? Then get it")."""
    return bool(clauses) and clauses[-1].mood == "ask" and tokens[at - 1].text == "?"


def make_if_so_clause(token: Token) -> Clause:
    """Return the condition that the preceding question was answered with yes."""
    start, end = token.start, token.end
    return Clause(mood="if", verbs=("?",), answers="so", start=start, end=end, said=token.text)
