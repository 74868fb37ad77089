"""Selection of the tree for a step, with omitted objects filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bt_exec.language.closed_classes import closed_words
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.number_assignment import KINDS, Number, fill_numbers
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step import QUESTION, Step, latest_nouns, replace_pronoun
from bt_exec_llm.offline.step_piece import BOUNDS, Piece
from bt_exec_llm.offline.utterance_frames import DURATION, Frame, Frames, piece_key, step_keys

__all__ = ["Matcher"]

_BOTH = (*closed_words("en", "both"), *closed_words("ko", "both"))


class Matcher:
    """Selector of trees of one library for steps."""

    def __init__(
        self,
        frames: Frames,
        library: Library,
        lexicon: Lexicon,
        numbers: Mapping[str, tuple[Number, ...]],
        types: Mapping[str, Any],
    ) -> None:
        self._numbers = numbers
        self._types = types
        self._frames = frames
        self._library = library
        self._lexicon = lexicon
        self._brought = lexicon.implied_parameters
        slots = lexicon.texts.items()
        self._things = {f"text:{name}" for name, slot in slots if slot.shape == "noun"}
        self._joined = lexicon.list_types("joined")
        self._receiving = {*lexicon.recipient_types, *lexicon.list_types("each")}
        frames_of_acts = (
            f for verb, own in frames.by_verb.items() if verb != QUESTION for f in own
        )
        self._acted_on = {key for frame in frames_of_acts for key in frame.keys}

    def match_step(
        self, step: Step, done: list[Step]
    ) -> tuple[Step, TreeSpec, bool] | RefusalReason:
        """Return a completed step, its tree, and whether earlier objects complete the step.

        If no tree matches, return the reason instead.
        """
        if not step.verbs and not step.pieces:
            return RefusalReason("NOT_UNDERSTOOD", step.text)
        if QUESTION in step.verbs:  # the answer reports the number
            step = replace(step, pieces=[p for p in step.pieces if p.name not in BOUNDS])
        named = (p for p in latest_nouns(done) if p.mark != "not")
        for option in replace_pronoun(step, named):
            exact = self.match_exactly(option)
            if isinstance(exact, TreeSpec):
                return self._with_previous_tool(option, exact, done), exact, True
        exact = self.match_exactly(step)
        if isinstance(exact, TreeSpec):
            return step, exact, False
        if isinstance(exact, RefusalReason) and exact.code == "AMBIGUOUS":
            return exact
        return self._match_with_omitted_objects(step, done)

    def frames_for(self, step: Step) -> list[Frame]:
        """Return the frames for the verbs of a step."""
        concepts = dict.fromkeys(self._lexicon.general_verb(verb) for verb in step.verbs or ("",))
        return [frame for verb in concepts for frame in self._frames.by_verb.get(verb, [])]

    def _variants_with_substitutes(self, step: Step) -> Iterable[Step]:
        """Yield a step, and its variants in which a value stands for another value.

        If the step carries an item, the variants come first: an item for the place of a person is
        for the person.
        """
        others = [*self._with_stand_ins(step)]
        carries = any(
            piece.kind == "text" and self._lexicon.texts[piece.name].shape == "noun"
            for piece in step.pieces
        )
        yield from (*others, step) if carries else (step, *others)

    def _with_stand_ins(self, step: Step) -> Iterable[Step]:
        for at, piece in enumerate(step.pieces):
            if piece.kind in ("value", "person") and "=" in piece.relation:
                for other in piece.relation.split("|"):
                    kind, _, value = other.partition("=")
                    swapped = replace(piece, kind="value", name=kind, value=value, relation="")
                    yield replace(step, pieces=[*step.pieces[:at], swapped, *step.pieces[at + 1 :]])

    def match_exactly(self, step: Step) -> TreeSpec | RefusalReason:
        """Return the only tree with a frame that matches the whole step, or a refusal reason."""
        for option in self._variants_with_substitutes(step):
            keys = step_keys(option)
            best: dict[str, int] = {}
            for frame in self.frames_for(option):
                left = keys - frame.keys
                if not (frame.keys <= keys and frame.fixed_values <= option.named_values):
                    continue
                if not self._accepts_remaining_pieces(frame.tree, left, option):
                    continue
                best[frame.tree] = min(best.get(frame.tree, 99), len(left - {"me"}))
            if best:
                least = min(best.values())
                names = [name for name, left in best.items() if left == least]
                if len(names) > 1:
                    return RefusalReason("AMBIGUOUS", step.text, trees=tuple(names))
                if option is not step:
                    step.pieces[:] = option.pieces
                return self._library.get(names[0])
        return RefusalReason("NOT_TOGETHER", step.text)

    def _accepts_remaining_pieces(self, tree: str, left: frozenset[str], step: Step) -> bool:
        """Return True if a tree accepts the pieces of a step that are not in the frame."""
        params = self._library.get(tree).params
        types = {param.type for name, param in params.items() if name not in self._brought}
        accepts = self._frames.accepts.get(tree, set())
        for key in left - {DURATION}:  # unused numbers are reported with the arguments
            if key == "me":
                if (
                    "me" not in accepts
                    and not set(step.verbs) & self._lexicon.mission_ending_verbs
                    and QUESTION not in step.verbs
                    and not self._has_report_verb(step)
                ):
                    return False
            elif key.startswith("noun:") or key not in types:
                taken = key in {param.type for param in params.values()}
                if not (key in accepts and (taken or key.startswith(("noun:", "is:")))):
                    return False
        return True

    def _has_report_verb(self, step: Step) -> bool:
        return any(verb.finds == "tell" for verb in self._lexicon.known_verbs(step.verbs))

    def _match_with_omitted_objects(
        self, step: Step, done: list[Step]
    ) -> tuple[Step, TreeSpec, bool] | RefusalReason:
        """Return a step completed with omitted objects, as `match_step` does."""
        keys = step_keys(step)
        options: dict[frozenset[str], set[str]] = {}
        for frame in self.frames_for(step):
            missing = frame.keys - keys
            if self._states_text(frame) and missing & self._joined:
                continue  # the people present are recipients only if the text addresses them
            if (
                missing
                and self._accepts_remaining_pieces(frame.tree, keys - frame.keys, step)
                and not any(k.startswith(("text:", "is:")) for k in missing - self._things)
            ):
                options.setdefault(missing, set()).add(frame.tree)
        said = [p for one in reversed(done) for p in reversed(one.pieces) if p.mark != "not"]
        recipient = _names_recipient(step)
        lendable = [m for m in options if not recipient or m & self._receiving]
        tries = [(m, said) for m in sorted(lendable, key=lambda m: (len(m), sorted(m)))]
        tries += [(missing, [*self._reusable_pieces(said)]) for missing, _ in tries]
        for missing, pool in tries:
            lent = [next((p for p in pool if piece_key(p) == key), None) for key in sorted(missing)]
            if all(p is not None for p in lent):
                pieces = [
                    *step.pieces,
                    *(
                        replace(p, mark="", start=step.start, end=step.start)
                        for p in lent
                        if p is not None
                    ),
                ]
                pieces = [p for p in pieces if p.kind != "pronoun"]
                full = replace(step, pieces=pieces)
                tree = self.match_exactly(full)
                if isinstance(tree, TreeSpec):
                    return self._with_previous_tool(full, tree, done), tree, True
                if tree.code == "AMBIGUOUS":
                    return tree
        usual = {f"noun:{verb.usual}" for verb in self._lexicon.known_verbs(step.verbs)}
        if any(m <= usual for m in options):
            options = {m: trees for m, trees in options.items() if m <= usual}
        nouns = [m for m in options if all(k.startswith("noun:") and "@" not in k for k in m)]
        named = [p for p in said if p.kind == "noun" and piece_key(p) in self._acted_on]
        if (
            len(nouns) == 1
            and len(options[nouns[0]]) == 1
            and not any(p.kind == "noun" for p in step.pieces)
            and (not step.pronoun or (not named and (done or len(step.verbs) == 1)))
            and not self._is_object(step)
            and step.verbs != (QUESTION,)
            and QUESTION not in step.verbs
        ):
            things = [
                Piece("noun", key.removeprefix("noun:"), start=step.start, end=step.start)
                for key in nouns[0]
            ]
            full = replace(step, pieces=[*(p for p in step.pieces if p.kind != "pronoun"), *things])
            tree = self.match_exactly(full)
            if isinstance(tree, TreeSpec):
                return full, tree, False
        short = any(
            keys - {"me"} <= frame.keys and any(k.startswith("text:") for k in frame.keys - keys)
            for frame in self.frames_for(step)
        )
        if options and {DURATION} >= frozenset().union(*options):
            return RefusalReason("NUMBER", step.text, ("number",))
        return self._explain_mismatch(step, bool(options) or short)

    def _states_text(self, frame: Frame) -> bool:
        return any(key.startswith("text:") for key in frame.keys - self._things)

    def with_default_objects(self, step: Step) -> Step:
        """Return a step with the default objects of its verbs added."""
        verbs = self._lexicon.verbs
        names = dict.fromkeys(verbs[v].usual for v in step.verbs if v in verbs and verbs[v].usual)
        usual = [Piece("noun", name, start=step.start, end=step.start) for name in names]
        return replace(step, pieces=[*step.pieces, *usual])

    def _is_object(self, step: Step) -> bool:
        """Return True if a value in a step is its object ("open your left hand"), not its tool."""
        listed = {*self._lexicon.lists, *self._lexicon.recipient_types}
        bare = [p for p in step.pieces if p.kind == "value" and not p.mark and p.name not in listed]
        return any(p.end > p.start for p in bare) and not step.pronoun

    def _with_previous_tool(self, step: Step, tree: TreeSpec, done: list[Step]) -> Step:
        """Return a step with the tool of the preceding step, if that step names the tool first."""
        before = done[-1] if done else None
        if before is None:
            return step
        kinds = {p.type for p in tree.params.values()} - {
            *self._lexicon.lists,
            *self._lexicon.recipient_types,
        }
        kinds -= {p.name for p in step.pieces}
        nouns = [p.start for p in before.pieces if p.kind == "noun"]
        lent = [
            p
            for p in before.pieces
            if p.kind == "value" and p.name in kinds and p.start < min(nouns, default=0)
        ]
        return replace(
            step,
            pieces=[*step.pieces, *(replace(p, start=step.start, end=step.start) for p in lent)],
        )

    @staticmethod
    def _reusable_pieces(said: list[Piece]) -> Iterable[Piece]:
        for piece in said:
            yield piece
            if piece.kind in ("value", "person") and "=" in piece.relation:
                for other in piece.relation.split("|"):
                    kind, _, value = other.partition("=")
                    yield replace(piece, kind="value", name=kind, value=value, relation="")

    def _explain_mismatch(self, step: Step, possible: bool) -> RefusalReason:
        nouns = any(p.kind in ("noun", "value", "person") for p in step.pieces)
        if step.pronoun and not nouns:
            return RefusalReason("NO_REFERENT", step.text)
        if not step.verbs:
            return RefusalReason("NO_ACTION" if nouns else "NOT_UNDERSTOOD", step.text)
        known = bool(self.frames_for(step))
        if possible or (known and not nouns):
            return RefusalReason("NO_OBJECT", step.text)
        return RefusalReason("NOT_TOGETHER", step.text)

    def tree_arguments(self, step: Step, tree: TreeSpec) -> dict[str, Any] | RefusalReason:
        """Return the arguments of a tree from the values of a step."""
        args: dict[str, Any] = {}
        brought: dict[str, str] = {}
        for piece in step.pieces:
            if piece.kind not in ("value", "text") or piece.mark == "not":
                continue
            if piece.kind == "value":
                known = self._lexicon.values.get(piece.name, {}).get(piece.value)
                brought.update(known.brings if known is not None else {})
            names = [name for name, param in tree.params.items() if param.type == piece.name]
            if not names:
                continue
            if tree.params[names[0]].many:
                args[names[0]] = [*args.get(names[0], ()), *piece.value.split(", ")]
                continue
            if names[0] in {one.param for one in self._numbers.get(tree.tree, ())}:
                args[names[0]] = int(piece.value)
                continue
            if names[0] in args and args[names[0]] != piece.value:
                return RefusalReason("CONTRADICTION", f"{args[names[0]]} / {piece.value}")
            args[names[0]] = piece.value
        for name, value in brought.items():
            if name in tree.params:
                args.setdefault(name, value)
        if (both := self._find_both_phrase(step, tree, args)) is not None:
            return RefusalReason("COUNT", both.text)
        numbers = self.number_arguments(step, tree)
        if isinstance(numbers, RefusalReason):
            return numbers
        args.update(numbers)
        missing = [
            name for name, param in tree.params.items() if param.required and name not in args
        ]
        needed = [n.type for n in self._numbers.get(tree.tree, ()) if n.param in missing]
        if needed and len(needed) == len(missing):
            return RefusalReason("NUMBER", step.text, tuple(needed))
        if missing:
            return RefusalReason("NO_OBJECT", step.text)
        return {name: args[name] for name in tree.params if name in args}

    def _find_both_phrase(
        self, step: Step, tree: TreeSpec, args: Mapping[str, Any]
    ) -> Piece | None:
        """Return a phrase such as "both hands" for a parameter with one value, or None."""
        for name, param in tree.params.items():
            values = self._lexicon.values.get(param.type, {})
            if name in args or param.required or not any(v.other for v in values.values()):
                continue
            for piece in step.pieces:
                said = piece.text.casefold()
                if piece.kind == "noun" and said.startswith(_BOTH):
                    return piece
        return None

    def number_arguments(self, step: Step, tree: TreeSpec) -> dict[str, Any] | RefusalReason:
        """Return the arguments for the numbers of a step, or a reason if a number has no use."""
        said = {
            kind: [p for p in step.pieces if p.kind == "limit" and p.name == kind] for kind in KINDS
        }
        own = self._numbers.get(tree.tree, ())
        kinds = self._frames.numbers.get(tree.tree, set())
        if step.times > 1 and self.has_repetition_parameter(tree):
            said["TIMES"] = [Piece("limit", "TIMES", str(step.times), text=step.text)]
        return fill_numbers(own, said, kinds)

    def has_repetition_parameter(self, tree: TreeSpec) -> bool:
        """Return True if a tree has a parameter for repetitions."""
        kinds = self._frames.numbers.get(tree.tree, set())
        own = self._numbers.get(tree.tree, ())
        return any(n.kind == "TIMES" or (not n.kind and "TIMES" in kinds) for n in own)


def _names_recipient(step: Step) -> bool:
    """Return True if a pronoun is the recipient in a step: "bring him the box"."""
    return any(one.kind == "pronoun" and one.mark == "to" for one in step.pieces)
