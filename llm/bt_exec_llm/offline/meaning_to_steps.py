"""Conversion of a meaning to steps, and checks of the whole source text.

If no step can express a part of a meaning, the meaning has no steps: no command is executed in
part.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from itertools import pairwise

from bt_exec.language.reading.branch_completion import with_completed_branches
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.grammar import PAUSES
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node, normal_form
from bt_exec.language.reading.reader import Reading, may_deny_more
from bt_exec_llm.offline.act_clauses_to_steps import BECOME
from bt_exec_llm.offline.acts_at_each_place import distribute_over_places
from bt_exec_llm.offline.clauses_to_steps import ClauseConverter
from bt_exec_llm.offline.exclusions import (
    apply_exclusions,
    leave_out_of_others,
    usual_values,
)
from bt_exec_llm.offline.fetched_objects import join_fetching_steps
from bt_exec_llm.offline.lexicon import Lexicon, Words
from bt_exec_llm.offline.phrases_to_pieces import ARMS, WITH
from bt_exec_llm.offline.questions_to_steps import PAIR
from bt_exec_llm.offline.reader_lexicon import verbs_in
from bt_exec_llm.offline.step import OMITTED, QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import (
    LeftAloneError,
    NoStepsError,
    UnclearTextError,
)
from bt_exec_llm.offline.step_piece import RANKS, Piece
from bt_exec_llm.offline.value_order import apply_value_order

__all__ = ["condition_of_meaning", "find_choice", "pieces_of_fragment", "steps_of_meaning"]

_REMARK = "remark"
_ORDERING = ("before_word", "after_word", "~before", "~before_you", "~after", "~after_you")
"""Categories of words that order two acts."""

_DEMANDS = (BECOME, "move", "asked_for")
"""Verbs of the reading engine for a state that an act must bring about."""
_STATED = ("in_the_end",)
"""Signs of marks of order that apply to one clause only."""
_UNTIL_TOLD = ("until_told", "until_ordered")
_ACTS = ("v", "hold", "await", "exist", "stay", "spare")
"""Kinds of verbs for acts and for keeping a state."""
_JOINING = ("link", "manner", *PAUSES)
"""Categories of words and pauses between two acts."""
_UNREACHED = ("text", "det", "the")
"""Categories of texts for persons and of articles, which name no place."""


def steps_of_meaning(meaning: Node, lexicon: Lexicon, reading: Reading) -> list[Step]:
    """Return the steps of a meaning.

    Args:
        meaning: Meaning in normal form.
        lexicon: The words of the site.
        reading: The parsed text that contains the meaning.

    Raises:
        NoStepsError: If no step can express a part of the meaning, or the meaning is unclear.
    """
    _check_texts(reading, lexicon)
    _check_places_enterable(reading, lexicon)
    raw = reading.edge.meaning
    if isinstance(raw, Node) and _is_unclear(raw, reading):
        raise NoStepsError
    if _may_mean_inside(reading, lexicon.list_types("each")) or _reports_before_act(
        reading, lexicon
    ):
        raise NoStepsError
    if (
        _joins_remark(reading)
        or _may_depend_on_question_before(reading)
        or _acts_after_wait(reading)
    ):
        raise NoStepsError
    if _may_ask_for_denied_act(meaning, reading):
        raise UnclearTextError("NEGATED", reading.text)
    if find_choice(meaning) is not None:
        raise UnclearTextError("CHOICE", reading.words_of(meaning))
    meaning = with_completed_branches(meaning)
    steps = list(ClauseConverter(lexicon, reading, meaning).convert(meaning))
    steps = _without_acts_that_only_order(steps, reading, lexicon)
    steps = apply_value_order(_with_arms_last(steps, meaning, lexicon), lexicon)
    steps = distribute_over_places(steps, lexicon)
    match _position_of_moved_act(raw) if isinstance(raw, Node) else "":
        case "first":
            steps = leave_out_of_others(steps[0], steps[1:], lexicon)
        case "last":
            last, *others = leave_out_of_others(steps[-1], steps[:-1], lexicon)
            steps = [*others, last]
    late = any(not (one.positive or one.contrast) and steps[0].positive for one in steps[:-1])
    if late and _has_joined_before_negation(reading):
        raise NoStepsError  # it is unclear whether the previous acts are forbidden, too
    if not steps:
        raise LeftAloneError
    saving = {name for name, verb in lexicon.verbs.items() if verb.rescues}
    steps = join_fetching_steps(steps, lexicon)
    steps = _with_repeated_returns(_with_returned_things(steps, saving, lexicon), lexicon)
    if _leaves_place_between_acts(reading):
        if lexicon.list_types("each") and any(map(_drives_anywhere, steps[1:])):
            raise NoStepsError
        steps = [_with_own_places(step, lexicon) for step in steps]
    if any(one.acts and not one.rescues and saving.issuperset(one.acts) for one in steps):
        raise NoStepsError
    steps = [one if one.rescues else one.without_verbs(saving) for one in steps]
    steps = _questions_about_kept_states(steps, lexicon) or steps
    found = apply_exclusions(_with_recipients(steps, lexicon), lexicon)
    acts = [step for step in found if step.positive and step.acts]
    if len(found) > 1 and _ends_mission_before_act(found[0], reading, lexicon):
        raise NoStepsError
    asked_for = [step for step in found if not step.said]
    if len(asked_for) == 1 and _lacks_given_object(asked_for[0], lexicon):
        if reading.language != "ko":
            raise NoStepsError
        omitted = Piece("pronoun", OMITTED)  # "가져와" ("bring it")
        given = replace(asked_for[0], pieces=[omitted], pronoun=True)
        found = [given if step is asked_for[0] else step for step in found]
    english = reading.language == "en"
    if english:
        found = _share_instruments(found, reading, lexicon)
    elif len({_names_instrument(step) for step in acts}) > 1:
        raise NoStepsError  # it is unclear whether the instrument applies to all acts
    return [
        replace(
            step,
            joined=step.joined if at and not step.contrast else "",
            contrast=step.contrast or (english and at > 0 and not step.positive),
        )
        for at, step in enumerate(found)
    ]


def _without_acts_that_only_order(
    steps: list[Step], reading: Reading, lexicon: Lexicon
) -> list[Step]:
    """Return steps without an act that is never ordered, only named as later than the others.

    An example is "before you touch anything, tell me what you see".
    """
    before = _suffixes_of_before(reading)
    if not any(leaf.category.endswith(before) for leaf in reading.edge.leaves()):
        return steps
    denied = {name for name, verb in lexicon.verbs.items() if verb.denied}
    kept = [one for one in steps if not (one.positive and one.acts and denied.issuperset(one.acts))]
    return kept or steps


def _questions_about_kept_states(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return the questions whether states hold if a command only keeps them; otherwise [].

    In "don't close the door, leave it open", nothing is to be done if it is open.
    """
    kept = [step for step in steps if step.positive]
    others = [piece for step in steps if not step.positive for piece in step.pieces]
    found = []
    for step in kept:
        verbs = lexicon.known_verbs(step.acts)
        named = [piece for piece in step.pieces if piece.kind not in ("pronoun", "filler")]
        plain = step == replace(step, condition=None, times=1, turns=1, tries=1, rescues=False)
        if not (verbs and plain and all(one.pairs and one.result for one in verbs)):
            return []
        if any(piece.kind != "noun" or piece.mark for piece in named):
            return []
        usual = [Piece("noun", verbs[0].usual)] if verbs[0].usual else []
        about = named or [one for one in others if one.kind == "noun"] or usual
        pieces = [*about, Piece("state", verbs[0].result)]
        found.append(replace(step, verbs=(QUESTION,), pieces=pieces, pronoun=False, via="ask"))
    return found


