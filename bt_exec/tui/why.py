"""Explanation of a mission's end in sentences, with the cause before the sequence of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from bt_exec.failure import Failure
from bt_exec.journal import MissionSummary, record_argument
from bt_exec.journal.explain import NEGATED, Attempt, Explanation
from bt_exec.language.fact_sentences import UNKNOWN, fact_sentences
from bt_exec.language.messages import Messages
from bt_exec.planning.assumed_facts_and_first_cause import DoneAction
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.tui.node_text import arguments_text, duration_text, fill_saved_results
from bt_exec.tui.summary import SIGNS, old_observation_text
from bt_exec.tui.terminal_text import Entry, Glyphs, Line, entry_lines, safe_line, without_code
from bt_exec.tui.visible_rows import NARROW

__all__ = ["Why"]

_MAX_STEPS = 8
"""Maximum number of steps of a plan that are named; further steps are counted."""
_LONGEST = 60
"""Maximum length of a displayed measured value [characters]."""


class Why:
    """Texts that explain the end of a mission in one language.

    Args:
        explanation: The explanation as data.
        messages: Sentences of the packs that the mission used.
        language: ``en`` or ``ko``.
        verbose: Whether to include codes, measured values and compilers.
        continued: The mission that this one continued, if there is one.
    """

    def __init__(
        self,
        explanation: Explanation,
        messages: Messages,
        language: str,
        *,
        verbose: bool = False,
        continued: MissionSummary | None = None,
    ) -> None:
        self.known = explanation
        self.continued = continued
        self.messages = messages
        self.language = language
        self.verbose = verbose

    def word(self, text: str) -> str:
        """Return a fixed word in the language of the explanation."""
        return safe_line(self.messages.fixed_word(text, self.language))

    def say(self, code: str, /, **facts: Any) -> str:
        """Return the sentence of a message code, in the language of the explanation."""
        return safe_line(self.messages.say(code, self.language, **facts))

    def translated_text(self, text: str) -> str:
        """Return a short recorded text, translated to the language if there is a translation."""
        known = self.messages
        said = known.say if text in known else known.translate_word
        return safe_line(said(text, self.language))

    @property
    def status_word(self) -> str:
        """Final status of the mission, a key of `bt_exec.tui.summary.SIGNS`."""
        return self.known.line.shown_status

    def cause(self) -> str:
        """Return the first cause of the end in one or a few sentences."""
        known = self.known
        if self.status_word == "waiting":
            return self.say("WHY_WAITING")
        if self.status_word == "interrupted":
            if not known.line.begun:
                return self.say("WHY_NEVER_BEGAN")
            if known.running:
                doing = ", ".join(
                    self.step_phrase(r.start.skill, r.start.args) for r in known.running
                )
                return self.say("WHY_INTERRUPTED_IN", doing=doing)
            return self.say("WHY_INTERRUPTED")
        if self.status_word == "running":
            return self.say("WHY_RUNNING")
        if known.refusal:
            return f"{self.mission_sentence(known.refusal)} {self.perception_errors()}".rstrip()
        if known.stopped:
            return safe_line(self.messages.stop_reason(known.stopped, self.language))
        if known.cause is not None:
            later = known.planner if known.planner != known.cause.failure else None
            causes = map(self.failure_reason, filter(None, (known.cause.failure, later)))
            return " ".join(filter(None, (*causes, self.perception_errors())))
        if known.problems or self.status_word != "satisfied":
            return self.mission_sentence(known.line.message)
        return self.say("WHY_NEEDED_NOTHING" if self.needed_no_action else "WHY_DONE")

    @property
    def is_in_other_language(self) -> bool:
        """Whether the recorded sentences are not in the language of the explanation."""
        return self.known.line.language != self.language

    def mission_sentence(self, text: str) -> str:
        """Return a recorded sentence, in quotation marks if it is in another language."""
        return (
            self.say("WHY_SAID", message=text)
            if self.is_in_other_language and text
            else safe_line(text)
        )

    def perception_errors(self) -> str:
        """Return sentences about packs whose observations failed, with the errors; may be empty."""
        said = (
            self.messages.sentence_for_robot(
                pack,
                self.say("WHY_BLIND", message=self.translated_text(error).rstrip(".")),
                self.language,
            )
            for pack, error in self.known.blind.items()
        )
        return " ".join(map(safe_line, said))

    @property
    def needed_no_action(self) -> bool:
        """Whether no action was needed."""
        tried = any(one.done or one.failure for one in self.known.attempts)
        return bool(self.known.skipped) and not tried

    def course_lines(self) -> list[tuple[str, str]]:
        """Return the course of the mission as lines, each with a heading such as "planned"."""
        known, line = self.known, self.known.line
        when = f"{line.started_at:%Y-%m-%d %H:%M}"
        rows = [("asked", f"{safe_line(line.command)} ({when}, {line.site})")]
        if self.continued is not None:
            rows.append(("continues", self.continued_mission(self.continued)))
        before: Attempt | None = None
        for attempt in known.attempts:
            again = before is not None and attempt.steps == before.steps
            turn = before is not None and before.failure is None
            came = "planned then" if turn else "tried instead"
            rows += self.attempt_text(attempt, again=again, came=came)
            before = attempt
        rows += self.result_phrases()
        for run in known.held:
            assert run.end is not None
            said = f"{self.step_phrase(run.start.skill, run.start.args)}: "
            rows.append(("delayed by", said + self.word(duration_text(run.end.held_s))))
        if (blind := self.perception_errors()) not in self.cause():
            rows.append(("perception error", blind))
        shown = known.problems if self.verbose else map(without_code, known.problems)
        rows += [("problem", safe_line(problem)) for problem in shown]
        if self.status_word in ("interrupted", "running", "waiting"):
            rows += self.unended_mission_lines()
        elif self.is_in_other_language:
            state = self.fact_sentences(line.state or known.facts, line.ages)
            rows.append(("at the end", " ".join(state)))
        elif safe_line(line.message) not in self.cause():
            rows.append(("reported", safe_line(line.message)))
        rows += [("unreadable", safe_line(text)) for text in known.incomplete]
        return [(self.word(label), text) for label, text in rows if text]

    def continued_mission(self, line: MissionSummary) -> str:
        """Return the identifier of an earlier mission, and how that mission ended."""
        report = self.messages.without_stop_advice(line.message, line.language)
        end = safe_line(report) or self.word(line.shown_status)
        if report and line.language != self.language:
            end = self.say("WHY_SAID", message=report)
        return f"{line.id}: {end}"

    def result_phrases(self) -> list[tuple[str, str]]:
        """Return a line for each skill result for which the pack has a phrase."""
        rows: list[tuple[str, str]] = []
        for run in self.known.found:
            skill, args = run.start.skill, run.start.args
            result = run.end.result if run.end is not None else {}
            facts = {**args, **{key: _rounded(value) for key, value in result.items()}}
            if what := self.messages.result_phrase(skill, self.language, facts):
                rows.append(("result", f"{self.step_phrase(skill, args)}: {safe_line(what)}"))
        return rows

    def attempt_text(
        self, attempt: Attempt, *, again: bool, came: str = "tried instead"
    ) -> list[tuple[str, str]]:
        """Return lines for the steps of a plan and its failures.

        Args:
            attempt: The plan.
            again: Whether the plan is the same as the previous one.
            came: Heading for the steps of a plan after the first.
        """
        cause = self.known.cause
        phrases = (self.step_phrase(name, args) for name, args in attempt.steps)
        # a question and a later condition on its answer have the same phrase
        steps = [step for step, _ in groupby(phrases)]
        more = [self.word(f"and {len(steps) - _MAX_STEPS} more")] if len(steps) > _MAX_STEPS else []
        named = self.word("the same again") if again else ", ".join([*steps[:_MAX_STEPS], *more])
        made = attempt.compiler if self.verbose else ""
        by = ", ".join(filter(None, (self.word(f"plan {attempt.version}"), made)))
        rows = [("planned" if attempt.version == 1 else came, f"{named} ({safe_line(by)})")]
        rows += [("condition", self.unmet_condition(one)) for one in attempt.unmet]
        root = cause.failure if cause is not None and cause.version == attempt.version else None
        ended = set(map(str, attempt.failure.chain())) if attempt.failure is not None else set()
        at = next((n for n, one in enumerate(attempt.passed) if str(one) in ended), None)
        earlier, later = attempt.passed[:at], attempt.passed[len(attempt.passed[:at]) :]
        rows += self.tolerated_failures(earlier, attempt.done)
        chain = attempt.failure.chain() if attempt.failure is not None else ()
        for _, repeated in groupby(reversed(chain), key=lambda one: one.signature):
            same = list(repeated)
            first = root is not None and root in same
            rows.append(
                ("failed first" if first else "failed", self.failed_step(same[0], len(same)))
            )
            if first and cause is not None and root is not None:
                after = (
                    "" if cause.t is None else self.word("after # s").replace("#", f"{cause.t:.1f}")
                )
                measured = _code_and_evidence(root) if self.verbose else ()
                heading = "evidence" if self.verbose else "when"
                rows.append((heading, " · ".join(filter(None, (*measured, after)))))
                old = old_observation_text(cause.seen_age, self.word) if cause.seen else ""
                seen = "; ".join(map(safe_line, cause.seen))
                rows.append(("seen", " · ".join(filter(None, (seen, old)))))
        others = (one for one in later if str(one) not in ended)
        return [*rows, *self.tolerated_failures(others, attempt.done)]

    def tolerated_failures(
        self, failures: Iterable[Failure], done: Sequence[DoneAction]
    ) -> Iterator[tuple[str, str]]:
        """Yield a line for each failure that did not end a plan; equal failures share a line.

        Args:
            failures: The failures.
            done: The actions that succeeded in the same plan, such as later attempts.
        """
        kinds: dict[tuple[str, str, str], list[Failure]] = {}
        for one in failures:
            if one.cause is None:
                kinds.setdefault(one.signature, []).append(one)
        for same in kinds.values():
            again = any(one.skill == same[0].node and one.args == same[0].args for one in done)
            failed = self.failed_step(same[0], len(same))
            if again:
                yield "retried", f"{failed} {self.word('Then it succeeded.')}"
            else:
                yield "continued after", failed

    def failed_step(self, failure: Failure, times: int) -> str:
        """Return a text with the failed step, the reason, and how often it failed in this way."""
        what = (
            self.step_phrase(failure.node, failure.args)
            if failure.node
            else safe_line(failure.path)
        )
        if failure.is_of_condition:
            what = self.word("check “*”").replace("*", what)  # the phrase must not read as a fact
        said = f"{what}: {self.failure_reason(failure)}" if what else self.failure_reason(failure)
        if times == 1:
            return said
        sentence = said.removesuffix(".")
        return f"{sentence} ({self.word(f'{times} times')}){said[len(sentence) :]}"

    def unmet_condition(self, failure: Failure) -> str:
        """Return a text with a condition that did not hold and the reason, if it is known."""
        no = f"{self.step_phrase(failure.node, failure.args)}: {self.word('no')}"
        reason = self.translated_text(failure.message)
        return f"{no} ({reason})" if reason else no

    def failure_reason(self, failure: Failure) -> str:
        """Return a sentence with the reason for a failure."""
        return safe_line(self.messages.explain_failure(failure, self.language))

    def step_phrase(self, name: str, args: Mapping[str, Any]) -> str:
        """Return a skill or check with its arguments, as the pack's phrase if there is one."""
        if name.startswith(NEGATED):
            held = self.step_phrase(name.removeprefix(NEGATED), args)
            return f"{self.word(NEGATED.strip())}: {held}"
        if self.messages.has_phrase(name) and not any(map(is_reference, args.values())):
            return safe_line(self.messages.phrase(name, self.language, args))
        said = {
            key: self.messages.translate_word(value, self.language)
            if isinstance(value, str)
            else value
            for key, value in self.messages.with_quotes(args, self.language).items()
        }
        not_there = frozenset(reference_name(v) for v in args.values() if is_reference(v))
        text = fill_saved_results(arguments_text(said), not_there, {})
        return safe_line(f"{self.messages.translate_word(name, self.language)} {text}")

    def unended_mission_lines(self) -> list[tuple[str, str]]:
        """Return lines about the state after a mission without a recorded end."""
        known = self.known
        before = {**known.facts, **known.uncertain}
        became = {f: v for f, v in known.possible.items() if before.get(f) != v}
        return [
            ("last known", " ".join(self.fact_sentences(known.facts))),
            ("no longer certain", " ".join(self.uncertain_sentences())),
            ("intended state", " ".join(self.fact_sentences(became))),
        ]

    def uncertain_sentences(self) -> Iterator[str]:
        """Yield a sentence for each fact that the running skills may have changed.

        If there is no sentence for the unknown fact, the sentence of its last known value is quoted
        as possibly outdated.
        """
        before = self.known.uncertain
        said, rest = fact_sentences(dict.fromkeys(before, UNKNOWN), self.messages, self.language)
        yield from map(safe_line, said)
        outdated = {fact: before[fact] for fact in rest if before[fact] != UNKNOWN}
        if state := " ".join(self.fact_sentences(outdated)):
            yield self.say("WHY_MAY_HAVE_CHANGED", state=state)

    def fact_sentences(
        self, facts: Mapping[str, str], ages: Mapping[str, float] | None = None
    ) -> tuple[str, ...]:
        """Return the sentences of facts; facts without a sentence are left out.

        Args:
            facts: The facts.
            ages: Ages of the facts that are not current [s].
        """
        said, _ = fact_sentences(facts, self.messages, self.language, ages or {})
        return tuple(map(safe_line, said))

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """Return the whole explanation as lines of at most `width` cells."""
        line = self.known.line
        lasted = "" if line.seconds is None else self.word(duration_text(line.seconds))
        style = SIGNS[self.status_word]
        status = self.word("stopped" if self.status_word == "aborted" else self.status_word)
        plain = not self.verbose or line.reason_code in ("OK", "ABORTED")
        title = " · ".join(filter(None, (status, "" if plain else line.reason_code, lasted)))
        entry = Entry(
            title,
            remark=line.id if width >= NARROW else record_argument(line.id),
            summary=self.cause(),
            facts=self.course_lines(),
            style=style,
            sign=glyphs.states[style],
        )
        return entry_lines([entry], width, glyphs)

    def data(self) -> dict[str, Any]:
        """Return the whole explanation as plain data."""
        known, line = self.known, self.known.line
        cause = known.cause
        return {
            "mission_id": line.id,
            "command": line.command,
            "site": line.site,
            "status": self.status_word,
            "reason_code": line.reason_code,
            "message": line.message,
            "cause": self.cause(),
            "failure": None if cause is None else cause.failure.to_dict(),
            "plan": None if cause is None else cause.version,
            "seen": [] if cause is None else list(cause.seen),
            "attempts": [
                {
                    "plan": attempt.version,
                    "compiler": attempt.compiler,
                    "steps": [self.step_phrase(name, args) for name, args in attempt.steps],
                    "failure": None if attempt.failure is None else attempt.failure.to_dict(),
                }
                for attempt in known.attempts
            ],
            "facts": dict(known.facts),
            "possible": dict(known.possible),
            "uncertain": dict(known.uncertain),
            "problems": list(known.problems),
            "incomplete": list(known.incomplete),
            "said": [list(row) for row in self.course_lines()],
        }


def _rounded(value: Any) -> Any:
    return f"{round(value, 2):g}" if isinstance(value, float) else value


def _code_and_evidence(failure: Failure) -> Iterable[str]:
    """Yield the code of a failure, then its evidence as short texts ("name value")."""
    yield safe_line(failure.code)
    for name, value in failure.evidence.items():
        text = f"{value:g}" if isinstance(value, float) else safe_line(value)
        if name != "traceback" and text and len(text) <= _LONGEST:
            yield f"{safe_line(name)} {text}"
