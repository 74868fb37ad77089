"""Meaning of commands: acts with roles, order, conditions, polarity and mood; session context.

A command is parsed once. Passes, checkers and compilers use its meaning, never its words. **Every
word is accounted for**: as a role of an act, its predicate, or a filler, or it is reported as not
understood. This module is independent of languages and domains.

The context is data, stored by the session (`bt_exec.mission.session`) and passed to compilers with
each request. A compiler parses the earlier commands like the new one, so that references are
resolved from the words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Literal, TypeAlias

from bt_exec.failure import Failure

__all__ = [
    "MOST_TURNS",
    "Act",
    "Condition",
    "Context",
    "Meaning",
    "Mood",
    "Role",
    "RoleName",
    "Turn",
    "Unclear",
    "WordUse",
]


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
"""Mood of an act: perform it, answer it as a question, or find out the answer and report it."""


@dataclass(frozen=True)
class WordUse:
    """Interpretation of one word of the command.

    Attributes:
        text: The word as typed.
        start: Index of its first character in the cleaned command.
        end: Index after its last character.
        use: ``verb``, ``role``, ``operator``, ``filler``, ``said`` (a remark without effect),
            ``grammar``, ``condition`` or ``unknown``.
        detail: The predicate, the role or the kind of operator; may be empty.
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
        role: Name of the semantic role.
        kind: ``noun`` (of the lexicon), ``value`` (of a named type), ``text`` or ``speaker``.
        type: The named type of a value or a text; the noun's own name for nouns.
        value: The value, the text, or the noun's name.
        text: Words of the command that name it.
        relation: Place relative to another noun: ``inside door``; usually empty.
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
        holds: The required answer.
    """

    act: Act
    holds: bool = True


@dataclass(frozen=True)
class Act:
    """One requested action or question.

    Attributes:
        predicate: A verb of the lexicon; ``?`` for a question.
        roles: Participants, in the order of the words.
        mood: Do, ask or tell.
        positive: False for a prohibition.
        condition: Condition under which it is requested; None if it is unconditional.
        times: Number of times to perform it.
        text: Words of the command that request it.
        agent: Name on the site of the addressed robot; empty if none is named.
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
        acts: The requested acts, in the order of execution.
        words: Interpretation of every word, in the order of the text.
        said_back: Paraphrase of the command as understood; empty if the reader cannot generate it.
    """

    language: str
    acts: tuple[Act, ...]
    words: tuple[WordUse, ...] = ()
    said_back: str = ""

    def for_agent(self, robot: str) -> Meaning:
        """Return the meaning with the acts for one robot, including those for no named robot."""
        return replace(self, acts=tuple(act for act in self.acts if act.agent in ("", robot)))


@dataclass(frozen=True)
class Unclear:
    """Reason why a command could not be understood.

    Attributes:
        code: A stable name; the compiler has a sentence for it.
        words: The words that could not be understood.
        missing: Missing information: names of types or roles.
        uses: Interpretation of the words that were understood.
    """

    code: str
    words: str = ""
    missing: tuple[str, ...] = ()
    uses: tuple[WordUse, ...] = ()


MOST_TURNS = 8
"""Number of last commands to which pronouns and fragments can always refer.

