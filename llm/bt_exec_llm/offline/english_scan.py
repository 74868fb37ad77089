"""Lookahead over English tokens: clause boundaries, questions and persons."""

from __future__ import annotations

from bt_exec.language.closed import phrases, words
from bt_exec_llm.offline.english_phrases import Phrases, phrase_starts_at
from bt_exec_llm.offline.english_pieces import THIS
from bt_exec_llm.offline.english_remarks import REMARKS, starts_unpunctuated_remark
from bt_exec_llm.offline.english_words import Token
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = [
    "AND",
    "AUX",
    "BE",
    "ELSE",
    "END",
    "FINITE",
    "NEVER",
    "NO",
    "OFF",
    "PURPOSES",
    "SUBJECTS",
    "WH",
    "EnglishScan",
    "end_of_previous_token",
]

BE = frozenset(words("en", "be"))
AUX = frozenset(words("en", "auxiliaries"))
WH = frozenset(words("en", "question_words"))
_PREDICATES = AUX | BE | {"not", "so", "see", "sees", "hold", "holds", "find", "needed"}
AND = frozenset(words("en", "links"))
END = frozenset(words("en", "ends"))
NO = phrases("en", "corrections")
OFF = phrases("en", "taken_back")
ELSE = frozenset(words("en", "else"))
FINITE = BE | AUX | frozenset(words("en", "finite"))
NEVER = phrases("en", "forbidding")
PURPOSES = phrases("en", "purposes")
SUBJECTS = frozenset(words("en", "subjects"))
_DUTIES = phrases("en", "duties")
_THINGS = frozenset(words("en", "subjects_of_states"))
_BEFORE_NOUNS = frozenset(words("en", "before_nouns"))


