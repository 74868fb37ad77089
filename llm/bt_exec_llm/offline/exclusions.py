"""Exclusion of values in steps: "not with the left arm", "neither the lounge nor the corridor"."""

from __future__ import annotations

from dataclasses import replace

from bt_exec.language.closed_classes import closed_words
from bt_exec.language.reading.meaning_node import Node
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.reader_lexicon import TOOL
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import LeftAloneError, NoStepsError
from bt_exec_llm.offline.step_piece import Piece

__all__ = [
    "ALL_OF_IT",
    "LEAVE",
    "REST",
    "apply_exclusions",
    "find_only_other_value",
    "forbidden_verbs",
    "forbids_touching",
    "leave_out_of_others",
    "usual_values",
]

ALL_OF_IT = frozenset([*closed_words("en", "all_of_it"), *closed_words("ko", "all_of_it")])
"""Words for all values: "everything except the lounge"."""
LEAVE = "leave"
"""Verb of an act that leaves an object alone."""

_TOOLS = ("arms", "hand")
REST = "rest"
"""Mark of a piece that stands for all values except the excluded ones."""


def forbids_touching(clause: Node) -> bool:
    """Return True for a clause that forbids touching an object, such as "leave it"."""
    return clause.kind == "avoid" and clause.node("of").text("verb") == LEAVE


