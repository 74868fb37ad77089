"""Classification of the branches of conditionals: empty, a report, a return, or other acts."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable

from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node, Value
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.act_clauses_to_steps import ActClauseConverter
from bt_exec_llm.offline.exclusions import forbids_touching
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.reader_lexicon import TOOL, types_in, verbs_in
from bt_exec_llm.offline.step_conversion_errors import NoStepsError

__all__ = ["ConditionalBranches", "is_empty"]


class ConditionalBranches(ActClauseConverter, ABC):
    """Classifier of the branches of the conditionals in one meaning.

    Args:
        lexicon: The words of the site.
        reading: The parsed text that contains the meaning.
        meaning: The whole meaning, because a report may depend on its last conditional.
    """

    def __init__(self, lexicon: Lexicon, reading: Reading, meaning: Node) -> None:
        super().__init__(lexicon, reading)
        staying = {word.replace(" ", "") for word in _words_of(reading.language, "stay")}
        self._meaning = meaning
        self._stays = any(leaf.text in staying for leaf in reading.edge.leaves())
        self._ifs = [node for node in meaning.walk() if node.kind == "if"]
        # the place of a report depends on the branches of all conditionals
        branches = [self._branch_of(node, name) for node in self._ifs for name in ("then", "other")]
        nodes = [one for one in branches if isinstance(one, Node) and not self._has_no_effect(one)]
        self._acting = [one for one in nodes if not is_empty(one)]
        self._only_report = all(map(self._only_reports_answer, nodes))
        self._only_ends = all(map(self._ends_mission, branches))

    def _branch_of(self, node: Node, name: str) -> Value | None:
        """Return a branch of a conditional, without acts such as "leave it alone".

        A branch that only forbids an act is empty: "if it is closed, open it, else don't touch it".
        """
        branch = node.get(name)
        if not isinstance(branch, Node):
            return branch
        if branch.kind == "avoid" and self._may_leave_branch_empty(branch.node("of"), node):
            return Node("seq", (("of", ()),))
        if branch.kind != "seq":
            return branch
        parts = [part for part in branch.parts() if not self._has_no_effect(part)]
        return parts[0] if len(parts) == 1 else branch

    def _may_report_for_one_branch(self, node: Node) -> bool:
        """Return True if the report at the end may belong to only one branch of a conditional."""
        if not self._reports or self._only_report:
            return False
        known = {*self._each, *self._persons}
        following = self._ifs[self._ifs.index(node) :]
        refers = any(known.isdisjoint(types_in(one.node("of"))) for one in following)
        other = self._branch_of(node, "other")
        return refers or (isinstance(other, Node) and not self._has_no_effect(other))

    def _may_leave_branch_empty(self, forbidden: Node, conditional: Node) -> bool:
        """Return True if a branch that only forbids something can be left empty.

        The result is False if an instrument is forbidden, or if a later act has the forbidden verb.
        """
        verbs = {*self._verbs_of(forbidden)}
        plain = all(part.kind in ("pronoun", "np") for part in forbidden.parts())
        own = [*conditional.walk()]
        second = self._ifs[0] != conditional
        later = [one for one in self._meaning.walk() if one.kind == "act" and one not in own]
        if self._reports and self._are_report_verbs(verbs) and not self._is_report_conditional():
            raise NoStepsError  # the mission would end with a report although it is forbidden
        return (
            bool(verbs)
            and plain
            and verbs <= self._lexicon.verbs.keys() - {TOOL}
            and (second or conditional.get("other") is not None)
            and all(verbs.isdisjoint(self._verbs_of(act)) for act in later)
        )

    def _is_report_conditional(self) -> bool:
        """Return True if the command has a report, and all its reports depend on conditions."""
        inside = [id(one) for node in self._ifs for one in node.walk()]
        denied = [id(one.node("of")) for one in self._meaning.walk() if one.kind == "avoid"]
        acts = [one for one in self._meaning.walk() if id(one) not in denied]
        reports = [one for one in acts if self._are_report_verbs(self._verbs_of(one))]
        return bool(reports) and all(id(one) in inside for one in reports)

    def _has_no_effect(self, clause: Node) -> bool:
        """Return True for an act without effect: "do nothing"."""
        free = self._stays or self._language == "en"
        if free and forbids_touching(clause):
            return all(part.kind == "pronoun" for part in clause.node("of").parts())
        verbs = self._verbs_of(clause)
        known = self._lexicon.verbs
        bare = not clause.parts() if clause.kind == "act" else False
        return bare and bool(verbs) and all(one in known and known[one].idle for one in verbs)

    def _leaves_item(self, branch: Value | None) -> bool:
        """Return True if a branch contains "leave it" after an act that carries an item."""
        parts = branch.walk() if isinstance(branch, Node) else ()
        return any(map(forbids_touching, parts)) and self._has_text_before()

    def _only_reports_answer(self, branch: Node) -> bool:
        """Return True for a branch that only reports its condition's answer: "come and tell me"."""
        if branch.kind == "seq" and branch.parts():
            *before, last = branch.parts()
            return self._only_reports_answer(last) and all(map(self._only_comes, before))
        verbs = self._verbs_of(branch)
        bare = all(
            one.kind == "pronoun" or one.text("relation") == "me" or one.text("what") == "that"
            for one in branch.parts()
        )
        return bool(verbs) and bare and self._are_report_verbs(verbs)

    def _only_comes(self, part: Node) -> bool:
        """Return True for an act that is only a return, which a report includes anyway."""
        verbs = {*self._verbs_of(part)}
        bare = all(one.text("relation") == "me" for one in part.parts())
        return bool(verbs) and bare and verbs <= self._lexicon.mission_ending_verbs

    def _ends_mission(self, branch: Value | None) -> bool:
        """Return True if a branch is absent or contains only returns and reports."""
        nodes = branch.walk() if isinstance(branch, Node) else ()
        acts = [node for node in nodes if node.kind == "act"]
        return all(self._has_final_act_or_text(act) for act in acts)

    def _has_final_act_or_text(self, branch: Node) -> bool:
        """Return True if a branch contains an act that ends the mission or takes a text."""
        several = branch.kind == "seq" and self._language == "en"
        parts = branch.parts() if several else (branch,)
        verbs = {verb for part in parts for verb in self._verbs_of(part)}
        return bool(verbs & (self._lexicon.mission_ending_verbs | self._taking))

    def _verbs_of(self, clause: Node) -> list[str]:
        return verbs_in(clause.text("verb")) if clause.kind == "act" else []


def _words_of(language: str, category: str) -> Iterable[str]:
    words: Iterable[str] = language_data(language)["orders"]["words"].get(category, ())
    return words


def is_empty(clause: Node) -> bool:
    """Return True for a sequence without acts."""
    return clause.kind == "seq" and not clause.parts()