Commands are dropped in batches, so up to twice as many are kept.
"""


@dataclass(frozen=True)
class Turn:
    """A command and its result.

    Attributes:
        command: The command as typed.
        status: Status of its mission, see `bt_exec.mission_outcome`; empty if it was only compiled.
        code: ``OK``, or the reason code.
        message: The final message.
        did_you_mean: Commands suggested by a refusal.
        acted: Whether a skill that changes something was started, or was planned by a mission that
            did not end well; False for questions.
        at: Start of its mission, in local time; None if it is not known.
        seconds: Duration on the mission clock [s].
        failure: The cause of its end, or the first failure that it recovered from.
        language: Language of the message; empty if it is the language of the command.
        state: Facts that concern its mission, with their last known values at its end.
        ages: Ages of the facts in `state` that were not current at its end [s].
    """

    command: str
    status: str = ""
    code: str = ""
    message: str = ""
    did_you_mean: tuple[str, ...] = ()
    acted: bool = True
    at: datetime | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)
    failure: Failure | None = field(default=None, compare=False)
    language: str = field(default="", compare=False)
    state: Mapping[str, str] = field(default_factory=dict, compare=False)
    ages: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def has_result(self) -> bool:
        """Whether the command was carried out, was unnecessary, or failed; False for answers."""
        return self.acted or (self.status not in ("", "refused") and self.code != "OK")

    @property
    def ran(self) -> bool:
        """Whether the mission of the command carried out an action or an observation."""
        return self.acted or self.status not in ("", "refused")


@dataclass(frozen=True)
class Context:
    """History of a session.

    Attributes:
        turns: Last commands, oldest first; pronouns and fragments may refer to them.
        earlier: Missions before this session; only questions may be about them.
        recall: Reads the missions before this session from the record; None without a record.
        dropped: Missions of this session that are older than `turns`, oldest first.
    """

    turns: tuple[Turn, ...] = ()
    earlier: tuple[Turn, ...] = ()
    recall: Callable[[], tuple[Turn, ...]] | None = field(default=None, compare=False, repr=False)
    dropped: tuple[Turn, ...] = ()

    @classmethod
    def of(cls, commands: Iterable[str]) -> Context:
        """Return the context of a session in which `commands` were carried out."""
        return cls(tuple(Turn(command) for command in commands))

    def with_turn(self, turn: Turn) -> Context:
        """Return the context after one more command."""
        turns, dropped = (*self.turns, turn), self.dropped
        # dropping commands restarts the incremental parse of the context, so it is done in batches
        if len(turns) >= 2 * MOST_TURNS:
            old, turns = turns[:-MOST_TURNS], turns[-MOST_TURNS:]
            dropped = (*dropped, *(one for one in old if one.ran))
        return replace(self, turns=turns, dropped=dropped)

    def earlier_missions(self) -> tuple[Turn, ...]:
        """Return the missions before this session, oldest first; reads the record if necessary."""
        return self.recall() if self.recall is not None else self.earlier

    def acting_missions(self, today: date) -> tuple[Turn, ...]:
        """Return the missions that started an action, oldest first.

        They are the missions of this session and the missions before it on the day `today`. If
        there are none, the last mission before this session is returned.
        """
        return (*self._acting_before_session(today), *self._acting_turns_of_session())

    def missions_carried_out(self, today: date) -> tuple[Turn, ...]:
        """Return the `acting_missions` and the observations of this session, oldest first."""
        own = [turn for turn in (*self.dropped, *self.turns) if turn.ran]
        return (*self._acting_before_session(today), *own)

    def _acting_before_session(self, today: date) -> tuple[Turn, ...]:
        """Return the `acting_missions` that do not belong to this session."""
        own = self._acting_turns_of_session()
        known = {(turn.at, turn.command) for turn in own if turn.at is not None}
        earlier = [
            turn
            for turn in self.earlier_missions()
            if turn.acted and (turn.at, turn.command) not in known
        ]
        found = [turn for turn in earlier if turn.at is None or turn.at.date() == today]
        return tuple(found if found or own else earlier[-1:])

    def failed_missions(self, today: date) -> tuple[Turn, ...]:
        """Return the `acting_missions` that did not end well, and questions that failed."""
        earlier = self._acting_before_session(today)
        tried = [turn for turn in (*self.dropped, *self.turns) if turn.has_result]
        return tuple(turn for turn in (*earlier, *tried) if turn.status not in ("", "satisfied"))

    def _acting_turns_of_session(self) -> list[Turn]:
        return [turn for turn in (*self.dropped, *self.turns) if turn.acted]

    def unfinished_mission(self, today: date) -> Turn | None:
        """Return the newest unfinished mission whose command no later mission completed."""
        return next(iter(self.unfinished_missions(today)), None)

    def unfinished_missions(self, today: date) -> list[Turn]:
        """Return the last unfinished mission of each command, the newest first.

        A mission is not included if a later mission completed its command.
        """
        earlier = self._acting_before_session(today)
        # a mission that found its work done, such as a resumed one, has also completed its command
        own = [
            turn
            for turn in (*self.dropped, *self.turns)
            if turn.acted or turn.status == "satisfied"
        ]
        last: dict[str, Turn] = {}
        for turn in reversed((*earlier, *own)):
            if turn.status:
                last.setdefault(turn.command, turn)
        return [turn for turn in last.values() if turn.status != "satisfied"]

    def is_of_this_session(self, turn: Turn) -> bool:
        """Return True if a mission belongs to this session, not to an earlier one."""
        return turn in (*self.dropped, *self.turns)

    def last_tried(self) -> Turn | None:
        """Return the last command of this session that was refused or has a result, or None."""
        tried = (t for t in reversed(self.turns) if t.has_result or t.status == "refused")
        return next(tried, None)

    def last_mission(self) -> Turn | None:
        """Return the last mission with an action; if there is none, the last mission."""
        acted = self._acting_turns_of_session()
        before = () if acted else self.earlier_missions()
        missions = acted or [turn for turn in before if turn.acted] or before or self.turns
        return missions[-1] if missions else None
