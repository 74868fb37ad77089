"""Steps: acts and questions of a command with all their details."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from bt_exec_llm.offline.step_piece import Piece

__all__ = [
    "ANSWERED",
    "COMPARE",
    "OMITTED",
    "OTHER_PLACE",
    "QUESTION",
    "Step",
    "latest_nouns",
    "move_prohibitions_last",
    "replace_pronoun",
    "without_pronouns",
]

QUESTION = "?"
"""The predicate of a question."""
OMITTED = "omitted"
"""Name of the piece for an object that must have been named before."""
ANSWERED = "answered"
"""The predicate of the question whether a person answered yes."""
COMPARE = "compare"
"""The predicate of a comparison of observed places."""
OTHER_PLACE = "OtherPlace"
"""Name of the piece with the second place of a comparison of two."""


@dataclass
class Step:
    """Act or question of a command.

    Attributes:
        verbs: Verbs that the word for the act may mean.
        pieces: Objects and other phrases.
        via: For a question: ``look`` if it only needs an observation, ``tell`` if the answer is
            reported at the end, ``ask`` if it was asked directly.
        positive: False if the act is forbidden.
        condition: Question on which the step depends, and the required answer.
        times: Number of repetitions.
        tries: Maximum number of attempts.
        awaited: For waiting: the question that is asked repeatedly, and the awaited answer.
        turns: Number of repetitions of the sequence of this step and its neighbours.
        keeps: Whether a state is to be kept.
        pronoun: Whether it contains a pronoun.
        reported: Whether its results are reported ("a patrol of the corridor", a verbal noun).
        said: Whether it is a remark without effect (it is cold).
        case: Index of its condition among alternatives, 0 for the first. Successive steps that
            rescue and have the same index belong together.
        contrast: Whether a topic particle contrasts it with the other acts ("자재는 꺼내지 마").
        probe: Whether it is bound only to find out what it would do.
        rescues: Whether it runs only if the step before it fails.
        joined: How it is joined to the previous clause: ``stop`` after a pause, or ``then``.
        start: Start of its text in the normalised command.
        end: End of its text in the normalised command.
        text: Text of the step.
    """

    verbs: tuple[str, ...]
    pieces: list[Piece] = field(default_factory=list)
    via: str = ""
    positive: bool = True
    condition: tuple[Step, bool] | None = None
    times: int = 1
    tries: int = 1
    awaited: tuple[Step, bool] | None = None
    turns: int = 1
    keeps: bool = False
    pronoun: bool = False
    reported: bool = False
    said: bool = False
    case: int = 0
    contrast: bool = False
    probe: bool = False
    rescues: bool = False
    joined: str = ""
    start: int = 0
    end: int = 0
    text: str = ""

    def excludes(self, other: Step) -> bool:
        """Return True if another step requires the opposite answer to the same question."""
        if self.condition is None or other.condition is None:
            return False
        (asked, needed), (again, wanted) = self.condition, other.condition
        one, two = asked.named_values, again.named_values
        alike = asked == again or (bool(one & two) and (one <= two or two <= one))
        return alike and asked.verbs == again.verbs and needed != wanted

    @property
    def acts(self) -> tuple[str, ...]:
        """Verbs of the step; none for a question."""
        return tuple(verb for verb in self.verbs if verb != QUESTION)

    @property
    def named_values(self) -> frozenset[tuple[str, str]]:
        """Values that the step names, as (type, value)."""
        return frozenset((one.name, one.value) for one in self.pieces if one.kind == "value")

    def without_verbs(self, verbs: Iterable[str]) -> Step:
        """Return the step without the possible verbs in `verbs`."""
        kept = tuple(verb for verb in self.verbs if verb not in verbs)
        return self if kept == self.verbs else replace(self, verbs=kept)


def move_prohibitions_last(steps: list[Step]) -> list[Step]:
    """Return steps with the prohibitions at the end ("do not close it, but fetch …")."""
    found = list(steps)
    for at in range(len(found) - 1):
        if not found[at].positive and found[at + 1].positive:
            found[at : at + 2] = found[at + 1], found[at]
    return found


def latest_nouns(steps: list[Step]) -> list[Piece]:
    """Return the pieces of steps that are nouns, latest first, and then the nouns of their places.

    In "get the material from behind the door", the place of the material is relative to the door.
    """
    nouns = [p for one in reversed(steps) for p in reversed(one.pieces) if p.kind == "noun"]
    places = [replace(p, name=p.relation.partition(" ")[2], relation="") for p in nouns]
    return [*nouns, *(one for one in places if one.name)]


def without_pronouns(step: Step) -> list[Piece]:
    """Return the pieces of a step that are not pronouns."""
    return [piece for piece in step.pieces if piece.kind != "pronoun"]


def replace_pronoun(step: Step, nouns: Iterable[Piece]) -> Iterator[Step]:
    """Yield a step once for each noun that replaces its pronoun; nothing if it has an object."""
    if not step.pronoun or any(p.kind in ("noun", "text") for p in step.pieces):
        return
    for name in dict.fromkeys(p.name for p in nouns if p.name):
        pieces = [
            replace(piece, kind="noun", name=name)
            if piece.kind == "pronoun" and piece.name != "person"
            else piece
            for piece in step.pieces
        ]
        if pieces != step.pieces:
            yield replace(step, pieces=pieces, pronoun=False)