def _with_arms_last(steps: list[Step], meaning: Node, lexicon: Lexicon) -> list[Step]:
    """Return the steps for a list of demanded states; the state of the arms is reached last.

    Every other step may move the arms.
    """
    parts = meaning.parts() if meaning.kind == "seq" else ()
    if any(part.text("verb") not in _DEMANDS for part in parts):
        return steps
    known = {name for name, verb in lexicon.verbs.items() if verb.usual == ARMS and verb.result}
    arms = [one for one in steps if one.verbs and known.issuperset(one.verbs)]
    return [*(one for one in steps if one not in arms), *arms]


def _suffixes_of_before(reading: Reading) -> tuple[str, ...]:
    """Return the category suffixes of words like "before", which name the later of two acts."""
    return tuple(language_data(reading.language)["orders"]["before_act"])


def _leaves_place_between_acts(reading: Reading) -> bool:
    """Return True if an act has a word such as "before", or an ending that implies driving on."""
    leaving = tuple(language_data(reading.language)["orders"].get("leaving", ()))
    ordering = (*_ORDERING, *_suffixes_of_before(reading))
    return any(
        leaf.category.endswith(ordering)
        or (leaving and leaf.category.startswith("v.") and leaf.text.endswith(leaving))
        for leaf in reading.edge.leaves()
    )


