"""Conversion of conditionals to steps with conditions."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from dataclasses import replace

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.reading.meaning_node import Node, negation
from bt_exec_llm.offline.act_clauses_to_steps import BECOME, ONLY
from bt_exec_llm.offline.branch_contents import is_empty
from bt_exec_llm.offline.phrases_to_pieces import THERE
from bt_exec_llm.offline.questions_to_steps import PAIR, SO
from bt_exec_llm.offline.reader_lexicon import verbs_in
from bt_exec_llm.offline.results_to_steps import (
    ANSWERS,
    HAS_FAILED,
    HAS_SUCCEEDED,
    IS_UNABLE,
    ResultConverter,
)
from bt_exec_llm.offline.step import QUESTION, Step, without_pronouns
from bt_exec_llm.offline.step_conversion_errors import NoStepsError, UnclearTextError
from bt_exec_llm.offline.step_piece import BOUNDS, DECIDED

__all__ = ["ConditionalConverter"]

_REASON = Node("pronoun", (("name", "reason"),))
"""Pronoun for the reason for a failure, which is reported anyway."""
_SAID_NO = Node("pronoun", (("name", "said_no"),))
_REPLY = "answer_if"
"""Category of conditions on the answer of a person."""
_TOOLS = ("by", "with")
"""Relations of an act to its instrument."""
_NOT_SO, _NOT_THERE = (ANSWERS[[*SO].index(name)] for name in ("not_so", "not_there"))


class ConditionalConverter(ResultConverter, ABC):
    """Converter of the conditionals of one meaning."""

    def _convert_conditional(self, node: Node) -> Iterator[Step]:
        if self._is_only_joint(node.node("of")):
            yield from self.convert(node.node("then"))
            return
        act, self._act = self._act, None
        before, self._plain_act = self._plain_act, None
        asked = node.node("of").node("of")
        if asked == HAS_FAILED and self._asks_person and self._is_reply(node.node("of")):
            asked = _SAID_NO  # "no need", as the answer to a question
            node = node.replace(of=node.node("of").replace(of=asked))
        if asked == HAS_SUCCEEDED:
            yield from self._convert_success(node, act)
            return
        if asked.kind == "all" and asked.get("hold") == HAS_FAILED:  # "the door is stuck"
            self._check_concerns(asked, act)
            asked = HAS_FAILED
        fails = asked.parts()[0] if asked.kind == "not" else None  # "it does not open"
        failed = asked in (HAS_FAILED, IS_UNABLE) or (fails is not None and fails.kind == "act")
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
        if fails is not None and before is None and (attempt := self._tried_first(fails, node)):
            yield attempt
            yield from self._convert_rescue(node, attempt)
            return
        ask = node.node("of") if fails is None else _ask_about_result(fails)
        if asked in (HAS_FAILED, IS_UNABLE):
            if not self._may_mean_unseen(node, before):
                yield from self._convert_rescue(node, act)
                return
            if asked == HAS_FAILED:
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
                if self._may_report_for_one_branch(node) or self._reports_only_then(node, question):
                    report = self._build_step(self._reports, [], branch)
                    yield replace(report, condition=(question, answer), case=self._case)
                    self._case += 1
                    continue
                if self._language == "en":
                    yield self._convert_report_branch(node, name, branch, (question, answer))
                    yield from self._convert_return(branch)
                    self._case += 1
                    continue
                report = replace(question, via="tell")  # the report consists of the answer
                so = node.node("of").get("of") in ANSWERS[:PAIR]
                if len(self._acting) > 1 or so:
                    if self._has_final_act_or_text(branch) and (so or not self._only_ends):
                        raise NoStepsError  # the report would follow the other branch, too
                    report = replace(report, condition=(question, answer), case=self._case)
                yield report
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

    def _tried_first(self, result: Node, node: Node) -> Step | None:
        """Return the act that should lead to a result, if the branch repeats it in another way.

        An example is the opening in "if it does not open, use your left arm".
        """
        lost = negation(result.node("hold"))
        if any(lost in other.walk() for other, _ in self._reading.others):
            return None  # the words may also describe a state
        branch = node.node("then")
        about = result.get("of") or Node("pronoun", (("name", "it"),))
        act = Node("act", (("verb", BECOME), ("of", result.replace(of=about))))
        tried = self._convert_desired_state(act)
        tools = [one for one in branch.walk() if one.text("relation") in _TOOLS]
        again = bool(tools) and not {*tried.verbs}.isdisjoint(verbs_in(branch.text("verb")))
        return tried if again or branch.kind in ("again", "fragment") else None

    def _is_reply(self, ask: Node) -> bool:
        """Return True if a condition quotes what a person says."""
        return _REPLY in self._categories_of(ask)

    def _reports_only_then(self, node: Node, question: Step) -> bool:
        """Return True if a report is to be made only if an observable condition holds.

        The report must be the only act, and follow the condition, or contain "only". Any other
        condition after the report is a question: "tell me if it is dark".

        Raises:
            NoStepsError: If "only" limits the report to a condition that cannot be observed.
        """
        ask = node.node("of")
        if self._reports and not {*ONLY}.isdisjoint(self._categories_of(node)):
            if not self._is_decidable(question):
                raise NoStepsError
            return True
        placed = any(piece.name in (*self._each, *BOUNDS) for piece in question.pieces)
        if len(self._acting) > 1 or not (placed and self._reports):
            return False
        if ask.node("of").kind == "pronoun" or not self._is_decidable(question):
            return False
        return self._position_in_text(ask) < self._position_in_text(self._acting[0])

    def _begins_with_report(self, branch: Node) -> bool:
        """Return True if a branch reports the answer of its condition before it acts."""
        parts = branch.parts() if branch.kind == "seq" else ()
        return len(parts) > 1 and not self._reports and self._only_reports_answer(parts[0])

    def _is_decidable(self, question: Step) -> bool:
        """Return True if a question is about observed aspects, and trees decide each of them."""
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
        """Yield the return in a branch if no other branch has acts: "if so come and tell me"."""
        acts = branch.parts() if branch.kind == "seq" else ()
        if len(self._acting) == 1 and any(map(self._only_comes, acts)):
            yield self._build_step(self._reports, [], branch)

    def _convert_absence(self, ask: Node, act: Step | None) -> tuple[Step, bool] | None:
        """Return the condition that the person in the previous act is absent ("if he is not in").

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

    def _at_place_of_act(self, question: Step, ask: Node, branch: Node, steps: list[Step]) -> Step:
        """Return a question in which "there" is replaced by the place in the act before it.

        If the act names no place, "there" is the place of its recipient, as in "tell the
        professor, unless someone is in there".
        """
        if self._position_in_text(ask) < self._position_in_text(branch):
            return question
        places = [p for one in steps for p in one.pieces if p.name in self._each]
        kept = without_pronouns(question)
        if not places and not any(p.name in (*self._each, *self._persons) for p in kept):
            persons = [p.with_mark("with") for one in steps for p in self._recipients(one)]
            pieces = self._with_place_of_company([*persons, *kept])
            unplaced = not persons or persons[:1] == pieces[:1]
            return question if unplaced else replace(question, pieces=pieces)
        if not places or THERE not in ask.walk():
            return question
        if len(places) > 1:
            raise NoStepsError
        return replace(question, pieces=[*kept, places[0].with_mark("at")], pronoun=False)

    def _convert_report_branch(
        self, node: Node, name: str, branch: Node, condition: tuple[Step, bool]
    ) -> Step:
        """Return the step of a branch that reports the answer of its condition.

        Raises:
            NoStepsError: If the report at the end would follow another branch, too.
        """
        so = node.node("of").get("of") in ANSWERS
        both = [one for one in (node.get("then"), node.get("other")) if isinstance(one, Node)]
        idle = any(map(self._has_no_effect, both))  # otherwise do nothing
        if len(self._acting) == 1 and not (so or idle):
            return replace(condition[0], via="tell")  # the report consists of the answer
        if idle:
            report = self._build_step(self._reports, [], branch)
            return replace(report, condition=condition, case=self._case)
        if not self._has_final_act_or_text(branch):
            return replace(condition[0], via="tell", condition=condition, case=self._case)
        other = node.get("other")
        early = name == "then" and isinstance(other, Node) and not self._has_no_effect(other)
        comes = self._free and self._said(branch).partition(" ")[0] in self._comes
        if early or node is not self._ifs[-1] or (so and comes):
            raise NoStepsError
        return self._build_step(self._reports, [], branch)

    def _is_only_joint(self, ask: Node) -> bool:
        """Return True for a word such as "그럼" ("then") that does not follow a question.

        After a question, the word means "if so".
        """
        leading = closed_classes(self._language)["operators"].get("leading", ())
        said = ask.node("of") == ANSWERS[0] and self._asked is None
        return said and self._said(ask).strip(" ,") in leading


def _ask_about_result(result: Node) -> Node:
    """Return the question whether an object is not in the state that an act should lead to.

    `result` states that the object is in that state.

    Raises:
        NoStepsError: If `result` contains no state.
    """
    state = result.get("hold")
    if not isinstance(state, Node):
        raise NoStepsError
    about = result.get("of") or Node("pronoun", (("name", "it"),))
    lost = Node("not", (("of", (state,)),))
    return Node("ask", (("what", "whether"), ("of", Node("all", (("of", about), ("hold", lost))))))
