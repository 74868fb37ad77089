"""Binding of steps to trees of the library, with arguments.

A step matches a tree if one of the tree's frames has the step's verb and if the step has all pieces
of the frame. The other pieces of the step must be values of the tree's parameters; otherwise the
command is refused. A step with a pronoun or without an object takes an object that was named
before, or the only object that its verb can have.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.offline.command_part import BranchCondition, Part
from bt_exec_llm.offline.exclusions import LEAVE
from bt_exec_llm.offline.final_steps import NOW, MissionEnds
from bt_exec_llm.offline.included_acts import apply_commanded_acts
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.multiple_values import remove_excluded_values, split_by_values
from bt_exec_llm.offline.nodes_from_parts import find_answering_check
from bt_exec_llm.offline.number_assignment import Number, check_all_numbers_used
from bt_exec_llm.offline.part_merging import append_parts
from bt_exec_llm.offline.part_skills import skill_variants, skills_of_part
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step import (
    ANSWERED,
    COMPARE,
    OTHER_PLACE,
    QUESTION,
    Step,
    move_prohibitions_last,
    without_pronouns,
)
from bt_exec_llm.offline.step_pairs_to_trees import Pairs
from bt_exec_llm.offline.step_piece import BOUNDS, DECIDED, OTHERS, Piece
from bt_exec_llm.offline.tree_selection import Matcher
from bt_exec_llm.offline.utterance_frames import Frames

__all__ = ["Binder"]

_BETWEEN_LOOKS = "10s"
"""Pause between two observations of the awaited state."""
_MOST_TIMES = 10
"""Maximum number of repetitions."""

_TOOL_MARKS = ("with", "by")


class Binder:
    """Binder of steps to the trees of one library."""

    def __init__(
        self,
        frames: Frames,
        library: Library,
        lexicon: Lexicon,
        numbers: Mapping[str, tuple[Number, ...]],
        types: Mapping[str, Any],
    ) -> None:
        self._frames = frames
        self._library = library
        self._lexicon = lexicon
        self._whole: Step | None = None
        self._heard: tuple[Step, Step] | None = None
        self.bound: list[Step] = []
        self._brought = lexicon.implied_parameters
        self._joined = lexicon.list_types("joined")
        self._matcher = Matcher(frames, library, lexicon, numbers, types)
        self._pairs = Pairs(frames, library, lexicon, self._bind_step_condition)
        self._ends = MissionEnds(library, lexicon)

    def bind(self, steps: list[Step], text: str, before: list[Step]) -> list[Part] | RefusalReason:
        """Return the parts for `steps`, or the reason why there are none.

        Args:
            steps: Steps of a command.
            text: The command.
            before: Steps of earlier commands.
        """
        if any(step.verbs and not step.positive for step in steps):
            found = self._bind_with_prohibition(steps, text, before)
        else:
            parts = self._bind_steps(steps, text, before)
            found = (
                parts if isinstance(parts, RefusalReason) else check_all_numbers_used(parts, steps)
            )
        if isinstance(found, RefusalReason):
            return found
        return apply_commanded_acts(found, self._library, self._lexicon)

    def bind_condition(self, asked: Step, *, needed: bool) -> BranchCondition | RefusalReason:
        """Return the question tree for a condition on which parts of other packs depend."""
        self._heard = None
        found = self._bind_step_condition(Step((), condition=(asked, needed)), [])
        return RefusalReason("CONDITION", asked.text) if found is None else found

    def steps_with_objects(self, steps: list[Step]) -> list[Step]:
        """Return the steps of the last `bind`, with omitted objects filled in.

        Steps that end the mission and prohibitions come last.
        """
        return [
            *self.bound,
            *(step for step in steps if self._ends.tree_of(step) or not step.positive),
        ]

    def _bind_steps(
        self, steps: list[Step], text: str, before: list[Step]
    ) -> list[Part] | RefusalReason:
        self._heard = None
        work, ends, alone = self._ends.separate(steps)
        hung = {(id(step.condition[0]), step.case) for step in work if step.condition is not None}
        if len(hung) > len({case for _, case in hung}):
            return RefusalReason("CONDITION", text)  # the question would follow the first act
        parts: list[Part] = []
        done = [*before, *(step for step in steps if step.said)]
        done += [step.condition[0] for step in steps if step.condition is not None][:1]
        known = len(done)
        at = 0
        while at < len(work):
            pair = self._pairs.find_pair(work, at)
            if isinstance(pair, RefusalReason):
                return pair
            if pair is not None:
                if at and parts and _repeats(work[at - 1], work[at]):
                    parts.pop()  # "take it out, give it to me and leave the door open"
                parts.append(pair)
                done += work[at : at + 2]
                first, second, at = work[at], work[at + 1], at + 2
                while at < len(work) and self._pairs.repeats_second_step(
                    first, second, work[at], pair
                ):
                    at += 1  # "take the material, don't close the door, leave it open"
                continue
            if (
                at
                and self._asks_no_change(work[at])
                and self._pairs.is_redundant_leave(work[at - 1], work[at], parts)
            ) or (parts and at + 1 == len(work) and self._only_stays(work[at])):
                at += 1  # e.g. "open the door and leave it so"
                continue
            if self._pairs.only_keeps_state(work, at):
                at += 1  # e.g. "with the door left open, fold the arms"
                continue
            if work[at].verbs[:1] == (NOW,):
                end, at = work[at], at + 1
                held = self._bind_step_condition(end, done)
                if isinstance(held, RefusalReason):
                    return held
                parts.append(Part(end.verbs[1], {}, end.text, held, 1, end.case, end.rescues))
                continue
            if (awaited := work[at].awaited) is not None:
                waits = self._bind_waiting(work[at], done)
                if isinstance(waits, RefusalReason):
                    return waits
                parts, at = [*parts, waits], at + 1
                done.append(awaited[0])
                continue
            if work[at].verbs == (COMPARE,):
                compared = self._bind_comparison(work[at])
                if isinstance(compared, RefusalReason):
                    return compared
                parts.append(compared)
                done.append(work[at])
                at += 1
                continue
            if at and self._leaves_place_open(work[at - 1], work[at]):
                return RefusalReason("AMBIGUOUS", work[at].text)
            if self._addresses_several_places(work[at], done):
                return RefusalReason("AMBIGUOUS", work[at].text)
            step = self._with_object_of_next_step(work, at)
            everywhere = self._at_all_observed_places(step, done)
            found = self._bind_step(everywhere, done, work[at - 1] if at else None)
            if isinstance(found, RefusalReason):
                return found
            if everywhere is not step:
                found = [replace(part, borrowed=True) for part in found]
            preceded = parts or before or step.condition is not None
            if found[0].tree in self._lexicon.follows and not preceded:
                return RefusalReason("NO_OBJECT", step.text)
            whole = self._covers_usual_values(step)
            if at and not whole and self._is_asked_at_another_place(work[at - 1], step, found[0]):
                return RefusalReason("AMBIGUOUS", step.text)
            before_it = parts
            parts = append_parts(parts, found, self._frames, self._lexicon)
            if parts != before_it:
                done.append(self._whole or step)
            at += 1
        self.bound = [*(step for step in steps if step.said), *done[known:]]
        if not parts:
            return RefusalReason("NOT_UNDERSTOOD", text)
        if self._asks_again_after_act(parts):
            return RefusalReason("CONDITION", text)  # the second question is about another place
        return self._ends.append_to(parts, ends, alone, work)

    def _asks_again_after_act(self, parts: list[Part]) -> bool:
        """Return True if a branch repeats a condition after an act other than waiting."""
        verbs, asked = self._lexicon.verbs, list[object]()
        for (condition, _), branch in groupby(parts, lambda part: (part.condition, part.case)):
            if condition is None:
                continue
            if condition in asked:
                return True
            acts = [verb for part in branch if part.step is not None for verb in part.step.acts]
            waits = bool(acts) and all(verb in verbs and verbs[verb].stays for verb in acts)
            asked += [] if waits else [condition]
        return False

    def _bind_waiting(self, step: Step, done: list[Step]) -> Part | RefusalReason:
        """Return the part that waits between two observations of the awaited state."""
        held: list[BranchCondition] = []
        for question, needed in self._at_each_place(step):
            one = self._bind_step_condition(replace(step, condition=(question, needed)), done)
            if isinstance(one, RefusalReason):
                return one
            held += [] if one is None else [one]
        pause = Piece("limit", "TIME", _BETWEEN_LOOKS, start=step.start, end=step.start)
        found = self._bind_step(replace(step, pieces=[pause]), done, None)
        if isinstance(found, RefusalReason):
            return found
        return replace(found[0], awaited=tuple(held))

    def _at_each_place(self, step: Step) -> Iterator[tuple[Step, bool]]:
        """Yield the awaited state of a step, once for each place of a word such as "everywhere"."""
        if step.awaited is None:
            return
        question, needed = step.awaited
        for at, piece in enumerate(question.pieces):
            value = self._lexicon.values.get(piece.name, {}).get(piece.value)
            for place in () if value is None else value.each:
                pieces = [*question.pieces]
                pieces[at] = replace(piece, value=place)
                yield replace(question, pieces=pieces), needed
            if value is not None and value.each:
                return
        yield question, needed

    def _bind_comparison(self, step: Step) -> Part | RefusalReason:
        """Return the part that compares the observations of places."""
        compares = self._lexicon.compares
        if compares is None or step.condition is not None:
            return RefusalReason("NOT_UNDERSTOOD", step.text)
        of_two = any(piece.name == OTHER_PLACE for piece in step.pieces)
        tree = compares.two if of_two else compares.among
        args = self._matcher.tree_arguments(step, self._library.get(tree))
        if isinstance(args, RefusalReason):
            return args
        return Part(tree, args, step.text, step=step)

    def _bind_with_prohibition(
        self, steps: list[Step], text: str, before: list[Step]
    ) -> list[Part] | RefusalReason:
        """Bind a command with prohibitions; return a refusal reason if its parts violate one."""
        steps = [step for step in steps if not self._asks_no_change(step)]
        wanted = [step for step in steps if step.positive or not step.verbs]
        if any(_forbids_wanted_act(step, wanted) for step in steps if not step.positive):
            return RefusalReason("NEGATED", text)
        for order in (steps, move_prohibitions_last(steps)):
            whole = self._bind_with_forbidden_pair(order, text, before)
            if whole is not None:
                return whole
        if not wanted:
            return RefusalReason("NEGATED", text)
        named = [replace(step, said=True) for step in steps if not step.positive and step.verbs]
        parts = self._bind_steps([*named, *wanted], text, before)
        if isinstance(parts, RefusalReason):
            return (
                parts
                if parts.code not in ("NO_OBJECT", "NOT_UNDERSTOOD")
                else RefusalReason("NEGATED", text)
            )
        forbidden_only = any(not step.positive and not step.contrast for step in steps)
        if forbidden_only and all(self._ends.tree_of(step) for step in wanted):
            return RefusalReason("NEGATED", text)
        planned = {pair for part in parts for pair in skills_of_part(part, self._library)}
        planned |= skill_variants(planned, self._lexicon)
        ends = {part.tree for part in parts}
        for at, step in enumerate(steps):
            if step.positive or self._forbids_variant(wanted[-1], step, ends):
                continue
            if step.verbs == (LEAVE,):
                if self._concern_value_of(step, parts):
                    return RefusalReason("NEGATED", text)
                continue
            contrast = step.contrast or any(
                later.positive and later.joined for later in steps[at + 1 :]
            )
            if tree := self._ends.tree_of(step):
                if step.joined == "then" or not any(not self._ends.tree_of(s) for s in wanted):
                    return RefusalReason("NEGATED", text)
                if tree in ends and any(self._ends.tree_of(s) == tree for s in wanted):
                    return RefusalReason("CONTRADICTION", text)
                continue
            mine = self._bind_step(
                replace(step, positive=True, probe=True), [*before, *wanted], None
            )
            if isinstance(mine, RefusalReason):
                objects = {piece.name for piece in step.pieces if piece.kind == "noun"}
                if len(objects) > 1 or self._is_planned_act(step, parts):
                    return RefusalReason("NEGATED", text)
                continue
            forbidden = {pair for part in mine for pair in skills_of_part(part, self._library)}
            clash = (
                forbidden <= planned
                if contrast
                else skill_variants(forbidden, self._lexicon) & planned
            )
            if not forbidden or clash:
                return RefusalReason("NEGATED", text)
        return parts

    def _is_planned_act(self, step: Step, parts: list[Part]) -> bool:
        """Return True if the parts may include the act of a step, whatever its objects are.

        An unknown act counts as planned. Acts with texts share their skills, so their trees are
        compared.
        """
        trees = {frame.tree for frame in self._matcher.frames_for(step)}
        if {
            self._lexicon.general_verb(verb) for verb in step.verbs
        } <= self._lexicon.verbs_with_text:
            return not trees or not trees.isdisjoint(part.tree for part in parts)
        planned = {name for part in parts for name, _ in skills_of_part(part, self._library)}
        return not trees or any(
            {name for name, _ in skills_of_part(Part(tree, {}, ""), self._library)} <= planned
            for tree in trees
        )

    def _concern_value_of(self, step: Step, parts: list[Part]) -> bool:
        """Return True if an argument of a part overlaps a value in a step, or the value's place."""
        left = {one for piece in step.pieces for one in self._overlapping(piece.name, piece.value)}
        return any(
            left & self._overlapping(self._library.get(part.tree).params[name].type, value)
            for part in parts
            for name, value in part.args.items()
        )

    def _overlapping(self, kind: str, name: str) -> set[str]:
        """Return a value, the values that it consists of, and the values that it implies."""
        value = self._lexicon.values.get(kind, {}).get(name)
        implied = () if value is None else value.brings.values()
        return {name, *self._lexicon.values_within(kind, name), *implied}

    def _forbids_variant(self, act: Step, forbidden: Step, trees: set[str]) -> bool:
        """Return True if a prohibition concerns a variant of an act that is not planned.

        An example is "get the material and don't leave the door open".
        """
        pair = self._pairs.find_pair([act, replace(forbidden, positive=True)], 0)
        return isinstance(pair, Part) and pair.tree not in trees

    def _asks_no_change(self, step: Step) -> bool:
        """Return True if a step asks for no change, as in "do not close it, just leave it"."""
        verbs = self._lexicon.verbs
        idle = any(verbs[verb].idle for verb in step.verbs if verb in verbs)
        return idle and not any(p.kind in ("noun", "value", "text") for p in step.pieces)

    def _only_stays(self, step: Step) -> bool:
        """Return True for waiting of any length, if the robot waits after a command anyway."""
        verbs = self._lexicon.known_verbs(step.acts)
        idle = any(verb.stays for verb in verbs)
        idle = idle and all((verb.stays or verb.idle) and not verb.finds for verb in verbs)
        plain = step.positive and step.condition is None and step.awaited is None
        named = any(piece.kind not in ("pronoun", "filler") for piece in step.pieces)
        return idle and plain and not named and not self._lexicon.closing

    def _bind_with_forbidden_pair(
        self, steps: list[Step], text: str, before: list[Step]
    ) -> list[Part] | None:
        """Bind a command that forbids one step of a pair; return None for other commands."""
        if not any(self._pairs.find_pair(steps, at) for at in range(len(steps) - 1)):
            return None
        found = self._bind_steps(steps, text, before)
        if isinstance(found, RefusalReason):
            return None
        used = [self._pairs.find_pair(steps, at) is not None for at in range(len(steps) - 1)]
        negatives = sum(not step.positive for step in steps)
        return found if sum(used) >= negatives else None

    def _bind_step(
        self, step: Step, done: list[Step], last: Step | None
    ) -> list[Part] | RefusalReason:
        """Return the parts for one step.

        If a tree takes one value at a time (a list type ``each``), every value gets its own part.
        """
        found = remove_excluded_values(step, self._lexicon)
        if isinstance(found, RefusalReason):
            return found
        step = found
        if _refers_to_comparison_result(step, done):
            return RefusalReason("NO_REFERENT", step.text)
        held = self._bind_step_condition(step, done)
        if isinstance(held, RefusalReason):
            return held
        each = self._lexicon.list_types("each")
        done = [_without_pieces(one, each) if one.excludes(step) else one for one in done]
        verbs = self._lexicon.verbs
        if any(v in verbs and verbs[v].denied for v in step.verbs) and not step.probe:
            return RefusalReason("UNKNOWN_ACTION", step.text)
        step = self._with_default_object(step, last)
        whole = self._matcher.match_step(step, done)
        if isinstance(whole, RefusalReason):
            return whole
        self._whole, _, borrowed = whole
        parts: list[Part] = []
        options = split_by_values(self._whole, self._lexicon)
        if len(options) > 1 and step.rescues:
            return RefusalReason("CONDITION", step.text)
        if len(options) > 1 and step.times > 1:  # e.g. patrol twice: repeat the whole round
            options, step = options * step.times, replace(step, times=1)
        for option in options:
            bound = self._matcher.match_step(option, done)
            if isinstance(bound, RefusalReason):
                return bound
            full, tree, _ = bound
            placed = self._at_place_of_person(full, done)
            if self._has_unused_place(placed.pieces[len(full.pieces) :], full, tree):
                return RefusalReason("NOT_TOGETHER", step.text)
            full = placed
            args = self._matcher.tree_arguments(full, tree)
            if isinstance(args, RefusalReason):
                return args
            times = 1 if self._matcher.has_repetition_parameter(tree) else step.times
            if max(step.turns, step.tries) > _MOST_TIMES:
                return RefusalReason("COUNT", step.text)
            if times > 1 and (tree.root.skip_if is not None or times > _MOST_TIMES):
                return RefusalReason(
                    "COUNT", next((p.text for p in step.pieces if p.name == "TIMES"), step.text)
                )
            part = Part(tree.tree, args, step.text, held, times, step.case, step.rescues)
            part = replace(part, turns=step.turns, tries=step.tries)
            parts.append(replace(part, borrowed=borrowed, step=full))
        return parts

    def _at_place_of_person(self, step: Step, done: list[Step]) -> Step:
        """Return a step, completed by the place where an earlier step searched for its person."""
        each, people = self._lexicon.list_types("each"), self._lexicon.recipient_types
        asked, found = step.condition or (None, True)
        if asked is not None and not found:
            return step  # the person was not found there
        persons = {(p.name, p.value) for p in step.pieces if p.name in people}
        if not persons or any(p.name in each for p in step.pieces):
            return step
        for one in (*([] if asked is None else [asked]), *reversed(done)):
            if persons & {(p.name, p.value) for p in one.pieces}:
                places = [p for p in one.pieces if p.name in each and p.mark != "not"]
                return replace(step, pieces=[*step.pieces, *places])
        return step

    def _has_unused_place(self, places: list[Piece], step: Step, tree: TreeSpec) -> bool:
        """Return True if a person is at an unusual place for which the tree has no parameter."""
        taken = {param.type for param in tree.params.values()}
        values = self._lexicon.values
        known = [values.get(p.name, {}).get(p.value) for p in step.pieces if p.kind == "value"]
        usual = {place for one in known if one is not None for place in one.brings.values()}
        return any(p.name not in taken and p.value not in usual for p in places)

    def _bind_step_condition(
        self, step: Step, done: list[Step]
    ) -> BranchCondition | RefusalReason | None:
        """Return the question tree for the condition of a step; None without a condition."""
        if step.condition is None:
            return None
        asked, needed = step.condition
        bare = replace(asked, condition=None)
        if asked.verbs == (ANSWERED,):
            return self._lexicon.answered, (), needed
        if asked.verbs == (COMPARE,) and (compares := self._lexicon.compares) is not None:
            two = self._matcher.tree_arguments(asked, self._library.get(compares.two))
            return (
                two
                if isinstance(two, RefusalReason)
                else (compares.two, tuple(two.items()), needed)
            )
        if self._heard is not None and (asked is self._heard[0] or step.case):
            done = [*done, self._heard[1]]  # all branches of a question refer to the same place
        elif self._refers_to_several_places(bare, done):
            return RefusalReason("CONDITION", asked.text)
        if asked.pronoun and self._heard is not None and asked is self._heard[0]:
            bare = self._heard[1]
        tool = _with_tool_for_pronoun(bare, step)
        step, *done = (_without_tool(one, bare) for one in (step, *done))
        found = None if tool is None else self._matcher.match_step(tool, [])
        if found is None or isinstance(found, RefusalReason):
            found = self._matcher.match_step(bare, [*done, step])
        if isinstance(found, RefusalReason):  # e.g. "if it is closed, open it"
            found = self._matcher.match_step(
                bare, [*done, self._matcher.with_default_objects(step)]
            )
        if not isinstance(found, RefusalReason) and _condition_has_only_pronoun(found[0], step):
            about = replace(bare, pieces=[*without_pronouns(bare), *step.pieces])
            found = self._matcher.match_step(about, [])
        if isinstance(found, RefusalReason):
            return RefusalReason("CONDITION", asked.text)
        if self._concerns_several_places(found[0]):
            return RefusalReason("CONDITION", asked.text)
        self._heard = asked, found[0]
        if find_answering_check(found[1]) is None:
            return self._find_question_tree(asked, done, needed=needed)
        args = self._matcher.tree_arguments(self._at_place_of_person(found[0], done), found[1])
        if isinstance(args, RefusalReason):
            return args
        return found[1].tree, tuple(args.items()), needed

    def _refers_to_several_places(self, asked: Step, done: list[Step]) -> bool:
        """Return True if a step names no place, and the last step with places names several."""
        each = self._lexicon.list_types("each")
        if not each or any(p.name in each for p in asked.pieces if p.kind == "value"):
            return False
        named = [
            [p.value for p in step.pieces if p.name in each and p.mark != "not"] for step in done
        ]
        last = next((values for values in reversed(named) if values), [])
        return len(set(last)) > 1

    def _concerns_several_places(self, asked: Step) -> bool:
        """Return True if a question names a group of places, which one observation does not cover.

        "If all rooms except the lounge are dark" needs the observations of several places.
        """
        each = self._lexicon.list_types("each")
        placed = [p for p in asked.pieces if p.kind == "value" and p.name in each]
        known = (self._lexicon.values.get(p.name, {}).get(p.value) for p in placed)
        return any(p.mark == "not" for p in placed) or any(one and one.each for one in known)

    def _addresses_several_places(self, step: Step, done: list[Step]) -> bool:
        """Return True for a message without recipients or place, after acts at several places.

        In "go to the lounge and the hall and greet all there", "there" may mean both.
        """
        texts = (self._lexicon.texts.get(p.name) for p in step.pieces if p.kind == "text")
        speaks = any(slot is not None and slot.shape != "noun" for slot in texts)
        named = any(p.value and p.name in self._lexicon.recipient_types for p in step.pieces)
        return speaks and not named and self._refers_to_several_places(step, done)

    def _find_question_tree(
        self, asked: Step, done: list[Step], *, needed: bool
    ) -> BranchCondition | RefusalReason:
        """Return the tree that decides a question whose matching tree only observes."""
        found = self._matcher.match_step(replace(asked, condition=None), done)
        trees = (
            {} if isinstance(found, RefusalReason) else self._lexicon.decides.get(found[1].tree, {})
        )
        said = [p for p in asked.pieces if p.kind == "value" and p.name in self._joined]
        tree = {_deciding_tree(trees, piece) for piece in said}
        name = tree.pop() if len(tree) == 1 else None
        if isinstance(found, RefusalReason) or name is None:
            return RefusalReason("CONDITION", asked.text)
        self._heard = asked, found[0]
        bounds = [piece for piece in asked.pieces if piece.name in BOUNDS]
        full = replace(found[0], pieces=[*found[0].pieces, *bounds])
        args = self._matcher.tree_arguments(full, self._library.get(name))
        if isinstance(args, RefusalReason):
            return RefusalReason("CONDITION", asked.text)
        return name, tuple(args.items()), needed

    def _with_default_object(self, step: Step, last: Step | None) -> Step:
        """Return a step with the default object of its verb if it names none ("go on patrol").

        After a step that sends the robot somewhere, the object is that place ("go to the lounge and
        patrol").
        """
        for verb in step.verbs:
            way = self._lexicon.ways.get(verb)
            for kind, value in (way.about if way is not None else {}).items():
                if any(
                    p.name == kind for p in step.pieces
                ) or value not in self._lexicon.values.get(kind, {}):
                    continue
                near = last is not None and self._has_tree_that_begins_another(last, step)
                near = near and not self._covers_usual_values(step)
                sent = [p for p in (last.pieces if near and last else ()) if p.name == kind]
                more = sent or [Piece("value", kind, value, start=step.start, end=step.start)]
                step = replace(
                    step,
                    pieces=[
                        *step.pieces,
                        *(replace(p, start=step.start, end=step.start) for p in more),
                    ],
                )
        return step

    def _covers_usual_values(self, step: Step) -> bool:
        """Return True if a step means all its default values, even after a drive to one of them."""
        ways = (self._lexicon.ways.get(verb) for verb in step.verbs)
        return any(way is not None and way.whole for way in ways)

    def _has_tree_that_begins_another(self, first: Step, step: Step) -> bool:
        """Return True if a tree of `first` is the beginning of a tree of `step`."""
        trees = {frame.tree for frame in self._matcher.frames_for(first)}
        follows = {frame.tree for frame in self._matcher.frames_for(step)}
        return any((one, two) in self._frames.parts for one in trees for two in follows)

    def _is_asked_at_another_place(self, last: Step, step: Step, part: Part) -> bool:
        """Return True if a question is about another place than the one the robot was sent to."""
        if QUESTION in last.verbs or self._information_modes(last):
            return False
        if QUESTION not in step.verbs and "look" not in self._information_modes(step):
            return False
        named = {p.name for p in step.pieces}
        for name, value in part.args.items():
            kind = self._library.get(part.tree).params[name].type
            sent = [p.value for p in last.pieces if p.kind == "value" and p.name == kind]
            if name in self._brought and kind not in named and sent and value not in sent:
                return True
        return False

    def _at_all_observed_places(self, step: Step, done: list[Step]) -> Step:
        """Return a question without a place, completed by all places of the observation before."""
        each = self._lexicon.list_types("each")
        if QUESTION not in step.verbs or not done or any(p.name in each for p in step.pieces):
            return step
        last = done[-1]
        places = [p for p in last.pieces if p.name in each and p.mark != "not"]
        if len({p.value for p in places}) < 2 or "look" not in self._information_modes(last):
            return step
        here = (replace(p, start=step.start, end=step.start) for p in places)
        return replace(step, pieces=[*step.pieces, *here])

    def _leaves_place_open(self, last: Step, step: Step) -> bool:
        """Return True if an observation after a drive to several places names none of them."""
        each = self._lexicon.list_types("each")
        sent = {p.value for p in last.pieces if p.name in each and p.mark != "not"}
        if len(sent) < 2 or QUESTION in last.verbs or self._information_modes(last):
            return False
        observes = QUESTION in step.verbs or "look" in self._information_modes(step)
        return observes and not any(piece.name in each for piece in step.pieces)

    def _information_modes(self, step: Step) -> set[str]:
        """Return how the verbs of a step obtain information: ``look`` or ``tell``."""
        verbs = self._lexicon.verbs
        read = {self._lexicon.general_verb(v) for v in step.verbs}
        return {str(verbs[v].finds) for v in read if v in verbs} - {""}

    def _with_object_of_next_step(self, work: list[Step], at: int) -> Step:
        """Return a step, completed by the object of the next step ("open and close it")."""
        step = work[at]
        content = [p for p in step.pieces if p.kind != "filler"]
        if content or not step.verbs or at + 1 >= len(work) or step.condition is not None:
            return step
        lent = [p for p in work[at + 1].pieces if p.kind in ("noun", "value") and p.mark != "not"]
        if not any(p.kind == "noun" for p in lent):
            return step
        full = replace(step, pieces=[replace(p, start=step.start, end=step.start) for p in lent])
        return full if isinstance(self._matcher.match_exactly(full), TreeSpec) else step


