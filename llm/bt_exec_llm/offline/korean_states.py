"""Korean clauses that say how something is, and what the ending of a verb asks for."""

from __future__ import annotations

from bt_exec.language.closed import words
from bt_exec_llm.offline.korean_clauses import Clauses
from bt_exec_llm.offline.korean_items import ADJECTIVES, VerbWord, happens, was_so
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
_SUPPOSED = ("만약", "만일")


class States(Clauses):
    """Closes clauses that tell a state, and knows what a verb asks for."""

    def _state(
        self,
        word: VerbWord,
        states: list[Entry],
        *,
        negative: bool,
        be: bool,
        names: tuple[str, ...],
    ) -> None:
        """Take a verb of state: a question, a condition, or a mere statement."""
        verb = word.verb
        for entry in states:
            kind: Kind = "state" if entry.kind == "state" else "value"
            self._now.pieces.append(
                Piece(
                    kind,
                    entry.name,
                    entry.value,
                    "state",
                    "",
                    word.start,
                    word.end,
                    word.text,
                    entry.sense,
                )
            )
        verbs = tuple(n for n in names if n not in ("be", "be_there"))
        lacks = verb.stems[-1] == "없" or (verb.stems[-1] == "아니" and bool(self._now.pieces))
        if not self._asking:  # 있는지 없는지 asks whether it is there
            self._denies = negative != lacks
            if self._inside is not None and word.start - self._inside.end <= 1:
                self._unclear = ("ask", "do", "if")  # 라운지 안 어두워: in the lounge, or not dark
            elif "않" in verb.helpers:
                self._unclear = ("ask",)  # 열려 있지 않아? may expect a yes
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
                    or verb.stems[-1] in ADJECTIVES
                    or "?" in self._text[word.end : word.end + 2]
                )
            )
        )
        again = self._done[-1] if self._done else None
        if negative and again is not None and again.mood in ("tell", "ask"):
            same = {p.name for p in again.pieces if p.kind in ("state", "value")}
            if same >= {e.name for e in states} and not be and len(self._now.pieces) == len(states):
                again.mood, again.whys, again.end = "ask", [], verb.end  # 보여 안 보여?
                self._now = Clause()
                return
        if word.verb.kind == "if":
            self._now.positive = negative == lacks
            self._now.answers = "there" if be else "it"
            if self._inside is not None and word.start - self._inside.end <= 1:
                self._now.whys.append(("CONDITION", self._text[self._inside.start : word.end]))
            if happens(verb, states, be=be):
                self._now.whys.append(("CONDITION", word.text))
            self._now.pieces = [p for p in self._now.pieces if not p.text.startswith(_SUPPOSED)]
            otherwise = verb.stems[0] == "아니" and not self._now.pieces
            if verb.stems[0] == "아니" and self._after_comma(word):  # 왼손으로, 아니면 …
                self._now.whys.append(("OPERATOR", word.text))
            self._inside = None
            self._close("else" if otherwise else "if", end=verb.end)
            return
        if verb.kind in ("wish", "must") or (verb.kind == "request" and verb.state):
            wanted = self._wanted(states)
            if wanted and not negative:
                self._now.pieces = [p for p in self._now.pieces if p.kind != "state"]
                self._now.verbs = wanted
                self._close("do", end=verb.end)
                return
        if verb.kind == "reason" or (verb.kind == "but" and verb.last in _BACKGROUND):
            self._close("said", end=verb.end)
            return
        if asked:
            if verb.last in _REMARKS and "?" not in self._text[word.end : word.end + 2]:
                self._now.remark = True
            if (
                verb.kind == "plain"
                and states
                and verb.stems[-1] not in ADJECTIVES
                and not verb.state
                and not verb.past
                and not be
                and any(e.kind == "state" for e in states)
            ):
                self._now.whys.append(("NOT_A_COMMAND", word.text))
            placed = all(p.kind == "value" and p.mark != "state" for p in self._now.pieces)
            mine = self._self and be and placed  # 너 라운지에 있어?
            if mine or (verb.past and was_so(verb, be=be)):
                self._now.whys.append(("NOT_A_COMMAND", word.text))
            self._close("ask", end=verb.end)
            return
        if verb.kind == "but" or verb.kind == "seems":
            self._asking = True
            return
        self._now.whys.append(("NOT_A_COMMAND", word.text))
        self._now.remark = verb.state and not verb.past and verb.last in _REMINDING
        self._now.remark |= be and not verb.past and verb.kind == "statement"
        self._close("tell", end=verb.end)

    def _after_comma(self, word: VerbWord) -> bool:
        """Return True if a comma separates a word from the phrase before it."""
        last = self._now.pieces[-1] if self._now.pieces else None
        return last is not None and "," in self._text[last.end : word.start]

    def _mood(self, word: VerbWord) -> str:
        verb = word.verb
        asked = "?" in self._text[word.end : word.end + 2]
        if verb.kind in ("if", "before"):
            return verb.kind
        if verb.kind in ("then", "but", "or", "plain", "command", "request"):
            finds = any(e.name in self._verbs and self._verbs[e.name].finds for e in word.entries)
            shall_i = verb.kind == "plain" and asked and not (verb.gives or verb.polite or finds)
            if shall_i or (verb.past and verb.kind in ("plain", "command")):  # 문 닫아?
                self._now.whys.append(("NOT_A_COMMAND", word.text))
            return "do"
        if verb.kind == "wish" and verb.gives:
            return "do"
        hopes = verb.kind == "wish" and verb.last in ("면", "으면")  # 열었으면 좋겠어
        if hopes and not asked and not self._somebody():
            return "do"
        if verb.kind == "may" and not asked and "?" not in verb.helpers:
            denied = (verb.negative or word.denied) and bool(self._done)
            if denied or self._released or "좋" in verb.helpers:
                return "do"  # 꺼내 줘 문은 안 닫아도 돼; 이제 닫아도 돼
        if verb.kind == "seems":
            return "do"
        if verb.kind == "insisted" and not asked and not self._somebody():
            return "do"  # 열라고; 열라고 했잖아
        if verb.kind == "question" and verb.state and not verb.past and not asked:
            return "do"  # 복도로 나가 있어
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

    def _somebody(self) -> bool:
        """Return whether somebody is named who would do it: 내가, 철수가."""
        return any(p.mark == "subject" and p.kind != "noun" for p in self._now.pieces)

    def _wanted(self, states: list[Entry]) -> tuple[str, ...]:
        """Return the verbs that leave one of these states."""
        results = {entry.name for entry in states if entry.kind == "state"}
        return tuple(name for name, verb in self._verbs.items() if verb.result in results)

    def _instead(self) -> None:
        pieces = self._now.pieces
        if pieces and pieces[-1].kind == "limit" and len(pieces) > 1:  # 둘 다 말고
            pieces.pop()
        if not pieces:  # not what?
            self._now.whys.append(("NEGATED", self._text))
            return
        kind, name = pieces[-1].kind, pieces[-1].name
        for at in range(len(pieces) - 1, -1, -1):  # 라운지랑 복도 빼고
            one = pieces[at]
            listed = one.mark in ("", "and", "or", "only", "subject")
            if (one.kind, one.name) != (kind, name) or (at < len(pieces) - 1 and not listed):
                break
            pieces[at] = one.marked("not")
