"""Final sentences of a mission, in the language of the command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bt_exec.events import Asked
from bt_exec.failure import Failure
from bt_exec.language.fact_sentences import Known, age_phrase
from bt_exec.language.messages import AFTER_STOP, Messages
from bt_exec.mission.final_fact_sentences import question_facts, state_sentences
from bt_exec.mission.progress import MissionProgress
from bt_exec.mission_outcome import NOTHING_DONE, PARTLY_DONE, STOPS, UNMET, Ending
from bt_exec.mission_reporter import Skip
from bt_exec.pack import Catalogue
from bt_exec.spec.condition_expression import Is, Not, named_conditions
from bt_exec.spec.model import Check, walk
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.verify.effects_on_facts import established_facts

__all__ = ["summarise"]

_TRIED = 2
"""Maximum number of failures that are reported after the first cause; the latest are chosen."""


def summarise(
    ending: Ending,
    progress: MissionProgress,
    messages: Messages,
    catalogue: Catalogue,
    known: Known,
    operator_text: str = "",
) -> str:
    """Return the final sentences: answers, reason, and current state of the objects.

    Args:
        ending: The ending.
        progress: Progress of the mission.
        messages: The sentences.
        catalogue: Declarations of skills and conditions.
        known: Known facts.
        operator_text: The robot's messages to the operator.
    """
    if ending.refusal is not None:
        return ending.refusal.message
    if ending.status == "satisfied" and ending.said:  # a reply without a plan
        return ending.said
    return _Summary(ending, progress, messages, catalogue, known, operator_text).text()


@dataclass
class _Summary:
    """The final sentences of one mission; the fields are the arguments of `summarise`."""

    ending: Ending
    progress: MissionProgress
    messages: Messages
    catalogue: Catalogue
    known: Known
    operator_text: str

    def say(self, code: str, /, **facts: Any) -> str:
        """Return the sentence of a message code, in the language of the command."""
        return self.messages.say(code, self.progress.language, **facts)

    def text(self) -> str:
        """Return all final sentences as one text."""
        ending, progress = self.ending, self.progress
        sentences = list(self._answers())
        if ending.reason_code in (PARTLY_DONE, NOTHING_DONE):
            sentences += self._undone_sentences() if not self.operator_text else []
        elif ending.failure is not None:
            sentences += self._cause_sentences(ending.failure)
        elif ending.why:
            sentences.append(self.say(ending.why))
        elif ending.reason_code not in ("OK", "ABORTED"):  # no action was needed
            then = list(self._outdated_skips())
            needless = dict.fromkeys(self._reasons_not_needed())
            if not then:
                return " ".join(needless)
            sentences += then
        elif ending.status == "aborted":
            sentences.append(self.messages.stop_reason(ending.said, progress.language))
        sentences.append(self.operator_text)
        if progress.started and ending.reason_code in STOPS:
            sentences.append(self._stop_advice())
        well = ending.status == "satisfied"
        state = state_sentences(progress, self.messages, self.catalogue, self.known, well=well)
        # avoid repeating "The door is open" after "The door is open, but …"
        text = " ".join(sentences)
        sentences = [sentence for sentence in sentences if sentence]
        sentences.extend(sentence for sentence in state if sentence.rstrip(".") not in text)
        return " ".join(sentences or [self.say("OK")])

    def _answers(self) -> Iterator[str]:
        """Yield the answers to questions.

        If there are several, each names its question. A single answer names its question if it
        decides whether a step is skipped, because the operator may have asked for the opposite. An
        answer that may be outdated is given in the past tense, with its question and time.
        """
        answered, known = self.progress.answered, self.known
        for asked in answered.values():
            answer = self._answer(asked)
            if not answer:
                continue
            alone = len(answered) == 1 and not known.is_old(asked.t) and not self._decides(asked)
            if not alone and (question := self._question_phrase(asked)):
                asks = question.endswith("?")
                said = answer if asks else f"{answer[:1].lower()}{answer[1:]}"
                answer = f"{question[:1].upper()}{question[1:]}{' ' if asks else ': '}{said}"
            if not known.is_old(asked.t):
                yield answer
                continue
            when = age_phrase(known.now - asked.t)
            seen = self.progress.seen.get(asked.question, {})
            facts = question_facts(asked.question, self.progress, self.catalogue)
            about = [f"was {fact}={seen[fact]}" for fact in facts if fact in seen]
            past_sentences = [self.say(key, when=when) for key in about if key in self.messages]
            yield " ".join(past_sentences or [self.say("ANSWERED_THEN", answer=answer, when=when)])

    def _skipped_actions(self) -> Iterator[tuple[Skip, Any]]:
        """Yield each skipped action with the condition of its node, which may be None."""
        assert self.progress.spec is not None
        nodes = dict(nodes_with_paths(self.progress.spec.root))
        for skip in self.progress.skipped:
            node = nodes.get(skip.path)
            yield skip, None if node is None else node.skip_if

    def _reasons_not_needed(self) -> Iterator[str]:
        """Yield a sentence for each skipped action: its skip reason, or the unmet condition."""
        for skip, asked in self._skipped_actions():
            if skip.reason == UNMET:
                yield from self._unmet_conditions(asked)
            else:
                yield self.say(skip.reason)

    def _unmet_conditions(self, asked: Any) -> Iterator[str]:
        """Yield sentences about an unmet condition: its result and the known facts."""
        needed = isinstance(asked, Not)
        inner = asked.of if isinstance(asked, Not) else asked
        if not isinstance(inner, Is):
            yield self.say("UNMET")
            return
        own, key = (
            self.messages.of_pack(self.catalogue.owner(inner.name)),
            "unmet" if needed else "met",
        )
        language = self.progress.language
        if f"{key} {inner.name}" in own:
            yield own.say(f"{key} {inner.name}", language, **inner.args)
        else:
            phrase = self.messages.phrase(inner.name, language, inner.args)
            yield self.say("UNMET_ONE" if needed else "MET_ONE", condition=phrase)
        facts = self.known.facts
        for fact in established_facts(inner, self.catalogue):
            if fact in facts and (found := f"{fact}={facts[fact]}") in self.messages:
                yield self.say(found)

    def _outdated_skips(self) -> Iterator[str]:
        """Yield the reasons of skips that no longer hold, in the past tense, with their time."""
        for skip, asked in self._skipped_actions():
            for fact, value in established_facts(asked, self.catalogue).items():
                if self.known.facts.get(fact, value) == value:
                    continue
                when, before = age_phrase(self.known.now - skip.t), f"was {fact}={value}"
                if before in self.messages:
                    yield self.say(before, when=when)
                else:
                    yield self.say("AS_OF", when=when, state=self.say(skip.reason))

    def _answer(self, asked: Asked) -> str:
        """Return the answer to a question: yes, no, or the pack's text.

        It is empty if the pack's reporter gives the answer.
        """
        asks, verdict, language = (
            self._single_condition(asked),
            asked.verdict,
            self.progress.language,
        )
        own = None
        if asks is not None:
            own = self.messages.answer(asks.name, language, verdict.why, asks.args)
        return own if own is not None else self.say("yes" if verdict.holds else "no")

    def _question_phrase(self, asked: Asked) -> str:
        """Return a question as a phrase; empty if its answer is a full sentence."""
        asks, messages, language = (
            self._single_condition(asked),
            self.messages,
            self.progress.language,
        )
        if asks is None or messages.answers_in_full(asks.name, language):
            return ""
        known = messages.has_phrase(asks.name)
        return messages.phrase(asks.name, language, asks.args) if known else ""

    def _decides(self, asked: Asked) -> bool:
        """Return True if the condition of a question is also the skip condition of a step."""
        assert self.progress.spec is not None
        skips = (node.skip_if for node in walk(self.progress.spec.root) if node.skip_if is not None)
        return any(str(part) == asked.question for skip in skips for part in named_conditions(skip))

    def _single_condition(self, asked: Asked) -> Is | None:
        """Return the single condition of a question; None if several are combined."""
        assert self.progress.spec is not None
        checks = (node.check for node in walk(self.progress.spec.root, Check))
        found = next((check for check in checks if str(check) == asked.question), None)
        return found if isinstance(found, Is) else None

    def _undone_sentences(self) -> list[str]:
        """Return sentences about the parts of the command that were not done."""
        parts = [
            part.to_dict(self.messages, self.progress.language) for part in self.progress.undone
        ]
        return [self.say(self.ending.reason_code), *(self.say("NOT_DONE", **one) for one in parts)]

    def _cause_sentences(self, failure: Failure) -> list[str]:
        """Return sentences about the causes of a failure: the first cause, then later failures."""
        ending, messages, language = self.ending, self.messages, self.progress.language
        root, *tried = self.progress.decisive_failures(failure, self.catalogue)
        said: list[str] = []
        if ending.reason_code == "SKILL_FAILED":
            stopped = self.say("SKILL_FAILED")
            said.append(stopped if root.code in messages else f"{stopped} {root.code}:")
        said.append(messages.explain_failure(root, language))
        others = dict.fromkeys(
            messages.explain_failure(one, language)
            for one in tried
            if one.signature != root.signature
        )
        others.pop(said[-1], None)
        # texts that differ only in numbers, such as a count of calls, count as one
        kinds = {_without_numbers(one): one for one in others}
        planner = _without_numbers(ending.said)
        if later := [one for kind, one in kinds.items() if kind not in planner]:
            said += [self.say("LATER_ATTEMPTS"), *later[-_TRIED:]]
        if ending.said:
            said.append(ending.said)
        elif ending.why:
            said.append(self.say(ending.why, replans=len(self.progress.failures) - 1))
        return said

    def _stop_advice(self) -> str:
        """Return advice after a stop from the pack of the last skill; may be empty.

        A message for known facts, such as ``AFTER_STOP at=dock``, takes precedence over
        ``AFTER_STOP``. Several facts are joined by `` + ``.
        """
        own = self.messages.of_pack(self.catalogue.owner(self.progress.latest))
        now = set(self.known.message_codes(self.known.facts).values())
        prefix = f"{AFTER_STOP} "
        special = (code for code in sorted(own.codes()) if code.startswith(prefix))
        code = next(
            (code for code in special if now.issuperset(code.removeprefix(prefix).split(" + "))),
            AFTER_STOP,
        )
        return own.say(code, self.progress.language) if code in own else ""


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "#", text)