def _forbids_wanted_act(forbidden: Step, wanted: list[Step]) -> bool:
    """Return True for "grab hold of it but don't pull it out" if both are the same act here."""
    kinds = {piece.kind for piece in forbidden.pieces}
    return kinds == {"pronoun"} and any(one.verbs == forbidden.verbs for one in wanted)


def _repeats(before: Step, step: Step) -> bool:
    """Return True if a step adds nothing to the act before it: "take it out and hand it to me"."""
    named, said = (
        {(p.kind, p.name, p.value) for p in one.pieces if p.kind in ("noun", "value", "text")}
        for one in (before, step)
    )
    kept = replace(before, pieces=step.pieces, pronoun=step.pronoun, joined=step.joined)
    same = kept == replace(step, start=before.start, end=before.end, text=before.text)
    return same and step.positive and said <= named


def _refers_to_comparison_result(step: Step, done: list[Step]) -> bool:
    """Return True if a step without an object follows a comparison: "go there"."""
    compared = bool(done) and done[-1].verbs == (COMPARE,)
    return compared and all(piece.kind in ("filler", "pronoun") for piece in step.pieces)


def _without_pieces(step: Step, kinds: Container[str]) -> Step:
    return replace(step, pieces=[piece for piece in step.pieces if piece.name not in kinds])


