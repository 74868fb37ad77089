"""Conversion of the reactions to the result of an act: success, or failure with its rescues."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.meaning_node import Node
from bt_exec_llm.offline.act_clauses_to_steps import ONLY
from bt_exec_llm.offline.branch_contents import ConditionalBranches, is_empty
from bt_exec_llm.offline.questions_to_steps import FAILED, SO, SUCCEEDED, UNABLE, VISIBLE
from bt_exec_llm.offline.step import ANSWERED, QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["ANSWERS", "HAS_FAILED", "HAS_SUCCEEDED", "IS_UNABLE", "ResultConverter"]

HAS_FAILED, IS_UNABLE, HAS_SUCCEEDED = (
    Node("pronoun", (("name", name),)) for name in (FAILED, UNABLE, SUCCEEDED)
)
"""Results of the act before a condition: "if that fails", "if you can't", "if it works"."""
ANSWERS = tuple(Node("pronoun", (("name", name),)) for name in SO)
"""Answers to the question before a condition: "if so", "if not"."""


class ResultConverter(ConditionalBranches, ABC):
    """Converter of the branches that depend on the result of the act before them."""

    _act: Step | None = None
    _plain_act: Step | None = None  # the previous act, if it has no condition
    _rescues = 0

    @abstractmethod
    def convert(self, node: Node) -> Iterator[Step]:
        """Yield the steps of a clause."""

    def _may_mean_unseen(self, node: Node, before: Step | None) -> bool:
        """Return True if "if you can't" may mean "if you can't see it" after "if you see it"."""
        asked = self._conditioned or self._asked
        acts = before is not None and QUESTION not in before.verbs
        if acts or asked is None or node.node("then").kind == "fragment":
            return False
        sees = any(piece.name == VISIBLE for piece in asked[0].pieces)
        return sees and (self._language == "ko" or node.node("of").node("of") == IS_UNABLE)

    def _repeats_previous_act(self, act: Node, before: Step | None) -> bool:
        """Return True if an act repeats the previous one: "Open it; if you can't open it"."""
        if before is None:
            return False
        verbs = self._verbs_of(act)
        whole = [verb.part_of for verb in self._lexicon.known_verbs(verbs)]
        same = not {*verbs, *whole}.isdisjoint(before.acts)
        if same and any(one.kind not in ("pronoun", "np") for one in act.parts()):
            raise NoStepsError  # e.g. "if you can't, use the other arm"
        return same or not act.parts()

    def _convert_success(self, node: Node, act: Step | None) -> Iterator[Step]:
        """Yield the steps after an act that has succeeded; a failed act ends the mission anyway.

        Raises:
            NoStepsError: If there is no previous act, or the command has a part for its failure.
        """
        failures = {one for one in self._meaning.walk() if one in (HAS_FAILED, IS_UNABLE, *ANSWERS)}
        if act is None or node.get("other") is not None or failures:
            raise NoStepsError
        branch = node.node("then")
        if not self._only_reports_answer(branch) or self._reports:
            yield from self._convert_branch(branch)

    def _recipients(self, act: Step) -> list[Piece]:
        """Return the persons in an act: recipients of a delivery, or persons to ask."""
        persons = [piece for piece in act.pieces if piece.name in self._persons]
        return [p.with_mark("") for p in persons] if self._taking & {*act.verbs} else []

    def _denies_act(self, condition: tuple[Step, bool], act: Step) -> bool:
        """Return True if a condition implies that the previous act has failed.

        This is the case if the act's recipient is absent, or if its object is not visible or not in
        the state that the act leads to: "Get the material; if it isn't there, close the door".
        """
        question, needed = condition
        if question.verbs == (ANSWERED,):
            return False
        fails = any(piece.sense == "fails" for piece in question.pieces)
        states = {piece.name for piece in question.pieces if piece.kind == "state"}
        about = [p for p in question.pieces if p.kind not in ("state", "pronoun")]
        known = {(p.name, p.value) for p in self._recipients(act)}
        if not states and known:
            return needed == fails and {(p.name, p.value) for p in about} <= known
        verbs = [verb for name, verb in self._lexicon.verbs.items() if name in act.acts]
        nouns = {p.name for p in act.pieces if p.kind == "noun"} | {verb.usual for verb in verbs}
        lost = states == {VISIBLE} and any(verb.asked_for for verb in verbs)
        results = {verb.result for verb in verbs} - {""}
        undone = bool(states) and states <= results
        if needed:  # e.g. "it is still closed"
            usual = {verb.usual for verb in verbs}
            kin = [verb for verb in self._lexicon.verbs.values() if verb.usual in usual]
            others = {verb.result for verb in kin} - {"", *results}
            lost, undone = False, bool(states and results) and states <= others
        return (lost or undone) and {piece.name for piece in about} <= nouns

    def _convert_rescue(
        self, node: Node, before: Step | None, condition: tuple[Step, bool] | None = None
    ) -> Iterator[Step]:
        """Yield the step that runs if the previous act fails and a condition then holds.

        Raises:
            NoStepsError: If there is no previous act, or several steps depend on its failure.
        """
        branch = self._branch_of(node, "then")
        assert isinstance(branch, Node)
        self._act = before  # "and if that fails, too"
        if before is None or node.get("other") is not None:
            raise NoStepsError
        if is_empty(branch) and self._ends_command(node):
            return  # "give up": a failure ends the mission anyway
        items = sum(piece.name in self._lexicon.texts for piece in before.pieces)
        again = sum(one.acts == before.acts for one in self._built) > 1
        if condition is not None and (again or items > 1):
            raise NoStepsError  # it would be unclear which delivery failed
        if self._only_reports_answer(branch):
            if self._reports:
                report = self._build_step(self._reports, [], branch)
                yield replace(report, rescues=True, condition=condition)
            return  # every failure is reported anyway
        keeping = {name for name, verb in self._lexicon.verbs.items() if verb.pairs}
        steps = [step.without_verbs(keeping) for step in self._rescue_steps(branch, before)]
        if not steps or any(step.condition is not None for step in steps):
            raise NoStepsError
        if not all(step.positive and step.verbs for step in steps):
            raise NoStepsError  # acts that only keep or forbid something
        self._rescues += 1
        for step in steps:
            yield replace(step, rescues=True, condition=condition, case=self._rescues)

    def _ends_command(self, node: Node) -> bool:
        """Return True if a clause is the last one of the command."""
        parts = self._meaning.parts() if self._meaning.kind == "seq" else (self._meaning,)
        return parts[-1] == node

    def _rescue_steps(self, branch: Node, before: Step) -> list[Step]:
        """Return the steps of a branch for the case that the act before it has failed.

        Raises:
            NoStepsError: If the end of the branch is unclear.
        """
        if branch.kind == "again" and branch.get("of") is None:
            return [before]
        if branch.kind in ("again", "fragment"):
            return self._vary_branch([before], branch)
        *first, last = branch.parts() if branch.kind == "seq" else (branch,)
        if first and last.kind == "again" and last.get("of") is None:  # "wait and try again"
            return [*self._convert_branch(branch.replace(of=tuple(first))), before]
        if branch.kind == "seq" and not self._reports:  # every failure is reported anyway
            kept = [part for part in branch.parts() if not self._only_reports_answer(part)]
            branch = branch.replace(of=tuple(kept))
        steps = [*self._convert_branch(branch)]
        if len(steps) > 1 and self._has_pause(branch):
            raise NoStepsError
        return steps

    def _check_concerns(self, clause: Node, act: Step | None) -> None:
        """Raise NoStepsError if a clause is not about the object of an act."""
        about = clause.get("of")
        pieces = [*self._convert_phrase(about)] if isinstance(about, Node) else []
        verbs = () if act is None else act.acts
        known = {self._lexicon.verbs[verb].usual for verb in verbs} | {
            piece.name for piece in (act.pieces if act is not None else ())
        }
        if any(piece.kind != "pronoun" and piece.name not in known for piece in pieces):
            raise NoStepsError

    def _convert_branch(self, branch: Node) -> Iterator[Step]:
        """Yield the steps of a branch, without steps that have no effect.

        Raises:
            NoStepsError: If the branch has a nested condition, or a report of another answer.
        """
        persons: list[Piece] = []
        self._in_branch, observed = True, False
        parts = branch.parts() if branch.kind == "seq" else (branch,)
        for at, part in enumerate(parts):
            if self._has_no_effect(part):
                continue
            if part.kind == "if":
                raise NoStepsError  # nested conditions
            reports = self._only_reports_answer(part)
            if reports and not self._reports and 0 < at == len(parts) - 1:
                continue  # the end is always reported
            if reports and not persons:
                if not (self._reports and observed):
                    raise NoStepsError
                yield self._build_step(self._reports, [], part)
                continue
            for step in self.convert(part):
                own = [piece for piece in step.pieces if piece.name in self._persons]
                if reports:
                    # "교수님께 가서 말씀드려" ("go to the professor and report")
                    step = replace(step, pieces=persons)
                persons = own or persons
                observed = observed or (step.positive and self._is_observation(step))
                idle = any(verb.idle for verb in self._lexicon.known_verbs(step.verbs))
                if step.pieces or not idle:
                    yield step
        self._in_branch = False

    def _vary_branch(self, steps: list[Step], fragment: Node) -> list[Step]:
        """Return the only step of a branch with other values: "otherwise the right one".

        Raises:
            NoStepsError: If the branch has several steps, or no value of the same type.
        """
        pieces = [piece for one in fragment.parts() for piece in self._convert_phrase(one)]
        known = {piece.name: piece for step in steps for piece in step.pieces if piece.value}
        new = [replace(known.get(p.name, p), value=p.value, text=p.text) for p in pieces]
        tools = all(
            piece.mark == "with" or (piece.mark == "by" and piece.name not in self._each)
            for piece in pieces
        )
        if len(steps) != 1 or not (tools or {p.name for p in pieces} <= known.keys()):
            raise NoStepsError
        if any(piece.kind != "value" or piece.mark == "not" for piece in pieces):
            raise NoStepsError
        names = {piece.name for piece in new}
        kept = [piece for piece in steps[0].pieces if piece.name not in names]
        return [replace(steps[0], pieces=[*kept, *new], text=self._said(fragment))]

    def _has_pause(self, branch: Node) -> bool:
        """Return True if there is a pause after the first act of a branch.

        The pause in a contrast ("don't take it, just come home") does not count.
        """
        first = next(iter(branch.parts()), branch)
        places = [self._position_in_text(part) for part in branch.parts() if part.kind == "act"]
        if places != sorted(places):
            return False  # the acts are not in the order of the text
        if first.kind == "avoid" and not {*ONLY}.isdisjoint(self._categories_of(branch)):
            return False
        return _has_pause_after_first_act(self._reading.edge_of(branch) or self._reading.edge)


def _has_pause_after_first_act(edge: Edge) -> bool:
    """Return True if there is a pause after the first act."""
    leaves = list(edge.leaves())
    acts = [leaf.start for leaf in leaves if leaf.category.startswith("v.")]
    first, last = min(acts, default=0), max(acts, default=0)
    return any(leaf.category == "comma" and first < leaf.start < last for leaf in leaves)
