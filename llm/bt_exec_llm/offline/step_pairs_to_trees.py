"""Pairs of steps that one tree executes ("get the material and leave the door open")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from bt_exec.spec.library import Library
from bt_exec_llm.offline.command_part import BranchCondition, Part
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.utterance_frames import Frames, step_keys

__all__ = ["Pairs"]

_SYLLABLE = 1  # a verb of one syllable without object may be an auxiliary of the previous verb


class Pairs:
    """Binder of pairs of steps to single trees.

    Args:
        frames: Frames of the library.
        library: The trees.
        lexicon: The words of the site.
        held: Function that returns the question tree for the condition of a step.
    """

    def __init__(
        self,
        frames: Frames,
        library: Library,
        lexicon: Lexicon,
        held: Callable[[Step, list[Step]], BranchCondition | RefusalReason | None],
    ) -> None:
        self._frames = frames
        self._library = library
        self._lexicon = lexicon
        self._held = held

    def find_pair(self, work: list[Step], at: int) -> Part | RefusalReason | None:
        """Return the part for step `at` and the next one together, or None if no tree does both."""
        if at + 1 >= len(work) or not self._frames.pairs:
            return None
        first, last = work[at], work[at + 1]
        if first.rescues or last.rescues:
            return None
        found = self._bind_pair(first, last)
        # e.g. "문은 열어 놓고 자재 꺼내와" ("leave the door open and bring the material")
        if found is None and first.positive and last.positive:
            found = self._bind_pair(last, first)
        return found

    def repeats_second_step(self, first: Step, second: Step, third: Step, pair: Part) -> bool:
        """Return True if the third step only repeats the second step of a pair."""
        if third.condition != first.condition or not third.positive:
            return False
        same = replace(third, pieces=third.pieces or second.pieces)
        found = self._bind_pair(first, same)
        return isinstance(found, Part) and found.tree == pair.tree

    def is_redundant_leave(self, act: Step, idle: Step, parts: list[Part]) -> bool:
        """Return True if "leave it so" adds nothing to an act, as in "open it, leave it so".

        It adds a detail if both steps are a pair with a separate tree ("get the material, leave the
        door open").
        """
        if idle.condition is not None or not parts:
            return False
        concepts = {self._lexicon.general_verb(verb) for verb in act.verbs}
        return all(
            trees <= {parts[-1].tree}
            for pair, trees in self._frames.pairs.items()
            if {sign[0] for sign in pair if sign[1]} & concepts
        )

    def only_keeps_state(self, work: list[Step], at: int) -> bool:
        """Return True if a step only keeps a state that the other steps do not change.

        If the step has no object, the state is that of the last act before the step. A step that
        names an instrument is an act: "hold it with your left hand and close the door".
        """
        verbs, step = self._lexicon.verbs, work[at]
        if any(piece.kind == "value" and piece.mark in ("by", "with") for piece in step.pieces):
            return False
        known = [verbs[verb] for verb in step.verbs if verb in verbs]
        others = [*work[:at], *work[at + 1 :]]
        if not known or not others or not all(verb.pairs for verb in known):
            return False
        kept = {p.name for p in step.pieces if p.kind == "noun"}
        if kept:
            used = {p.name for one in others for p in one.pieces if p.kind == "noun"}
            used |= {verbs[verb].usual for one in others for verb in one.verbs if verb in verbs}
            return kept.isdisjoint(used)
        states = {verb.result for verb in known} - {""}
        before, after = (
            self._resulting_states(work[:at])[-1:],
            self._resulting_states(work[at + 1 :]),
        )
        return not states or {*before, *after} <= states

    def _resulting_states(self, steps: list[Step]) -> list[str]:
        """Return the states that result from steps, in order."""
        verbs = self._lexicon.verbs
        left = (verbs[verb].result for one in steps for verb in one.verbs if verb in verbs)
        return [state for state in left if state]

    def _bind_pair(self, first: Step, last: Step) -> Part | RefusalReason | None:
        params: dict[str, Any] = {}
        for one in self._pair_keys(first, last):
            for two in self._pair_keys(last, first):
                trees = self._frames.pairs.get((one, two), set())
                if len(trees) == 1:
                    tree = next(iter(trees))
                    for piece in (*first.pieces, *last.pieces):
                        for name, param in self._library.get(tree).params.items():
                            if piece.kind == "value" and param.type == piece.name:
                                params[name] = piece.value
                    known = self._library.get(tree).params
                    if any(param.required and name not in params for name, param in known.items()):
                        continue
                    counted = [p for p in (*first.pieces, *last.pieces) if p.kind == "limit"]
                    if counted or first.times > 1 or last.times > 1:
                        return RefusalReason("COUNT", counted[0].text if counted else last.text)
                    if any(
                        p.kind == "value" and not step.positive
                        for step in (first, last)
                        for p in step.pieces
                    ):
                        return RefusalReason("NEGATED", last.text)  # only this tool is forbidden
                    if first.condition != last.condition:
                        return RefusalReason("CONDITION", first.text)
                    held = self._held(first, [])
                    if isinstance(held, RefusalReason):
                        return held
                    text = f"{first.text} {last.text}".strip()
                    return Part(tree, params, text, held, case=first.case, step=last)
        return None

    def _pair_keys(self, step: Step, other: Step) -> Iterable[tuple[str, bool, frozenset[str]]]:
        keys = {k for k in step_keys(step) if k != "me" and not k.startswith("Arm")}
        if step.pronoun and not any(k.startswith("noun:") for k in keys):
            keys |= {k for k in step_keys(other) if k.startswith("noun:")}
        if step.condition is not None and not any(k.startswith("noun:") for k in keys):
            keys |= {k for k in step_keys(step.condition[0]) if k.startswith("noun:")}
        bare = step.condition is None and len(step.text.strip(" .!?")) > _SYLLABLE
        bare = bare and not any(piece.kind in ("noun", "text", "state") for piece in step.pieces)
        for verb in step.verbs:
            concept = self._lexicon.general_verb(verb)
            yield concept, step.positive, frozenset(keys)
            if not (step.pronoun or bare):
                continue
            alone = self._frames.by_verb.get(concept, [])  # frames without the other step
            known = {*step_keys(other), *keys, *(key for frame in alone for key in frame.keys)}
            for sign in (sign for pair in self._frames.pairs for sign in pair):
                named = {key for key in sign[2] if key.startswith("noun:")}
                if sign[:2] == (concept, step.positive) and (named <= known or not alone):
                    yield sign
