"""Korean items folded into clauses: the verb stands last, its ending says how it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bt_exec_llm.offline.closed import words
from bt_exec_llm.offline.korean_items import Item, Stop, VerbWord
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["Fold"]

_TELLS = {
    "statement": "NOT_A_COMMAND",
    "ask_to": "NOT_A_COMMAND",
    "can": "NOT_A_COMMAND",
    "may": "NOT_A_COMMAND",
    "must": "NOT_A_COMMAND",
    "reported": "NOT_A_COMMAND",
    "quote": "NOT_A_COMMAND",
    "question": "NOT_A_COMMAND",
    "reason": "CONDITION",
    "while": "CONDITION",
    "wish": "NOT_A_COMMAND",
    "bare": "UNFINISHED",
    "name": "NOT_A_COMMAND",
}
_LOOSE = frozenset(words("korean", "loose_nouns"))
_ADJECTIVES = frozenset(words("korean", "adjectives"))


class Fold:
    """Folds items into clauses, from left to right.

    Args:
        lexicon: The words.
        verbal: Gives the verbs that a noun with 하다 is.
        text: The command.
    """

    def __init__(
        self, lexicon: Lexicon, verbal: Callable[[str], tuple[str, ...]], text: str
    ) -> None:
        self._verbs = lexicon.verbs
        self._verbal = verbal
        self._text = text
        self._now = Clause()
        self._done: list[Clause] = []
        self._joined = ""
        self._asking = False
        self._where: Piece | None = None

    def take(self, item: Item) -> None:
        """Add the next item."""
        if isinstance(item, Stop):
            self._stop(item)
        elif isinstance(item, VerbWord):
            self._verb(item)
        else:
            self._piece(item)

    def finished(self) -> list[Clause]:
        """Return the clauses."""
        self._verbless()
        if self._joined == "next" and self._done:
            self._done[-1].whys.append(("UNFINISHED", self._text))
        return self._done

    def _piece(self, piece: Piece) -> None:
        if piece.kind == "filler":
            if piece.name == "no":
                self._verbless()
                self._now.correction = True
            elif piece.name == "courtesy":
                self._note(piece)
            return
        if piece.kind == "unknown" and piece.value in ("대신", "말고", "빼고", "제외", "제외하고"):
            self._instead()
            return
        if piece.kind == "relation":  # type: ignore[comparison-overlap]
            before = self._now.pieces[-1] if self._now.pieces else None
            if before is not None and before.kind == "value" and piece.name == "inside":
                return  # in the lounge is at the lounge
            if self._now.pieces and self._now.pieces[-1].kind == "noun":
                noun = self._now.pieces.pop()
                self._where = replace(
                    noun,
                    relation=f"{piece.name} {noun.name}",
                    mark=piece.mark,
                    end=piece.end,
                    text=self._text[noun.start : piece.end],
                )
            else:
                self._where = replace(piece, kind="noun", name="", relation=f"{piece.name} ")
            if piece.mark == "from":
                where = self._where.relation
                self._now.pieces.append(
                    replace(self._where, kind="noun", name="", value="", relation=f"from_{where}")
                )
                self._where = None
            return
        if self._where is not None and piece.kind in ("noun", "unknown"):
            if piece.kind == "noun":
                piece = replace(piece, relation=self._where.relation)
            else:
                self._now.pieces.append(replace(self._where, kind="noun", name=""))
            self._where = None
        last = self._now.pieces[-1] if self._now.pieces else None
        if last is not None and last.kind == "value":
            same = piece.kind == "value" and piece.name == last.name and piece.text == "전체"
            loose = piece.kind == "unknown" and piece.value in _LOOSE and last.mark == "adnominal"
            if (same and not last.mark and piece.start - last.end <= 1) or loose:
                return
        self._now.pieces.append(piece)

    def _note(self, piece: Piece) -> None:
        self._now.start = self._now.start or piece.start

    def _stop(self, stop: Stop) -> None:
        if stop.kind == "stop":
            return
        late = self._done and self._done[-1].mood == "ask" and self._joined != "stop"
        if stop.kind == "question" and self._now.pieces and not self._now.verbs and not late:
            self._verbless(asked=True)
            return
        self._verbless()
        if (
            stop.kind == "question"
            and self._done
            and self._done[-1].mood == "do"
            and not self._done[-1].verbs
        ):
            self._done[-1].mood = "ask"
        self._joined = "stop"

    def _verbless(self, *, asked: bool = False) -> None:
        """Close a clause without a verb: a noun that is one (순찰), or what came after its verb."""
        if self._where is not None:
            self._now.pieces.append(replace(self._where, kind="noun", name=""))
            self._where = None
        pieces = self._now.pieces
        if not pieces:
            if self._now.whys and self._done:
                self._done[-1].whys.extend(self._now.whys)
            return
        for at in range(len(pieces) - 1, -1, -1):
            if pieces[at].kind == "unknown" and (verbs := self._verbal(pieces[at].value)):
                verb = pieces.pop(at)
                self._now.verbs, self._now.said = verbs, verb.text
                self._now.nominal = True
                self._close("ask" if asked else "do", end=verb.end)
                return
        trailing = (
            self._done
            and self._done[-1].mood in ("do", "ask")
            and self._done[-1].verbs
            and self._joined != "next"
        )
        if trailing and not asked and self._joined != "stop" and not self._now.correction:
            self._done[-1].pieces.extend(replace(p, mark=p.mark or "after") for p in pieces)
            self._done[-1].end = pieces[-1].end
            self._done[-1].whys.extend(self._now.whys)
            self._now = Clause()
            return
        if (
            trailing
            and not asked
            and self._joined == "stop"
            and len(pieces) == 1
            and pieces[0].kind == "value"
        ):
            self._done[-1].pieces.append(pieces[0].marked("after"))
            self._done[-1].whys.extend(self._now.whys)
            self._now = Clause()
            return
        if self._asking:
            self._now.verbs = ("?",)
        self._close("ask" if asked or self._asking else "do")

    def _verb(self, word: VerbWord) -> None:
        verb = word.verb
        entries, said = word.entries, word.text
        if verb.kind == "noun":
            self._adnominal(word)
            return
        acts = any(e.kind == "verb" and e.name not in ("be", "be_there") for e in entries)
        if self._where is not None:
            to = (
                "to_"
                if self._where.mark in ("at", "by")
                and acts
                and word.verb.kind != "noun"
                and not self._finding(entries)
                else ""
            )
            self._now.pieces.append(
                replace(self._where, kind="noun", name="", relation=to + self._where.relation)
            )
            self._where = None
        if any(e.name == "use" for e in entries) and verb.kind in ("then", "plain"):
            self._now.pieces = [
                replace(p, mark="with") if p.kind == "value" else p for p in self._now.pieces
            ]
            return
        negative = verb.negative or word.denied
        states = [e for e in entries if e.kind in ("state", "value")]
        names = tuple(e.name for e in entries if e.kind == "verb")
        if any(e.kind == "limit" for e in entries):
            self._now.whys.append((next(e.name for e in entries if e.kind == "limit"), said))
            names = names or ("",)
        be = "be" in names or "be_there" in names
        if states or be:
            self._state(word, states, negative=negative, be=be, names=names)
            return
        if (
            verb.stems[0] in ("말", "제외하", "아니")
            and verb.kind in ("then", "bare", "but")
            and not names
        ) or (
            verb.stems == ["빼"]
            and verb.kind == "then"
            and self._now.pieces
            and not self._now.pieces[-1].mark
            and not names
        ):
            self._instead()
            return
        if not names:
            if verb.kind == "embed":
                self._now.pieces.append(
                    Piece("unknown", "verb", said, "", "", verb.start, verb.end, said)
                )
                return
            self._now.whys.append(("UNKNOWN_ACTION", said))
        self._now.verbs, self._now.said = names, said
        if verb.kind in ("embed",):
            if verb.past:
                self._now.whys.append(("NOT_A_COMMAND", said))
            self._now.whys.append(("NOT_A_COMMAND", said))
        results = {self._verbs[name].result for name in names if name in self._verbs} - {""}
        if results and verb.kind == "question" and verb.past and not negative:
            state = Piece("state", next(iter(results)), "", "state", "", word.start, word.end, said)
            self._now.pieces.append(state)
            self._now.verbs = ("?",)
            self._close("ask", end=verb.end)
            return
        self._now.positive = not negative
        self._now.keeps = any(h in ("두", "놓") for h in verb.helpers)
        if self._asking:
            self._now.asked = Clause()
        mood = self._mood(word)
        self._close(mood, end=verb.end, goes_on=verb.kind)

    def _finding(self, entries: list[Entry]) -> bool:
        return any(e.name in self._verbs and self._verbs[e.name].finds for e in entries)

    def _instead(self) -> None:
        if self._now.pieces:
            self._now.pieces[-1] = self._now.pieces[-1].marked("not")
        else:  # not what?
            self._now.whys.append(("NEGATED", self._text))

    def _adnominal(self, word: VerbWord) -> None:
        """A verb before a noun: what *is* inside; a value of what follows; else unknown."""
        names = {e.name for e in word.entries if e.kind == "verb"}
        values = [e for e in word.entries if e.kind in ("value", "state")]
        if "be" in names or "be_there" in names:
            if self._where is not None:
                self._where = replace(self._where, mark="of")
            return
        start, end = word.start, word.end
        if values and values[0].kind == "value":
            one = values[0]
            self._now.pieces.append(
                Piece("value", one.name, one.value, "adnominal", "", start, end, word.text)
            )
            return
        self._now.pieces.append(Piece("unknown", "verb", word.text, "", "", start, end, word.text))

    def _state(
        self,
        word: VerbWord,
        states: list[Entry],
        *,
        negative: bool,
        be: bool,
        names: tuple[str, ...],
    ) -> None:
        """A verb that says how something is: asked for, a condition, or a mere statement."""
        verb = word.verb
        for entry in states:
            kind = "state" if entry.kind == "state" else "value"
            self._now.pieces.append(
                Piece(kind, entry.name, entry.value, "state", "", word.start, word.end, word.text)  # type: ignore[arg-type]
            )
        verbs = tuple(n for n in names if n not in ("be", "be_there"))
        if verb.kind == "embed":
            self._asking = True
            return
        if verb.kind in ("then", "but", "or") and (states or be) and verb.kind != "but" and be:
            self._asking = True
            return
        self._now.verbs, self._now.said = verbs or ("?",), word.text
        asked = verb.kind in ("question",) or (
            (verb.kind == "command" and be)
            or (
                verb.kind in ("plain", "can")
                and (
                    verb.state
                    or verb.past
                    or be
                    or verb.stems[-1] in _ADJECTIVES
                    or "?" in self._text[word.end : word.end + 2]
                )
            )
        )
        if word.verb.kind == "if":
            self._now.positive = not negative
            self._close("if", end=verb.end)
            return
        if asked:
            if (
                verb.kind == "plain"
                and states
                and not verb.state
                and not verb.past
                and not be
                and any(e.kind == "state" for e in states)
            ):
                self._now.whys.append(("NOT_A_COMMAND", word.text))
            self._close("ask", end=verb.end)
            return
        if verb.kind == "but" or verb.kind == "seems":
            self._asking = True
            return
        self._now.whys.append(("NOT_A_COMMAND", word.text))
        self._close("tell", end=verb.end)

    def _mood(self, word: VerbWord) -> str:
        verb = word.verb
        if verb.kind in ("if", "before"):
            return verb.kind
        if verb.kind in ("then", "but", "or", "plain", "command", "request"):
            if verb.past and verb.kind in ("plain", "command"):
                self._now.whys.append(("NOT_A_COMMAND", word.text))
            return "do"
        if verb.kind == "wish" and verb.gives:
            return "do"
        if verb.kind == "seems":
            return "do"
        if verb.kind == "ask_to" and verb.polite and verb.gives:
            return "do"
        if (
            verb.kind == "question"
            and verb.last in ("죠", "지", "지요")
            and not verb.past
            and not verb.state
            and not verb.progress
        ):
            return "do"
        self._now.whys.append((_TELLS.get(verb.kind, "NOT_A_COMMAND"), word.text))
        return "tell"

    def _close(self, mood: str, *, end: int = 0, goes_on: str = "") -> None:
        now = self._now
        now.mood = mood
        placed = [p.start for p in now.pieces]
        now.leads = bool(now.pieces)
        now.start = min([*placed, end or 10**6]) if placed or end else 0
        now.end = max([end, *(p.end for p in now.pieces)], default=end)
        now.joined = "then" if self._joined == "next" else self._joined
        if self._asking and mood in ("do", "if") and now.asked is None:
            now.asked = Clause()
        self._asking = False
        self._done.append(now)
        self._now = Clause()
        joins = {"or": "or", "but": "but", "then": "next", "plain": "then"}
        self._joined = joins.get(goes_on, "")
