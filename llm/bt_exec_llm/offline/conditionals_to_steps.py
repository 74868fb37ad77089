"""Conversion of conditionals to steps with conditions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.meaning_node import Node
from bt_exec_llm.offline.act_clauses_to_steps import ONLY
from bt_exec_llm.offline.branch_classification import ConditionalBranches, is_empty
from bt_exec_llm.offline.phrases_to_pieces import THERE
from bt_exec_llm.offline.questions_to_steps import FAILED, PAIR, SO, SUCCEEDED, UNABLE, VISIBLE
from bt_exec_llm.offline.step import ANSWERED, QUESTION, Step, without_pronouns
from bt_exec_llm.offline.step_conversion_errors import NoStepsError, UnclearTextError
from bt_exec_llm.offline.step_piece import DECIDED, Piece

__all__ = ["ConditionalConverter"]

_FAILED, _UNABLE = (Node("pronoun", (("name", name),)) for name in (FAILED, UNABLE))
_SUCCEEDED = Node("pronoun", (("name", SUCCEEDED),))
_REASON = Node("pronoun", (("name", "reason"),))
"""Reason of a failure, which is reported anyway."""
_SOS = tuple(Node("pronoun", (("name", name),)) for name in SO)
_NOT_SO, _NOT_THERE = (_SOS[[*SO].index(name)] for name in ("not_so", "not_there"))


class ConditionalConverter(ConditionalBranches, ABC):
    """Converter of the conditionals of one meaning."""

    _act: Step | None = None
    _plain_act: Step | None = None  # the previous act, if it has no condition
    _rescues = 0

    @abstractmethod
    def convert(self, node: Node) -> Iterator[Step]:
        """Yield the steps of a clause."""

    def _convert_conditional(self, node: Node) -> Iterator[Step]:
        if self._is_only_joint(node.node("of")):
            yield from self.convert(node.node("then"))
            return
        act, self._act = self._act, None
        before, self._plain_act = self._plain_act, None
        asked = node.node("of").node("of")
        if asked == _SUCCEEDED:
            yield from self._convert_success(node, act)
            return
        if asked.kind == "all" and asked.get("hold") == _FAILED:  # "the door is stuck"
            self._check_concerns(asked, act)
            asked = _FAILED
        fails = asked.parts()[0] if asked.kind == "not" else None  # "it does not open"
        failed = asked in (_FAILED, _UNABLE) or (fails is not None and fails.kind == "act")
        if failed and act is not None and before is None and self._taking & {*act.verbs}:
            raise NoStepsError  # "if he is in, give it to him; if you can't, …" is ambiguous
        if fails is not None and fails.kind == "act":
            tried = [] if self._repeats_previous_act(fails, act) else [*self._convert_act(fails)]
            if tried and self._only_reports_answer(node.node("then")):
                raise NoStepsError  # not an order: "if you can't open it, tell me"
            yield from tried
            yield from self._convert_rescue(node, tried[-1] if tried else act)
            return
        if fails is not None and fails.kind != "all":
            raise NoStepsError
        ask = node.node("of") if fails is None else _ask_about_result(fails)
        if asked in (_FAILED, _UNABLE):
            if not self._may_mean_unseen(node, before):
                yield from self._convert_rescue(node, act)
                return
            if asked == _FAILED:
                raise NoStepsError
            ask = ask.replace(of=_NOT_SO)
        condition = self._convert_absence(ask, before) or self.convert_condition(ask)
        if before is not None and self._denies_act(condition, before):
            yield from self._convert_rescue(node, before, condition)
            return
        if fails is not None or _REASON in node.walk():
            raise NoStepsError  # an event, not a state: "when it opens"
        question, needed = condition
        first: list[Step] = []
        for name, answer in (("then", needed), ("other", not needed)):
            branch = self._branch_of(node, name)
            if self._leaves_item(node.get(name)):
                raise NoStepsError  # the item may stay at the place, or on the tray
            if isinstance(branch, Node) and self._only_reports_answer(branch):
                if self._is_one_of_several(node) or self._reports_only_then(node, question):
                    told = self._build_step(self._reports, [], branch)
                    yield replace(told, condition=(question, answer), case=self._case)
                    self._case += 1
                    continue
                if self._language == "en":
                    yield self._convert_report_branch(node, name, branch, (question, answer))
                    yield from self._convert_return(branch)
                    self._case += 1
                    continue
                told = replace(question, via="tell")  # the report consists of the answer
                so = node.node("of").get("of") in _SOS[:PAIR]
                if len(self._acting) > 1 or so:
                    if self._reports_late(branch) and (so or not self._only_ends):
                        raise NoStepsError  # reported at the end, after the other branch
                    told = replace(told, condition=(question, answer), case=self._case)
                yield told
                yield from self._convert_return(branch)
                self._case += 1
                continue
            if not isinstance(branch, Node) or is_empty(branch):
                continue
            if name == "then" and self._begins_with_report(branch):
                yield replace(question, via="tell")
                branch = branch.replace(of=branch.parts()[1:])
            last = name == "other" or node.get("other") is None
            paused = last and self._has_pause(branch)
            short = branch.kind == "fragment"
            steps = self._vary_branch(first, branch) if short else [*self._convert_branch(branch)]
            first = first or steps
            question = self._at_place_of_act(question, node.node("of"), branch, steps)
            for place, step in enumerate(steps):
                if place and paused and step.positive:
                    raise UnclearTextError("CONDITION_END", step.text)
                if step.condition is not None:
                    raise NoStepsError
                yield replace(step, condition=(question, answer), case=self._case)
            self._forget_questions_of(branch, steps, followed=not last)
            self._case += 1

    def _reports_only_then(self, node: Node, question: Step) -> bool:
        """Return True if a report is to be made only if an observable condition holds.

        The report must be the only act, and follow the condition. A condition after the report is a
        question: "tell me if it is dark".
        """
        ask = node.node("of")
        placed = any(piece.name in self._each for piece in question.pieces)
        if len(self._acting) > 1 or not (placed and self._reports):
            return False
        if ask.node("of").kind == "pronoun" or not self._is_decidable(question):
            return False
        return self._position(ask) < self._position(self._acting[0])

    def _begins_with_report(self, branch: Node) -> bool:
        """Return True if a branch reports the answer of its condition before it acts."""
        parts = branch.parts() if branch.kind == "seq" else ()
        return len(parts) > 1 and not self._reports and self._only_reports_answer(parts[0])

    def _is_decidable(self, question: Step) -> bool:
        """Return True if trees decide a question about each of its observed aspects."""
        decided = {name for trees in self._lexicon.decides.values() for name in trees}
        aspects = [piece for piece in question.pieces if piece.name in self._joined]
        sensed = all(piece.sense in DECIDED for piece in aspects)
        return bool(aspects) and sensed and {piece.value for piece in aspects} <= decided

    def _forget_questions_of(self, branch: Node, steps: list[Step], *, followed: bool) -> None:
        """Forget the questions of a branch, so that later references mean its condition.

        Raises:
            NoStepsError: If "otherwise" may refer to a question in the branch: "if it is closed,
                check whether your hand is empty, otherwise open it".
        """
        asked = [step for step in steps if QUESTION in step.verbs]
        self._asked = self._conditioned if asked else self._asked
        if not any(one.kind == "ask" and one.text("what") == "whether" for one in branch.walk()):
            return
        if followed and any(step.via != "tell" for step in asked):
            raise NoStepsError
        self._asked, self._asked_more = None, True

    def _convert_return(self, branch: Node) -> Iterator[Step]:
        """Yield the return in a branch, if only this branch acts: "if so come and tell me"."""
        acts = branch.parts() if branch.kind == "seq" else ()
        if len(self._acting) == 1 and any(map(self._only_comes, acts)):
            yield self._build_step(self._reports, [], branch)

    def _may_mean_unseen(self, node: Node, before: Step | None) -> bool:
        """Return True if "if you can't" may mean "if you can't see it" after "if you see it"."""
        asked = self._conditioned or self._asked
        acts = before is not None and QUESTION not in before.verbs
        if acts or asked is None or node.node("then").kind == "fragment":
            return False
        sees = any(piece.name == VISIBLE for piece in asked[0].pieces)
        return sees and (self._language == "ko" or node.node("of").node("of") == _UNABLE)

    def _repeats_previous_act(self, act: Node, before: Step | None) -> bool:
        """Return True if an act repeats the previous one: "Open it; if you can't open it"."""
        if before is None:
            return False
        verbs = self._verbs_of(act)
        whole = [self._lexicon.verbs[one].part_of for one in verbs if one in self._lexicon.verbs]
        same = not {*verbs, *whole}.isdisjoint(before.acts)
        if same and any(one.kind not in ("pronoun", "np") for one in act.parts()):
            raise NoStepsError  # e.g. "if you can't, use the other arm"
        return same or not act.parts()

    def _convert_success(self, node: Node, act: Step | None) -> Iterator[Step]:
        """Yield the steps after an act that has succeeded; a failed act ends the mission anyway.

        Raises:
            NoStepsError: If there is no previous act, or steps for the case that it fails.
        """
        failures = {one for one in self._meaning.walk() if one in (_FAILED, _UNABLE, *_SOS)}
        if act is None or node.get("other") is not None or failures:
            raise NoStepsError
        branch = node.node("then")
        if not self._only_reports_answer(branch) or self._reports:
            yield from self._convert_branch(branch)

    def _convert_absence(self, ask: Node, act: Step | None) -> tuple[Step, bool] | None:
        """Return the condition that the person in the previous act is absent (안 계시면).

        Raises:
            NoStepsError: If the words may refer to another question.
        """
        persons = [] if act is None else self._recipients(act)
        if ask.node("of") != _NOT_THERE or not persons:
            return None
        thing = any(one.startswith("absent.") for one in self._categories_of(ask))
        if thing and act is not None and not self._carrying & {*act.verbs}:
            raise NoStepsError  # the subject of the question may be absent
        if self._asked is not None:
            raise NoStepsError
        return replace(self._build_step((QUESTION,), persons, ask), via="ask"), False

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
        branch = node.node("then")
        self._act = before  # "and if that fails, too"
        if before is None or node.get("other") is not None:
            raise NoStepsError
        items = sum(piece.name in self._lexicon.texts for piece in before.pieces)
        again = sum(one.acts == before.acts for one in self._built) > 1
        if condition is not None and (again or items > 1):
            raise NoStepsError  # it would be unclear which delivery failed
        if self._only_reports_answer(branch):
            if self._reports:
                told = self._build_step(self._reports, [], branch)
                yield replace(told, rescues=True, condition=condition)
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

    def _rescue_steps(self, branch: Node, before: Step) -> list[Step]:
        """Return the steps of a branch for the case that the act before it has failed.

        Raises:
            UnclearTextError: If the end of the branch is unclear.
        """
        if branch.kind == "again" and branch.get("of") is None:
            return [before]
        if branch.kind in ("again", "fragment"):
            return self._vary_branch([before], branch)
        if branch.kind == "seq" and not self._reports:  # every failure is reported anyway
            kept = [part for part in branch.parts() if not self._only_reports_answer(part)]
            branch = branch.replace(of=tuple(kept))
        steps = [*self._convert_branch(branch)]
        if len(steps) > 1 and self._has_pause(branch):
            raise UnclearTextError("CONDITION_END", steps[-1].text)
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
            if self._is_idle(part):
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
                    step = replace(step, pieces=persons)  # 교수님께 가서 말씀드려
                persons = own or persons
                observed = observed or (step.positive and self._observes(step))
                if step.pieces or not any(self._lexicon.verbs[one].idle for one in step.verbs):
                    yield step
        self._in_branch = False

    def _at_place_of_act(self, question: Step, ask: Node, branch: Node, steps: list[Step]) -> Step:
        """Return a question in which "there" is replaced by the place in the act before it."""
        if THERE not in ask.walk() or self._position(ask) < self._position(branch):
            return question
        places = [p for one in steps for p in one.pieces if p.name in self._each]
        if not places:
            return question
        if len(places) > 1:
            raise NoStepsError
        kept = without_pronouns(question)
        return replace(question, pieces=[*kept, places[0].with_mark("at")], pronoun=False)

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

    def _convert_report_branch(
        self, node: Node, name: str, branch: Node, condition: tuple[Step, bool]
    ) -> Step:
        """Return the step of a branch that reports the answer of its condition.

        Raises:
            NoStepsError: If the report at the end would follow another branch, too.
        """
        so = node.node("of").get("of") in _SOS
        both = [one for one in (node.get("then"), node.get("other")) if isinstance(one, Node)]
        idle = any(map(self._is_idle, both))  # otherwise do nothing
        if len(self._acting) == 1 and not (so or idle):
            return replace(condition[0], via="tell")  # the report consists of the answer
        if idle:
            told = self._build_step(self._reports, [], branch)
            return replace(told, condition=condition, case=self._case)
        if not self._reports_late(branch):
            return replace(condition[0], via="tell", condition=condition, case=self._case)
        other = node.get("other")
        early = name == "then" and isinstance(other, Node) and not self._is_idle(other)
        comes = self._free and self._said(branch).partition(" ")[0] in self._comes
        if early or node is not self._ifs[-1] or (so and comes):
            raise NoStepsError
        return self._build_step(self._reports, [], branch)

    def _has_pause(self, branch: Node) -> bool:
        """Return True if there is a pause after the first act of a branch.

        The pause in a contrast ("don't take it, just come home") does not count.
        """
        first = next(iter(branch.parts()), branch)
        places = [self._position(part) for part in branch.parts() if part.kind == "act"]
        if places != sorted(places):
            return False  # not one chain of the text
        if first.kind == "avoid" and not {*ONLY}.isdisjoint(self._categories_of(branch)):
            return False
        return _has_pause_after_first_act(self._reading.edge_of(branch) or self._reading.edge)

    def _is_only_joint(self, ask: Node) -> bool:
        """Return True for a word such as 그럼 ("then") that is not after a question.

        After a question, the word means "if so".
        """
        leading = closed_classes(self._language)["operators"].get("leading", ())
        said = ask.node("of") == _SOS[0] and self._asked is None
        return said and self._said(ask).strip(" ,") in leading


def _ask_about_result(result: Node) -> Node:
    """Return the question whether an object is not in the state that an act leads to.

    `result` states that the object is in that state.

    Raises:
        NoStepsError: If it states no state.
    """
    state = result.get("hold")
    if not isinstance(state, Node):
        raise NoStepsError
    about = result.get("of") or Node("pronoun", (("name", "it"),))
    lost = Node("not", (("of", (state,)),))
    return Node("ask", (("what", "whether"), ("of", Node("all", (("of", about), ("hold", lost))))))


def _has_pause_after_first_act(edge: Edge) -> bool:
    """Return True if there is a pause after the first act."""
    leaves = list(edge.leaves())
    acts = [leaf.start for leaf in leaves if leaf.category.startswith("v.")]
    first, last = min(acts, default=0), max(acts, default=0)
    return any(leaf.category == "comma" and first < leaf.start < last for leaf in leaves)
