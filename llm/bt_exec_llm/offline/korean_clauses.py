"""Clauses of a Korean command during parsing: the open clause and the finished ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bt_exec.language.closed import words
from bt_exec_llm.offline.korean_items import Stop
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["Clauses"]

_ASKING = words("ko", "asking")
_ASKING_FOR = words("ko", "asking_for")
_BEFORE_THAT = words("ko", "before_that")
_ASKED_WITH = words("ko", "asked_with")


class Clauses:
    """Collects pieces into clauses.

    Args:
        lexicon: The words.
        verbal: Function that returns the verbs of a noun with 하다.
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
        self._denies = False
        self._unclear: tuple[str, ...] = ()
        self._where: Piece | None = None
        self._described = False
        self._goes_on = ""
        self._exclaimed = False
        self._inside: Piece | None = None
        self._how = ""
        self._self = False
        self._afterthought = False
        self._released = False
        self._last = ""
        self._hows: list[Entry] = []
        self._order: Piece | None = None

    def finish(self) -> list[Clause]:
        """Return the clauses."""
        self._close_verbless_clause()
        last_word = self._text.split()[-1].rstrip("요.!~")
        if self._done and (
            last_word.startswith(_ASKING_FOR) or last_word == "좀"
        ):  # e.g. 자재 부탁합니다
            last = self._done[-1]
            nouns = [p for p in last.pieces if p.kind == "noun"]
            if not last.verbs and not last.whys and last.mood == "do" and len(nouns) == 1:
                last.verbs = tuple(name for name, verb in self._verbs.items() if verb.asked_for)
        goes_on = self._joined == "or" or (self._joined == "next" and not self._afterthought)
        if goes_on and self._done:
            self._done[-1].whys.append(("UNFINISHED", self._text))
        return self._done

    def _extend_start(self, piece: Piece) -> None:
        self._now.start = self._now.start or piece.start

    def _handle_separator(self, stop: Stop) -> None:
        if stop.kind == "stop":
            return
        late = self._done and self._done[-1].mood == "ask" and self._joined != "stop"
        if stop.kind == "question" and self._now.pieces and not self._now.verbs and not late:
            self._close_verbless_clause(asked=True)
            return
        self._close_verbless_clause()
        if (
            stop.kind == "question"
            and self._done
            and self._done[-1].mood == "do"
            and not self._done[-1].verbs
        ):
            self._done[-1].mood = "ask"
        self._joined = "stop"

    def _close_verbless_clause(self, *, asked: bool = False) -> None:
        """Close a clause without a verb: a verbal noun (순찰), or pieces after the verb."""
        if self._where is not None:
            self._now.pieces.append(replace(self._where, kind="noun", name=""))
            self._where = None
        pieces = self._now.pieces
        self._drop_request_noun(pieces)
        asked = asked or bool(pieces and pieces[-1].text.startswith(_ASKING))  # 손에 든 게 뭐야
        if not pieces:
            if self._now.whys and self._done:
                self._done[-1].whys.extend(self._now.whys)
            return
        for at in range(len(pieces) - 1, -1, -1):
            if pieces[at].kind == "unknown" and (verbs := self._verbal(pieces[at].value)):
                verb = pieces.pop(at)
                self._now.verbs, self._now.said = verbs, verb.text
                self._now.nominal = True
                self._close_clause("ask" if asked else "do", end=verb.end)
                return
        trailing = (
            self._done
            and self._done[-1].mood in ("do", "ask")
            and self._done[-1].verbs
            and self._joined != "next"
        )
        late = self._order or next((p for p in pieces if self._is_marked_as_first(p)), None)
        if trailing and late is not None:  # e.g. 복도 봐, 라운지 먼저
            self._done[-1].whys.append(("OPERATOR", late.text))
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
            self._done[-1].pieces.append(pieces[0].with_mark("after"))
            self._done[-1].whys.extend(self._now.whys)
            self._now = Clause()
            return
        if self._asking:
            self._now.verbs = ("?",)
        self._close_clause("ask" if asked or self._asking else "do")

    @staticmethod
    def _drop_request_noun(pieces: list[Piece]) -> None:
        """Remove the verbal noun of request that ends a command of nouns (자재 회수 바람)."""
        last = pieces[-1] if pieces else None
        if last is None or last.kind != "unknown":
            return
        *said, end = last.value.split() or [""]
        if end in _ASKED_WITH and (said or len(pieces) > 1):
            rest = " ".join(said)
            pieces[-1:] = [replace(last, value=rest, text=rest, end=last.start + len(rest))][
                : len(said)
            ]

    def _close_clause(self, mood: str, *, end: int = 0, goes_on: str = "") -> None:
        now = self._now
        now.mood = mood
        now.contrast = any(self._text[p.end : p.end + 1] in ("은", "는") for p in now.pieces)
        placed = [p.start for p in now.pieces]
        now.leads = bool(now.pieces)
        now.start = min([*placed, *([end - len(now.said)] if end else [])], default=0)
        now.end = max([end, *(p.end for p in now.pieces)], default=end)
        if self._joined == "but" and any(p.mark == "from" for p in now.pieces):
            now.first = "all"
        self._move_first(mood)
        now.joined = "then" if self._joined == "next" else self._joined
        if self._asking and mood in ("do", "if") and now.asked is None:
            now.asked = Clause()
        if now.asked is None and mood == "ask":
            now.asked = Clause()
        if now.asked is not None:
            now.asked.positive = not self._denies
            if mood in self._unclear:
                now.asked.whys.append(("CONDITION", now.said))
        self._asking = self._self = self._denies = False
        self._unclear = ()
        self._done.append(now)
        self._now = Clause()
        if mood == "ask":  # e.g. 자재 어디 있어?
            now.pieces = [p for p in now.pieces if p.kind != "unknown" or p.value != "어디"]
        whole = self._goes_on in ("plain", "request", "command")
        self._afterthought = whole and goes_on == "then" and mood == "do"  # 문 닫아 줘, 팔도 접고
        self._goes_on = goes_on
        joins = {"or": "or", "but": "but", "then": "next", "plain": "then"}
        self._joined = joins.get(goes_on, "")

    def _is_marked_as_first(self, piece: Piece) -> bool:
        return piece.mark == "from" and self._text.startswith("부터", piece.end)

    def _move_first(self, mood: str) -> None:
        """Move the clause before earlier ones if it contains 그 전에 or 먼저."""
        word, self._order = self._order, None
        if word is None and not any(p.mark == "until" for p in self._now.pieces):
            word = next(
                (p for p in self._now.pieces if self._is_marked_as_first(p)), None
            )  # e.g. 문부터 닫아
        done = [one for one in self._done if one.mood != "said"]
        if word is not None and word.text in _BEFORE_THAT and not done:  # e.g. before what?
            self._now.whys.append(("OPERATOR", word.text))
        if word is None or not done or done[-1].mood in ("if", "else"):
            return
        if word.text in _BEFORE_THAT:
            self._now.first = "that"
        elif done[-1].mood == "do" and mood == "do" and self._goes_on not in ("then", "embed"):
            self._now.first = "all"
        elif done[-1].mood == "do":  # e.g. 문 닫고 먼저 자재 꺼내
            self._now.whys.append(("OPERATOR", word.text))