def _drives_anywhere(step: Step) -> bool:
    """Return True for a drive without a destination, as in "before you go, look at the lounge"."""
    return step.verbs == ("go",) and step.positive and not step.pieces


def _with_own_places(step: Step, lexicon: Lexicon) -> Step:
    """Return a step with the default places of its verb instead of the previous act's places.

    In "go to the lounge before you patrol", the patrol is not in the lounge.
    """
    each = lexicon.list_types("each")
    usual = [piece for piece in usual_values(step, lexicon) if piece.name in each]
    placed = any(piece.name in each for piece in step.pieces)
    return step if placed or not usual else replace(step, pieces=[*step.pieces, *usual])


def _with_returned_things(steps: list[Step], saving: set[str], lexicon: Lexicon) -> list[Step]:
    """Return steps in which a conditional delivery is attempted, and its alternative on failure.

    "If he is in, give him the coffee, otherwise bring it back" is "give him the coffee, and if he
    is not in, bring it back".
    """
    found = list(steps)
    for at, (first, second) in enumerate(pairwise(steps)):
        if first.condition is None or not second.acts or not first.excludes(second):
            continue
        asked = first.condition[0]
        alone = [one.condition and one.condition[0] for one in steps].count(asked) == 2
        sought = {(p.name, p.value) for p in asked.pieces}
        recipients = {(p.name, p.value) for p in first.pieces if p.name in lexicon.recipient_types}
        persons = bool(sought) and {name for name, _ in sought} <= lexicon.recipient_types
        present = persons and (not recipients or sought <= recipients)
        carried = saving.issuperset(second.acts) and lexicon.verbs_with_text & {*first.verbs}
        if alone and present and carried:
            found[at] = replace(first, condition=None)
            found[at + 1] = replace(second, rescues=True, case=0)
    return found