def apply_exclusions(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps in which excluded values restrict the acts, or become forbidden acts.

    If a type has two values, excluding one means the other: "not with the left arm".
    """
    steps = _with_usual_values(steps, lexicon)
    acts = [step for step in steps if step.positive and QUESTION not in step.verbs]
    rests = [step for step in acts if any(piece.mark == REST for piece in step.pieces)]
    others = [step for step in acts if step not in rests and any(map(_is_value, step.pieces))]
    if len(rests) == 1 and rests[0].condition is None and _is_rest_of(rests[0], others, lexicon):
        named = [one for step in others for one in step.pieces if one.kind == "value"]
        rests[0].pieces += [one.with_mark("not") for one in named]
        others = []
    rest = rests[0] if len(rests) == 1 and not others else None
    if rests and rest is None:
        raise NoStepsError
    found: list[Step] = []
    wanted = [step.positive for step in steps]
    for step in steps:
        kinds = {piece.name for piece in step.pieces if piece.kind == "value"}
        if step.positive:
            found.append(step)
        elif not step.pieces and not acts:
            continue  # "do nothing, only tell me whether …"
        elif acts and _is_obeyed_anyway(step, acts, lexicon):
            continue  # "방해하지 말고 돌아와" ("come back without disturbing anyone")
        elif step.pieces and all(piece.mark == REST for piece in step.pieces):
            if not acts:
                raise LeftAloneError
            continue  # "nothing else"
        elif (
            step.pieces
            and kinds
            and all(find_only_other_value(one, lexicon) for one in step.pieces)
        ):
            if len(acts) != 1 or step.condition is not None or len(step.pieces) != 1:
                raise NoStepsError
            if _may_refer_to_excluded(acts[0], step):
                raise NoStepsError
            acts[0].pieces.append(step.pieces[0].with_mark("not"))
        elif (whole := _act_with_all_values_of(step, acts, lexicon)) is not None:
            whole.pieces += [piece.with_mark("not") for piece in step.pieces]
        elif rest is not None and kinds:
            rest.pieces += [piece.with_mark("not") for piece in step.pieces]
        elif step.verbs == (LEAVE,):
            found += _prohibitions_for(step, acts, lexicon, alone=not any(wanted))
        else:
            found.append(step)
    if rest is not None:
        rest.pieces[:] = _expand_rest_value(rest.pieces, lexicon)
    return [replace(step, pieces=_without_excluded_values(step.pieces, lexicon)) for step in found]


def _is_rest_of(rest: Step, others: list[Step], lexicon: Lexicon) -> bool:
    """Return True if "the rest" in an act means the values that the other acts do not name.

    The other acts must have the same verb, and name values of one type that trees take one by one
    (``each``).
    """
    verbs = {lexicon.general_verb(verb) for verb in rest.verbs}
    named = [one for step in others for one in step.pieces]
    kinds = {one.name for one in named if one.kind == "value"}
    alone = all(one.kind in ("noun", "filler") for one in rest.pieces)
    return (
        (alone and len(kinds) == 1 and kinds <= lexicon.list_types("each"))
        and all(one.kind == "value" and one.mark != "not" for one in named)
        and all(step.condition is None for step in others)
        and all(verbs & {lexicon.general_verb(verb) for verb in step.verbs} for step in others)
    )


def _may_refer_to_excluded(act: Step, forbidden: Step) -> bool:
    """Return True if a pronoun may mean an excluded value: "don't raise the left arm, fold it"."""
    other = {*forbidden.verbs}.isdisjoint({*act.verbs, LEAVE, TOOL})
    return other and any(one.kind == "pronoun" and one.mark != "with" for one in act.pieces)


def leave_out_of_others(first: Step, others: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return an act and later acts; its objects are removed from later acts that would repeat it.

    In "go on patrol, but begin with the lounge", the lounge is visited only once.
    """
    *found, _ = _with_usual_values([*others, replace(first, positive=False)], lexicon)
    acts = [step for step in found if step.positive and QUESTION not in step.verbs]
    whole = _act_with_all_values_of(first, acts, lexicon)
    if whole is not None:
        whole.pieces += [piece.with_mark("not") for piece in first.pieces]
        return [first, *found]
    objects = {(piece.name, piece.value) for piece in first.pieces}
    for act in others:
        named = {(piece.name, piece.value) for piece in act.pieces}
        if act.verbs == first.verbs and objects < named:
            act.pieces = [one for one in act.pieces if (one.name, one.value) not in objects]
    return [first, *others]


def usual_values(step: Step, lexicon: Lexicon) -> list[Piece]:
    """Return the default values of the verbs of a step, such as all places for a patrol."""
    ways = [lexicon.ways[verb].about for verb in step.verbs if verb in lexicon.ways]
    return [Piece("value", kind, value) for way in ways for kind, value in way.items()]


def _with_usual_values(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps in which an act names its default values if some of their type are excluded.

    In "go on patrol, but not to the lounge", the patrol names all places.
    """
    pieces = [(piece, step.positive) for step in steps for piece in step.pieces if _is_value(piece)]
    excluded = {piece.name for piece, positive in pieces if not positive or piece.mark == "not"}
    named = {piece.name for piece, positive in pieces if positive and piece.mark != "not"}
    found = []
    for step in steps:
        usual = {piece.name: piece.value for piece in usual_values(step, lexicon)}
        every = any(piece.mark == REST for piece in step.pieces)
        every = every or bool(ALL_OF_IT & {*step.text.casefold().split()})
        missing = (usual.keys() & excluded) - named if step.positive and not every else ()
        more = [Piece("value", kind, usual[kind]) for kind in sorted(missing)]
        found.append(replace(step, pieces=[*step.pieces, *more]))
    return found


def _is_obeyed_anyway(step: Step, acts: list[Step], lexicon: Lexicon) -> bool:
    """Return True if a step forbids disturbing anyone, and no act concerns a person."""
    known = lexicon.known_verbs(step.verbs)
    said = [piece for act in acts for piece in act.pieces]
    persons = any(one.kind == "text" or one.name in lexicon.recipient_types for one in said)
    return not step.pieces and bool(known) and all(one.denied for one in known) and not persons


def _act_with_all_values_of(step: Step, acts: list[Step], lexicon: Lexicon) -> Step | None:
    """Return the act whose values include all forbidden ones ("look everywhere, but not …")."""
    for act in acts:
        every = {
            (piece.name, one)
            for piece in filter(_is_value, act.pieces)
            for one in lexicon.values_within(piece.name, piece.value)
        }
        mine, other = ({lexicon.general_verb(verb) for verb in one.verbs} for one in (step, act))
        same = mine & other or LEAVE in mine
        left_out = {(p.name, one) for p in step.pieces for one in _values_meant(p, lexicon)}
        if same and step.pieces and left_out <= every:
            return act
    return None


def _values_meant(piece: Piece, lexicon: Lexicon) -> set[str]:
    """Return the value of a piece, or all its possible values if it depends on earlier ones."""
    value = lexicon.values.get(piece.name, {}).get(piece.value)
    return {*value.after.values()} if value is not None and value.after else {piece.value}


def _prohibitions_for(step: Step, acts: list[Step], lexicon: Lexicon, *, alone: bool) -> list[Step]:
    """Return the prohibited acts for a step that forbids touching an object.

    Raises:
        LeftAloneError: If no verbs are known for the object, or if `alone` is True, that is, the
            command contains only prohibitions.
    """
    kinds = {piece.name for piece in step.pieces if _is_value(piece)}
    said = [piece for act in acts for piece in act.pieces]
    texts = any(piece.kind == "text" or piece.name in lexicon.recipient_types for piece in said)
    if kinds and kinds <= lexicon.list_types("joined") and not (alone or texts):
        return []  # "do not disturb anyone": satisfied, because no act concerns a person
    if not alone and kinds and all(map(_is_value, step.pieces)):
        if not kinds & lexicon.list_types("joined"):
            return [step]  # no part of the plan may concern it
        kept = [one for one in acts if kinds & {piece.name for piece in one.pieces}] or acts
        if len(kept) == 1:
            return [replace(step, verbs=kept[0].verbs)]
    if len(step.pieces) != 1 or step.pieces[0].kind != "noun" or alone:
        raise LeftAloneError
    verbs = forbidden_verbs(step.pieces[0], lexicon)
    if not verbs:
        raise LeftAloneError
    return [replace(step, verbs=(name,)) for name in verbs]


def forbidden_verbs(noun: Piece, lexicon: Lexicon) -> list[str]:
    """Return the verbs that are forbidden for an object that must not be touched."""
    verbs = [(name, verb) for name, verb in lexicon.verbs.items() if not verb.pairs]
    own = [name for name, verb in verbs if noun.name and verb.usual == noun.name]
    return own or [name for name, verb in verbs if verb.denied]


def _is_value(piece: Piece) -> bool:
    return piece.kind == "value"


def _expand_rest_value(pieces: list[Piece], lexicon: Lexicon) -> list[Piece]:
    """Return pieces in which "the rest" is replaced by all values except the excluded ones."""
    named = [piece for piece in pieces if piece.kind == "value" and piece.mark != REST]
    kinds = {piece.name for piece in named if piece.mark == "not"}
    both = not kinds and {piece.name for piece in named} <= lexicon.list_types("each")
    kinds = {piece.name for piece in named} if both else kinds
    found = [piece for piece in pieces if piece.mark not in (REST, "not")]
    if len(kinds) != 1 or (not both and any(piece.name in kinds for piece in found)):
        raise NoStepsError
    (kind,) = kinds
    named = [piece for piece in named if piece.name == kind]
    values = lexicon.values.get(kind, {})
    meant = {piece.value for piece in named if not values[piece.value].each}
    if both and len(meant) < len({piece.value for piece in named}):
        raise NoStepsError  # a value such as "everywhere" leaves no other values
    every = [(name, one.each) for name, one in values.items() if meant < {*one.each}]
    if not every and not both:  # a place that a round does not visit anyway
        rounds = {way.about.get(kind, "") for way in lexicon.ways.values()} & values.keys()
        every = [(name, values[name].each) for name in rounds]
    if len(every) != 1:
        raise NoStepsError  # no collective value, or more than one, contains all of them
    name, each = every[0]
    if both:  # "the lounge, then the other rooms"
        said = {piece.value for piece in found}
        return [*found, *(replace(found[-1], value=one) for one in each if one not in said)]
    left_out = [piece for piece in pieces if piece.mark == "not" and piece.value in each]
    return [*found, Piece("value", kind, name), *left_out]


def _without_excluded_values(pieces: list[Piece], lexicon: Lexicon) -> list[Piece]:
    """Return pieces in which an excluded value is replaced by the only other value of its type."""
    named = {piece.name: piece for piece in pieces if piece.kind == "value" and piece.mark != "not"}
    nouns = any(piece.kind == "noun" and piece.mark != "not" for piece in pieces)
    found = []
    for piece in pieces:
        if piece.mark == "not" and piece.kind == "noun" and nouns:
            if piece.name in _TOOLS:
                raise NoStepsError  # "without an arm"
            continue  # "not the door but the hand"
        if piece.mark == "not" and piece.kind != "value":
            raise NoStepsError
        other = find_only_other_value(piece, lexicon) if piece.mark == "not" else ""
        if not other:
            found.append(piece)
        elif piece.name not in named:
            found.append(replace(piece, value=other, mark="with", text=""))
        elif named[piece.name].value != other:
            raise NoStepsError
    return found


def find_only_other_value(piece: Piece, lexicon: Lexicon) -> str:
    """Return the other value of a type with two values; "" for other types and kinds of pieces."""
    values = lexicon.values.get(piece.name, {}) if piece.kind == "value" else {}
    named = [name for name, value in values.items() if not (value.other or value.after)]
    others = [name for name in named if name != piece.value]
    own = piece.value in named
    return others[0] if own and len(others) == 1 and not values[others[0]].each else ""
