"""Resolution of values that depend on an earlier value: "the other arm", "the other end"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reading
from bt_exec.spec.library import Library
from bt_exec_llm.offline.earlier_commands import SessionHistory
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.reader_lexicon import parse_name
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["resolve_dependent_values"]


def resolve_dependent_values(
    steps: list[Step], past: SessionHistory, library: Library, lexicon: Lexicon, reading: Reading
) -> list[Step] | RefusalReason:
    """Return steps in which dependent values are replaced, also in their conditions.

    The earlier value may be one that the command takes back: "to the east end of the corridor,
    sorry, the west end".
    """
    values = _Values(past, library, lexicon, reading)
    found = [values.resolve(step) for step in steps]
    if values.lost is not None:
        return RefusalReason("NO_REFERENT", values.lost.text, (values.lost.name,))
    return found


class _Values:
    """Resolver of dependent values by the values that were named so far.

    Attributes:
        lost: First dependent value without an antecedent, or None.
    """

    def __init__(
        self, past: SessionHistory, library: Library, lexicon: Lexicon, reading: Reading
    ) -> None:
        self._past, self._library, self._lexicon = past, library, lexicon
        things = (one.meaning for one in reading.edge.leaves() if isinstance(one.meaning, Node))
        self._said = [parse_name(thing.text("name"))[1:3] for thing in things]
        self._used: dict[str, str] = {}
        self._named: dict[str, str] = {}
        self._others: dict[Piece, str] = {}
        self._questions: dict[int, Step] = {}  # steps of one condition share its question
        self._rescues = False
        self._among: list[Piece] = []
        self.lost: Piece | None = None

    def resolve(self, step: Step) -> Step:
        held, self._rescues = step.condition, step.rescues
        if held is not None:
            asked, needed = held
            if id(asked) not in self._questions:
                pieces = self._resolve_pieces(asked.pieces)
                changed = pieces != asked.pieces
                self._questions[id(asked)] = replace(asked, pieces=pieces) if changed else asked
            held = self._questions[id(asked)], needed
        return replace(step, condition=held, pieces=self._resolve_pieces(step.pieces))

    def _resolve_pieces(self, pieces: list[Piece]) -> list[Piece]:
        self._among = pieces
        return [*map(self._resolve_piece, pieces)]

    def _resolve_piece(self, piece: Piece) -> Piece:
        values = self._lexicon.values.get(piece.name, {}) if piece.kind == "value" else {}
        known = values.get(piece.value)
        if known is None:
            return piece
        if not (known.plain or known.each):
            meant = (
                self._other_value(piece) if known.other else self._value_after(piece, known.after)
            )
            if not meant:
                self.lost = self.lost or piece
                return piece
            piece = replace(piece, value=meant)
        self._named[piece.name] = piece.value
        if piece.mark != "not":
            self._used[piece.name] = piece.value
        return piece

    def _other_value(self, piece: Piece) -> str:
        """Return the value, of two, that was not used last; empty if it is not unique.

        All steps that share a phrase get the same value, as in "open the door and close it with the
        other arm". If the last command used both values, none is returned. An act that failed and
        named no value has used the default one.
        """
        if piece not in self._others:
            named = self._used.get(piece.name)
            named = named or (self._default_value(piece.name) if self._rescues else "")
            used = {named} if named else {*self._values_of_session(piece)}
            values = self._lexicon.values[piece.name].items()
            rest = [name for name, value in values if value.plain and name not in used]
            self._others[piece] = rest[0] if len(used) == len(rest) == 1 else ""
        return self._others[piece]

    def _default_value(self, type_name: str) -> str:
        """Return the default value of all parameters of a type; empty if they differ."""
        params = (one for tree in self._library for one in tree.params.values())
        found = {str(one.default or "") for one in params if one.type == type_name}
        return found.pop() if len(found) == 1 else ""

    def _value_after(self, piece: Piece, after: Mapping[str, str]) -> str:
        """Return the value that a piece stands for; empty if it is unknown.

        Without an antecedent, the default is returned only if the same act names no other value.
        For example, "the east end" means an end of the corridor, but not if the lounge is named.
        """
        values = self._lexicon.values[piece.name]
        last = self._last_value(piece)
        last = "" if last and values[last].after else last  # taken back before it was resolved
        others = (values[one.value] for one in self._among if one.name == piece.name)
        return after.get(last, "") if last or all(one.after for one in others) else ""

    def _last_value(self, piece: Piece) -> str:
        said = self._last_value_before(piece) if piece.name not in self._named else ""
        return self._named.get(piece.name) or said or self._last_of_session(piece)

    def _last_value_before(self, piece: Piece) -> str:
        """Return the last value that the text names before a dependent value of the same type."""
        at = (piece.name, piece.value)
        before = self._said[: self._said.index(at)] if at in self._said else []
        return next((value for kind, value in reversed(before) if kind == piece.name), "")

    def _last_of_session(self, piece: Piece) -> str:
        return next(iter(self._values_of_session(piece)), "")

    def _values_of_session(self, piece: Piece) -> list[str]:
        return self._past.last_values(piece.name, self._library, self._lexicon)
