"""Korean clauses of state, and the requests that verb endings make."""

from __future__ import annotations

from bt_exec.language.closed import words
from bt_exec_llm.offline.korean_clauses import Clauses
from bt_exec_llm.offline.korean_items import (
    ADJECTIVES,
    VerbWord,
    is_event_condition,
    is_past_state_question,
)
from bt_exec_llm.offline.piece import Clause, Kind, Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["States"]

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
_BACKGROUND = ("는데", "ᆫ데", "은데")
_WOULD_YOU = ("ᆯ래", "을래", "ᆯ래요", "을래요")
_REMARKS = ("네", "네요", "군", "군요", "구나")
_REMINDING = words("ko", "reminding")
_AFTER_PAST = words("ko", "ordering_after_past")
_SUPPOSED = ("만약", "만일")


class States(Clauses):
    """Closes clauses of state."""

    def _add_state_verb(
        self,
        word: VerbWord,
        states: list[Entry],
        *,
        negative: bool,
        be: bool,
        names: tuple[str, ...],
    ) -> None:
        """Add a verb of state: a question, a condition or a statement."""
        verb = word.verb
        self._add_states(word, states)
        lacks = verb.stems[-1] == "없" or (verb.stems[-1] == "아니" and bool(self._now.pieces))
        if not self._asking:  # 있는지 없는지 asks for presence
            self._denies = negative != lacks
            if self._follows_an(word):
                self._unclear = ("ask", "do", "if")  # "in the lounge" or "not dark"
            elif "않" in verb.helpers:
                self._unclear = ("ask",)  # 열려 있지 않아? may expect a yes
        if verb.kind == "embed" or (verb.kind in ("then", "or") and be):
            self._asking = True
            return
        own = tuple(n for n in names if n not in ("be", "be_there"))
        self._now.verbs, self._now.said = own or ("?",), word.text
        if negative and not be and self._add_negated_half(word, states):
            return
        if verb.kind == "if":
            self._close_state_condition(word, states, positive=negative == lacks, be=be)
        elif not negative and self._convert_desired_state(word, states):
            return
        elif verb.kind == "reason" or (verb.kind == "but" and verb.last in _BACKGROUND):
            self._close_clause("said", end=verb.end)
        elif self._is_state_question(word, be=be):
            self._close_state_question(word, states, be=be)
        elif verb.kind in ("but", "seems"):
            self._asking = True
        else:
            self._now.whys.append(("NOT_A_COMMAND", word.text))
            self._now.remark = verb.state and not verb.past and verb.last in _REMINDING
            self._now.remark |= be and not verb.past and verb.kind == "statement"
            self._close_clause("tell", end=verb.end)

    def _add_states(self, word: VerbWord, states: list[Entry]) -> None:
        start, end = word.start, word.end
        for e in states:
            kind: Kind = "state" if e.kind == "state" else "value"
            self._now.pieces.append(
                Piece(kind, e.name, e.value, "state", "", start, end, word.text, e.sense)
            )

    def _follows_an(self, word: VerbWord) -> bool:
        """Return True if 안 directly precedes a verb, where it means "inside" or "not"."""
        return self._inside is not None and word.start - self._inside.end <= 1

    def _add_negated_half(self, word: VerbWord, states: list[Entry]) -> bool:
        """Add the second half of a question with both polarities (보여 안 보여?)."""
        again = self._done[-1] if self._done else None
        if again is None or again.mood not in ("tell", "ask"):
            return False
        same = {p.name for p in again.pieces if p.kind in ("state", "value")}
        if len(self._now.pieces) != len(states) or not same >= {e.name for e in states}:
            return False
        again.mood, again.whys, again.end = "ask", [], word.verb.end
        self._now = Clause()
        return True

    def _close_state_condition(
        self, word: VerbWord, states: list[Entry], *, positive: bool, be: bool
    ) -> None:
        """Close a condition (열려 있으면, 아니면)."""
        now, verb = self._now, word.verb
        now.positive = positive
        now.answers = "there" if be else "it"
        if self._inside is not None and self._follows_an(word):
            now.whys.append(("CONDITION", self._text[self._inside.start : word.end]))
        if is_event_condition(verb, states, be=be):
            now.whys.append(("CONDITION", word.text))
        now.pieces = [p for p in now.pieces if not p.text.startswith(_SUPPOSED)]
        otherwise = verb.stems[0] == "아니" and not now.pieces
        if verb.stems[0] == "아니" and self._follows_comma(word):  # e.g. 왼손으로, 아니면 …
            now.whys.append(("OPERATOR", word.text))
        self._inside = None
        self._close_clause("else" if otherwise else "if", end=verb.end)

    def _convert_desired_state(self, word: VerbWord, states: list[Entry]) -> bool:
        """Read a desired state as the verbs that lead to it (닫혀 있어야 해)."""
        verb = word.verb
        wishes = verb.kind in ("wish", "must") or (verb.kind == "request" and verb.state)
        wanted = self._verbs_leading_to(states) if wishes else ()
        if not wanted:
            return False
        self._now.pieces = [p for p in self._now.pieces if p.kind != "state"]
        self._now.verbs = wanted
        self._close_clause("do", end=verb.end)
        return True

    def _is_state_question(self, word: VerbWord, *, be: bool) -> bool:
        """Return True if a verb of state asks a question (열려 있어?)."""
        verb = word.verb
        if verb.kind == "question" or (verb.kind == "command" and be):
            return True
        tells = verb.state or verb.past or be or verb.stems[-1] in ADJECTIVES
        return verb.kind in ("plain", "can") and (tells or self._has_question_mark(word))

    def _has_question_mark(self, word: VerbWord) -> bool:
        return "?" in self._text[word.end : word.end + 2]

    def _close_state_question(self, word: VerbWord, states: list[Entry], *, be: bool) -> None:
        """Close a question about a present state; others are not accepted."""
        verb, now = word.verb, self._now
        if verb.last in _REMARKS and not self._has_question_mark(word):
            now.remark = True
        tells = verb.state or verb.past or be or verb.stems[-1] in ADJECTIVES
        state = any(e.kind == "state" for e in states)
        if verb.kind == "plain" and state and not tells:
            now.whys.append(("NOT_A_COMMAND", word.text))
        placed = all(p.kind == "value" and p.mark != "state" for p in now.pieces)
        mine = self._self and be and placed  # e.g. 너 라운지에 있어?
        if mine or (verb.past and is_past_state_question(verb, be=be)):
            now.whys.append(("NOT_A_COMMAND", word.text))
        self._close_clause("ask", end=verb.end)

    def _follows_comma(self, word: VerbWord) -> bool:
        """Return True if a comma separates a word from the phrase before it."""
        last = self._now.pieces[-1] if self._now.pieces else None
        return last is not None and "," in self._text[last.end : word.start]

    def _mood_of_verb(self, word: VerbWord) -> str:
        verb = word.verb
        asked = "?" in self._text[word.end : word.end + 2]
        if verb.kind in ("if", "before"):
            return verb.kind
        if verb.kind in ("then", "but", "or", "plain", "command", "request"):
            finds = any(e.name in self._verbs and self._verbs[e.name].finds for e in word.entries)
            shall_i = verb.kind == "plain" and asked and not (verb.gives or verb.polite or finds)
            wished = verb.kind == "request" or verb.last in _AFTER_PAST  # e.g. 열었다가 닫아
            if shall_i or (verb.past and not wished):  # e.g. 문 닫아?, 문 닫았는데
                self._now.whys.append(("NOT_A_COMMAND", word.text))
            return "do"
        if verb.kind == "wish" and verb.gives:
            return "do"
        hopes = verb.kind == "wish" and verb.last in ("면", "으면")  # e.g. 열었으면 좋겠어
        if hopes and not asked and not self._has_personal_agent():
            return "do"
        if verb.kind == "may" and not asked and "?" not in verb.helpers:
            denied = (verb.negative or word.denied) and bool(self._done)
            if denied or self._released or "좋" in verb.helpers:
                return "do"  # e.g. 꺼내 줘 문은 안 닫아도 돼; 이제 닫아도 돼
        if verb.kind == "seems":
            return "do"
        if verb.kind == "insisted" and not asked and not self._has_personal_agent():
            return "do"  # e.g. 열라고; 열라고 했잖아
        if verb.kind == "question" and verb.state and not verb.past and not asked:
            return "do"  # e.g. 복도로 나가 있어
        if verb.kind == "ask_to" and verb.polite and (verb.gives or verb.last in _WOULD_YOU):
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

    def _has_personal_agent(self) -> bool:
        """Return True if a person is named as the agent (내가, 철수가)."""
        return any(p.mark == "subject" and p.kind != "noun" for p in self._now.pieces)

    def _verbs_leading_to(self, states: list[Entry]) -> tuple[str, ...]:
        """Return the verbs that lead to one of these states."""
        results = {entry.name for entry in states if entry.kind == "state"}
        return tuple(name for name, verb in self._verbs.items() if verb.result in results)

    def _exclude_preceding_values(self) -> None:
        pieces = self._now.pieces
        if pieces and pieces[-1].kind == "limit" and len(pieces) > 1:  # e.g. 둘 다 말고
            pieces.pop()
        if not pieces:  # e.g. not what?
            self._now.whys.append(("NEGATED", self._text))
            return
        kind, name = pieces[-1].kind, pieces[-1].name
        for at in range(len(pieces) - 1, -1, -1):  # e.g. 라운지랑 복도 빼고
            one = pieces[at]
            listed = one.mark in ("", "and", "or", "only", "subject")
            if (one.kind, one.name) != (kind, name) or (at < len(pieces) - 1 and not listed):
                break
            pieces[at] = one.with_mark("not")
