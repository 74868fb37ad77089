"""Meaning of a command: acts with typed roles, order, condition, polarity and mood.

A command is read once. Passes, checkers and compilers work on its meaning, never on its words.
**Every word belongs to something**: a role of an act, its predicate, a filler, or it is named as
not understood. Nothing here knows a language or a domain; readers do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

__all__ = ["Act", "Condition", "Meaning", "Mood", "Role", "RoleName", "Unclear", "WordUse"]

RoleName: TypeAlias = Literal[
    "theme",
    "place",
    "source",
    "destination",
    "recipient",
    "instrument",
    "topic",
    "manner",
    "quantity",
    "time",
    "state",
]
Mood: TypeAlias = Literal["do", "ask", "tell"]
"""Do it; find the answer out; find it out and tell it."""


@dataclass(frozen=True)
class WordUse:
    """Interpretation of one word of the command.

    Attributes:
        text: As it was typed.
        start: Where it begins in the cleaned command [characters].
        end: Where it ends.
        use: ``verb``, ``role``, ``operator``, ``filler``, ``said`` (a remark that changes nothing),
            ``grammar``, ``condition`` or ``unknown``.
        detail: The predicate, the role, the kind of operator, or nothing.
    """

    text: str
    start: int
    end: int
    use: str
    detail: str = ""


@dataclass(frozen=True)
class Role:
    """Participant of an act.

    Attributes:
        role: How it takes part.
        kind: ``noun`` (of the lexicon), ``value`` (of a named type), ``text`` or ``speaker``.
        type: The named type of a value or a text; the noun's own name for nouns.
        value: The value, the text, or the noun's name.
        text: The words that say so.
        relation: Where it is, relative to another noun: ``inside door``; empty for most.
    """

    role: RoleName
    kind: Literal["noun", "value", "text", "speaker", "pronoun"]
    type: str
    value: str
    text: str = ""
    relation: str = ""


@dataclass(frozen=True)
class Condition:
    """Condition of an act.

    Attributes:
        act: The question whose answer decides; its mood is ``ask``.
        holds: The answer that is needed.
    """

    act: Act
    holds: bool = True


@dataclass(frozen=True)
class Act:
    """One thing that is asked for.

    Attributes:
        predicate: A verb of the lexicon; ``?`` for a question.
        roles: What it is about, in the order of the words.
        mood: Do, ask or tell.
        positive: False where it is forbidden.
        condition: What it depends on.
        times: How often.
        text: The words that say so.
        agent: The robot that is addressed, by its name on the site; empty if none is named.
    """

    predicate: str
    roles: tuple[Role, ...] = ()
    mood: Mood = "do"
    positive: bool = True
    condition: Condition | None = None
    times: int = 1
    text: str = ""
    agent: str = ""

    def values(self, type_name: str) -> tuple[str, ...]:
        """Return the values of a named type, in order."""
        return tuple(role.value for role in self.roles if role.type == type_name)


@dataclass(frozen=True)
class Meaning:
    """Meaning of a command.

    Attributes:
        language: ``en`` or ``ko``.
        acts: What is asked for, in the order in which it is to be done.
        words: What every word was taken as, in the order of the text.
        said_back: The command in full, as it was understood; empty if the reader cannot say it.
    """

    language: str
    acts: tuple[Act, ...]
    words: tuple[WordUse, ...] = ()
    said_back: str = ""

    def for_agent(self, robot: str) -> Meaning:
        """Return the part that a robot is asked to do."""
        return replace(self, acts=tuple(act for act in self.acts if act.agent in ("", robot)))

    def said(self, *predicates: str) -> bool:
        """Return whether one of `predicates` is asked for."""
        return any(act.predicate in predicates and act.positive for act in self.acts)


@dataclass(frozen=True)
class Unclear:
    """Reason why a command has no meaning here.

    Attributes:
        code: A stable name; the compiler has a sentence for it.
        words: The words that it is about.
        missing: What would be needed: names of types or of roles.
        uses: What was understood all the same.
    """

    code: str
    words: str = ""
    missing: tuple[str, ...] = ()
    uses: tuple[WordUse, ...] = ()