def _deciding_tree(trees: Mapping[str, str], piece: Piece) -> str | None:
    """Return the tree that decides a question about an aspect, or None."""
    if piece.sense not in DECIDED:
        return None
    return trees.get(f"{piece.value}/{OTHERS}" if piece.sense == OTHERS else piece.value)


def _condition_has_only_pronoun(asked: Step, step: Step) -> bool:
    """Return True if a condition has a pronoun and no noun, and its act has a noun."""
    named = [{p.kind for p in one.pieces} & {"noun", "pronoun"} for one in (asked, step)]
    return asked.pronoun and named == [{"pronoun"}, {"noun"}]


def _without_tool(step: Step, asked: Step) -> Step:
    """Return an act without its tool if the question of its condition contains a noun."""
    if not any(piece.kind == "noun" for piece in asked.pieces):
        return step
    return replace(step, pieces=[piece for piece in step.pieces if piece.mark not in _TOOL_MARKS])


def _with_tool_for_pronoun(asked: Step, step: Step) -> Step | None:
    """Return a condition in which "it" is the tool: "with the left arm unless it is full"."""
    tools = [piece for piece in step.pieces if piece.mark == "with"]
    if not any(piece.kind == "pronoun" for piece in asked.pieces) or len(tools) != 1:
        return None
    return replace(asked, pieces=[*without_pronouns(asked), *tools], pronoun=False)
