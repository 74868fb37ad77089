"""English texts that are taken verbatim: messages and questions for persons."""

from __future__ import annotations

from bt_exec.language.closed import words
from bt_exec.language.operators import operators_in
from bt_exec_llm.offline.english_pieces import add_pieces
from bt_exec_llm.offline.english_scan import AND, END, WH, EnglishScan, end_of_previous_token
from bt_exec_llm.offline.english_words import Token
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Clause, Piece

__all__ = ["EnglishTexts"]

_NOTHING = words("en", "nothing")


class EnglishTexts:
    """Parses messages and questions.

    Attributes:
        takers: Verbs that take a text.
    """

    def __init__(self, scan: EnglishScan, lexicon: Lexicon) -> None:
        self._scan = scan
        self._slot = {
            verb: name
            for name, slot in lexicon.texts.items()
            if slot.shape == "clause"
            for verb in slot.verbs
        }
        self.takers = set(self._slot)
        self._ends = lexicon.closing_verbs | self.takers

    def parse_person_and_text(
        self, text: str, tokens: list[Token], at: int, clause: Clause, names: tuple[str, ...]
    ) -> tuple[Clause, int] | None:
        """Parse a person and a text; return None if either is missing."""
        while at < len(tokens) and (
            tokens[at].text in ("to", "with", "the", "from")
            or self._scan.phrases.end_of_fillers(tokens, at) > at
        ):
            at = max(at + 1, self._scan.phrases.end_of_fillers(tokens, at))
        person = self._scan.find_person(text, tokens, at)
        free = any(self._slot.get(n) == "Question" for n in names)
        if person is None and not (
            free and at < len(tokens) and tokens[at].text in (*WH, "if", "about")
        ):
            return None
        after, pieces = at, []
        if person is not None:
            after, pieces = person[1], [person[0]]
        start = after
        timed = clause.mood in ("before", "after")
        if timed and person is not None and start < len(tokens) and tokens[start].text == ",":
            clause.pieces, clause.end = pieces, end_of_previous_token(tokens, after)
            return clause, after  # e.g. before reporting to the professor, look around
        while start < len(tokens) and tokens[start].text in (
            ",",
            ":",
            "about",
            "that",
            "know",
            "for",
            "to",
        ):
            if tokens[start].text == "to":
                break
            if tokens[start].text == "for" and not free:
                break
            start += 1
            if (
                start < len(tokens)
                and tokens[start - 1].text == "know"
                and tokens[start].text in ("about", "that")
            ):
                start += 1
        if (
            start >= len(tokens)
            or (tokens[start].text in AND | {"but"} and self._scan.starts_clause(tokens, start))
            or tokens[start].text in END
        ):
            after = start if tokens[start - 1].text == "know" else after  # e.g. let him know
            clause.pieces, clause.end = pieces, end_of_previous_token(tokens, after)
            return clause, after
        end = self._end_of_quotation(tokens, start) or self._scan.end_of_clause(
            tokens, start, text=True
        )
        if self._is_ambiguous_after_and(
            tokens, start, end
        ):  # tell him to wait in the lounge and look around
            clause.whys.append(
                ("AMBIGUOUS", self._scan.text_between(text, tokens, start, len(tokens)))
            )
        if (
            not free
            and tokens[start].text in ("how", "what", "who", "whether", "if", "which")
            and (self._can_be_answered_by_robot(tokens, start, end))
        ):
            clause.pieces = pieces
            add_pieces(
                self._scan.phrases, text, tokens, start, end, clause, skip=frozenset(), asks=True
            )
            clause.end = end_of_previous_token(tokens, end)
            return clause, end
        last = end
        while last > start and (
            tokens[last - 1].text in ("please", "thanks")
            or (not tokens[last - 1].is_word and tokens[last - 1].text not in ("'", '"'))
        ):
            last -= 1
        if (
            last > start
            and tokens[last - 2 : last]
            and [t.text for t in tokens[last - 2 : last]] == ["for", "me"]
            and free
        ):
            last -= 2
        said = self._scan.text_between(text, tokens, start, last).strip(" \"'“”")
        name = next(self._slot[n] for n in names if n in self._slot)
        if (hidden := self._ambiguous_condition(tokens, start, said)) is not None:
            clause.whys.append(hidden)
        if said:
            pieces.append(
                Piece(
                    "text",
                    name,
                    said,
                    "",
                    "",
                    tokens[start].start,
                    end_of_previous_token(tokens, last),
                    said,
                )
            )
        clause.pieces, clause.end = pieces, end_of_previous_token(tokens, end)
        return clause, end

    @staticmethod
    def _ambiguous_condition(tokens: list[Token], start: int, said: str) -> tuple[str, str] | None:
        """Return the reason why a text is ambiguous: its condition may be meant for the robot."""
        if said.casefold() in _NOTHING:
            return "NEGATED", said
        if tokens[start].text in ('"', "“", "whether"):  # e.g. whether he would come if we asked
            return None
        found = (one for one in operators_in(said, "en") if one.kind == "condition")
        late = next((one.text for one in found if one.start), None)
        return ("OPERATOR", late) if late is not None else None

    @staticmethod
    def _end_of_quotation(tokens: list[Token], start: int) -> int:
        """Return the end of a text in quotation marks; 0 without them."""
        closing = {'"': '"', "“": "”"}.get(tokens[start].text)
        marks = (at for at in range(start + 1, len(tokens)) if tokens[at].text == closing)
        return next(marks, -1) + 1

    def _is_ambiguous_after_and(self, tokens: list[Token], start: int, end: int) -> bool:
        """Return True if the words after "to do this and" may be meant for person or robot.

        A comma, "then" or a verb that ends the mission ("… and come back") ends the text.
        """
        if tokens[start].text != "to" or end + 1 >= len(tokens) or tokens[end].text != "and":
            return False
        if (
            tokens[end - 1].text == ","
            or self._scan.phrases.end_of_fillers(tokens, end + 1) > end + 1
        ):
            return False
        names = set(self._scan.phrases.find_verb(tokens, end + 1)[1])
        return bool(names) and not names & self._ends

    def _can_be_answered_by_robot(self, tokens: list[Token], start: int, end: int) -> bool:
        """Return True if the robot can answer the question after "tell somebody" itself."""
        kinds = set()
        at = start
        while at < end:
            found = self._scan.phrases.find_entry(tokens, at)
            if found is None:
                at += 1
                continue
            kinds.add(found[0].kind)
            kinds.add(found[0].name)
            at += found[1]
        return (
            "value" in kinds
            and "unknown" not in kinds
            and bool(kinds & {"Place", "Aspect"})
            and {"Place", "Aspect"} <= kinds
        )