class EnglishScan:
    """Lookahead over tokens with the words of one lexicon.

    Attributes:
        phrases: Phrases of the lexicon.
        ing: Whether the polite phrase of the command needs verbs in -ing.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.phrases = Phrases(vocabulary)
        self.ing = False
        self._finders = {n: v.finds for n, v in vocabulary.lexicon.verbs.items() if v.finds}
        self._pairing = {n for n, v in vocabulary.lexicon.verbs.items() if v.pairs}
        self._people = vocabulary.lexicon.people

    @staticmethod
    def text_between(text: str, tokens: list[Token], first: int, last: int) -> str:
        """Return the text of the tokens from `first` to `last`."""
        return (
            text[tokens[first].start : end_of_previous_token(tokens, last)] if first < last else ""
        )

    @staticmethod
    def match_length(tokens: list[Token], at: int, phrases: tuple[tuple[str, ...], ...]) -> int:
        """Return the length of the first of `phrases` that begins at `at`; 0 if there is none."""
        head = tokens[at].text if at < len(tokens) else ""
        for phrase in phrases:
            if phrase[0] == head and phrase_starts_at(tokens, at, phrase):
                return len(phrase)
        return 0

    @staticmethod
    def is_end_of_part(tokens: list[Token], at: int) -> bool:
        """Return True if a part of the command ends before `at`."""
        return at >= len(tokens) or not tokens[at].is_word

    def starts_verb(self, tokens: list[Token], at: int, *, longer_than: int = 0) -> bool:
        """Return True if a verb in its base form begins here that is longer than a filler."""
        if 0 < at <= len(tokens) and tokens[at - 1].text in _BEFORE_NOUNS:
            return False
        form = (
            "ing" if self.ing and at < len(tokens) and tokens[at].text.endswith("ing") else "base"
        )
        size, names = self.phrases.find_verb(tokens, at, form)
        return (bool(names) and size > longer_than) or self._starts_accompanying_verb(tokens, at)

    def _starts_accompanying_verb(self, tokens: list[Token], at: int) -> bool:
        """Return True if a verb that accompanies another act begins here ("leaving it open")."""
        if at >= len(tokens) or not tokens[at].text.endswith("ing"):
            return False
        return any(name in self._pairing for name in self.phrases.find_verb(tokens, at, "any")[1])

    def starts_clause(self, tokens: list[Token], at: int) -> bool:
        """Return True if the next part of a command can begin here."""
        while at < len(tokens) and (tokens[at].text in AND or tokens[at].text in ("but",)):
            at += 1
        if self.match_length(tokens, at, OFF):
            return True
        after = self.phrases.end_of_fillers(tokens, at)
        if after > at and not self.starts_verb(tokens, at, longer_than=after - at):
            return (
                after < len(tokens) and self.starts_clause(tokens, after)
            ) or self.is_end_of_part(tokens, after)
        if at >= len(tokens):
            return True
        word = tokens[at].text
        if word in ("if", "unless", "before", "after", "without", "instead") or self.match_length(
            tokens, at, NEVER[:8]
        ):
            return True
        if self.phrases.read_polite_phrase(tokens, at)[0] or word in ("use", "using"):
            return True
        if word == "with" and at and tokens[at - 1].text == "but":
            return True
        if self.match_length(tokens, at, NO) or self.match_length(tokens, at, OFF) or word in ELSE:
            return True
        if (
            word in ("is", "are", "how", "what", "who", "where")
            and at
            and tokens[at - 1].text in (*END, ",")
        ):
            return True
        return self.starts_verb(tokens, at)

    def starts_statement(
        self, tokens: list[Token], at: int, verbs: frozenset[str] = FINITE
    ) -> bool:
        """Return True if a statement begins here ("the door is open", "it can stay open")."""
        while at < len(tokens) and self.phrases.starts_with_determiner(tokens, at):
            at += 1
            if at < len(tokens) and tokens[at].text in verbs and tokens[at - 1].text in THIS:
                return True
        if at >= len(tokens) or self.starts_verb(tokens, at):
            return False
        found = self.phrases.find_entries(tokens, at)
        size = found[1] if found is not None else 1
        if found is None and tokens[at].text in (*WH, *AUX, *AND, *END, "if"):
            return False
        end = at + size
        return end < len(tokens) and tokens[end].text in verbs

    def is_when_question(self, tokens: list[Token], at: int) -> bool:
        """Return True if "when" begins a question here and not a condition."""
        return (
            tokens[at].text in WH
            and any(t.text == "?" for t in tokens[at:])
            and at == 0
            and tokens[at].text == "when"
            and at + 1 < len(tokens)
            and tokens[at + 1].text in AUX
        )

    def is_question(self, tokens: list[Token], at: int) -> bool:
        """Return True if a question begins at `at`."""
        word = tokens[at].text
        if self.starts_verb(tokens, at, longer_than=1):
            return False
        if word in WH:
            return True
        bare = (
            word == "have"
            and at + 1 < len(tokens)
            and self.phrases.starts_with_determiner(tokens, at + 1)
        )
        if bare and not self.ends_in_question_mark(tokens, at):  # e.g. have the door closed
            return False
        if word in AUX:
            return True
        return any(t.text == "?" for t in tokens[at:]) and not self.starts_verb(tokens, at)

    def end_of_clause(
        self, tokens: list[Token], at: int, *, text: bool = False, asks: bool = False
    ) -> int:
        """Return the end of the clause that continues at `at`."""
        while at < len(tokens):
            word = tokens[at].text
            if word in END or word in (";", "->", "=>", "→"):
                return at
            if word == "just" and not text and self.starts_verb(tokens, at + 1):
                return at  # e.g. skip the lounge just check the break room
            if word in ELSE and not text:
                return at
            if asks and word == "or":
                at += 1
                continue
            if word in (
                ",",
                "and",
                "then",
                "but",
                "&",
                "or",
                "also",
                "plus",
                "so",
                "-",
                ":",
            ) and (
                self.starts_clause(tokens, at + 1 if word == "or" else at)
                or (not text and not asks and self.starts_statement(tokens, at + 1))
            ):
                return at
            if (
                not text
                and word
                in (
                    "before",
                    "after",
                    "unless",
                    "without",
                    "instead",
                    "until",
                    "till",
                    "while",
                    "when",
                    "whenever",
                    "if",
                    "because",
                    "since",
                )
                and at + 1 < len(tokens)
            ):
                return at
            if not text and word == "once" and self.starts_statement(tokens, at + 1):
                return at
            if (
                not text
                and not asks
                and starts_unpunctuated_remark(self.starts_statement, tokens, at)
            ):
                return at
            if not text and (
                self.match_length(tokens, at, NO[:9]) or self.match_length(tokens, at, PURPOSES)
            ):
                return at
            at += 1
        return at

    def find_person(self, text: str, tokens: list[Token], at: int) -> tuple[Piece, int] | None:
        """Return the person named at `at`, and the end of the name."""
        start = at
        while at < len(tokens) and tokens[at].text in ("the", "to", "with"):
            at += 1
        if at < len(tokens) and tokens[at].text in ("him", "her", "them"):
            return Piece(
                "pronoun", "person", "", "to", "", tokens[at].start, tokens[at].end, tokens[at].text
            ), at + 1
        found = self.phrases.find_entry(tokens, at)
        if found is None or found[0].kind != "value" or found[0].name not in self._people:
            return None
        entry, size = found
        end = at + size
        return Piece(
            "value",
            entry.name,
            entry.value,
            "to",
            "",
            tokens[start].start,
            end_of_previous_token(tokens, end),
            self.text_between(text, tokens, at, end),
        ), end

    def has_state(self, tokens: list[Token], first: int, last: int) -> bool:
        """Return True if a state is named between two places."""
        found = (self.phrases.find_entry(tokens, at, prefer="state") for at in range(first, last))
        return any(one is not None and one[0].kind == "state" for one in found)

    def has_predicate(self, tokens: list[Token], first: int, last: int) -> bool:
        """Return True if a condition has a predicate ("it is shut", not "(shut) the door")."""
        last = min(last, len(tokens))
        if any(token.text in _PREDICATES for token in tokens[first:last]):
            return True
        return self.has_state(tokens, first, last) and not self.has_state(tokens, first, last - 1)

    def end_of_condition(self, tokens: list[Token], at: int, end: int) -> int:
        """Return the start of the command that follows a condition without a comma."""
        full = False
        k = at
        while k < end:
            if tokens[k].text in (",", "then"):
                return k
            if full and not self._follows_is(tokens, k) and self.starts_clause(tokens, k):
                return k
            found = self.phrases.find_entry(tokens, k, prefer="state")
            if found is not None and found[0].kind in ("state", "noun", "value", "pronoun"):
                if found[0].kind in ("state",) or found[0].kind == "value":
                    full = True
                saw = any(t.text in ("see", "find", "spot") for t in tokens[at:k])
                full = full or (found[0].kind == "noun" and (saw or self.has_state(tokens, at, k)))
                k += found[1]
                continue
            k += 1
        return end

    @staticmethod
    def _follows_is(tokens: list[Token], at: int) -> bool:
        """Return True if "is" or "is not" precedes `at`, so that an adjective follows."""
        before = at - 1
        while before > 0 and tokens[before].text in ("not", "still", "already", "really"):
            before -= 1
        return tokens[before].text in BE

    def has_information_verb(self, names: tuple[str, ...]) -> bool:
        """Return True if one of these verbs obtains information."""
        return any(name in self._finders for name in names)

    def describes_action(self, tokens: list[Token], at: int) -> bool:
        """Return True if an action is described here ("(if) you cannot open the door")."""
        if not self.starts_with_subject_pronoun(tokens, at) or tokens[at].text in (
            "it",
            "there",
            "they",
        ):
            return False
        if self.phrases.find_entry(tokens, at) is not None:  # e.g. you hold, you can see
            return False
        k = at + 1
        while k < len(tokens) and tokens[k].text in (*AUX, "not", "to", "able"):
            if tokens[k].text in BE:
                return False
            k += 1
        return self.starts_verb(tokens, k) and not self.starts_observation_verb(tokens, k)

    def starts_observation_verb(self, tokens: list[Token], at: int) -> bool:
        """Return True if a verb of observation begins here ("if you can see it")."""
        return self.has_information_verb(self.phrases.find_verb(tokens, at)[1])

    @staticmethod
    def ends_in_question_mark(tokens: list[Token], at: int) -> bool:
        """Return True if the sentence at `at` ends in a question mark."""
        return next((t.text for t in tokens[at:] if t.text in END), "") == "?"

    def starts_remark(self, tokens: list[Token], at: int) -> bool:
        """Return True if a statement begins here ("it is cold", not "it should be closed")."""
        if self.ends_in_question_mark(tokens, at) or not self.starts_statement(tokens, at, REMARKS):
            return False
        if tokens[at].text in WH:  # e.g. how many people are there
            return False
        if tokens[at].text in ("before", "after"):  # e.g. after [you have] got the material
            return False
        places = range(at + 1, self.end_of_clause(tokens, at + 1))
        if any(set(self.phrases.find_verb(tokens, k)[1]) & self._pairing for k in places):
            return False  # e.g. the door stays open
        return self.find_should_be(tokens, at, self.end_of_clause(tokens, at + 1))[0] == at

    def starts_inverted_condition(self, tokens: list[Token], at: int) -> bool:
        """Return True if a condition without "if" begins here ("should it be open, close it")."""
        if tokens[at].text != "should" or at + 1 >= len(tokens):
            return False
        if (
            self.starts_with_subject_pronoun(tokens, at + 1) and tokens[at + 1].text not in _THINGS
        ):  # should I open it
            return False
        return not self.ends_in_question_mark(tokens, at)

    def find_should_be(self, tokens: list[Token], start: int, end: int) -> tuple[int, int]:
        """Return the positions of "should be" and its verb ("the door should be closed")."""
        k = start
        while k < end and not (size := self.match_length(tokens, k, _DUTIES)):
            found = self.phrases.find_entry(tokens, k)
            small = self.phrases.starts_with_determiner(tokens, k) or tokens[k].text in (
                "and",
                "both",
            )
            if found is None and not small:
                return start, start
            k += found[1] if found is not None else 1
        if start < k < end:
            passive = tokens[k + size - 1].text == "be"
            after = tokens[k + size].text if k + size < end else ""
            if after and (passive or after.endswith("ing")):
                return k, k + size
        return start, start

    @staticmethod
    def starts_with_subject_pronoun(tokens: list[Token], at: int) -> bool:
        """Return True if a pronoun that is always a subject begins here."""
        return at < len(tokens) and tokens[at].text in SUBJECTS

    def parse_leading_tool(
        self, text: str, tokens: list[Token], at: int
    ) -> tuple[Piece, int] | None:
        """Parse a tool at the beginning ("with your left arm, …")."""
        k = at + 1
        while self.phrases.starts_with_determiner(tokens, k):
            k += 1
        found = self.phrases.find_entry(tokens, k)
        if found is None or found[0].kind != "value":
            return None
        entry, size = found
        end = k + size
        after = end + 1 if end < len(tokens) and tokens[end].text == "," else end
        if size := self.match_length(tokens, after, NO):  # e.g. with the left, no, the right arm
            after += size + (after + size < len(tokens) and tokens[after + size].text == ",")
            better = self.parse_leading_tool(text, tokens, after - 1)
            if better is not None and better[0].name == entry.name:
                return better
            return None
        piece = Piece(
            "value",
            entry.name,
            entry.value,
            "with",
            "",
            tokens[at].start,
            end_of_previous_token(tokens, end),
            self.text_between(text, tokens, k, end),
        )
        while end < len(tokens) and tokens[end].text in (",", "to", "and"):
            end += 1
        return piece, end

    def find_verb_after_object(self, tokens: list[Token], at: int, end: int) -> int:
        """Return the position of a verb that follows its object ("the door open please")."""
        if self.ends_in_question_mark(tokens, at) or self.phrases.find_entry(tokens, at) is None:
            return at
        for k in range(at + 1, end):
            size, names = self.phrases.find_verb(tokens, k)
            after = k + size
            while (skip := self.phrases.end_of_fillers(tokens, after)) > after:
                after = skip
            finding = (
                end < len(tokens) and tokens[end].text == "if" and self.has_information_verb(names)
            )
            if names and after >= end and not finding:
                return k
        return at


def end_of_previous_token(tokens: list[Token], at: int) -> int:
    """Return the end of the token before `at`."""
    return tokens[min(max(at, 1), len(tokens)) - 1].end
