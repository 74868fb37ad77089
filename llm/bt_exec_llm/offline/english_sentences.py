"""Parser of English commands: conjunctions, corrections and remarks between clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from bt_exec_llm.offline.english_asking import follows_question, make_if_so_clause
from bt_exec_llm.offline.english_pieces import add_pieces
from bt_exec_llm.offline.english_remarks import find_command_after_remark
from bt_exec_llm.offline.english_scan import (
    AND,
    ELSE,
    END,
    NEVER,
    NO,
    OFF,
    PURPOSES,
    EnglishScan,
    end_of_previous_token,
)
from bt_exec_llm.offline.english_words import Token
from bt_exec_llm.offline.piece import Clause

__all__ = ["Sentence", "parse_remark"]

_FIRST = (("before", "that"), ("first",))


class Sentence:
    """Parses a command clause by clause.

    Each method returns the end of what it parsed, or None if there is nothing of its kind.

    Args:
        scan: Lookahead over the tokens.
        text: The command.
        tokens: Its words.
        clause: Function that parses the clause at a position.
    """

    def __init__(
        self,
        scan: EnglishScan,
        text: str,
        tokens: list[Token],
        clause: Callable[[str, list[Token], int], tuple[Clause, int]],
    ) -> None:
        self._scan = scan
        self._text = text
        self._tokens = tokens
        self._take = clause
        self._clauses: list[Clause] = []
        self._joined = ""
        self._correction = False
        self._first: Literal["", "all", "that"] = ""

    def read(self) -> list[Clause]:
        """Return the clauses."""
        ways = (
            self._parse_sentence_end,
            self._parse_purpose,
            self._parse_conjunction,
            self._parse_otherwise,
            self._parse_retraction,
            self._parse_correction,
            self._parse_first,
            self._parse_filler,
            self._parse_clause,
        )
        at = 0
        while at < len(self._tokens):
            at = next(end for way in ways if (end := way(at)) is not None)
        if self._clauses and self._correction:  # e.g. open the door. no.
            self._clauses[-1].whys.append(("TAKEN_BACK", self._text))
        if self._clauses and self._joined in ("then", "or", "but"):
            self._clauses[-1].whys.append(("UNFINISHED", self._text))
        return self._clauses

    def _word_at(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _add_refused_clause(self, code: str, first: int, last: int) -> None:
        """Add a clause that cannot be executed."""
        tokens = self._tokens
        whys = [(code, self._scan.text_between(self._text, tokens, first, last))]
        start, end = tokens[first].start, end_of_previous_token(tokens, last)
        self._clauses.append(Clause(mood="tell", whys=whys, start=start, end=end))

    def _parse_sentence_end(self, at: int) -> int | None:
        if self._word_at(at) not in END:
            return None
        self._joined = "stop"
        return at + 1

    def _parse_purpose(self, at: int) -> int | None:
        if self._scan.match_length(
            self._tokens, at, PURPOSES
        ):  # e.g. so i can see it; to let the air in
            clause = Clause(start=self._tokens[at].start)
            clause, end = parse_remark(self._scan, self._text, self._tokens, at + 1, clause)
            self._clauses.append(clause)
            return end
        if self._scan.match_length(
            self._tokens, at, (("so", "that"),)
        ):  # e.g. so that it is half open
            end = self._scan.end_of_clause(self._tokens, at + 2)
            self._add_refused_clause("CONDITION", at, end)
            return end
        return None

    def _parse_conjunction(self, at: int) -> int | None:
        word = self._word_at(at)
        asked = follows_question(self._clauses, self._tokens, at)
        if word == "then" and self._joined == "stop" and asked:
            self._clauses.append(make_if_so_clause(self._tokens[at]))
            self._joined = ""
        elif word == "but":
            self._joined = "but"
        elif word not in AND and word != "so":
            return None
        elif self._joined != "or":  # e.g. or then
            pause = word in (",", ";")
            self._joined = (self._joined or "stop") if pause else "then"
        return at + 1

    def _parse_otherwise(self, at: int) -> int | None:
        word = self._word_at(at)
        size = 1 if word in ELSE else 2 if word == "or" and self._word_at(at + 1) in ELSE else 0
        if size:
            start, end = self._tokens[at].start, self._tokens[at + size - 1].end
            self._clauses.append(Clause(mood="else", verbs=("?",), start=start, end=end))
            self._joined = ""
            return at + size
        if word == "or":
            self._joined = "or"
            return at + 1
        return None

    def _parse_retraction(self, at: int) -> int | None:
        size = self._scan.match_length(self._tokens, at, OFF)
        if not size or not self._scan.is_end_of_part(self._tokens, at + size):
            return None
        self._add_refused_clause("TAKEN_BACK", at, at + size)
        return at + size

    def _parse_correction(self, at: int) -> int | None:
        size = self._scan.match_length(self._tokens, at, NO)
        if not self._clauses or size < self._scan.match_length(
            self._tokens, at, NEVER
        ):  # e.g. no need to
            return None
        if size == 1 and self._word_at(at) in ("no", "sorry"):  # otherwise it negates
            size = size if self._word_at(at + 1) == "," or self._joined == "stop" else 0
        if not size:
            return None
        self._correction = True
        return at + size

    def _parse_first(self, at: int) -> int | None:
        if not self._clauses or not self._scan.match_length(self._tokens, at, _FIRST):
            return None
        if self._word_at(at) == "before":
            self._first = "that"
            return at + 2
        if self._joined in ("but", "stop", "then"):
            self._first = "all"
        return at + 1

    def _parse_filler(self, at: int) -> int | None:
        tokens, word = self._tokens, self._word_at(at)
        filled = self._scan.phrases.end_of_fillers(tokens, at)
        lead = self._scan.phrases.read_polite_phrase(tokens, at)[1]
        if filled == at or (filled <= lead and not self._scan.is_end_of_part(tokens, filled)):
            return None
        if word == "if" and (
            self._scan.starts_observation_verb(tokens, filled) or self._word_at(filled) == "not"
        ):
            return None
        if word == "once" and self._scan.starts_statement(tokens, filled):
            return None
        return None if self._scan.starts_verb(tokens, at, longer_than=filled - at) else filled

    def _parse_clause(self, at: int) -> int:
        clause, end = self._take(self._text, self._tokens, at)
        end = max(end, at + 1)
        clause.joined, clause.correction, clause.first = self._joined, self._correction, self._first
        last = self._word_at(min(end, len(self._tokens)) - 1)
        if last == "first" and self._joined in ("but", "stop") and self._clauses:
            clause.first = self._first or "all"
        if self._joined == "or" and not self._clauses:  # e.g. or what?
            clause.whys.append(("UNFINISHED", self._text))
        self._first, self._joined, self._correction = "", "", False
        self._clauses.append(clause)
        return end


def parse_remark(
    scan: EnglishScan, text: str, tokens: list[Token], at: int, clause: Clause
) -> tuple[Clause, int]:
    """Parse a remark ("it is cold in here", "because the door is open")."""
    end = find_command_after_remark(scan.phrases, tokens, at, scan.end_of_clause(tokens, at + 1))
    clause.mood = "said"
    add_pieces(scan.phrases, text, tokens, at, end, clause, skip=frozenset(), asks=True)
    clause.asked, clause.whys = None, []
    clause.end = end_of_previous_token(tokens, end)
    return clause, max(end, at)
