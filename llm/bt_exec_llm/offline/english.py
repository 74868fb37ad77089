"""English sentences as clauses: the verb stands first, what belongs to it follows.

A clause begins with a verb, a polite lead and a verb, a question, *if*, *before* or *after*. It
ends where the next one can begin. What a verb of telling or asking takes runs that far as well.
"""

from __future__ import annotations

from bt_exec_llm.offline.english_phrases import Phrases
from bt_exec_llm.offline.english_words import EnglishWords, Token, lemma_of
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["EnglishReader"]

_BE = frozenset(["is", "are", "am", "was", "were", "be", "been", "being"])
_AUX = frozenset(
    [
        "is",
        "are",
        "am",
        "was",
        "were",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
        "should",
        "may",
        "might",
        "must",
    ]
)
_WH = frozenset(["what", "who", "where", "how", "when", "why", "which", "whose", "whether"])
_PAST = frozenset(["did", "was", "were", "had"])
_IF = {"if": "if", "unless": "if", "provided": "if"}
_PREDICATES = _AUX | _BE | {"not", "so", "see", "sees", "hold", "holds", "find", "needed"}
_WHEN = frozenset(["when", "whenever", "once", "until", "till", "while", "because", "since"])
_AND = frozenset(
    (
        "and",
        "then",
        ",",
        ";",
        "->",
        "=>",
        "&",
        "→",
        "·",
        "also",
        "next",
        "afterwards",
        "finally",
        "lastly",
        "plus",
        "—",
        "–",
    )
)
_END = frozenset((".", "!", "?", "…"))
_NO = (
    ("no", "wait"),
    ("no", ",", "wait"),
    ("no", "no"),
    ("sorry", ",", "i", "meant"),
    ("sorry", "i", "meant"),
    ("i", "meant"),
    ("i", "mean"),
    ("actually",),
    ("scratch", "that"),
    ("wait", ",", "no"),
    ("wait", "no"),
    ("or", "rather"),
    ("make", "that"),
    ("never", "mind"),
    ("no",),
    ("sorry",),
    ("oh", "wait"),
    ("wait", ","),
)
_OFF = (
    ("just", "kidding"),
    ("forget", "it"),
    ("never", "mind"),
    ("nevermind",),
    ("cancel", "that"),
    ("only", "joking"),
    ("on", "second", "thought"),
)
_NEVER = (
    ("do", "not", "bother", "with"),
    ("do", "not", "bother"),
    ("do", "not"),
    ("never", "ever"),
    ("never",),
    ("no", "need", "to"),
    ("you", "need", "not"),
    ("you", "must", "not"),
    ("you", "should", "not"),
    ("you", "do", "not", "have", "to"),
    ("you", "do", "not", "need", "to"),
    ("without",),
    ("instead", "of"),
    ("rather", "than"),
    ("not",),
    ("avoid",),
    ("stop",),
    ("skip",),
    ("can", "not", "you"),
    ("why", "do", "not", "you"),
)
_SUBJECTS = frozenset(
    [
        "i",
        "we",
        "he",
        "she",
        "they",
        "you",
        "it",
        "there",
        "somebody",
        "someone",
        "anyone",
        "everybody",
    ]
)


