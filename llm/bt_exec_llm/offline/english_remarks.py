"""English remarks without punctuation around them ("close the door it's cold")."""

from __future__ import annotations

from collections.abc import Callable

from bt_exec.language.closed import words
from bt_exec_llm.offline.english_phrases import Phrases
from bt_exec_llm.offline.english_words import Token

__all__ = ["REMARKS", "find_command_after_remark", "starts_unpunctuated_remark"]

_BE = frozenset(words("en", "be"))
_LINKS = frozenset(words("en", "links"))
REMARKS = _BE | frozenset(words("en", "finite"))
_JOINS = (
    "if",
    "whether",
    "that",
    "to",
    "not",
    "so",
    "because",
    "since",
    "when",
    "while",
    "as",
    "once",
    "until",
    "till",
    "after",
    "before",
    "where",
    "unless",
    "like",
    "than",
    "what",
    "who",
    "how",
    "which",
)


def starts_unpunctuated_remark(
    starts_statement: Callable[[list[Token], int, frozenset[str]], bool],
    tokens: list[Token],
    at: int,
) -> bool:
    """Return True if a remark without punctuation begins here ("close the door it's cold").

    Args:
        starts_statement: Returns True if a statement with one of these verbs begins at a token.
        tokens: The command.
        at: Number of a token.
    """
    word = tokens[at].text
    if word == "as":
        return starts_statement(tokens, at + 1, REMARKS)
    if word not in ("it", "i", "we", "there", "they") or at + 2 >= len(tokens):
        return False
    return tokens[at + 1].text in _BE and tokens[at - 1].text not in (*_JOINS, *_LINKS)


def find_command_after_remark(phrases: Phrases, tokens: list[Token], at: int, end: int) -> int:
    """Return the start of a command after a remark without punctuation ("it's cold close it")."""
    for k in range(at + 3, end - 1):
        size, names = phrases.find_verb(tokens, k)
        nxt = k + size
        before = tokens[k - 1].text
        if not names or nxt >= end or before in _BE or before in _JOINS:
            continue
        found = phrases.find_entry(tokens, nxt)
        named = found is not None and found[0].kind in ("noun", "pronoun", "value")
        if (
            named or phrases.starts_with_determiner(tokens, nxt)
        ) and not phrases.starts_with_determiner(tokens, k - 1):
            return k
    return end
