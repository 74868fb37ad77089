"""English sentences as clauses: the verb stands first, what belongs to it follows.

A clause begins with a verb, a polite lead and a verb, a question, *if*, *before* or *after*. It
ends where the next one can begin. What a verb of telling or asking takes runs that far as well.
"""

from __future__ import annotations

from typing import Literal

from bt_exec.language.closed import phrases, words
from bt_exec_llm.offline.english_asking import asked_for, follows_question, if_so, without_nothing
from bt_exec_llm.offline.english_pieces import add_pieces
from bt_exec_llm.offline.english_remarks import command_after
from bt_exec_llm.offline.english_scan import (
    AND,
    BE,
    ELSE,
    END,
    NEVER,
    NO,
    OFF,
    PURPOSES,
    SUBJECTS,
    EnglishScan,
    end_of,
)
from bt_exec_llm.offline.english_texts import EnglishTexts
from bt_exec_llm.offline.english_words import Token, english_words, lemma_of
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["EnglishReader"]


_ASKING = phrases("en", "asking")
_IF = frozenset(["if", "unless"])
_WHEN = frozenset(words("en", "conjunctions_of_time"))
_LATER = frozenset(words("en", "later"))
_FIRST = (("before", "that"), ("first",))


class EnglishReader:
    """Turns a cleaned English command into clauses."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._lexicon = vocabulary.lexicon
        self._words = english_words(vocabulary)
        self._verbs = vocabulary.lexicon.verbs
        self._scan = EnglishScan(vocabulary)
        self._texts = EnglishTexts(self._scan, vocabulary.lexicon)

    def read(self, text: str) -> tuple[list[Clause], list[Token]]:
        """Return the clauses of `text` and its tokens."""
        tokens = self._words.read(text)
        self._scan.ing = any(
            self._scan.phrases.lead(tokens, at)[0] == "ing" for at in range(len(tokens))
        )
        clauses: list[Clause] = []
        at, joined, correction = 0, "", False
        first: Literal["", "all", "that"] = ""
        while at < len(tokens):
            word = tokens[at].text
            if word in END:
                joined, at = "stop", at + 1
                continue
            if self._scan.match(tokens, at, PURPOSES):  # so i can see it; to let the air in
                clause, at = self._remark(text, tokens, at + 1, Clause(start=tokens[at].start))
                clauses.append(clause)
                continue
            if self._scan.match(tokens, at, (("so", "that"),)):  # so that it is half open
                end = self._scan.extent(tokens, at + 2)
                whys = [("CONDITION", self._scan.said(text, tokens, at, end))]
                clauses.append(Clause(mood="tell", whys=whys, start=tokens[at].start))
                at = end
                continue
            if word == "then" and joined == "stop" and follows_question(clauses, tokens, at):
                clauses.append(if_so(tokens[at]))
                joined, at = "", at + 1
                continue
            if word in AND or word in ("but", "so"):
                if word == "but":
                    joined = "but"
                elif joined != "or":  # or then
                    joined = "then" if word not in (",", ";") else joined or "stop"
                at += 1
                continue
            if word in ELSE or (
                word == "or" and at + 1 < len(tokens) and tokens[at + 1].text in ELSE
            ):
                size = 1 if word in ELSE else 2
                start, end = tokens[at].start, tokens[at + size - 1].end
                clauses.append(Clause(mood="else", verbs=("?",), start=start, end=end))
                joined, at = "", at + size
                continue
            if word == "or":
                joined, at = "or", at + 1
                continue
            if (size := self._scan.match(tokens, at, OFF)) and self._scan.ends(tokens, at + size):
                clauses.append(
                    Clause(
                        mood="tell",
                        whys=[("TAKEN_BACK", self._scan.said(text, tokens, at, at + size))],
                        start=tokens[at].start,
                        end=end_of(tokens, at + size),
                    )
                )
                at += size
                continue
            size = self._scan.match(tokens, at, NO)
            size = 0 if size < self._scan.match(tokens, at, NEVER) else size  # no need to
            if size == 1 and tokens[at].text in ("no", "sorry"):  # after a pause, else it denies
                after = tokens[at + 1].text if at + 1 < len(tokens) else ""
                size = size if after == "," or joined == "stop" else 0
            if clauses and size:
                correction, at = True, at + size
                continue
            if clauses and self._scan.match(tokens, at, _FIRST):
                if tokens[at].text == "before":
                    first = "that"
                elif joined in ("but", "stop", "then"):
                    first = "all"
                at += 2 if tokens[at].text == "before" else 1
                continue
            filled = self._scan.phrases.filler(tokens, at)
            lead = self._scan.phrases.lead(tokens, at)[1]
            if (
                filled > at
                and not (word == "if" and self._scan.finder(tokens, filled))
                and not (word == "if" and [t.text for t in tokens[filled : filled + 1]] == ["not"])
                and (filled > lead or self._scan.ends(tokens, filled))
                and not self._scan.starts_verb(tokens, at, longer_than=filled - at)
                and not (word == "once" and self._scan.says(tokens, filled))
            ):
                at = filled
                continue
            before = at
            clause, at = self._clause(text, tokens, at)
            if at <= before:
                at = before + 1
            clause.joined = joined
            trailing = tokens[min(at, len(tokens)) - 1].text == "first" and joined in (
                "but",
                "stop",
            )
            clause.correction, clause.first = correction, first
            if trailing and clauses and not first:
                clause.first = "all"
            first = ""
            if joined == "or" and not clauses:  # or what?
                clause.whys.append(("UNFINISHED", text))
            joined, correction = "", False
            clauses.append(clause)
        asked_for(clauses, tokens, self._verbs)
        if clauses and correction:  # open the door. no.
            clauses[-1].whys.append(("TAKEN_BACK", text))
        if clauses and joined in ("then", "or", "but"):
            clauses[-1].whys.append(("UNFINISHED", text))
        return clauses, tokens

    def asks(self, text: str) -> bool:
        """Return True if a text begins as a question or a statement: did you do it again."""
        tokens = [token.text for token in self._words.read(text)]
        return any(tuple(tokens[: len(first)]) == first for first in _ASKING)

    def requests(self, text: str) -> bool:
        """Return True if a text holds a verb of the lexicon, or politeness that wants one."""
        tokens = self._words.read(text)
        leads = any(self._scan.phrases.lead(tokens, at)[0] for at in range(len(tokens)))
        return leads or any(set(clause.verbs) - {"?"} for clause in self.read(text)[0])

    def _clause(self, text: str, tokens: list[Token], at: int) -> tuple[Clause, int]:
        first = at
        clause = Clause(start=tokens[at].start)
        word = tokens[at].text
        if word in ("because", "since") or (word == "as" and self._scan.says(tokens, at + 1)):
            return self._remark(text, tokens, at + 1, clause)
        led = bool(self._scan.phrases.lead(tokens, at)[0])
        if not led and self._scan.remarks(tokens, at):
            return self._remark(text, tokens, at, clause)
        you = word == "you" and self._scan.starts_verb(tokens, at + 1)
        if you and not self._scan.asked_at(tokens, at):
            at, first = at + 1, at + 1
            word = tokens[at].text
        once = word == "once" and self._scan.says(tokens, at + 1)  # and not: close it once
        if (word in _WHEN or once) and not self._scan.question_word(tokens, at):
            end = self._scan.extent(tokens, at + 1)
            clause.mood = "tell"
            code = "CONDITION"
            clause.whys.append((code, self._scan.said(text, tokens, at, end)))
            clause.end = end_of(tokens, end)
            return clause, end
        if (word in _IF and not led) or self._scan.inverted(tokens, at):
            clause.mood, clause.unless = "if", word == "unless"
            answer = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if answer in ("so", "yes", "not", "no"):
                clause.verbs, clause.positive = ("?",), answer in ("so", "yes")
                clause.answers = "so"
                clause.end = tokens[at + 1].end
                return clause, at + 2
            first = at + 1
            if self._scan.acts(tokens, first):  # if you cannot open it: nobody knows beforehand
                said = self._scan.said(text, tokens, at, self._scan.extent(tokens, first + 1))
                clause.whys.append(("CONDITION", said))
            none = without_nothing(self._scan, tokens, first)
            if none:  # if nothing is in your hand: unless anything is
                tokens, clause.unless = none, not clause.unless
            clause, end = self._bag(text, tokens, first, clause, condition=True)
            clause.answers = "there" if any(t.text == "there" for t in tokens[at:end]) else "it"
            if not self._scan.says_something(tokens, at + 1, end):
                clause.whys.append(("CONDITION", self._scan.said(text, tokens, at, end)))
            return clause, end
        if [t.text for t in tokens[at : at + 2]] == ["before", "that"] and at == 0:
            said = self._scan.said(text, tokens, at, at + 2)  # before what?
            return Clause(mood="tell", whys=[("OPERATOR", said)], end=tokens[at + 1].end), at + 2
        if word in ("before", "after"):
            clause.mood = word
            at += 1
            if at < len(tokens) and tokens[at].text in ("you", "i", "we"):
                at += 1
            if at < len(tokens) and tokens[at].text in ("have",):
                at += 1
            return self._verb_clause(text, tokens, at, clause, form="any")
        form = "base"
        size = self._scan.match(tokens, at, NEVER)
        if size and self._scan.phrases.lead(tokens, at)[1] - at > size:  # do not forget to
            size = 0
        if size:
            clause.positive = False
            if (
                tokens[at].text in ("without", "instead", "rather", "avoid", "stop", "skip")
                or size == 4
                or [t.text for t in tokens[at : at + 3]] == ["do", "not", "bother"]
            ):
                form = "any"
            at += size
            if at < len(tokens) and tokens[at].text in ("ever", "even"):
                at += 1
        else:
            if (
                tokens[at].text in ("with", "using", "use")
                and (tool := self._scan.tool(text, tokens, at)) is not None
            ):
                piece, at = tool
                clause.pieces.append(piece)
            kind, after = self._scan.phrases.lead(tokens, at)
            if kind and self._scan.starts_verb(tokens, at, longer_than=after - at):
                kind = ""
            if (
                at < len(tokens)
                and tokens[at].text == "do"
                and after == at + 1
                and self._scan.subject(tokens, after)
            ):
                kind = ""
            if kind:
                at, form = after, kind
                while (
                    skip := self._scan.phrases.filler(tokens, at)
                ) > at and not self._scan.starts_verb(tokens, at, longer_than=skip - at):
                    at = skip
                if size := self._scan.match(tokens, at, NEVER[2:5]):
                    clause.positive, at = False, at + size
                kind, after = self._scan.phrases.lead(tokens, at)
                if kind:
                    at, form = after, kind if kind != "base" else form
        while (skip := self._scan.phrases.filler(tokens, at)) > at and not self._scan.starts_verb(
            tokens, at, longer_than=skip - at
        ):
            at = skip
        if clause.pieces and clause.positive and self._scan.ends(tokens, at):
            clause.end = end_of(tokens, at)  # …, but use your right arm
            return clause, at
        if at >= len(tokens):
            clause.end = end_of(tokens, len(tokens))
            clause.whys.append(("UNFINISHED", self._scan.said(text, tokens, first, len(tokens))))
            return clause, len(tokens)
        asked = at > 0 and tokens[at - 1].text == "please"
        ing = tokens[at].text.endswith("ing")
        if ing and (self._scan.ing or asked or self._scan.starts_verb(tokens, at)):
            form = "ing"
        if at == first and self._scan.is_question(tokens, at):
            return self._question(text, tokens, at, clause)
        return self._verb_clause(text, tokens, at, clause, form=form)

    def _remark(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        """Take what is only said: it is cold in here, because the door is open."""
        end = self._scan.extent(tokens, at + 1)
        end = command_after(self._scan, tokens, at, end)
        clause.mood = "said"
        self._pieces(text, tokens, at, end, clause, skip=frozenset(), asks=True)
        clause.asked, clause.whys = None, []
        clause.end = end_of(tokens, end)
        return clause, max(end, at)

    def _question(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        clause.mood = "ask"
        word = tokens[at].text
        nxt = tokens[at + 1].text if at + 1 < len(tokens) else ""
        found = self._scan.phrases.entry(tokens, at)
        if found is not None and found[1] > 1 and found[0].kind in ("value", "verb"):
            return self._bag(text, tokens, at, clause)
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
        clause, end = self._bag(text, tokens, at, clause)
        named = {piece.name if piece.kind == "value" else piece.kind for piece in clause.pieces}
        if word in BE and nxt == "you" and named <= self._lexicon.listed("each"):
            clause.whys.append(("NOT_A_COMMAND", ""))  # are you in the lounge?
        return clause, end

    def _verb_clause(
        self, text: str, tokens: list[Token], at: int, clause: Clause, *, form: str
    ) -> tuple[Clause, int]:
        if at >= len(tokens):
            clause.whys.append(("UNFINISHED", text))
            clause.end = end_of(tokens, at)
            return clause, len(tokens)
        size, names = self._scan.phrases.verb(tokens, at, form)
        first = at
        if not names:
            return self._without_verb(text, tokens, at, clause)
        takes = self._texts.takers & set(names)
        end = self._scan.extent(tokens, at + size, text=False)
        clause.verbs, clause.said = names, self._scan.said(text, tokens, at, at + size)
        after = at + size
        if takes:
            done = self._texts.take(text, tokens, after, clause, names)
            if done is not None:
                return done
        joined, used = self._scan.phrases.particle(tokens, at, end, form)
        if joined and min(used) >= after:
            clause.verbs = joined
        if end < len(tokens) and tokens[end].text == "if" and self._scan.finds(clause.verbs):
            return self._bag(text, tokens, after + 1, clause)
        if clause.mood in ("before", "after"):  # after checking the lounge come back
            verbs = (k for k in range(after, end) if self._scan.starts_verb(tokens, k))
            end = next((k for k in verbs if not self._scan.phrases.determiner(tokens, k - 1)), end)
        wishes = any(v in self._verbs and self._verbs[v].wishes for v in clause.verbs)
        if wishes and [t.text for t in tokens[after : after + 2]][:1] == ["to"]:
            wishes = [t.text for t in tokens[after : after + 2]] == ["to", "be"]
            if not wishes:
                clause.whys.append(("NOT_A_COMMAND", clause.said))
        finds = self._scan.finds(clause.verbs) or wishes
        self._pieces(text, tokens, after, end, clause, skip=used, asks=finds)
        clause.end = end_of(tokens, end)
        clause.start = tokens[first].start
        return clause, end

    def _without_verb(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        """Read a clause without a verb of the lexicon: a statement, a name, or unknown."""
        first = at
        end = self._scan.extent(tokens, at + 1)
        start = at
        while start < end and self._scan.phrases.determiner(tokens, start):
            start += 1
        last, verb = self._scan.duty(tokens, start, end)
        if verb == start or self._scan.asked_at(tokens, at):
            last = verb = self._scan.object_first(tokens, start, end)
        size, names = self._scan.phrases.verb(tokens, verb, "any" if verb > last else "base")
        if names and verb > start:
            clause.verbs = names
            clause.said = self._scan.said(text, tokens, verb, verb + size)
            self._pieces(text, tokens, at, last, clause, skip=frozenset(), asks=False)
            self._pieces(text, tokens, verb + size, end, clause, skip=frozenset(), asks=False)
            clause.end = end_of(tokens, end)
            return clause, end
        words = [t.text for t in tokens[at:end]]
        if self._scan.phrases.entry(tokens, at) is None or words[0] in SUBJECTS:
            base = lemma_of(words[0])
            _, names = self._scan.phrases.verb(tokens, at, "any")
            says = (
                words[0] in SUBJECTS and words[0] != "you" and not self._scan.asked_at(tokens, at)
            )
            if says and not set(words) & _LATER and end < len(tokens):
                return self._remark(text, tokens, at, clause)
            if words[0] in SUBJECTS or (names and base != words[0]):
                clause.whys.append(("NOT_A_COMMAND", self._scan.said(text, tokens, first, end)))
        self._pieces(text, tokens, at, end, clause, skip=frozenset(), asks=False)
        clause.end = end_of(tokens, end)
        clause.mood = clause.mood if clause.mood in ("before", "after") else "do"
        if not clause.positive and not any(piece.kind != "pronoun" for piece in clause.pieces):
            clause.whys.append(("NEGATED", self._scan.said(text, tokens, first, end)))  # not what?
        return clause, end

    def _bag(
        self, text: str, tokens: list[Token], at: int, clause: Clause, *, condition: bool = False
    ) -> tuple[Clause, int]:
        """Take a question or a condition: what it is about, in any order."""
        end = self._scan.extent(tokens, at, asks=True)
        if condition:
            end = min(end, self._scan.end_of_condition(tokens, at, end))
        self._pieces(text, tokens, at, end, clause, skip=frozenset(), asks=True)
        clause.asked = clause.asked or Clause()
        if not clause.verbs:
            clause.verbs = ("?",)
        clause.end = end_of(tokens, max(end, at + 1))
        return clause, max(end, at + 1)

    def _pieces(
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
        """Put what stands between `at` and `end` into `clause`."""
        add_pieces(self._scan.phrases, text, tokens, at, end, clause, skip=skip, asks=asks)
