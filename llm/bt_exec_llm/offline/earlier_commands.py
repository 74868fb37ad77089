"""References to earlier commands: "again", "it", "the other arm", "this time with the left".

Earlier commands are read again in order, each in the context of those before it. A command whose
reference has no antecedent is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass, replace

from bt_exec.language.meaning import Meaning, Turn
from bt_exec.spec.library import Library
from bt_exec_llm.offline.command_part import Part
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step import Step, latest_nouns, replace_pronoun
from bt_exec_llm.offline.step_piece import Piece

__all__ = [
    "EarlierCommand",
    "SessionHistory",
    "Understood",
    "complete_with_number",
    "leave_out_values",
    "resolve_pronoun",
    "vary_last_command",
]

_DONE = ("satisfied",)


@dataclass(frozen=True)
class Understood:
    """Result of understanding a command.

    Attributes:
        parts: Trees with arguments that carry out the command.
        meaning: Meaning, independent of the trees of the library.
        steps: Bound steps, with omitted objects filled in.
    """

    parts: list[Part]
    meaning: Meaning
    steps: list[Step]


@dataclass(frozen=True)
class EarlierCommand:
    """Earlier command of a session.

    Attributes:
        turn: The command and its outcome.
        understood: Result of understanding it; None if it was not understood.
        steps: Steps of the command, even if it was incomplete.
    """

    turn: Turn
    understood: Understood | None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class SessionHistory:
    """Earlier commands of a session, oldest first."""

    said: tuple[EarlierCommand, ...] = ()

    @property
    def last_command(self) -> Understood | None:
        """Last command that was understood."""
        return next((one.understood for one in reversed(self.said) if one.understood), None)

    def find_unfinished(self) -> Understood | RefusalReason:
        """Return the last understood command if its mission did not finish, or a refusal reason.

        Answered questions are skipped, because they leave nothing unfinished.
        """
        answered = ""
        for one in reversed(self.said):
            if one.understood is None:
                continue
            if one.turn.status not in _DONE:
                return one.understood
            if one.turn.acted:
                return RefusalReason("NOTHING_LEFT", one.turn.command)
            answered = answered or one.turn.command
        return (
            RefusalReason("NOTHING_LEFT", answered) if answered else RefusalReason("NOTHING_SAID")
        )

    def previous_steps(self, steps: Iterable[Step]) -> list[Step]:
        """Return the earlier steps whose objects `steps` may refer to, oldest first.

        A pronoun may refer to any earlier command, an omitted object only to the last one. The
        objects of prohibitions are referred to by neither: "not to the lounge, to the corridor".
        """
        last = self.said[-1].understood if self.said else None
        named = [last] if last is not None else []
        if any(step.pronoun for step in steps):
            named = [one.understood for one in self.said if one.understood is not None]
        return [step for one in named for step in one.steps if step.positive]

    def last_values(self, kind: str, library: Library, lexicon: Lexicon) -> list[str]:
        """Return the values of a type in the last command that used any, the latest first.

        These are the values that the command named or that its trees used by default.
        """
        values = lexicon.values.get(kind, {})
        for one in reversed(self.said):
            used = (
                part.args.get(name, param.default)
                for part in reversed(one.understood.parts if one.understood else [])
                for name, param in library.get(part.tree).params.items()
                if param.type == kind
            )
            if found := [str(value) for value in used if value in values]:
                return found
        return []


def resolve_pronoun(
    steps: list[Step], before: list[Step], items: Container[str] = ()
) -> Iterable[list[Step]]:
    """Yield a single step once for each earlier object that may replace its pronoun, latest first.

    The library decides which object fits: "put it down" refers to an object that was fetched, not
    to the door. Several steps yield nothing.

    Args:
        steps: Steps of the new command.
        before: Earlier steps, oldest first.
        items: Types of the texts that name objects, such as an item to carry.
    """
    if len(steps) == 1:
        named_by_text = (p for one in reversed(before) for p in one.pieces if p.name in items)
        thing = next(named_by_text, None)
        meant = (p for p in steps[0].pieces if p.kind == "pronoun" and p.mark != "to")
        if thing is not None and any(not p.name for p in meant):
            rest = [p for p in steps[0].pieces if p.kind != "pronoun"]
            yield [replace(steps[0], pieces=[thing, *rest], pronoun=False)]
        named = (p for p in latest_nouns(before) if not p.relation)
        yield from ([step] for step in replace_pronoun(steps[0], named))


def complete_with_number(pieces: list[Piece], past: SessionHistory) -> list[list[Step]]:
    """Return the completions of a command that lacked a number, if `pieces` is only a number.

    A bare number may be a count or a number of repetitions.
    """
    last = past.said[-1] if past.said else None
    if [p.kind for p in pieces] != ["limit"] or pieces[0].mark == "not":
        return []
    if last is None or last.understood is not None or len(last.steps) != 1:
        return []
    number = pieces[0]
    lent = [replace(p, start=0, end=0) for p in last.steps[0].pieces if p.kind != "limit"]
    kinds = ("COUNT", "TIMES") if number.name == "COUNT" else (number.name,)
    found = []
    for kind in kinds:
        times = int(number.value) if kind == "TIMES" else 1
        own = lent if kind == "TIMES" else [*lent, replace(number, name=kind)]
        found.append([replace(last.steps[0], pieces=own, times=times)])
    return found


def leave_out_values(steps: list[Step], excluded: list[Piece], lexicon: Lexicon) -> list[Step]:
    """Return steps without excluded values, or no steps if one of these values does not occur.

    A step that has no other value of the type is removed.
    """
    out = {(piece.name, piece.value) for piece in excluded if piece.kind == "value"}
    if not out or len(out) != len(excluded):
        return []
    used: set[tuple[str, str]] = set()
    found: list[Step] = []
    for step in steps:
        pieces: list[Piece] = []
        for piece in step.pieces:
            within = {(piece.name, one) for one in lexicon.values_within(piece.name, piece.value)}
            used |= out & {(piece.name, piece.value), *within}
            if (piece.name, piece.value) not in out:
                pieces.append(piece)
            pieces += [p.with_mark("not") for p in excluded if (p.name, p.value) in within]
        kinds = {piece.name for piece in step.pieces} - {piece.name for piece in pieces}
        if not kinds & {name for name, _ in out}:
            found.append(replace(step, pieces=pieces, start=0, end=0))
    return found if used == out else []


def vary_last_command(
    pieces: list[Piece],
    past: SessionHistory,
    library: Library,
    lexicon: Lexicon,
    replaced: Collection[Piece] = (),
) -> list[Step]:
    """Return the steps of the last command with values replaced by those of a new command.

    The result is empty if a new value does not fit, if `pieces` contains more than values, or if it
    is unclear which of several values a new one replaces.

    Args:
        pieces: Phrases of the new command.
        past: Session before the new command.
        library: Trees of the earlier commands.
        lexicon: Values and their types.
        replaced: Phrases that the new command names as replaced ("B instead of A").
    """
    wanted = [p for p in pieces if p.mark != "not" and p.kind != "pronoun"]
    last = past.said[-1] if past.said else None
    if last is None or not wanted or any(p.kind != "value" for p in (*wanted, *pieces)):
        return []
    types = {piece.name for piece in wanted}
    taken = set()
    understood = last.understood
    for part in understood.parts if understood else []:
        taken |= {param.type for param in library.get(part.tree).params.values()}
    steps = list(last.steps)
    named = {p.name for step in steps for p in step.pieces if p.kind == "value"}
    if not types <= named | taken and understood is not None:
        return []
    if replaced:
        return _with_replaced_values(steps, {(p.name, p.value) for p in replaced}, wanted)
    fixed = {p.name for p in wanted if not _depends_on_earlier(p, lexicon)}
    if _has_several_values(steps, fixed):
        return []
    found: list[Step] = []
    for step in steps:
        own = [p for p in wanted if p.name in {piece.name for piece in step.pieces}]
        new = own or [p for p in wanted if p.name not in named]
        kept = [p for p in step.pieces if p.name not in {piece.name for piece in new}]
        lent = [replace(p, start=0, end=0) for p in kept if p.kind != "pronoun"]
        found.append(replace(step, pieces=[*lent, *new], pronoun=False, start=0, end=0))
    return found


def _depends_on_earlier(piece: Piece, lexicon: Lexicon) -> bool:
    """Return True for a value such as "the other arm"."""
    value = lexicon.values.get(piece.name, {}).get(piece.value)
    return value is not None and bool(value.other or value.after)


def _has_several_values(steps: list[Step], types: set[str]) -> bool:
    """Return True if steps, or a step and its condition, name different values of one type."""
    named = [own for step in steps for own in (step.named_values, *_values_of_conditions(step))]
    of_types = [{(kind, value) for kind, value in own if kind in types} for own in named]
    return len({frozenset(own) for own in of_types if own}) > 1


def _values_of_conditions(step: Step) -> list[frozenset[tuple[str, str]]]:
    return [pair[0].named_values for pair in (step.condition, step.awaited) if pair is not None]


def _with_replaced_values(
    steps: list[Step], replaced: set[tuple[str, str]], wanted: list[Piece]
) -> list[Step]:
    """Return steps in which new values replace only those in `replaced`.

    The result is empty if a replaced value occurs nowhere, or in a condition.
    """
    named = {value for step in steps for value in step.named_values}
    asked = {value for step in steps for own in _values_of_conditions(step) for value in own}
    types = {kind for kind, _ in replaced}
    if not replaced <= named or replaced & asked or any(one.name not in types for one in wanted):
        return []
    found: list[Step] = []
    for step in steps:
        own = {piece.name for piece in step.pieces if (piece.name, piece.value) in replaced}
        kept = [p for p in step.pieces if (p.name, p.value) not in replaced and p.kind != "pronoun"]
        lent = [replace(p, start=0, end=0) for p in kept]
        new = [piece for piece in wanted if piece.name in own]
        found.append(replace(step, pieces=[*lent, *new], pronoun=False, start=0, end=0))
    return found
