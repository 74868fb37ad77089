"""Conversion of Korean items to clauses: a verb and its ending close each clause."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bt_exec.language.closed import words
from bt_exec_llm.offline.korean_items import Item, Stop, VerbWord
from bt_exec_llm.offline.korean_states import States
from bt_exec_llm.offline.korean_stems import Verb
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["Fold"]

_LOOSE = frozenset(words("ko", "loose_nouns"))
_BACKGROUND = ("는데", "ᆫ데", "은데")
_EXCLAIMING = ("아", "어", "앗", "에이", "야")
_COMING = words("ko", "coming")
_BRINGING_IN = words("ko", "bringing_in")
_ASKED_FOR = ("부탁하", "부탁드리")
_YOU = ("너", "넌", "너는", "네가", "니가", "로봇", "당신", "당신은")
_THEN = ("때", "때는", "때에는", "땐")
_WHEN_DONE = words("ko", "when_done")
_IF_SO = words("ko", "if_so")
_FIRST = (*words("ko", "before_that"), *words("ko", "first"))
_RELEASED = ("이제", "인제")


_BE = ("be", "be_there")
_WAITING = ("잠깐", "잠시")
_LEAVING_OUT = ("대신", "말고", "빼고", "제외", "제외하고")


@dataclass
class _Act:
    """A verb of a clause: its lexicon names, its possible states, and whether it is negated."""

    word: VerbWord
    verb: Verb
    names: tuple[str, ...]
    states: list[Entry]
    negative: bool


class Fold(States):
    """Folds items into clauses, from left to right.

    Args:
        lexicon: The words.
        verbal: Function that returns the verbs of a noun with 하다.
        text: The command.
    """

    def add_item(self, item: Item) -> None:
        """Add the next item."""
        if isinstance(item, Stop):
            self._handle_separator(item)
        elif isinstance(item, VerbWord):
            self._add_verb(item)
        else:
            self._add_piece(item)

    def _add_piece(self, piece: Piece) -> None:
        if piece.kind == "filler":
            self._add_filler(piece)
            return
        interrupts = self._now.correction or self._exclaimed
        if piece.kind == "limit" and interrupts and piece.text.startswith(_WAITING):
            return  # e.g. 아니 잠깐, 닫아; 아 잠깐만
        self._exclaimed = False
        described, self._described = self._described, False
        if described and piece.kind == "unknown" and piece.value in _LOOSE:  # e.g. 문 열린 거
            if not any(p.kind == "noun" for p in self._now.pieces):
                self._now.pieces.append(replace(piece, kind="pronoun"))
        elif piece.kind == "unknown" and piece.value in _LEAVING_OUT:
            self._exclude_preceding_values()
        elif piece.kind == "relation":  # type: ignore[comparison-overlap]
            self._add_relative_place(piece)
        else:
            self._add_name(piece)

    def _add_filler(self, piece: Piece) -> None:
        """Add a filler, and the meaning of those that have one."""
        if piece.name == "no":
            self._close_verbless_clause()
            self._now.correction = True
        elif piece.name == "courtesy":
            self._extend_start(piece)
        elif piece.text in _WHEN_DONE and self._now.pieces:  # e.g. 회의 끝나면
            start = self._now.pieces[-1].start
            self._now.whys.append(("CONDITION", self._text[start : piece.end]))
        elif piece.text in _IF_SO and self._follows_question():
            self._now.verbs, self._now.answers, self._now.said = ("?",), "so", piece.text
            self._close_clause("if", end=piece.end)
        elif piece.text in _FIRST:
            self._order = piece
        self._self = self._self or piece.text in _YOU
        self._released = self._released or piece.text in _RELEASED
        self._exclaimed = piece.text in _EXCLAIMING and not self._now.pieces

    def _add_relative_place(self, piece: Piece) -> None:
        """Add a place that is named relative to an object (문 안)."""
        pieces = self._now.pieces
        before = pieces[-1] if pieces else None
        if before is not None and before.kind == "value" and piece.name == "inside":
            self._inside = piece if piece.text == "안" and not piece.mark else None  # e.g. or not?
            return  # "in the lounge" equals "at the lounge"
        if before is not None and before.kind == "noun":
            noun, text = pieces.pop(), self._text[before.start : piece.end]
            where = f"{piece.name} {noun.name}"
            self._where = replace(noun, relation=where, mark=piece.mark, end=piece.end, text=text)
        else:
            self._where = replace(piece, kind="noun", name="", relation=f"{piece.name} ")
        if piece.mark == "from":
            where = f"from_{self._where.relation}"
            pieces.append(replace(self._where, kind="noun", name="", value="", relation=where))
            self._where = None

    def _add_name(self, piece: Piece) -> None:
        """Add a name with the place before it."""
        pieces = self._now.pieces
        if self._where is not None and piece.kind == "noun":
            piece, self._where = replace(piece, relation=self._where.relation), None
        elif self._where is not None and piece.kind == "unknown":
            pieces.append(replace(self._where, kind="noun", name=""))
            self._where = None
        last = pieces[-1] if pieces else None
        if last is not None and last.kind == "value":
            same = piece.kind == "value" and piece.name == last.name and piece.text == "전체"
            loose = piece.kind == "unknown" and piece.value in _LOOSE and last.mark == "adnominal"
            if (same and not last.mark and piece.start - last.end <= 1) or loose:
                return
        pieces.append(piece)

    def _follows_question(self) -> bool:
        """Return True directly after a question, as in "열려 있어? 그럼 …"."""
        last = self._done[-1] if self._done and not self._now.pieces else None
        return last is not None and (last.mood == "ask" or last.asked is not None)

    def _add_verb(self, word: VerbWord) -> None:
        if word.verb.kind == "noun":
            self._add_adnominal_verb(word)
            return
        self._close_place(word)
        if self._add_tool_verb(word) or self._add_observation_verb(word):
            return
        act = self._make_act(word)
        for way in (
            self._add_how_question,
            self._add_repeated_verb,
            self._add_contrast,
            self._add_unknown_statement,
            self._add_reason,
        ):
            if way(act):
                return
        self._close_act_clause(act)

    def _close_place(self, word: VerbWord) -> None:
        """Attach the place before a verb to the clause or to the object before it."""
        if self._where is None:
            return
        acts = any(e.kind == "verb" and e.name not in _BE for e in word.entries)
        into = (
            self._where.mark in ("at", "by")
            and acts
            and not self._have_information_verb(word.entries)
        )
        relation = ("to_" if into else "") + self._where.relation
        self._now.pieces.append(replace(self._where, kind="noun", name="", relation=relation))
        self._where = None

    def _add_tool_verb(self, word: VerbWord) -> bool:
        """Add a verb that only names a tool (오른손을 써서)."""
        verb = word.verb
        used = any(e.name == "use" for e in word.entries)
        if not used or verb.kind not in ("then", "plain", "command", "request"):
            return False
        if verb.negative or word.denied:
            self._exclude_preceding_values()
        elif verb.kind == "then" or not self._attach_tool_to_time_clause():
            self._now.pieces = [
                replace(p, mark="with") if p.kind == "value" else p for p in self._now.pieces
            ]
        return True

    def _add_observation_verb(self, word: VerbWord) -> bool:
        """Add an observation on whose result the rest depends (자재 있나 보고 있으면 가져와)."""
        verb = word.verb
        asks = verb.progress and verb.kind == "if" and self._asking
        if not asks or not self._have_information_verb(word.entries):
            return False
        self._now.verbs = tuple(e.name for e in word.entries if e.kind == "verb")
        self._now.said, self._now.asked = word.text, Clause()
        self._close_clause("do", end=verb.end, goes_on="then")
        self._now.verbs, self._now.answers = ("?",), "there"
        self._close_clause("if", end=verb.end)
        return True

    def _make_act(self, word: VerbWord) -> _Act:
        """Return the lexicon verbs of a verb, and record what cannot be executed."""
        verb = word.verb
        if verb.last == "지" and self._text[verb.end : verb.end + 1] in ("도", "는", "를"):
            self._now.whys.append(("NEGATED", self._text))  # e.g. 열지도 닫지도 마
        if verb.negative and word.denied and "도 되" not in verb.helpers:  # e.g. 안 열지 않으면
            self._now.whys.append(("NEGATED", word.text))
        names = tuple(e.name for e in word.entries if e.kind == "verb")
        limit = next((e.name for e in word.entries if e.kind == "limit"), "")
        if limit:
            self._now.whys.append((limit, word.text))
            names = names or ("",)
        states = [e for e in word.entries if e.kind in ("state", "value")]
        return _Act(word, verb, names, states, verb.negative or word.denied)

    def _add_how_question(self, act: _Act) -> bool:
        """Add 어떻게 ("how"): 어떻게 열어? asks for a method, 어떻게 되어 있어? for a state."""
        if act.verb.stems[0] in ("어떻", "어떠하") and act.verb.last == "게":
            self._how, self._hows = act.word.text, act.states
            return True
        if self._how and act.verb.stems[0] == "되":
            act.states = act.states or self._hows
        elif self._how:
            self._now.whys.append(("NOT_A_COMMAND", f"{self._how} {act.word.text}"))
        self._how = ""
        return False

    def _add_repeated_verb(self, act: _Act) -> bool:
        """Add a verb that repeats the verb before it (열었다 닫았다 해)."""
        verb, pieces = act.verb, self._now.pieces
        if verb.stems == ["하"] and not pieces and self._last in ("다", "다가"):
            self._joined = ""
            return True
        idle = any(name in self._verbs and self._verbs[name].idle for name in act.names)
        if idle and verb.kind == "then" and pieces and all(p.kind == "value" for p in pieces):
            self._exclude_preceding_values()  # e.g. 왼팔은 놔두고 오른팔로
            return True
        if verb.stems == ["되"] and verb.kind == "then" and act.word.text.startswith("됐"):
            if pieces:
                self._exclude_preceding_values()  # e.g. 라운지는 됐고 복도 보고 와
            return True  # e.g. 아 됐고, 닫아
        return False

    def _add_contrast(self, act: _Act) -> bool:
        """Add a verb of state, or one that excludes the pieces before it (복도 말고)."""
        verb, pieces = act.verb, self._now.pieces
        contrasts = verb.kind in ("then", "but") or verb.last in ("라", "라서", "고")
        instead = verb.stems[0] == "아니" and contrasts and not act.states
        if instead and pieces and pieces[-1].kind == "value":
            self._exclude_preceding_values()  # e.g. 오른손 아니고 왼손
            return True
        be = "be" in act.names or "be_there" in act.names
        if any(name in self._verbs and self._verbs[name].pairs for name in act.names):
            act.states = []  # e.g. 열린 채로 두다
        if act.states or be:
            self._add_state_verb(
                act.word, act.states, negative=act.negative, be=be, names=act.names
            )
            return True
        if act.names:
            return False
        out = verb.stems[0] in ("말", "제외하", "아니") and verb.kind in ("then", "bare", "but")
        taken = verb.stems == ["빼"] and verb.kind == "then"
        if out or (taken and pieces and pieces[-1].mark in ("", "only")):
            self._exclude_preceding_values()
            return True
        return False

    def _add_unknown_statement(self, act: _Act) -> bool:
        """Add a verb that is not in the lexicon and orders nothing."""
        verb, end = act.verb, act.verb.end
        if act.names:
            return verb.kind == "if_can"  # e.g. 열 수 있으면 열어
        if verb.kind == "if" and verb.stems[0] in ("그렇", "그러") and not self._now.pieces:
            self._now.answers = "so"
            self._close_clause(
                "else" if act.negative else "if", end=end
            )  # e.g. 그렇지 않으면; 그렇다면
            return True
        if verb.kind == "statement" and verb.last.endswith("다") and not act.negative:
            self._close_clause("said", end=end)  # e.g. 바람 들어온다
            return True
        if self._describes_feeling(act) or self._describes_inflow(act):
            self._now.whys.append(("UNKNOWN_ACTION", act.word.text))
            self._now.remark = True
            self._close_clause("tell", end=end)
            return True
        if verb.stems[0] in _ASKED_FOR and self._close_request(end):
            return True
        so = verb.kind in ("but", "then") and verb.stems[0] in ("그러", "그렇")
        return verb.kind == "if_can" or (so and not self._now.pieces)  # e.g. 추워서 그러는데

    @staticmethod
    def _describes_feeling(act: _Act) -> bool:
        """Return True if an adjective describes a feeling or the weather (추워 문 닫아)."""
        verb = act.verb
        dying = verb.stems[0] in ("죽", "미치") and verb.future
        plain = verb.kind in ("plain", "statement") or (dying and verb.kind == "ask_to")
        return (verb.adjective or dying) and plain and not act.negative

    def _describes_inflow(self, act: _Act) -> bool:
        """Return True if something comes in on its own (바람 들어와 문 닫아)."""
        brought = self._now.pieces[0] if self._now.pieces else None
        comes = brought is not None and brought.value in _BRINGING_IN
        return comes and act.verb.kind == "plain" and act.verb.stems[0] in _COMING

    def _add_reason(self, act: _Act) -> bool:
        """Add a reason (추우니까, 내가 닫았으니까, 안 닫아도 되니까)."""
        verb, word = act.verb, act.word
        if act.names and verb.kind == "reason" and (act.negative or self._has_personal_agent()):
            free = act.negative and "도 되" in verb.helpers
            if not free:
                self._now.whys.append(("NOT_A_COMMAND", word.text))
            self._now.verbs, self._now.said, self._now.positive = act.names, word.text, False
            self._close_clause("do" if free else "tell", end=verb.end)
            return True
        links = verb.kind == "then" or (verb.kind == "but" and verb.last in _BACKGROUND)
        if verb.kind == "reason" or (verb.adjective and not act.names and links):
            self._close_clause("said", end=verb.end)
            return True
        if not act.names and verb.kind == "embed":
            piece = Piece("unknown", "verb", word.text, "", "", verb.start, verb.end, word.text)
            self._now.pieces.append(piece)
            return True
        return False

    def _close_act_clause(self, act: _Act) -> None:
        """Close the clause of a verb that is executed, asked about or reported."""
        verb, said = act.verb, act.word.text
        if not act.names:
            self._now.whys.append(("UNKNOWN_ACTION", said))
        self._now.verbs, self._now.said = act.names, said
        if verb.kind == "embed":
            self._now.whys.append(("NOT_A_COMMAND", said))
        if self._convert_past_act_to_state(act):
            return
        self._now.positive = not act.negative
        self._now.keeps = any(h in ("두", "놓") for h in verb.helpers)
        if self._asking:
            self._now.asked = Clause()
        mood = self._mood_of_verb(act.word)
        owes = verb.kind == "must" or verb.last in ("어야지", "아야지", "야지")
        self._now.remark = mood == "tell" and owes
        self._last = verb.last
        self._close_clause(mood, end=verb.end, goes_on=verb.kind)

    def _convert_past_act_to_state(self, act: _Act) -> bool:
        """Read a past action as the state that it leaves (문 열었으면 자재 꺼내, 문 닫았어?)."""
        verb, word = act.verb, act.word
        results = {self._verbs[name].result for name in act.names if name in self._verbs} - {""}
        asked = verb.kind == "question" and not act.negative
        if not results or not verb.past or not (asked or verb.kind == "if"):
            return False
        start, end = word.start, word.end
        self._now.pieces.append(
            Piece("state", next(iter(results)), "", "state", "", start, end, word.text)
        )
        self._now.verbs, self._now.positive = ("?",), not act.negative
        self._close_clause("ask" if asked else "if", end=verb.end)
        return True

    def _attach_tool_to_time_clause(self) -> bool:
        """Attach a tool to the preceding clause of time (닫을 때 왼손 써)."""
        last = self._done[-1] if self._done else None
        if last is None or not last.verbs or "?" in last.verbs or not last.said.endswith(_THEN):
            return False
        if last.mood != "if" or any(p.kind != "value" for p in self._now.pieces):
            return False
        last.mood = "do"
        last.pieces += [p.with_mark("with") for p in self._now.pieces]
        self._now, self._joined = Clause(), ""
        return True

    def _close_request(self, end: int) -> bool:
        """Close a request of an object (자재 부탁할게요) or action (문 열어 줘, 부탁할게)."""
        if self._now.pieces:
            nouns = [p for p in self._now.pieces if p.kind == "noun"]
            self._now.verbs = tuple(name for name, verb in self._verbs.items() if verb.asked_for)
            self._now.said = self._text[self._now.pieces[-1].end : end].strip()
            if len(nouns) == 1 and self._now.verbs:
                self._close_clause("do", end=end)
                return True
            self._now.verbs = ()
            return False
        return bool(self._done) and self._done[-1].mood == "do" and bool(self._done[-1].verbs)

    def _have_information_verb(self, entries: list[Entry]) -> bool:
        return any(e.name in self._verbs and self._verbs[e.name].finds for e in entries)

    def _add_adnominal_verb(self, word: VerbWord) -> None:
        """Add an adnominal verb: existence, a value of the noun, or unknown."""
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
        if values:  # e.g. 손에 든 자재, 열린 문: describes the next noun
            self._described = True
            return
        if names and word.verb.last in ("ᆫ", "은") and not self._now.pieces:  # e.g. 열어 둔 문
            self._described = True
            return
        self._now.pieces.append(Piece("unknown", "verb", word.text, "", "", start, end, word.text))