def _with_repeated_returns(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps in which the return is repeated, too: "go there and come back twice".

    Raises:
        NoStepsError: If it is unclear which acts are repeated.
    """
    closing = lexicon.mission_ending_verbs
    often = [one for one in steps if one.times > 1 and one.acts and closing.issuperset(one.acts)]
    if not often:
        return steps
    *_, last = steps
    several = len(steps) != 2 or often != [last] or any(one.turns > 1 for one in steps)
    reports = any(lexicon.verbs[verb].finds for verb in last.acts)
    if several or reports or steps[0].times > 1 or any(one.condition for one in steps):
        raise NoStepsError
    return [replace(one, times=1, turns=last.times) for one in steps]


def pieces_of_fragment(meaning: Node, lexicon: Lexicon, reading: Reading) -> list[Piece]:
    """Return the pieces of a fragment such as "the left one" or "to the lounge".

    Raises:
        NoStepsError: If no pieces can express the fragment.
    """
    return ClauseConverter(lexicon, reading, meaning).convert_fragment(meaning)


def condition_of_meaning(question: Node, lexicon: Lexicon, reading: Reading) -> tuple[Step, bool]:
    """Return the step of a yes/no question, and the answer for which the condition holds.

    Raises:
        NoStepsError: If no step can express the question.
    """
    return ClauseConverter(lexicon, reading, question).convert_condition(question)


def find_choice(meaning: Node) -> Node | None:
    """Return the node of the alternatives that a command leaves open ("left or right"), or None."""
    if meaning.kind in ("ask", "avoid", "most"):
        return None
    if meaning.kind == "choice" or (meaning.kind == "or" and _are_things(meaning.parts())):
        return meaning
    return next(filter(None, map(find_choice, meaning.children())), None)


def _are_things(parts: Iterable[Node]) -> bool:
    return all(any(one.kind == "thing" for one in part.walk()) for part in parts)


def _check_texts(reading: Reading, lexicon: Lexicon) -> None:
    """Check that it is clear which words belong to a text for a person.

    Raises:
        NoStepsError: If words beside the text may belong to it.
        UnclearTextError: If an act after the text may belong to it: "tell him to wait and look".
    """
    leaves = list(reading.edge.leaves())
    quoted = [one[:2] for one in reading.typed.quotations()]
    if len(quoted) == 1 and quoted[0] == (0, len(reading.typed.chars)):
        quoted = []  # the whole command
    if any(_is_taken_apart(start, end, leaves) for start, end in quoted):
        raise NoStepsError  # a quoted order is a message, not an order to the robot
    said = [leaf for leaf in leaves if leaf.category in ("text", "text.asked")]
    if said and any(leaf.category == _REMARK and leaf.start > said[0].start for leaf in leaves):
        raise NoStepsError  # the remark may be part of the message for a person
    _check_no_condition_on_answer(leaves, reading)
    for before, leaf, *after in zip(leaves, leaves[1:], leaves[2:], leaves[3:], strict=False):
        link, act = after
        if leaf.category == "text.item" or not leaf.category.startswith("text"):
            continue
        if before.category in ("joint", "manner"):
            raise NoStepsError
        if link.text != "and":
            continue
        verbs = {*verbs_in(str(act.meaning))}
        known = lexicon.verbs_with_text | lexicon.mission_ending_verbs
        if leaf.text.startswith("to") and not verbs & known:
            start = reading.text.rfind(leaf.meaning.text("said"))
            raise UnclearTextError("AMBIGUOUS", reading.text[start:])


def _is_taken_apart(start: int, end: int, leaves: list[Edge]) -> bool:
    """Return True if quoted words are several words of the command instead of one text or name."""
    inside = [one for one in leaves if one.text and start <= one.start and one.end <= end]
    return len(inside) > 1 and any(one.category.startswith("v.") for one in inside)


def _check_no_condition_on_answer(leaves: list[Edge], reading: Reading) -> None:
    """Check that no word for "when that is done" follows a question.

    An example is "끝났으면" in "끝났는지 물어보고 끝났으면 …" ("ask if it is over, and if it is").

    Raises:
        UnclearTextError: If such a word may be a condition on the answer.
    """
    ends = tuple(language_data(reading.language)["orders"].get("if_done", ()))
    asked = [leaf.start for leaf in leaves if leaf.category.startswith("v.ask")]
    for leaf in leaves:
        late = bool(asked) and leaf.start > asked[0] and leaf.category in ("joint", "manner")
        if ends and late and leaf.text.endswith(ends):
            raise UnclearTextError("CONDITION", reading.typed.typed_words(leaf.start, leaf.end))


def _check_places_enterable(reading: Reading, lexicon: Lexicon) -> None:
    """Check that a command names no place that the robot cannot enter, except to forbid it.

    Raises:
        UnclearTextError: If the command names such a place.
    """
    known = lexicon.limits.get("OUT_OF_REACH", Words()).without_spaces
    forbidden = [reading.edge_of(one) for one in reading.meaning.walk() if one.kind == "avoid"]
    left_out = [leaf for edge in forbidden if edge is not None for leaf in edge.leaves()]
    leaves = [leaf for leaf in reading.edge.leaves() if known and leaf not in left_out]
    leaves = [leaf for leaf in leaves if not leaf.category.startswith(_UNREACHED)]
    for at, leaf in enumerate(leaves):
        said = ""
        for last in leaves[at:]:
            said += "".join(last.text.split())
            if said.startswith(tuple(known)):
                raise UnclearTextError(
                    "OUT_OF_REACH", reading.typed.typed_words(leaf.start, last.end)
                )


def _is_unclear(meaning: Node, reading: Reading) -> bool:
    """Return True if it is unclear what a prohibition or an ordering word applies to."""
    meaning = _without_ordering(meaning, _STATED)
    kinds = {node.kind for node in meaning.walk()}
    acts = [node for node in meaning.walk() if node.kind == "act"]
    inside = any(part.kind == "ordered" for act in acts for part in act.walk())
    paused = any(leaf.category == "comma" for leaf in reading.edge.leaves())
    pair = len(acts) == PAIR and "if" not in kinds
    # in "팔부터" ("the arm first"), a particle marks the object
    marked = inside and pair and reading.language == "ko"
    same = len(acts) >= PAIR and normal_form(meaning) == normal_form(_without_ordering(meaning))
    signs = {one.text("sign") for one in meaning.walk()}
    english = reading.language == "en"
    # the Korean word "나중에" ("last") may also mean "later"
    unordered = {"", "first", "finally", *(("last",) if english else ())}
    alone = len(acts) == 1 and not inside and signs <= unordered
    clear = marked or alone or "between" in signs or (pair and (paused or "reminded" in signs))
    moved = (inside and not marked and not same) or ("ordered" in kinds and not clear and not same)
    before = any(leaf.category.endswith(".before") for leaf in reading.edge.leaves())
    ranked = any(node.text("relation") in RANKS for node in meaning.walk())
    listed = english and not ranked and _names_first_of_list(reading.edge.leaves())
    moved = listed or (moved and (not english or len(acts) > 1))
    denied = before or may_deny_more(reading) or _forbids_only_later_acts(meaning)
    return moved or ("avoid" in kinds and denied)


def _forbids_only_later_acts(meaning: Node) -> bool:
    """Return True if an order states only when a prohibition begins ("once open, do not …")."""
    parts = [part for part in meaning.parts() if part.kind != "avoid"]
    acts = [part.node("of") if part.kind == "until" else part for part in parts]
    since = all(act.kind == "act" and act.text("verb") in (BECOME, "wait") for act in acts)
    return meaning.kind == "seq" and bool(acts) and since


def _names_first_of_list(leaves: Iterable[Edge]) -> bool:
    """Return True for "first" after a later item of a list: "the corridor, the lounge first"."""
    paused = named = False
    for category in (leaf.category for leaf in leaves):
        if category == "~first" and named:
            return True
        if category.startswith("v."):
            paused = named = False
        elif category in ("soft", "comma"):
            paused = True
        named = paused and (named or category == "noun")
    return False


def _position_of_moved_act(raw: Node) -> str:
    """Return ``first`` or ``last``, the position to which a sequence moves one of its later acts.

    An example is "…, but look at the lounge first". The result is empty unless one act is moved.
    """
    later = raw.parts()[1:] if raw.kind == "seq" else ()
    signs = [node.text("sign") for part in later for node in part.walk() if node.kind == "ordered"]
    return signs[0] if len(signs) == 1 else ""


def _without_ordering(node: Node, signs: Container[str] = ()) -> Node:
    """Return a meaning without marks of order; if `signs` are given, only without these marks."""
    inner = node.map_children(lambda part: _without_ordering(part, signs))
    marked = inner.kind == "ordered" and (not signs or inner.text("sign") in signs)
    return inner.node("of") if marked else inner


def _joins_remark(reading: Reading) -> bool:
    """Return True if "and" joins a remark to an act, so that the remark may be part of the act.

    An example is "check that the lights in the lounge and the hall are off, and come back".
    """
    remarks = [one for one in reading.meaning.walk() if one.kind == "remark" and one.parts()]
    edges = [edge for one in remarks if (edge := reading.edge_of(one)) is not None]
    edges += [edge for one in remarks if (edge := reading.edge_of(one.parts()[0])) is not None]
    starts = {edge.start for edge in edges}
    joins = language_data(reading.language)["orders"].get("joins_remarks", ())
    return any(leaf.end in starts and leaf.text in joins for leaf in reading.edge.leaves())


def _may_ask_for_denied_act(meaning: Node, reading: Reading) -> bool:
    """Return True if a negation may ask for the act: "why don't you open it", "안 열어 줘?"."""
    if any(leaf.category == "suggest" for leaf in reading.edge.leaves()):
        return True
    negating = language_data(reading.language)["orders"].get("negating", ())
    denied = [reading.edge_of(one) for one in meaning.walk() if one.kind == "avoid"]
    words = {leaf.text for edge in denied if edge is not None for leaf in edge.leaves()}
    return reading.text.rstrip().endswith("?") and not words.isdisjoint(negating)


def _may_depend_on_question_before(reading: Reading) -> bool:
    """Return True if an act may depend on the question before it because no word joins the two.

    An example is "check the lounge if empty go to the hall".
    """
    if reading.language != "en" or any(one.kind == "if" for one in reading.meaning.walk()):
        return False
    asked = False
    for leaf, after in pairwise(reading.edge.leaves()):
        joined = leaf.category in (*_JOINING, *_ORDERING)
        asked = (asked or leaf.category == "whether") and not joined
        if asked and after.category.startswith("v."):
            return True
    return False


def _acts_after_wait(reading: Reading) -> bool:
    """Return True if an act follows the words "until I tell you", which end a command."""
    leaves = list(reading.edge.leaves())
    wait_positions = [at for at, leaf in enumerate(leaves) if leaf.category in _UNTIL_TOLD]
    if not wait_positions:
        return False
    kinds = [leaf.category.partition(".") for leaf in leaves[wait_positions[0] :]]
    acts = [kind for kind, _, mood in kinds if kind in _ACTS and mood]
    return len(acts) > (reading.language == "ko")  # in Korean, the words precede their verb


def _may_mean_inside(reading: Reading, kinds: Iterable[str]) -> bool:
    """Return True if "안" may mean "inside" the preceding place instead of "not"."""
    within = {f"~{word}" for word in language_data(reading.language)["words"].get("within", ())}
    leaves = list(reading.edge.leaves())
    places = tuple(f"value/{kind}/" for kind in kinds)
    return any(
        second.category in within
        and third.category.startswith("adj")
        and isinstance(first.meaning, Node)
        and first.meaning.text("name").startswith(places)
        for first, second, third in zip(leaves, leaves[1:], leaves[2:], strict=False)
    )


def _reports_before_act(reading: Reading, lexicon: Lexicon) -> bool:
    """Return True if an act is to follow a report: "tell me before you open it"."""
    acts = [leaf for leaf in reading.edge.leaves() if leaf.category.startswith("v.")]
    verbs = [verbs_in(str(leaf.meaning)) for leaf in acts]
    telling = {name for name, verb in lexicon.verbs.items() if verb.finds == "tell"}
    tells = any(telling.issuperset(names) for names in verbs)
    return tells and any(leaf.category.endswith(".before") for leaf in acts)


def _ends_mission_before_act(step: Step, reading: Reading, lexicon: Lexicon) -> bool:
    """Return True if the mission would end before an act: "come back before checking it"."""
    ordered = any(leaf.category in _ORDERING for leaf in reading.edge.leaves())
    return ordered and step.positive and lexicon.mission_ending_verbs.issuperset(step.verbs)


def _has_joined_before_negation(reading: Reading) -> bool:
    """Return True if a prohibition may include the previous act: "don't open and close it"."""
    moods = [leaf.category.rpartition(".")[2] for leaf in reading.edge.leaves()]
    denied = [at for at, mood in enumerate(moods) if mood in ("instead", "prohibited")]
    return any(mood == "and" for at in denied for mood in moods[:at])


def _lacks_given_object(step: Step, lexicon: Lexicon) -> bool:
    """Return True for "give me" without an object."""
    asked_for = any(verb.asked_for for verb in lexicon.known_verbs(step.verbs))
    return asked_for and not step.pieces and step.condition is None


def _with_recipients(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps in which a text without recipients gets the previous prohibition's recipients.

    In "do not ask the professor, only deliver the documents", the professor is the recipient.
    """
    found: list[Step] = []
    persons: list[Piece] = []
    for step in steps:
        named = [piece for piece in step.pieces if piece.name in lexicon.recipient_types]
        texts = any(piece.kind == "text" for piece in step.pieces)
        if step.positive and texts and not named:
            step = replace(step, pieces=[*persons, *step.pieces])
        persons = [] if step.positive else named
        found.append(step)
    return found


def _names_instrument(step: Step) -> bool:
    return any(piece.mark == "with" for piece in step.pieces)


def _share_instruments(steps: list[Step], reading: Reading, lexicon: Lexicon) -> list[Step]:
    """Return English steps in which a step without objects gets the next step's instrument.

    Verbs share an instrument only if they share their object: "open and close it with …".

    Raises:
        NoStepsError: If an instrument may apply to later acts, too.
    """
    found = list(steps)
    for at in range(len(found) - 2, -1, -1):
        step, after = found[at], found[at + 1]
        if _names_instrument(after) and _shares_object(step, after, reading, lexicon):
            found[at] = replace(step, pieces=[p for p in after.pieces if p.mark == "with"])
    acts = [one for one in found if one.positive and QUESTION not in one.verbs]
    named = [(_names_instrument(one), one.condition, one.case) for one in acts]
    if _instrument_stands_first(reading) and any(
        one[0] and not other[0] and one[1:] == other[1:] for one, other in pairwise(named)
    ):
        raise NoStepsError
    return found


def _shares_object(step: Step, after: Step, reading: Reading, lexicon: Lexicon) -> bool:
    """Return True if a step shares the object of the next one, as in "open and close it"."""
    if not step.positive or step.pieces or not step.verbs:
        return False
    between = [one for one in reading.edge.leaves() if step.end <= one.start < after.start]
    objects = {piece.name for piece in after.pieces if piece.kind == "noun"}
    usual = {lexicon.verbs[verb].usual for verb in step.verbs}
    joins = language_data(reading.language)["orders"]["joins_verbs"]
    return all(one.text in joins for one in between) and objects <= usual


def _instrument_stands_first(reading: Reading) -> bool:
    """Return True if an instrument precedes all acts: "with your left arm, open and take"."""
    leaves = list(reading.edge.leaves())
    tools = [leaf.start for leaf in leaves if leaf.category in WITH]
    acts = [leaf.start for leaf in leaves if leaf.category.startswith("v.")]
    return bool(tools) and min(acts, default=0) > min(tools)
