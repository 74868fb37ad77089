"""Frames: patterns that select a tree, made from the utterances of the trees.

Utterances are parsed like commands. A frame has the keys of an utterance's pieces, such as
``noun:door``, ``Place``, ``text:Message`` and ``is:open``. Frames are indexed by verb, so that the
cost of a lookup does not depend on the number of trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bt_exec.language.messages import language_of
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.offline.command_reader import Reader
from bt_exec_llm.offline.lexicon import SAYING, Lexicon
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.step_cache import cached_steps
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["DURATION", "Frame", "Frames", "piece_key", "step_keys"]


DURATION = "limit:TIME"
"""Key of a duration: "wait for 10 seconds" differs from "wait in the lounge"."""


@dataclass(frozen=True)
class Frame:
    """Keys that, together with a verb, select one tree.

    Attributes:
        tree: Name of the tree.
        keys: Keys of the pieces that are required with the verb.
        fixed_values: Required values, as (type, value), for which the tree has no parameter.
    """

    tree: str
    keys: frozenset[str]
    fixed_values: frozenset[tuple[str, str]] = frozenset()


@dataclass
class Frames:
    """Frames of a library.

    Attributes:
        by_verb: Frames by verb.
        pairs: Trees by the pair of acts that selects them ("get the material, leave the door
            open").
        parts: Pairs of trees in which the second begins with the first, as "go there and look
            around" begins with "go there".
        accepts: Keys that occur in any utterance of a tree, by tree.
        numbers: Role of the numbers in the utterances, by tree: ``TIMES``, ``COUNT`` or ``TIME``.
        utterances: All utterances as (tree, text, language).
        unread: Utterances that could not be converted to steps, by tree.
    """

    by_verb: dict[str, list[Frame]] = field(default_factory=dict)
    pairs: dict[
        tuple[tuple[str, bool, frozenset[str]], tuple[str, bool, frozenset[str]]], set[str]
    ] = field(default_factory=dict)
    parts: set[tuple[str, str]] = field(default_factory=set)
    accepts: dict[str, set[str]] = field(default_factory=dict)
    numbers: dict[str, set[str]] = field(default_factory=dict)
    utterances: list[tuple[str, str, str]] = field(default_factory=list)
    unread: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def from_utterances(
        cls, library: Library, reader: Reader, utterances: Mapping[str, Sequence[str]]
    ) -> Frames:
        """Return the frames of the trees of `library`, from the given utterances."""
        frames, lexicon = cls(), reader.lexicon
        several: list[tuple[TreeSpec, list[Step]]] = []
        said = [(tree, text) for tree in library for text in utterances[tree.tree]]
        read = cached_steps(reader, [text for _, text in said])
        for (tree, text), steps in zip(said, read, strict=True):
            limits = {p.name for step in steps for p in step.pieces if p.kind == "limit"}
            limits |= {"TIMES" for step in steps if step.times > 1}
            frames.numbers.setdefault(tree.tree, set()).update(limits)
            frames.utterances.append((tree.tree, text, language_of(text)))
            types = {param.type for param in tree.params.values()}
            pieces = [piece for step in steps for piece in step.pieces]
            foreign = any(p.kind == "text" and p.name not in types for p in pieces)
            if not steps or foreign or any(p.kind == "unknown" for p in pieces):
                frames.unread.setdefault(tree.tree, []).append(text)
            elif len(steps) == 1:
                frames._add_frame(tree, steps[0], lexicon)
            else:
                several.append((tree, steps))
        for tree, steps in several:
            frames._add_two_step_frame(tree, steps, lexicon)
        return frames

    def _add_frame(self, spec: TreeSpec, step: Step, lexicon: Lexicon) -> None:
        tree, keys = spec.tree, step_keys(step)
        types = {param.type for param in spec.params.values()}
        fixed = frozenset(one for one in step.named_values if one[0] not in types)
        if not any(param.required for param in spec.params.values()):
            keys -= {DURATION}
        self.accepts.setdefault(tree, set()).update(keys)
        own = (
            [verb for verb in step.verbs if verb not in lexicon.mission_ending_verbs]
            if keys & lexicon.recipient_types
            else []
        )
        things = {
            verb
            for name, slot in lexicon.texts.items()
            if slot.shape == "noun" and f"text:{name}" not in keys
            for verb in slot.verbs
        }
        own = [verb for verb in own or step.verbs if verb not in things]
        for verb in own or step.verbs or ("",):
            if verb.startswith(SAYING) and verb != SAYING + tree:
                continue  # another tree with the same utterance
            known = self.by_verb.setdefault(lexicon.general_verb(verb), [])
            frame = Frame(tree, keys - {"me"}, fixed)
            if frame not in known:
                known.append(frame)

    def _add_two_step_frame(self, spec: TreeSpec, steps: list[Step], lexicon: Lexicon) -> None:
        work = [
            step
            for step in steps
            if not set(step.verbs) & lexicon.mission_ending_verbs or step_keys(step) - {"me"}
        ] or steps
        if len(work) == 1:
            self._add_frame(spec, work[0], lexicon)
            return
        first, last = work[0], work[-1]
        own = {f.tree for v in last.verbs for f in self.by_verb.get(lexicon.general_verb(v), [])}
        alone = {
            frame.tree
            for verb in first.verbs
            for frame in self.by_verb.get(lexicon.general_verb(verb), [])
            if frame.keys <= step_keys(first)
        }
        if spec.tree in own and len(work) == 2 and first.positive and alone:
            said = step_keys(first)
            every = {
                frame.tree
                for verb in first.verbs
                for frame in self.by_verb.get(lexicon.general_verb(verb), [])
                if not any(key.startswith("noun:") for key in frame.keys - said)
            }
            self.parts |= {(one, spec.tree) for one in every}
            return
        for one in _frame_keys(first, lexicon):
            for two in _frame_keys(last, lexicon):
                self.pairs.setdefault((one, two), set()).add(spec.tree)


def _frame_keys(step: Step, lexicon: Lexicon) -> Iterable[tuple[str, bool, frozenset[str]]]:
    known = lexicon.verbs
    own = [
        verb for verb in step.verbs if verb in known and known[verb].pairs
    ]  # "열어 두다" ("leave open") differs from "열다" ("open")
    for verb in own or step.verbs:
        yield lexicon.general_verb(verb), step.positive, step_keys(step) - {"me"}


def step_keys(step: Step) -> frozenset[str]:
    """Return the keys of the pieces of a step."""
    return frozenset(key for piece in step.pieces if (key := piece_key(piece)))


def piece_key(piece: Piece) -> str:
    """Return the key of a piece in frames, such as ``noun:door``; "" for a piece without a key."""
    if piece.mark == "not":
        return ""
    match piece.kind:
        case "noun":
            where = f"@{piece.relation}" if piece.relation and "=" not in piece.relation else ""
            return f"noun:{piece.name}{where}"
        case "value":
            return f"from:{piece.name}" if piece.mark == "from" else piece.name
        case "text":
            return f"text:{piece.name}"
        case "state":
            return f"is:{piece.name}"
        case "speaker":
            return "me"
        case "person":
            return piece.name
        case "unknown":
            return "unknown"
        case "limit" if piece.name == "TIME":
            return DURATION
    return ""