class EnglishReader:
    """Turns a cleaned English command into clauses."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._lexicon = vocabulary.lexicon
        self._words = EnglishWords(vocabulary)
        self._finders = {n: v.finds for n, v in vocabulary.lexicon.verbs.items() if v.finds}
        self._takers = {
            verb
            for slot in vocabulary.lexicon.texts.values()
            if slot.shape == "clause"
            for verb in slot.verbs
        }
        self._slot = {
            verb: name
            for name, slot in vocabulary.lexicon.texts.items()
            if slot.shape == "clause"
            for verb in slot.verbs
        }
        self._people = {kind for slot in vocabulary.lexicon.texts.values() for kind in slot.to}
        self._phrases = Phrases(vocabulary)
        self._ing = False

    def read(self, text: str) -> tuple[list[Clause], list[Token]]:
        """Return the clauses of `text` and its tokens."""
        tokens = self._words.read(text)
        self._ing = any(self._phrases.lead(tokens, at)[0] == "ing" for at in range(len(tokens)))
        clauses: list[Clause] = []
        at, joined, correction = 0, "", False
        while at < len(tokens):
            word = tokens[at].text
            if word in _END:
                joined, at = "stop", at + 1
                continue
            if word in _AND or word in ("but", "so"):
                if word == "but":
                    joined = "but"
                elif joined != "or":  # or then
                    joined = "then" if word != "," else joined or "stop"
                at += 1
                continue
            if word == "or":
                joined, at = "or", at + 1
                continue
            if (size := self._match(tokens, at, _OFF)) and self._ends(tokens, at + size):
                clauses.append(
                    Clause(
                        mood="tell",
                        whys=[("TAKEN_BACK", self._said(text, tokens, at, at + size))],
                        start=tokens[at].start,
                        end=_end(tokens, at + size),
                    )
                )
                at += size
                continue
            size = self._match(tokens, at, _NO)
            if size == 1 and tokens[at].text in ("no", "sorry"):  # after a pause, else it denies
                after = tokens[at + 1].text if at + 1 < len(tokens) else ""
                size = size if after == "," or joined == "stop" else 0
            if clauses and size:
                correction, at = True, at + size
                continue
            filled = self._phrases.filler(tokens, at)
            lead = self._phrases.lead(tokens, at)[1]
            if (
                filled > at
                and (filled > lead or self._ends(tokens, filled))
                and not self._starts_verb(tokens, at, longer_than=filled - at)
            ):
                at = filled
                continue
            before = at
            clause, at = self._clause(text, tokens, at)
            if at <= before:
                at = before + 1
            clause.joined = joined
            clause.correction = correction
            if joined == "or" and not clauses:  # or what?
                clause.whys.append(("UNFINISHED", text))
            joined, correction = "", False
            clauses.append(clause)
        if clauses and joined in ("then", "or", "but"):
            clauses[-1].whys.append(("UNFINISHED", text))
        return clauses, tokens

    @staticmethod
    def _said(text: str, tokens: list[Token], first: int, last: int) -> str:
        return text[tokens[first].start : _end(tokens, last)] if first < last else ""

    @staticmethod
    def _match(tokens: list[Token], at: int, phrases: tuple[tuple[str, ...], ...]) -> int:
        for phrase in phrases:
            if tuple(t.text for t in tokens[at : at + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    @staticmethod
    def _ends(tokens: list[Token], at: int) -> bool:
        return at >= len(tokens) or not tokens[at].is_word

    def _starts_verb(self, tokens: list[Token], at: int, *, longer_than: int = 0) -> bool:
        """Whether a verb of the lexicon begins here in its base form, longer than a filler."""
        form = (
            "ing" if self._ing and at < len(tokens) and tokens[at].text.endswith("ing") else "base"
        )
        size, names = self._phrases.verb(tokens, at, form)
        return bool(names) and size > longer_than

    def _starts_clause(self, tokens: list[Token], at: int) -> bool:
        """Whether the next part of a command can begin here."""
        while at < len(tokens) and (tokens[at].text in _AND or tokens[at].text in ("but",)):
            at += 1
        if self._match(tokens, at, _OFF):
            return True
        after = self._phrases.filler(tokens, at)
        if after > at and not self._starts_verb(tokens, at, longer_than=after - at):
            return (after < len(tokens) and self._starts_clause(tokens, after)) or self._ends(
                tokens, after
            )
        if at >= len(tokens):
            return True
        word = tokens[at].text
        if word in ("if", "unless", "before", "after", "without", "instead") or self._match(
            tokens, at, _NEVER[:8]
        ):
            return True
        if self._phrases.lead(tokens, at)[0]:
            return True
        if self._match(tokens, at, _NO) or self._match(tokens, at, _OFF):
            return True
        if (
            word in ("is", "are", "how", "what", "who", "where")
            and at
            and tokens[at - 1].text in (*_END, ",")
        ):
            return True
        return self._starts_verb(tokens, at)

    def _clause(self, text: str, tokens: list[Token], at: int) -> tuple[Clause, int]:
        first = at
        clause = Clause(start=tokens[at].start)
        word = tokens[at].text
        if word in _WHEN and not self._question_word(tokens, at):
            end = self._extent(tokens, at + 1)
            clause.mood = "tell"
            code = "CONDITION"
            clause.whys.append((code, self._said(text, tokens, at, end)))
            clause.end = _end(tokens, end)
            return clause, end
        if word in _IF or (
            tokens[at : at + 2]
            and [t.text for t in tokens[at : at + 2]]
            in (["as", "long"], ["only", "if"], ["in", "case"])
        ):
            size = 1 if word in _IF else 2
            clause.mood, clause.unless = "if", word == "unless"
            clause, end = self._bag(text, tokens, at + size, clause, condition=True)
            if not self._says_something(tokens, at + size, end):
                clause.whys.append(("CONDITION", self._said(text, tokens, at, end)))
            return clause, end
        if word in ("before", "after"):
            clause.mood = word
            at += 1
            if at < len(tokens) and tokens[at].text in ("you", "i", "we"):
                at += 1
            if at < len(tokens) and tokens[at].text in ("have",):
                at += 1
            return self._verb_clause(text, tokens, at, clause, form="any")
        form = "base"
        if size := self._match(tokens, at, _NEVER):
            clause.positive = False
            if (
                tokens[at].text in ("without", "instead", "rather", "avoid", "stop", "skip")
                or size == 4
            ):
                form = "any"
            at += size
            if at < len(tokens) and tokens[at].text in ("ever", "even"):
                at += 1
        else:
            if (
                tokens[at].text in ("with", "using", "use")
                and (tool := self._tool(text, tokens, at)) is not None
            ):
                piece, at = tool
                clause.pieces.append(piece)
            kind, after = self._phrases.lead(tokens, at)
            if kind and self._starts_verb(tokens, at, longer_than=after - at):
                kind = ""
            if kind:
                at, form = after, "ing" if kind == "ing" else "base"
                while (skip := self._phrases.filler(tokens, at)) > at and not self._starts_verb(
                    tokens, at, longer_than=skip - at
                ):
                    at = skip
                if size := self._match(tokens, at, _NEVER[2:5]):
                    clause.positive, at = False, at + size
                kind, after = self._phrases.lead(tokens, at)
                if kind:
                    at, form = after, "ing" if kind == "ing" else form
        while (skip := self._phrases.filler(tokens, at)) > at and not self._starts_verb(
            tokens, at, longer_than=skip - at
        ):
            at = skip
        if at >= len(tokens):
            clause.end = _end(tokens, len(tokens))
            clause.whys.append(("UNFINISHED", self._said(text, tokens, first, len(tokens))))
            return clause, len(tokens)
        if self._ing and tokens[at].text.endswith("ing"):
            form = "ing"
        if at == first and self._is_question(tokens, at):
            return self._question(text, tokens, at, clause)
        return self._verb_clause(text, tokens, at, clause, form=form)

    def _tool(self, text: str, tokens: list[Token], at: int) -> tuple[Piece, int] | None:
        """Take what something is done with, where it stands first: with your left arm, …"""
        k = at + 1
        while self._phrases.determiner(tokens, k):
            k += 1
        found = self._phrases.entry(tokens, k)
        if found is None or found[0].kind != "value":
            return None
        entry, size = found
        end = k + size
        piece = Piece(
            "value",
            entry.name,
            entry.value,
            "with",
            "",
            tokens[at].start,
            _end(tokens, end),
            self._said(text, tokens, k, end),
        )
        while end < len(tokens) and tokens[end].text in (",", "to", "and"):
            end += 1
        return piece, end

    def _question_word(self, tokens: list[Token], at: int) -> bool:
        return (
            tokens[at].text in _WH
            and any(t.text == "?" for t in tokens[at:])
            and at == 0
            and tokens[at].text == "when"
            and at + 1 < len(tokens)
            and tokens[at + 1].text in _AUX
        )

    def _is_question(self, tokens: list[Token], at: int) -> bool:
        word = tokens[at].text
        if self._starts_verb(tokens, at, longer_than=1):
            return False
        if word in _WH:
            return True
        if word in _AUX:
            return True
        return any(t.text == "?" for t in tokens[at:]) and not self._starts_verb(tokens, at)

    def _question(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        clause.mood = "ask"
        word = tokens[at].text
        nxt = tokens[at + 1].text if at + 1 < len(tokens) else ""
        found = self._phrases.entry(tokens, at)
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
        return self._bag(text, tokens, at, clause)

    def _extent(
        self, tokens: list[Token], at: int, *, text: bool = False, asks: bool = False
    ) -> int:
        """Return where the clause that goes on at `at` ends."""
        while at < len(tokens):
            word = tokens[at].text
            if word in _END or word in (";", "->", "=>", "→"):
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
            ) and self._starts_clause(tokens, at + 1 if word == "or" else at):
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
                )
                and at + 1 < len(tokens)
            ):
                return at
            if not text and self._match(tokens, at, _NO[:9]):
                return at
            at += 1
        return at

    def _verb_clause(
        self, text: str, tokens: list[Token], at: int, clause: Clause, *, form: str
    ) -> tuple[Clause, int]:
        if at >= len(tokens):
            clause.whys.append(("UNFINISHED", text))
            clause.end = _end(tokens, at)
            return clause, len(tokens)
        size, names = self._phrases.verb(tokens, at, form)
        first = at
        if not names:
            return self._without_verb(text, tokens, at, clause)
        takes = self._takers & set(names)
        end = self._extent(tokens, at + size, text=False)
        clause.verbs, clause.said = names, self._said(text, tokens, at, at + size)
        after = at + size
        if takes:
            done = self._with_text(text, tokens, after, clause, names)
            if done is not None:
                return done
        joined, used = self._phrases.particle(tokens, at, end, form)
        if joined:
            clause.verbs = joined
        if end < len(tokens) and tokens[end].text == "if" and self._finds(clause.verbs):
            return self._bag(text, tokens, after + 1, clause)
        finds = self._finds(clause.verbs)
        self._pieces(text, tokens, after, end, clause, skip=used, asks=finds)
        clause.end = _end(tokens, end)
        clause.start = tokens[first].start
        return clause, end

    def _finds(self, names: tuple[str, ...]) -> bool:
        return any(name in self._finders for name in names)

    def _with_text(
        self, text: str, tokens: list[Token], at: int, clause: Clause, names: tuple[str, ...]
    ) -> tuple[Clause, int] | None:
        """Take a person and what is asked or told; None where there is no person or no text."""
        while at < len(tokens) and (
            tokens[at].text in ("to", "with", "the", "from")
            or self._phrases.filler(tokens, at) > at
        ):
            at = max(at + 1, self._phrases.filler(tokens, at))
        person = self._person(text, tokens, at)
        free = any(self._slot.get(n) == "Question" for n in names)
        if person is None and not (
            free and at < len(tokens) and tokens[at].text in (*_WH, "if", "about")
        ):
            return None
        after, pieces = at, []
        if person is not None:
            after, pieces = person[1], [person[0]]
        start = after
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
            or (tokens[start].text in _AND | {"but"} and self._starts_clause(tokens, start))
            or tokens[start].text in _END
        ):
            clause.pieces, clause.end = pieces, _end(tokens, after)
            return clause, after
        end = self._extent(tokens, start, text=True)
        if (
            not free
            and tokens[start].text in ("how", "what", "who", "whether", "if", "which")
            and (self._asked_here(tokens, start, end))
        ):
            clause.pieces = pieces
            self._pieces(text, tokens, start, end, clause, skip=frozenset(), asks=True)
            clause.end = _end(tokens, end)
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
        said = self._said(text, tokens, start, last).strip(" \"'“”")
        name = next(self._slot[n] for n in names if n in self._slot)
        if said:
            pieces.append(
                Piece("text", name, said, "", "", tokens[start].start, _end(tokens, last), said)
            )
        clause.pieces, clause.end = pieces, _end(tokens, end)
        return clause, end

    def _asked_here(self, tokens: list[Token], start: int, end: int) -> bool:
        """Whether a question after *tell somebody* is one that this robot can look after."""
        kinds = set()
        at = start
        while at < end:
            found = self._phrases.entry(tokens, at)
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

    def _person(self, text: str, tokens: list[Token], at: int) -> tuple[Piece, int] | None:
        start = at
        while at < len(tokens) and tokens[at].text in ("the", "to", "with"):
            at += 1
        if at < len(tokens) and tokens[at].text in ("him", "her", "them"):
            return Piece(
                "pronoun", "person", "", "to", "", tokens[at].start, tokens[at].end, tokens[at].text
            ), at + 1
        found = self._phrases.entry(tokens, at)
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
            _end(tokens, end),
            self._said(text, tokens, at, end),
        ), end

    def _without_verb(
        self, text: str, tokens: list[Token], at: int, clause: Clause
    ) -> tuple[Clause, int]:
        """A clause that begins with no verb of the lexicon: a statement, a name, or unknown."""
        first = at
        end = self._extent(tokens, at + 1)
        words = [t.text for t in tokens[at:end]]
        if self._phrases.entry(tokens, at) is None or words[0] in _SUBJECTS:
            base = lemma_of(words[0])
            known, names = self._phrases.verb(tokens, at, "any")
            if words[0] in _SUBJECTS or (names and base != words[0]):
                clause.whys.append(("NOT_A_COMMAND", self._said(text, tokens, first, end)))
            del known
        self._pieces(text, tokens, at, end, clause, skip=frozenset(), asks=False)
        clause.end = _end(tokens, end)
        clause.mood = "do"
        if not clause.positive and not any(piece.kind != "pronoun" for piece in clause.pieces):
            clause.whys.append(("NEGATED", self._said(text, tokens, first, end)))  # not what?
        return clause, end

    def _bag(
        self, text: str, tokens: list[Token], at: int, clause: Clause, *, condition: bool = False
    ) -> tuple[Clause, int]:
        """Take a question or a condition: what it is about, in any order."""
        end = self._extent(tokens, at, asks=True)
        if condition:
            end = min(end, self._end_of_condition(tokens, at, end))
        self._pieces(text, tokens, at, end, clause, skip=frozenset(), asks=True)
        clause.asked = clause.asked or Clause()
        if not clause.verbs:
            clause.verbs = ("?",)
        clause.end = _end(tokens, max(end, at + 1))
        return clause, max(end, at + 1)

    def _end_of_condition(self, tokens: list[Token], at: int, end: int) -> int:
        """Return where the command begins that a condition without a comma stands before."""
        full = False
        k = at
        while k < end:
            if tokens[k].text in (",", "then"):
                return k
            if full and self._starts_clause(tokens, k):
                return k
            found = self._phrases.entry(tokens, k, prefer="state")
            if found is not None and found[0].kind in ("state", "noun", "value", "pronoun"):
                if found[0].kind in ("state",) or found[0].kind == "value":
                    full = True
                full = full or (found[0].kind == "noun" and self._has_state(tokens, at, k))
                k += found[1]
                continue
            k += 1
        return end

    def _says_something(self, tokens: list[Token], first: int, last: int) -> bool:
        """Whether a condition has a predicate: *the door is shut*, and not *(shut) the door*."""
        last = min(last, len(tokens))
        if any(token.text in _PREDICATES for token in tokens[first:last]):
            return True
        return self._has_state(tokens, first, last) and not self._has_state(tokens, first, last - 1)

    def _has_state(self, tokens: list[Token], first: int, last: int) -> bool:
        found = (self._phrases.entry(tokens, at, prefer="state") for at in range(first, last))
        return any(one is not None and one[0].kind == "state" for one in found)

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
        from bt_exec_llm.offline.english_pieces import add_pieces

        add_pieces(self._phrases, text, tokens, at, end, clause, skip=skip, asks=asks)


def _end(tokens: list[Token], at: int) -> int:
    """Return where the token before `at` ends."""
    return tokens[min(max(at, 1), len(tokens)) - 1].end
