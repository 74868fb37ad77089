"""Parser of English sentences into clauses: the verb comes first and its objects follow.

A clause begins with a verb, a polite phrase and a verb, a question, "if", "before" or "after". It
ends where the next clause can begin. The text of a verb of telling or asking ends there, too.
"""

from __future__ import annotations

from bt_exec.language.closed import phrases, words
from bt_exec_llm.offline.english_asking import add_verb_of_request, replace_nothing_by_anything
from bt_exec_llm.offline.english_pieces import add_pieces
from bt_exec_llm.offline.english_scan import (
    BE,
    NEVER,
    SUBJECTS,
    EnglishScan,
    end_of_previous_token,
)
from bt_exec_llm.offline.english_sentences import Sentence, parse_remark
from bt_exec_llm.offline.english_texts import EnglishTexts
from bt_exec_llm.offline.english_words import Token, lemmatize, make_tokenizer
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["EnglishReader"]

_ASKING = phrases("en", "asking")
_IF = frozenset(["if", "unless"])
_WHEN = frozenset(words("en", "conjunctions_of_time"))
_LATER = frozenset(words("en", "later"))
_WITH_ING = frozenset(words("en", "forbidding_with_ing"))


class EnglishReader:
    """Parses a cleaned English command into clauses."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._lexicon = vocabulary.lexicon
        self._words = make_tokenizer(vocabulary)
        self._verbs = vocabulary.lexicon.verbs
        self._scan = EnglishScan(vocabulary)
        self._texts = EnglishTexts(self._scan, vocabulary.lexicon)

    def read(self, text: str) -> tuple[list[Clause], list[Token]]:
        """Return the clauses of `text` and its tokens."""
        tokens = self._words.read(text)
        self._scan.ing = any(
            self._scan.phrases.read_polite_phrase(tokens, at)[0] == "ing"
            for at in range(len(tokens))
        )
        clauses = Sentence(self._scan, text, tokens, self.parse_clause).read()
        add_verb_of_request(clauses, tokens, self._verbs)
        return clauses, tokens

    def asks(self, text: str) -> bool:
        """Return True if a text begins as a question or a statement ("did you do it again")."""
        tokens = [token.text for token in self._words.read(text)]
        return any(tuple(tokens[: len(first)]) == first for first in _ASKING)

    def requests(self, text: str) -> bool:
        """Return True if a text contains a lexicon verb or a polite phrase that needs one."""
        tokens = self._words.read(text)
        leads = any(
            self._scan.phrases.read_polite_phrase(tokens, at)[0] for at in range(len(tokens))
        )
        return leads or any(set(clause.verbs) - {"?"} for clause in self.read(text)[0])

    def parse_clause(self, text: str, tokens: list[Token], at: int) -> tuple[Clause, int]:
        """Return the clause that begins at `at`, and its end."""
        clause = Clause(start=tokens[at].start)
        word = tokens[at].text
        if word in ("because", "since") or (
            word == "as" and self._scan.starts_statement(tokens, at + 1)
        ):
            return parse_remark(self._scan, text, tokens, at + 1, clause)
        led = bool(self._scan.phrases.read_polite_phrase(tokens, at)[0])
        if not led and self._scan.starts_remark(tokens, at):
            return parse_remark(self._scan, text, tokens, at, clause)
        you = word == "you" and self._scan.starts_verb(tokens, at + 1)
        if you and not self._scan.ends_in_question_mark(tokens, at):
            at += 1
            word = tokens[at].text
        once = word == "once" and self._scan.starts_statement(
            tokens, at + 1
        )  # excludes "close it once"
        if (word in _WHEN or once) and not self._scan.is_when_question(tokens, at):
            end = self._scan.end_of_clause(tokens, at + 1)
            clause.mood, clause.end = "tell", end_of_previous_token(tokens, end)
            clause.whys.append(("CONDITION", self._scan.text_between(text, tokens, at, end)))
            return clause, end
        if (word in _IF and not led) or self._scan.starts_inverted_condition(tokens, at):
            return self._parse_condition(text, tokens, at, clause)
        if [t.text for t in tokens[at : at + 2]] == ["before", "that"] and at == 0:
            said = self._scan.text_between(text, tokens, at, at + 2)  # e.g. before what?
            return Clause(mood="tell", whys=[("OPERATOR", said)], end=tokens[at + 1].end), at + 2
        if word in ("before", "after"):
            return self._parse_time_clause(text, tokens, at, clause)
        return self._parse_order(text, tokens, at, clause)

    def _parse_condition(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        """Parse a condition: "if it is open", "unless you see it", "should it be open"."""
        clause.mood, clause.unless = "if", tokens[at].text == "unless"
        answer = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if answer in ("so", "yes", "not", "no"):
            clause.verbs, clause.positive = ("?",), answer in ("so", "yes")
            clause.answers, clause.end = "so", tokens[at + 1].end
            return clause, at + 2
        first = at + 1
        if self._scan.describes_action(
            tokens, first
        ):  # e.g. if you cannot open it: unknown beforehand
            said = self._scan.text_between(
                text, tokens, at, self._scan.end_of_clause(tokens, first + 1)
            )
            clause.whys.append(("CONDITION", said))
        none = replace_nothing_by_anything(self._scan, tokens, first)
        if none:  # "if nothing is in your hand" means "unless anything is"
            tokens, clause.unless = none, not clause.unless
        clause, end = self._parse_unordered_pieces(text, tokens, first, clause, condition=True)
        clause.answers = "there" if any(t.text == "there" for t in tokens[at:end]) else "it"
        if not self._scan.has_predicate(tokens, at + 1, end):
            clause.whys.append(("CONDITION", self._scan.text_between(text, tokens, at, end)))
        return clause, end

    def _parse_time_clause(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        """Parse a clause of time: "before you close it", "after having looked"."""
        clause.mood = "before" if tokens[at].text == "before" else "after"
        at += 1
        at += at < len(tokens) and tokens[at].text in ("you", "i", "we")
        at += at < len(tokens) and tokens[at].text == "have"
        return self._parse_verb_clause(text, tokens, at, clause, form="any")

    def _parse_order(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        """Parse an order, a prohibition or a question, with its polite phrase."""
        first = at
        size = self._scan.match_length(tokens, at, NEVER)
        if (
            size and self._scan.phrases.read_polite_phrase(tokens, at)[1] - at > size
        ):  # e.g. do not forget to
            size = 0
        if size:
            at, form = self._skip_prohibition(tokens, at, size, clause)
        else:
            at, form = self._parse_polite_phrase(text, tokens, at, clause)
        at = self._end_of_fillers(tokens, at)
        if clause.pieces and clause.positive and self._scan.is_end_of_part(tokens, at):
            clause.end = end_of_previous_token(tokens, at)  # e.g. …, but use your right arm
            return clause, at
        if at >= len(tokens):
            clause.end = end_of_previous_token(tokens, len(tokens))
            clause.whys.append(
                ("UNFINISHED", self._scan.text_between(text, tokens, first, len(tokens)))
            )
            return clause, len(tokens)
        asked = at > 0 and tokens[at - 1].text == "please"
        ing = tokens[at].text.endswith("ing")
        if ing and (self._scan.ing or asked or self._scan.starts_verb(tokens, at)):
            form = "ing"
        if at == first and self._scan.is_question(tokens, at):
            return self._parse_question(text, tokens, at, clause)
        return self._parse_verb_clause(text, tokens, at, clause, form=form)

    @staticmethod
    def _skip_prohibition(
        tokens: list[Token], at: int, size: int, clause: Clause
    ) -> tuple[int, str]:
        """Skip the words of a prohibition; return the start of the verb and its form."""
        clause.positive = False
        words = [t.text for t in tokens[at : at + 3]]
        bother = words == ["do", "not", "bother"]
        form = "any" if words[0] in _WITH_ING or size == 4 or bother else "base"
        at += size
        return at + (at < len(tokens) and tokens[at].text in ("ever", "even")), form

    def _parse_polite_phrase(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[int, str]:
        """Parse a tool and a polite phrase; return the start of the verb and its form."""
        if tokens[at].text in ("with", "using", "use"):
            tool = self._scan.parse_leading_tool(text, tokens, at)
            if tool is not None:
                clause.pieces.append(tool[0])
                at = tool[1]
        kind, after = self._scan.phrases.read_polite_phrase(tokens, at)
        do = at < len(tokens) and tokens[at].text == "do" and after == at + 1
        if (do and self._scan.starts_with_subject_pronoun(tokens, after)) or (
            kind and self._scan.starts_verb(tokens, at, longer_than=after - at)
        ):
            kind = ""
        if not kind:
            return at, "base"
        at, form = self._end_of_fillers(tokens, after), kind
        if size := self._scan.match_length(tokens, at, NEVER[2:5]):
            clause.positive, at = False, at + size
        kind, after = self._scan.phrases.read_polite_phrase(tokens, at)
        return (after, kind if kind != "base" else form) if kind else (at, form)

    def _end_of_fillers(self, tokens: list[Token], at: int) -> int:
        """Return the end of the fillers at `at`; verbs are not fillers."""
        while (skip := self._scan.phrases.end_of_fillers(tokens, at)) > at:
            if self._scan.starts_verb(tokens, at, longer_than=skip - at):
                break
            at = skip
        return at

    def _parse_question(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        clause.mood = "ask"
        word = tokens[at].text
        nxt = tokens[at + 1].text if at + 1 < len(tokens) else ""
        found = self._scan.phrases.find_entry(tokens, at)
        if found is not None and found[1] > 1 and found[0].kind in ("value", "verb"):
            return self._parse_unordered_pieces(text, tokens, at, clause)
        if (
            word in ("did", "had", "was", "were", "why")
            or (word in ("has", "have") and nxt == "you")
            or word == "when"
        ):
            clause.whys.append(("NOT_A_COMMAND", ""))
        if (word == "how" and nxt in ("do", "can", "to", "does", "should")) or (
            word == "what" and nxt in ("if", "would")
        ):
            clause.whys.append(("NOT_A_COMMAND", ""))
        if (
            word
            in ("can", "could", "will", "would", "should", "may", "might", "must", "do", "does")
            and found is None
        ):
            clause.whys.append(("NOT_A_COMMAND", ""))
        clause, end = self._parse_unordered_pieces(text, tokens, at, clause)
        named = {piece.name if piece.kind == "value" else piece.kind for piece in clause.pieces}
        if word in BE and nxt == "you" and named <= self._lexicon.list_types("each"):
            clause.whys.append(("NOT_A_COMMAND", ""))  # e.g. are you in the lounge?
        return clause, end

    def _parse_verb_clause(
        self, text: str, tokens: list[Token], at: int, clause: Clause, *, form: str
    ) -> tuple[Clause, int]:
        if at >= len(tokens):
            clause.whys.append(("UNFINISHED", text))
            clause.end = end_of_previous_token(tokens, at)
            return clause, len(tokens)
        size, names = self._scan.phrases.find_verb(tokens, at, form)
        first = at
        if not names:
            return self._parse_clause_without_verb(text, tokens, at, clause)
        takes = self._texts.takers & set(names)
        end = self._scan.end_of_clause(tokens, at + size, text=False)
        clause.verbs, clause.said = names, self._scan.text_between(text, tokens, at, at + size)
        after = at + size
        if takes:
            done = self._texts.parse_person_and_text(text, tokens, after, clause, names)
            if done is not None:
                return done
        joined, used = self._scan.phrases.find_separated_particle(tokens, at, end, form)
        if joined and min(used) >= after:
            clause.verbs = joined
        if (
            end < len(tokens)
            and tokens[end].text == "if"
            and self._scan.has_information_verb(clause.verbs)
        ):
            return self._parse_unordered_pieces(text, tokens, after + 1, clause)
        if clause.mood in ("before", "after"):  # e.g. after checking the lounge come back
            verbs = (k for k in range(after, end) if self._scan.starts_verb(tokens, k))
            end = next(
                (k for k in verbs if not self._scan.phrases.starts_with_determiner(tokens, k - 1)),
                end,
            )
        wishes = any(v in self._verbs and self._verbs[v].wishes for v in clause.verbs)
        if wishes and [t.text for t in tokens[after : after + 2]][:1] == ["to"]:
            wishes = [t.text for t in tokens[after : after + 2]] == ["to", "be"]
            if not wishes:
                clause.whys.append(("NOT_A_COMMAND", clause.said))
        finds = self._scan.has_information_verb(clause.verbs) or wishes
        self._add_pieces(text, tokens, after, end, clause, skip=used, asks=finds)
        clause.end = end_of_previous_token(tokens, end)
        clause.start = tokens[first].start
        return clause, end

    def _parse_clause_without_verb(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        """Parse a clause without a known verb: a statement, a name or unknown words."""
        first = at
        end = self._scan.end_of_clause(tokens, at + 1)
        start = at
        while start < end and self._scan.phrases.starts_with_determiner(tokens, start):
            start += 1
        last, verb = self._scan.find_should_be(tokens, start, end)
        if verb == start or self._scan.ends_in_question_mark(tokens, at):
            last = verb = self._scan.find_verb_after_object(tokens, start, end)
        size, names = self._scan.phrases.find_verb(tokens, verb, "any" if verb > last else "base")
        if names and verb > start:
            clause.verbs = names
            clause.said = self._scan.text_between(text, tokens, verb, verb + size)
            self._add_pieces(text, tokens, at, last, clause, skip=frozenset(), asks=False)
            self._add_pieces(text, tokens, verb + size, end, clause, skip=frozenset(), asks=False)
            clause.end = end_of_previous_token(tokens, end)
            return clause, end
        words = [t.text for t in tokens[at:end]]
        if self._scan.phrases.find_entry(tokens, at) is None or words[0] in SUBJECTS:
            base = lemmatize(words[0])
            _, names = self._scan.phrases.find_verb(tokens, at, "any")
            says = (
                words[0] in SUBJECTS
                and words[0] != "you"
                and not self._scan.ends_in_question_mark(tokens, at)
            )
            if says and not set(words) & _LATER and end < len(tokens):
                return parse_remark(self._scan, text, tokens, at, clause)
            if words[0] in SUBJECTS or (names and base != words[0]):
                clause.whys.append(
                    ("NOT_A_COMMAND", self._scan.text_between(text, tokens, first, end))
                )
        self._add_pieces(text, tokens, at, end, clause, skip=frozenset(), asks=False)
        clause.end = end_of_previous_token(tokens, end)
        clause.mood = clause.mood if clause.mood in ("before", "after") else "do"
        if not clause.positive and not any(piece.kind != "pronoun" for piece in clause.pieces):
            clause.whys.append(
                ("NEGATED", self._scan.text_between(text, tokens, first, end))
            )  # not what?
        return clause, end

    def _parse_unordered_pieces(
        self, text: str, tokens: list[Token], at: int, clause: Clause, *, condition: bool = False
    ) -> tuple[Clause, int]:
        """Parse a question or condition, whose pieces may be in any order."""
        end = self._scan.end_of_clause(tokens, at, asks=True)
        if condition:
            end = min(end, self._scan.end_of_condition(tokens, at, end))
        self._add_pieces(text, tokens, at, end, clause, skip=frozenset(), asks=True)
        clause.asked = clause.asked or Clause()
        if not clause.verbs:
            clause.verbs = ("?",)
        clause.end = end_of_previous_token(tokens, max(end, at + 1))
        return clause, max(end, at + 1)

    def _add_pieces(
        self,
        text: str,
        tokens: list[Token],
        at: int,
        end: int,
        clause: Clause,
        *,
        skip: frozenset[int],
        asks: bool,
    ) -> None:
        """Add the pieces between `at` and `end` to `clause`."""
        add_pieces(self._scan.phrases, text, tokens, at, end, clause, skip=skip, asks=asks)
