"""Steps that end a mission, such as "come back" and "tell me", and the trees for them.

These steps are executed after all others, wherever they occur in the command, unless they depend on
a condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.offline.command_part import Part
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.step import COMPARE, QUESTION, Step

__all__ = ["NOW", "MissionEnds"]

NOW = "now"
"""Verb of a mission-ending step that is executed in its place because more work follows."""


class MissionEnds:
    """Separator of mission-ending steps from other steps, with the words of one site."""

    def __init__(self, library: Library, lexicon: Lexicon) -> None:
        self._library = library
        self._lexicon = lexicon
        self._closing = {
            said: tree for tree, closing in lexicon.closing.items() for said in closing.said
        }

    def separate(self, steps: list[Step]) -> tuple[list[Step], dict[str, Step], list[Step]]:
        """Return the working steps, a step for each mission-ending tree, and all ending steps."""
        work: list[Step] = []
        ends: dict[str, Step] = {}
        alone: list[Step] = []
        steps = list(self._with_further_acts(steps))
        for at, step in enumerate(steps):
            if step.said:
                continue
            late = [p for p in step.pieces if p.mark == "after" and p.kind == "value"]
            if late and work and set(step.verbs) & set(self._closing):  # "복도 보고 와, 라운지도"
                work[-1] = replace(work[-1], pieces=[*work[-1].pieces, *late])
                step = replace(step, pieces=[p for p in step.pieces if p not in late])
            tree = self.tree_of(step)
            reports = bool(set(step.verbs) & self._report_verbs)
            free = step.condition is None or _ends_mission(step, work, steps)
            if tree and (step.rescues or (reports and step.condition is not None)):
                work.append(replace(step, verbs=(NOW, tree)))
                continue
            goes_on = step.turns > 1 or self._continues_after_return(steps[at + 1 :])
            if tree and free and not reports and goes_on:
                work.append(_without_home(step))
                continue
            if tree and (reports or free):  # findings are reported anyway
                if tree in ends and reports and self._asks_for_report(ends[tree]):
                    continue
                if tree not in ends or reports:
                    ends[tree] = step
                alone.append(step)
                continue
            if ends and self._asks_for_report(
                next(iter(ends.values()))
            ):  # e.g. "tell me, then go on"
                for name, end in ends.items():
                    work.append(replace(end, verbs=(NOW, name)))
                ends = {}
            work.append(_without_home(step) if tree else step)
        if ends and not work:
            work, ends = [replace(step, pieces=[]) for step in alone], {}
        return work, ends, alone

    def _with_further_acts(self, steps: list[Step]) -> Iterator[Step]:
        """Yield `steps`, each followed by the further act that its verb includes.

        For example, a round trip includes the way back. The way back of a single last trip is not
        yielded, because the mission ends with it.
        """
        for at, step in enumerate(steps):
            ways = (self._lexicon.ways.get(verb) for verb in step.verbs)
            further = [way.then for way in ways if way is not None and way.then]
            repeated, ends = step.times > 1, set(further) <= set(self._closing)
            if not further or (
                ends and not (repeated or self._continues_after_return(steps[at + 1 :]))
            ):
                yield step
                continue
            turns = step.times if repeated else step.turns
            yield replace(step, times=1, turns=turns)
            pieces = [] if ends else step.pieces
            yield replace(step, verbs=tuple(further), pieces=pieces, times=1, turns=turns)

    def append_to(
        self, parts: list[Part], ends: dict[str, Step], alone: list[Step], work: list[Step]
    ) -> list[Part]:
        """Return `parts`, followed by the trees that end the mission."""
        asked = any(
            part.step is not None
            and (QUESTION in part.step.verbs or part.step.reported or _compares(part.step))
            and (part.step.via in ("ask", "tell") or part.step.reported)
            and (_compares(part.step) or not _is_question_tree(self._library.get(part.tree)))
            for part in parts
        )
        if asked and not any(tree in ends for tree in self._lexicon.closing):
            for tree in self._lexicon.closing:
                ends.setdefault(tree, work[-1])
        names = {part.tree for part in parts}
        for tree, step in ends.items():
            closing = self._lexicon.closing[tree]
            answered = {name for name in names if _is_question_tree(self._library.get(name))}
            if names - set(closing.unless) - (answered if step not in alone else set()):
                parts.append(Part(tree, {}, step.text if step in alone else ""))
        return parts

    def tree_of(self, step: Step) -> str:
        """Return the mission-ending tree for a step that asks for nothing else; otherwise ""."""
        if QUESTION in step.verbs and step.via != "tell":
            return ""
        tree = next((self._closing[v] for v in step.verbs if v in self._closing), "")
        if not tree:
            return ""
        places = self._lexicon.list_types("each")
        if any(p.mark == "not" and p.name in places for p in step.pieces):
            return ""  # "화장실은 빼고 와" ("but skip the restroom") restricts the previous acts
        rest = [p for p in step.pieces if p.kind not in ("speaker", "filler") and p.mark != "not"]
        if any(p.kind == "pronoun" for p in rest) and all(
            p.kind == "pronoun" and p.name != "person" and not p.mark for p in rest
        ):
            return tree
        home = [p for p in rest if (p.name, p.value) in self._home_values]
        return tree if not rest or len(home) == len(rest) else ""

    def _continues_after_return(self, steps: list[Step]) -> bool:
        """Return True if `steps`, which follow a return, contain acts other than reports."""
        work = (one for one in steps if one.positive and not one.said and not self.tree_of(one))
        return any(one.via != "tell" and not {*one.verbs} & self._report_verbs for one in work)

    @property
    def _report_verbs(self) -> set[str]:
        return {v for v, verb in self._lexicon.verbs.items() if verb.finds == "tell"}

    def _asks_for_report(self, step: Step) -> bool:
        """Return True if a step that ends a mission also asks for a report."""
        return bool(set(step.verbs) & self._report_verbs & set(self._closing))

    @property
    def _home_values(self) -> set[tuple[str, str]]:
        """Values of the place where missions end ("come *home*"), as (type, value)."""
        return {
            (kind, name)
            for kind, values in self._lexicon.values.items()
            for name, value in values.items()
            if value.home
        }


def _without_home(step: Step) -> Step:
    """Return a step that ends a mission without the place where it ends: "go back *home*"."""
    return replace(step, pieces=[piece for piece in step.pieces if piece.mark == "not"])


def _compares(step: Step) -> bool:
    return step.verbs == (COMPARE,)


def _is_question_tree(tree: TreeSpec) -> bool:
    """Return True if a tree is a single question that the robot answers without moving."""
    return bool(getattr(tree.root, "check", None)) and getattr(tree.root, "tell", False) is True


def _ends_mission(step: Step, work: list[Step], steps: list[Step]) -> bool:
    """Return True if a step in a branch ends the whole mission, not only the branch.

    It does if the last working step has the same condition and the command has no other branch,
    as "return" in "if it is dark, look in the lounge and return".
    """
    return bool(work) and work[-1].condition == step.condition and not any(s.case for s in steps)
