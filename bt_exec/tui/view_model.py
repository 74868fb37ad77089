"""State of a mission for terminal views, updated by events.

The model is an event listener. It is updated on the thread of the tick loop and drawn on another
thread by `bt_exec.tui.view_drawing`, synchronized by `ViewModel.lock`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_exec import events as ev
from bt_exec.failure import Failure, Problem
from bt_exec.language.korean_errors import korean_mistake
from bt_exec.language.messages import Messages, language_of
from bt_exec.language.sanitize import one_line
from bt_exec.mission_outcome import Outcome
from bt_exec.robot import Observation
from bt_exec.skill import Verdict
from bt_exec.spec.condition_expression import All, Any_, Is, Not
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    walk,
)
from bt_exec.tui.node_text import (
    duration_text,
    fill_saved_results,
    is_labelled_by_first_branch,
    is_labelled_by_first_child,
    label_node,
    pass_notes_text,
    result_names,
)
from bt_exec.tui.plan_changes import changes_text
from bt_exec.tui.plan_rows import Forest, RowState, ViewNode
from bt_exec.tui.terminal_text import safe_line

__all__ = ["Change", "ObservationLine", "Past", "ViewModel"]

_COMMAND = 2000  # maximum length of a displayed command [characters]
_CHANGES = 1000  # maximum number of stored state changes


@dataclass(frozen=True)
class Past:
    """Failed rows of an earlier plan, and the changes that the next plan makes."""

    failed: tuple[ViewNode, ...]
    change: str


@dataclass(frozen=True)
class ObservationLine:
    """The newest observation of a pack, with its time [s, mission clock] and description."""

    t: float
    text: str
    observation: Observation


@dataclass(frozen=True, slots=True)
class Change:
    """A state change of a node.

    Attributes:
        t: Time of the change [s, mission clock].
        node: Row of the node; its state may have changed again since.
        state: The new state of the row.
        why: Reason for a failure, an unmet condition, a skip or another attempt, in the
            command's language.
        seconds: How long the node had been running [s]; None if it was not.
    """

    t: float
    node: ViewNode
    state: RowState
    why: str = ""
    seconds: float | None = None


_OF_NODES = (ev.NodeChanged, ev.SkillStarting, ev.SkillEnded, ev.Progress, ev.Asked)


@dataclass
class ViewModel:
    """Current state of a mission, for display.

    Attributes:
        command: The command as typed.
        site: Name of the site.
        mission_id: Identifier of the mission.
        language: Language of the command.
        t: Time of the last event [s, mission clock].
        tick: Number of the last tick.
        spec: The current plan; None before the first plan.
        forest: Rows of the current plan.
        past: Failures of earlier plans.
        buffers: The newest observation of each pack.
        blinded: Reason why the last observation failed, by pack.
        planning: Name of the running compiler, and time of its start [s, mission clock].
        stopping: Text on how and why the mission is being stopped; empty if it is not.
        outcome: The outcome; None until the mission has ended.
        results: Saved results of skills, by name.
        ascii: Whether to use only ASCII signs; fixed words are then English.
        messages: Messages of the site's packs.
        began: Time when the command arrived [s, mission clock].
        version: Counter that is incremented with every event.
        hint: Text of the line below the tree; if empty, the line explains how to stop the mission.
        verbose: Whether to show names and arguments as written, for authors.
        changes: The newest state changes of nodes, of all plans.
    """

    command: str = ""
    site: str = ""
    mission_id: str = ""
    language: str = "en"
    t: float = 0.0
    tick: int = 0
    spec: MissionSpec | None = None
    forest: Forest = field(default_factory=Forest)
    past: list[Past] = field(default_factory=list)
    buffers: dict[str, ObservationLine] = field(default_factory=dict)
    blinded: dict[str, str] = field(default_factory=dict)
    planning: tuple[str, float] | None = None
    failure: Failure | None = None
    stopping: str = ""
    outcome: Outcome | None = None
    version: int = 0
    results: dict[str, Any] = field(default_factory=dict)
    messages: Messages = field(default_factory=Messages, repr=False)
    ascii: bool = False
    hint: str = ""
    verbose: bool = False
    changes: deque[Change] = field(default_factory=lambda: deque(maxlen=_CHANGES))
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    wall: Callable[[], float] = field(default=time.monotonic, repr=False)
    _heard: float = 0.0
    began: float = 0.0
    _saved: frozenset[str] = frozenset()  # names of results in the plan
    _arguments: frozenset[str] = frozenset()  # texts of argument values in the plan

    def on(self, event: ev.Event) -> None:
        """Update the model for an event."""
        with self.lock:
            self.t, self.tick = max(self.t, event.t), max(self.tick, event.tick)
            self._heard = self.wall()
            self.version += 1
            self._update(event)

    def now(self) -> float:
        """Return the mission time [s], which advances between events."""
        if self.outcome is not None or not self._heard:
            return self.t
        return self.t + self.wall() - self._heard

    def translated_text(self, text: str) -> str:
        """Return a short text in the command's language, or in English for ASCII-only terminals.

        In English, verbose views show codes instead of texts.
        """
        language = "en" if self.ascii else self.language
        if language == "en" and self.verbose:
            return safe_line(text)
        if language != "en" and text in self.messages:
            return safe_line(self.messages.say(text, language).rstrip("."))
        return safe_line(self.messages.translate_word(text, language))

    def translated_cause(self, text: str) -> str:
        """Return a reason for a failure in the command's language, if there is a translation."""
        if text in self.messages and not self.ascii:
            return safe_line(self.messages.say(text, self.language).rstrip("."))
        return self.fixed_word(text) if self.language == "en" else self.translated_text(text)

    @property
    def perception_errors(self) -> str:
        """Reasons why the last observations failed, as one text; empty if none failed."""
        return "; ".join(self.blinded.values())

    def newest_observations_text(self) -> str:
        """Return a text with the newest observation of each pack, or why observations failed."""
        new, texts = (
            self.translated_text("nothing new"),
            {name: b.text for name, b in self.buffers.items()},
        )
        texts.update({name: f"{new}: {why}" for name, why in self.blinded.items()})
        return "; ".join(texts.values())

    def newest_observation_age(self, now: float) -> float:
        """Return the age of the newest observation at a time on the mission clock [s]."""
        newest = max((buffer.t for buffer in self.buffers.values()), default=now)
        return max(now - newest, 0.0)

    def fixed_word(self, text: str) -> str:
        """Return a fixed word of the user interface in the command's language."""
        return safe_line(self.messages.fixed_word(text, "en" if self.ascii else self.language))

    def duration_text(self, value: float) -> str:
        """Return a duration [s] as a text in the command's language."""
        return self.fixed_word(duration_text(value))

    def with_saved_results(self, text: str) -> str:
        """Return the text of a row with names of saved results replaced by their values."""
        return fill_saved_results(text, self._saved, self.results)

    def label(self, node: ViewNode, *, verbose: bool = False) -> str:
        """Return the label of a row in the command's language, or as written if `verbose`."""
        if verbose or self.verbose:
            return self.with_saved_results(node.label)
        if node.named is None and is_labelled_by_first_child(node.spec) and node.children:
            return self.label(node.children[0])
        if node.named is None and isinstance(node.spec, Sequence) and node.spec.name is None:
            return self.translated_text(f"{node.steps} steps" if node.steps != 1 else "1 step")
        asks = node.spec if isinstance(node.spec, Check) and not node.spec.name else None
        if asks is not None and not asks.callee_name:
            text = self.condition_phrase(asks.check)
        else:
            text = self.phrase(node.named or node.spec) or self.with_saved_results(
                self.translated_text(node.label)
            )
        return f"{text}?" if asks is not None and asks.tell and text[-1:] != "?" else text

    def detail_beside_label(self, node: ViewNode, *, verbose: bool = False) -> str:
        """Return the text next to a row's label, in the command's language."""
        text = self.with_saved_results(node.about)
        if verbose or self.verbose:
            return text
        if is_labelled_by_first_branch(node.spec) and len(node.children) > 1:
            others = (self.label(child) for child in node.children[1:])
            first = self.detail_beside_label(node.children[0])
            return " ".join(
                filter(None, (first, *(f"{self.translated_text('or')} {one}" for one in others)))
            )
        if node.named is None and is_labelled_by_first_child(node.spec) and len(node.children) > 1:
            return " ".join((self.translated_text("then"), self.label(node.children[-1])))
        if isinstance(node.spec, Fallback | Parallel):
            return self.translated_text(text).replace(" or ", f" {self.translated_text('or')} ")
        return "" if self.phrase(node.named or node.spec) else text or _done_subgoals_text(node)

    def phrase(self, spec: NodeBase) -> str:
        """Return the phrase for a node with its arguments, such as "go to the lounge".

        The result is empty if there is no phrase, or if the author of the plan gave the node a
        name, which takes precedence.
        """
        if spec.name is not None or not self.messages.has_phrase(spec.phrase_key):
            return ""
        language = "en" if self.ascii else self.language
        args = {name: self._value(value) for name, value in spec.call_arguments.items()}
        return safe_line(self.messages.phrase(spec.phrase_key, language, args))

    def condition_phrase(self, expression: Any) -> str:
        """Return the phrase for a condition, such as "the door is open"."""
        match expression:
            case All(of=parts) | Any_(of=parts) if not self.verbose:
                word = self.translated_text("and" if isinstance(expression, All) else "or")
                return f" {word} ".join(map(self.condition_phrase, parts))
            case Not(of=part) if not self.verbose:
                return f"{self.translated_text('not')} ({self.condition_phrase(part)})"
        known = isinstance(expression, Is) and self.messages.has_phrase(expression.name)
        if self.verbose or not known:
            return self.with_saved_results(str(expression))
        language = "en" if self.ascii else self.language
        return safe_line(self.messages.phrase(expression.name, language, expression.args))

    def answer(self, path: str, verdict: Verdict) -> str:
        """Return the answer of a check: the pack's phrase, or yes or no with the reason."""
        node = self.forest.by_path.get(path)
        asks = node.spec.check if node is not None and isinstance(node.spec, Check) else None
        if isinstance(asks, Is):
            language = "en" if self.ascii else self.language
            own = self.messages.answer(asks.name, language, verdict.why, asks.args)
            if own:
                return safe_line(own)
        word = self.translated_text("yes" if verdict.holds else "no")
        return f"{word}: {self.translated_text(verdict.why)}"

    def _value(self, value: Any) -> Any:
        return self.with_saved_results(value) if isinstance(value, str) else value

    def failure_code(self, failure: Failure) -> str:
        """Return the code of a failure; empty if a sentence is shown instead."""
        return "" if not self.verbose and failure.code in self.messages else failure.code

    def problem_text(self, problem: Problem) -> str:
        """Return a problem of a plan as a sentence, with all details in verbose views."""
        if self.verbose:
            return safe_line(problem)
        english = self.language == "en" or self.ascii
        return safe_line(problem.message if english else korean_mistake(problem))

    def failure_reason(self, failure: Failure) -> str:
        """Return why a node failed: the sentence of its failure code, or the failure's message."""
        if not self.verbose and failure.code in self.messages:
            language = "en" if self.ascii else self.language
            return safe_line(self.messages.explain_failure(failure, language).rstrip("."))
        message = self.translated_text(failure.message)
        listed = self.language == "en" or message != safe_line(failure.message)
        if listed or failure.code not in self.messages:
            return message
        return safe_line(self.messages.explain_failure(failure, self.language).rstrip("."))

    def pass_notes(self) -> tuple[str, ...]:
        """Return a line for each change that passes made to the plan.

        Unless the view is verbose, names are shown as phrases, and changes that only repeat
        arguments of a row are left out.
        """
        if self.spec is None:
            return ()
        notes = self.spec.mission.notes
        if self.verbose:
            return pass_notes_text(notes)
        root = self.spec.root

        def name_of(name: str) -> str:
            phrases = (self.phrase(node) for node in walk(root) if label_node(node) == name)
            return ", ".join(filter(None, dict.fromkeys(phrases))) or self.translated_text(name)

        return pass_notes_text(notes, name_of, leave_out=self._arguments)

    def plan_change_reason(self, failure: Failure) -> str:
        """Return a short reason for a new plan; empty if the failure code has no sentence.

        Measured values are left out, because they are shown next to the failed step.
        """
        if failure.code not in self.messages:
            return ""
        language = "en" if self.ascii else self.language
        said = (
            safe_line(self.messages.explain_failure(failure, language))
            .partition(": ")[0]
            .rstrip(".")
        )
        begins = said[1:2].islower()  # False for "I" and for abbreviations, which stay upper-case
        return f"{said[:1].lower()}{said[1:]}" if begins else said

    def _update(self, event: ev.Event) -> None:
        match event:
            case ev.MissionStarted():
                self._start(event)
            case ev.Observed():
                self.blinded.pop(event.pack, None)
                seen = event.observation.describe(self.language)
                text = safe_line(self.messages.sentence_for_robot(event.pack, seen, self.language))
                self.buffers[event.pack] = ObservationLine(
                    event.observation.t, text, event.observation
                )
            case ev.PerceptionFailed():
                self.blinded[event.pack] = self.translated_cause(event.message)
            case ev.Planning():
                self.planning = (safe_line(event.compiler), event.t)
                if event.failure is None:  # the first plan or the next turn, not a repair
                    self.failure = None
            case ev.Planned():
                self._plan(event.spec)
            case ev.Rejected() | ev.Refused():
                self.planning = None
            case ev.Aborting():
                how = self.translated_text(
                    "stopping the mission" if event.how == "clean" else "stopping the robot now"
                )
                asked = event.reason in ("", "operator")  # the operator knows this reason
                self.stopping = how if asked else f"{how}: {self.translated_text(event.reason)}"
            case ev.Finished():
                self.outcome, self.planning = event.outcome, None
                self._stop_groups(event.t)
            case _:
                self._update_node(event)

    def _stop_groups(self, t: float) -> None:
        """Mark grouping nodes that still run as stopped, because no event reports their stop."""
        for node in self.forest:
            if node.state == "running":
                node.set_state("stopped", t, "", None)

    def _start(self, event: ev.MissionStarted) -> None:
        buffers = self.buffers
        self.changes.clear()
        fresh = ViewModel()
        for name in ("spec", "forest", "past", "planning", "failure", "stopping"):
            setattr(self, name, getattr(fresh, name))
        self.outcome, self.blinded, self.buffers, self.results = None, {}, buffers, {}
        self.command, self.site = one_line(safe_line(event.command), _COMMAND), event.site
        self.mission_id = event.mission_id
        self.language = event.language or language_of(event.command)
        self.t, self.tick, self.began = event.t, event.tick, event.t

    def _plan(self, spec: MissionSpec) -> None:
        if self.spec is not None:
            failed = tuple(
                node
                for node in self.forest
                if node.state == "failed"
                and not any(child.state == "failed" for child in node.children)
            )
            why = (
                ""
                if self.verbose or self.failure is None
                else self.plan_change_reason(self.failure)
            )
            phrase = (lambda _: "") if self.verbose else self.phrase
            change = changes_text(self.spec, spec, self.failure, self.translated_text, phrase, why)
            self.past.append(Past(failed, change))
        before = self.translated_text("kept")
        if self.spec is not None:
            before = self.translated_text(f"kept from plan {self.spec.mission.plan_version}")
        rows = self.forest.by_path
        details = {
            path: rows[path].detail if path in rows and rows[path].state == "kept" else before
            for path in spec.mission.kept
        }
        self.spec, self.planning = spec, None
        self.forest = Forest(spec.root, folded=not self.verbose)
        self._saved = result_names(spec)
        args = [[*map(str, n.args.values())] for n in walk(spec.root, Do)]
        self._arguments = frozenset(text for one in args for text in (", ".join(one), *one))
        for path, detail in details.items():
            self.forest.set_state(path, "kept", self.t, detail, None)

    def _update_node(self, event: ev.Event) -> None:
        if isinstance(event, ev.NodeChanged) and not event.will_retry:
            if event.failure is not None:
                self.failure = event.failure
            detail = self.translated_text(event.detail)
            row = self.forest.set_state(event.path, event.state, event.t, detail, event.failure)
            self._keep_change(event, row)
            return
        if not isinstance(event, _OF_NODES) or event.path not in self.forest.by_path:
            return
        node = self.forest.by_path[event.path]
        match event:
            case ev.NodeChanged(failure=Failure() as failure):
                node.tries.append(failure)
                self._keep_change(event, node)
            case ev.SkillEnded():
                self._end_skill(event, node)
            case ev.SkillStarting():
                node.attempts += 1
                node.progress, node.doing = None, ""
                if node.state != "running":
                    node.set_state("running", event.t, "", None)
            case ev.Progress():
                node.progress, node.doing = event.progress, self.translated_text(event.doing)
            case ev.Asked(role="while"):
                node.guard = event.verdict
            case ev.Asked():
                node.answer = event.verdict

    def _end_skill(self, event: ev.SkillEnded, node: ViewNode) -> None:
        """Store the saved results of a skill, and set the state of its row.

        No `NodeChanged` reports the end of a node that starts and ends again in one tick.
        """
        save: Mapping[str, str] = getattr(node.spec, "save", {})
        for field_name, name in save.items() if event.state == "done" else ():
            self.results[name] = event.result.get(field_name)
        if node.state == "running":
            node.set_state(event.state, event.t, "", event.failure)

    def _keep_change(self, event: ev.NodeChanged, node: ViewNode | None) -> None:
        """Store a state change of a row for display."""
        if node is None:
            return
        why = (
            self.failure_reason(event.failure)
            if event.failure is not None and node.state != "unmet"
            else self.translated_text(event.detail)
        )
        last = self.changes[-1] if self.changes else None
        if last is not None and (last.node, last.state, last.t) == (node, "stopped", event.t):
            self.changes.pop()  # a node that is stopped and then fails is shown as one change
        ran = None if node.began is None or node.ended is None else node.ended - node.began
        state = "unmet" if node.state == "unmet" else event.state
        self.changes.append(Change(event.t, node, state, why, ran))


def _done_subgoals_text(node: ViewNode) -> str:
    """Return how many subgoals of a named sequence are finished, such as "2/3".

    Its subgoals are the named sequences directly under it. The text is empty for other nodes.
    """
    if not isinstance(node.spec, Sequence) or node.spec.name is None:
        return ""
    goals = [
        child
        for child in node.children
        for spec in [child.named or child.spec]
        if isinstance(spec, Sequence) and spec.name
    ]
    done = sum(child.state in ("done", "skipped", "kept") for child in goals)
    begun = any(child.state is not None for child in goals)
    return f"{done}/{len(goals)}" if begun else ""
