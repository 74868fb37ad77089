"""Understanding of a command in its session: its parts, or the reason to refuse it."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace

from bt_exec.language.closed_classes import closed_classes, closed_words
from bt_exec.language.logical_operators import operators_in
from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import language_of
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node, conjuncts
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.choice_answers import find_chosen_command
from bt_exec_llm.offline.command_part import BranchCondition
from bt_exec_llm.offline.dependent_values import resolve_dependent_values
from bt_exec_llm.offline.earlier_commands import (
    EarlierCommand,
    SessionHistory,
    Understood,
    complete_with_number,
    leave_out_values,
    resolve_pronoun,
    vary_last_command,
)
from bt_exec_llm.offline.exclusions import forbids_touching
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.library_index import Index
from bt_exec_llm.offline.meaning_from_steps import meaning_from_steps
from bt_exec_llm.offline.meaning_to_steps import pieces_of_fragment
from bt_exec_llm.offline.phrases_to_pieces import HAND, HOME
from bt_exec_llm.offline.reader_lexicon import verbs_in
from bt_exec_llm.offline.recipients import address_last_place, address_others
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.refusal_reason_detection import find_refusal_reason, unknown_place
from bt_exec_llm.offline.repeated_steps import (
    repeat_at_last_place,
    repeat_observations,
    repeat_there,
)
from bt_exec_llm.offline.step import OMITTED, QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import (
    LeftAloneError,
    NoStepsError,
    UnclearTextError,
)
from bt_exec_llm.offline.step_piece import LAST, Piece
from bt_exec_llm.offline.text_normalization import normalize_command

__all__ = ["TALK", "understand", "understand_condition", "understand_part", "understand_session"]

TALK = (
    "GREETING",
    "THANKS",
    "GOODBYE",
    "NEVER_MIND",
    "AGREED",
    "HELP",
    "DONE",
    "SEEN",
    "WHY_NOT",
    "WHY",
    "WHERE",
    "TRAY",
)
"""Codes of phrases that are answered in words."""
_THERE = Node("rel", (("relation", "at"), ("to", Node("pronoun", (("name", "there"),)))))
"""Place of an object without a verb: "the lounge, too"."""
_THEM = Node("pronoun", (("name", "them"),))
_OF_THE_LIBRARY = ("NOT_TOGETHER", "NO_OBJECT", "NO_ACTION", "CONDITION", "NEGATED")
"""Codes of commands that were parsed and match no utterance of their language."""
_OF_IDLE_ORDERS = ("NEGATED", "NUMBER", "OPERATOR")
"""Codes of commands that no tree executes and that may be orders to do nothing."""
_TOLD = Node("pronoun", (("name", "told"),))
"""Condition of "until I tell you": the next command, for which a robot waits anyway."""
_SCOPES = ("ask", "avoid", "if", "ordered")
"""Kinds of nodes whose scope may include words of the next part of a command."""
_NON_QUESTION_CODES = ("NEVER_MIND", "AGREED")
"""Codes of phrases that are not questions."""
_MOST_PARTS = 20
_MOST_PASTS = 64
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")


def understand_session(context: Context, index: Index) -> SessionHistory:
    """Return the earlier commands of a session, each read in the context of those before it.

    All commands are bound with the same index, so that references also work between commands in
    different languages.
    """
    past, known = SessionHistory(), index.pasts
    said: tuple[str, ...] = ()
    for turn in context.turns:
        said = (*said, turn.command, turn.status)
        if said not in known:
            if len(known) >= _MOST_PASTS:
                known.clear()
            known[said] = SessionHistory((*past.said, _understand_turn(turn, past, index)))
        past = known[said]
    return past


def _understand_turn(turn: Turn, past: SessionHistory, index: Index) -> EarlierCommand:
    text, problem = normalize_command(turn.command)
    if problem:
        return EarlierCommand(turn, None)
    found = understand(text, language_of(text), index, past)
    if isinstance(found, Understood):
        return EarlierCommand(turn, found, tuple(found.steps))
    steps = [] if isinstance(found, str) else index.reader.read_steps(text)
    return EarlierCommand(turn, None, tuple(steps))


def understand(
    text: str, language: str, index: Index, past: SessionHistory
) -> Understood | RefusalReason | str:
    """Return the parts of a normalised command, the reason to refuse it, or a code in `TALK`."""
    reader = index.reader
    if code := reader.find_phrase_code(text, language):
        return RefusalReason(code, text)
    text = reader.standardize_spelling(text, language)
    offered = past.said[-1].turn.did_you_mean if past.said else ()
    if len(offered) == 1 and index.small_talk.find_code(text, language, ("AGREED",)):
        return understand(offered[0], language, index, past)
    if chosen := find_chosen_command(offered, text, reader):
        return understand(chosen, language, index, past)
    found = _understand_command(text, language, index, past)
    standard = reader.standardize_dialect(text, language)
    if not _keeps_operators(text, standard, language):
        standard = text
    if standard != text:
        other = _understand_command(standard, language, index, past)
        if isinstance(found, RefusalReason):
            found = found if isinstance(other, RefusalReason) else other
        elif isinstance(other, Understood) and _trees_of(other) != _trees_of(found):
            found = RefusalReason("NOT_UNDERSTOOD", text)  # unclear: dialect form or not
    if isinstance(found, RefusalReason) and found.code in _OF_THE_LIBRARY:
        other = _understand_command(text, language, index.all_languages, past)
        found = found if isinstance(other, RefusalReason) else other
    if isinstance(found, RefusalReason):
        asked = text.rstrip().endswith("?")
        codes = [code for code in TALK if not (asked and code in _NON_QUESTION_CODES)]
        texts = dict.fromkeys((text, standard))
        found_codes = (index.small_talk.find_code(one, language, codes) for one in texts)
        code = next(filter(None, found_codes), "")
        if code and (
            _orders_act(text, index) or _has_command_sentence(text, language, index, past)
        ):
            return found
        idle = found.code in _OF_IDLE_ORDERS and _only_stays(text, index)
        code = code or ("STAY" if idle else "")
        return code or found
    return found


def _keeps_operators(text: str, standard: str, language: str) -> bool:
    """Return True if `standard` contains the operator words of `text`, such as a prohibition."""
    said, kept = (
        Counter(one.kind for one in operators_in(form, language)) for form in (text, standard)
    )
    return said <= kept


def _orders_act(text: str, index: Index) -> bool:
    """Return True for orders that begin with an act: "close it and say what you did".

    A text with a question mark may also be about such an act in the past.
    """
    reading = index.reader.read(text)
    if not isinstance(reading, Reading) or text.rstrip().endswith("?"):
        return False
    acts = [one for one in reading.meaning.parts() if one.kind == "act"]
    verbs = index.reader.lexicon.verbs
    named = (verbs.get(verb) for act in acts for verb in verbs_in(act.text("verb")))
    return reading.meaning.kind == "seq" and any(verb and not verb.finds for verb in named)


def _only_stays(text: str, index: Index) -> bool:
    """Return True for an order to do nothing: "don't move, just stay as you are"."""
    reading = index.reader.read(text)
    if not isinstance(reading, Reading) or not index.reader.is_certain(reading):
        return False
    meaning, known = reading.meaning, index.reader.lexicon.verbs
    parts = meaning.parts() if meaning.kind == "seq" else (meaning,)
    acts = [part for part in parts if part.kind not in ("avoid", "remark")]
    acts = [one.node("of") if one.get("hold") == _TOLD else one for one in acts]
    verbs = [known.get(verb) for act in acts for verb in verbs_in(act.text("verb"))]
    bare = all(act.kind == "act" and len(act.args) == 1 for act in acts)
    still = [verb for verb in verbs if verb and (verb.idle or verb.stays) and not verb.finds]
    stays = bare and bool(verbs) and still == verbs
    return stays or not parts


def _has_command_sentence(text: str, language: str, index: Index, past: SessionHistory) -> bool:
    """Return True if one of several sentences of a text is itself a command."""
    sentences = [one for one in _SENTENCE.findall(text) if one.strip()]
    return len(sentences) > 1 and any(
        isinstance(_understand_command(one.strip(), language, index, past), Understood)
        for one in sentences
    )


def _understand_command(
    text: str, language: str, index: Index, past: SessionHistory
) -> Understood | RefusalReason:
    reading = index.reader.read(text)
    if not isinstance(reading, Reading):
        return find_refusal_reason(reading, language, index.reader)
    found: list[Understood | RefusalReason] = []
    left_alone = False
    for meaning in (reading.meaning, *reading.rivals):
        one = reading.with_meaning(meaning)
        if not index.reader.is_certain(one):
            continue
        try:
            found.append(_understand_meaning(meaning, one, index, past))
        except LeftAloneError:
            left_alone = True
        except UnclearTextError as error:
            return RefusalReason(error.code, error.words, error.missing)
        except NoStepsError:
            continue
    fit = [one for one in found if isinstance(one, Understood)]
    if not fit and (place := unknown_place(text, language, index.reader.lexicon)):
        return RefusalReason("UNKNOWN_OBJECT", place)
    if left_alone and not (fit and any(node.kind == "avoid" for node in reading.meaning.walk())):
        return RefusalReason("NEGATED", text)
    effects = [[part.effect for part in one.parts] for one in fit]
    if not fit:
        troubles = [one for one in found if isinstance(one, RefusalReason)]
        return min(
            (*troubles, find_refusal_reason(reading, language, index.reader)),
            key=lambda one: one.rank,
        )
    if all(one == effects[0] for one in effects):
        return fit[0]
    ends = index.reader.lexicon.closing
    work = [[part.effect for part in one.parts if part.tree not in ends] for one in fit]
    if any(one != work[0] for one in work):
        return RefusalReason("NOT_UNDERSTOOD", text)
    return max(fit, key=lambda one: len(one.parts))  # they differ only in a report at the end


def _trees_of(found: Understood) -> list[str]:
    return [part.tree for part in found.parts]


def _understand_meaning(
    meaning: Node, reading: Reading, index: Index, past: SessionHistory
) -> Understood | RefusalReason:
    """Return the parts for a meaning, or the reason to refuse it.

    Raises:
        NoStepsError: If no step can express a part of the meaning.
    """
    text = reading.text
    asked = _asks_without_request(reading)
    about = meaning.get("of")
    if meaning.kind == "fragment" and isinstance(about, Node) and about.kind == "act":
        if not past.said:  # "no, close it"
            return RefusalReason("NEGATED", text)
        meaning = about
    if meaning.kind == "again" or meaning.text("verb") == "go_on":
        if asked:
            return RefusalReason("NOT_A_COMMAND", text)
        if meaning.kind == "act":
            return past.find_unfinished()
        if meaning.get("of") is None or past.last_command is None:
            return past.last_command or RefusalReason("NOTHING_SAID", text)
    if meaning.kind == "act" and not meaning.text("verb") and meaning.get("to") == _THERE:
        same = Node("fragment", (("of", meaning.parts()[0]), ("sign", "same")))
        meaning = same if past.said and len(meaning.parts()) == 1 else meaning
    if _is_introduced_fragment(meaning, reading):
        meaning = meaning.node("then")
    if meaning.kind in ("again", "fragment"):
        return _understand_fragment(meaning, reading, index, past)
    if (without := _nodes_to_leave_out(meaning)) and past.last_command is not None:
        return _repeat_without(without, reading, index, past)
    if _reports_remark(meaning, index):
        return RefusalReason("NOT_UNDERSTOOD", text)
    steps = _steps_in_session(meaning, reading, index, past)
    *before, last = reading.edge.leaves()
    late = bool(before) and last.category.startswith("v.")  # "door open?"
    if (
        asked
        and (reading.language == "ko" or late)
        and any(QUESTION not in one.verbs for one in steps)
    ):
        return RefusalReason("NOT_A_COMMAND", text)
    found = _bind_steps(steps, reading, index, past)
    verbs = index.reader.lexicon.verbs
    idle = any(verbs[v].idle for one in steps for v in one.verbs if v in verbs)
    if idle and isinstance(found, RefusalReason):
        raise LeftAloneError  # "그냥 놔둬" means "leave it" or "release it"
    return found


def _steps_in_session(
    meaning: Node, reading: Reading, index: Index, past: SessionHistory
) -> list[Step]:
    """Return the steps of a meaning; omitted parts are taken from the last command.

    Raises:
        NoStepsError: If no step can express a part of the meaning.
    """
    parts = meaning.parts() if meaning.kind == "seq" else (meaning,)
    if not parts:
        raise NoStepsError  # all orders were taken back
    *acts, last = parts
    if acts and last.kind == "again" and last.get("of") is None:
        steps = index.reader.convert(reading, Node("seq", (("of", tuple(acts)),)))
        if there := repeat_there(steps, past, index.library, index.reader.lexicon):
            return there
    also = _steps_for_other_recipients(meaning, reading, index, past)
    return also or index.reader.convert(reading, meaning)


def _steps_for_other_recipients(
    meaning: Node, reading: Reading, index: Index, past: SessionHistory
) -> list[Step]:
    """Return the last message, addressed to the recipients in a command like "tell him, too"."""
    last = past.said[-1].steps if past.said else ()
    verbs = {*verbs_in(meaning.text("verb"))}
    other = bool(verbs) and bool(last) and verbs.isdisjoint(last[-1].verbs)
    if meaning.kind != "act" or not last or other or _asks_without_request(reading):
        return []
    named = Node("fragment", (("of", (*meaning.parts(), *meaning.parts("to"))),))
    with suppress(NoStepsError):
        pieces = pieces_of_fragment(named, index.reader.lexicon, reading)
        return address_others(last[-1], pieces, index.reader.lexicon)
    return []


def _is_introduced_fragment(meaning: Node, reading: Reading) -> bool:
    """Return True for a fragment after an introductory word ("그럼", "then": "그럼 휴게실은?")."""
    leading = closed_classes(reading.language)["operators"].get("leading", ())
    short = meaning.kind == "if" and meaning.node("then").kind == "fragment"
    starts = reading.text.split()[:1]
    return reading.language == "ko" and short and starts[:1] in ([one] for one in leading)


def _reports_remark(meaning: Node, index: Index) -> bool:
    """Return True for a bare report after a state, of which it may ask: 불 켜진 데 알려줘."""
    *before, last = (meaning.kind == "seq" and meaning.parts()) or (meaning,)
    about = [part for one in before if one.kind == "remark" for part in one.parts()]
    ends = index.reader.lexicon.mission_ending_verbs
    bare = (
        last.kind == "act" and len(last.args) == 1 and bool({*verbs_in(last.text("verb"))} & ends)
    )
    return bare and len(about) == len(before) and any(one.kind == "ask" for one in about)


def _nodes_to_leave_out(meaning: Node) -> list[Node]:
    """Return the prohibitions in a command such as "again, but skip the lounge", or []."""
    parts = meaning.parts() if meaning.kind == "seq" else ()
    again = [one for one in parts if one.kind == "again" and one.get("of") is None]
    rest = [one for one in parts if one not in again]
    left = all(map(forbids_touching, rest))
    return rest if len(again) == 1 and left else []


def _repeat_without(
    without: list[Node], reading: Reading, index: Index, past: SessionHistory
) -> Understood | RefusalReason:
    """Return the last command without the values in `without`, or the reason for a refusal."""
    said = past.said[-1]
    lexicon = index.reader.lexicon
    excluded = [
        piece
        for one in without
        for part in one.node("of").parts()
        for piece in pieces_of_fragment(Node("fragment", (("of", part),)), lexicon, reading)
    ]
    steps = leave_out_values(list(said.steps), excluded, lexicon)
    if not steps:
        return RefusalReason("NEGATED", reading.text)
    return _bind_steps(steps, reading, index, past)


def _asks_without_request(reading: Reading) -> bool:
    """Return True for a text with a question mark that does not ask for a favour."""
    requests = tuple(language_data(reading.language)["orders"]["requests"])
    asks = reading.text.rstrip().endswith("?")
    leaves = [*reading.edge.leaves()]
    polite = any(
        leaf.category.endswith(requests) or _asks_for_favour(leaf, reading) for leaf in leaves
    )
    return asks and not polite and not leaves[-1].category.startswith("text")


def _asks_for_favour(leaf: Edge, reading: Reading) -> bool:
    """Return True for an English verb phrase with an auxiliary, such as "may I have"."""
    if reading.language != "en" or not leaf.category.startswith("v."):
        return False
    words = reading.typed.typed_words(leaf.start, leaf.end).casefold().split()
    return words[0] in closed_words("en", "auxiliaries")


def _understand_fragment(
    meaning: Node, reading: Reading, index: Index, past: SessionHistory
) -> Understood | RefusalReason:
    """Return the last command with other values ("and the lounge"), or a step for bare objects."""
    pieces = pieces_of_fragment(meaning, index.reader.lexicon, reading)
    if any(piece.mark == LAST for piece in pieces):
        return RefusalReason("TIME", reading.text)  # "휴게실은 나중에" ("the break room later")
    asks = _asks_without_request(reading)
    verbs = index.reader.lexicon.verbs
    asking = {QUESTION, *(name for name, verb in verbs.items() if verb.finds)}
    replaced = _replaced_pieces(meaning, reading, index.reader.lexicon)
    varied = vary_last_command(pieces, past, index.library, index.reader.lexicon, replaced)
    varied = varied or repeat_at_last_place(pieces, past, index.library, index.reader.lexicon)
    options = [varied] if varied else complete_with_number(pieces, past)
    if meaning.text("sign") == "same" and not asks and past.said and past.said[-1].steps:
        also = address_others(past.said[-1].steps[-1], pieces, index.reader.lexicon)
        options = [also] if also else options
    if asks:
        ends = index.reader.lexicon.mission_ending_verbs
        options = [[one for one in own if not {*one.verbs} <= ends] for own in options]
        options = [own for own in options if own and all(asking & {*one.verbs} for one in own)]
        options = [[replace(one, verbs=(QUESTION,), via="ask") for one in own] for own in options]
    alone = Step((QUESTION,) if asks else (), pieces, via="ask" if asks else "")
    with suppress(NoStepsError):
        options.append(index.reader.convert(reading, meaning))
    found: Understood | RefusalReason = RefusalReason("NO_ACTION", reading.text)
    named = [] if any(piece.mark == "with" for piece in pieces) else [[alone]]
    for option in (*options, *named):
        steps = [replace(step, text=reading.text.strip()) for step in option]
        found = _bind_steps(steps, reading, index, past)
        if isinstance(found, Understood):
            break
    return found


def _replaced_pieces(meaning: Node, reading: Reading, lexicon: Lexicon) -> list[Piece]:
    """Return the phrases that a fragment names as replaced ("B instead of A")."""
    if meaning.text("sign") != "instead":
        return []
    excluded = [
        one.parts()[0]
        for part in meaning.parts()
        if part.kind == "np"
        for one in conjuncts(part.node("of"))
        if one.kind == "not"
    ]
    phrases = [Node("np", (("of", one),)) for one in excluded]
    return [
        piece
        for one in phrases
        for piece in pieces_of_fragment(Node("fragment", (("of", (one,)),)), lexicon, reading)
        if piece.kind == "value"
    ]


def _bind_steps(
    steps: list[Step], reading: Reading, index: Index, past: SessionHistory, said: str = ""
) -> Understood | RefusalReason:
    """Return the parts for steps, or a refusal reason.

    `said` is the text of the steps if they are only a part of the command.
    """
    text = said or reading.text
    if _asks_to_repeat(reading):
        steps = repeat_observations(steps, past, index.reader.lexicon)
    known = resolve_dependent_values(steps, past, index.library, index.reader.lexicon, reading)
    if isinstance(known, RefusalReason):
        return known
    tool = next((step for step in steps if step.positive and _names_only_hand(step)), None)
    if tool is not None:
        return RefusalReason("NO_REFERENT", tool.text or text.strip())
    before = past.previous_steps(known)
    named = before or [step for step in known if step.said and step.pieces]
    if not named and any(piece.name == OMITTED for step in known for piece in step.pieces):
        return RefusalReason("NOT_UNDERSTOOD", text)
    texts = index.reader.lexicon.texts.items()
    items = [name for name, slot in texts if slot.shape == "noun"]
    for option in (*resolve_pronoun(known, before, items), known):
        found = index.binder.bind(option, text.strip(), before)
        if not isinstance(found, RefusalReason):
            break
    if isinstance(found, RefusalReason) and past.said:
        plural = any(leaf.category == "~them" for leaf in reading.edge.leaves())
        there = address_last_place(steps, index.reader.lexicon, plural=plural)
        other = index.binder.bind(there, text.strip(), before) if there else found
        option, found = (option, found) if isinstance(other, RefusalReason) else (there, other)
    if isinstance(found, RefusalReason):
        return found
    if len(found) > _MOST_PARTS:
        return RefusalReason("TOO_LONG", text)
    resolved = index.binder.steps_with_objects(option)
    if any(map(_sends_it_home, option)):
        return RefusalReason("NO_OBJECT", text.strip())
    if _has_pronoun_without_antecedent(option, resolved, index):
        return RefusalReason("NO_REFERENT", text.strip())
    return Understood(found, meaning_from_steps(resolved, reading), resolved)


def _asks_to_repeat(reading: Reading) -> bool:
    """Return True for a text with "again", or with "them" for what was observed before."""
    words = {"".join(one.split()) for one in closed_words(reading.language, "again")}
    said = any(leaf.text in words for leaf in reading.edge.leaves())
    return said or _THEM in reading.meaning.walk()


def _names_only_hand(step: Step) -> bool:
    """Return True if a step names only the hand that performs it."""
    named = [piece for piece in step.pieces if piece.kind in ("noun", "value", "text")]
    return bool(named) and all(p.name == HAND and p.mark in ("by", "with") for p in named)


def _sends_it_home(step: Step) -> bool:
    """Return True for "put it back in its place", where "it" does not mean both arms."""
    pronoun = any(piece.kind == "pronoun" and not piece.name for piece in step.pieces)
    return pronoun and step.positive and any(piece.name == HOME for piece in step.pieces)


def _has_pronoun_without_antecedent(steps: list[Step], resolved: list[Step], index: Index) -> bool:
    """Return True if the pronoun of a step has no antecedent, as in a first "put it down"."""
    said = {verb for closing in index.reader.lexicon.closing.values() for verb in closing.said}
    if len(steps) != 1 or not resolved or set(steps[0].verbs) & (said | {QUESTION}):
        return False
    pronouns = [p for p in steps[0].pieces if p.kind == "pronoun" and p.name != "person"]
    things = [p for step in resolved for p in step.pieces]
    return bool(pronouns) and all(p.kind in ("pronoun", "filler", "speaker") for p in things)


def understand_part(
    reading: Reading, meaning: Node, index: Index, past: SessionHistory
) -> Understood | RefusalReason:
    """Return the tree parts for one act of a command that spans several packs, or a refusal."""
    said = reading.words_of(meaning) or reading.text
    own = {meaning, *meaning.parts()}
    others = (reading.edge_of(one) for one in reading.meaning.parts() if one not in own)
    if not index.reader.is_certain(reading, [edge for edge in others if edge is not None]):
        return RefusalReason("NOT_UNDERSTOOD", said)
    try:
        steps = index.reader.convert(reading, meaning)
    except NoStepsError:
        found: Understood | RefusalReason = RefusalReason("NOT_UNDERSTOOD", said)
    else:
        found = _bind_steps(steps, reading, index, past, said)
    plain = {node.kind for node in reading.meaning.walk()}.isdisjoint(_SCOPES)
    if (
        isinstance(found, RefusalReason)
        and plain
        and meaning.kind == "act"
        and reading.words_of(meaning)
    ):
        other = _understand_command(said, reading.language, index, past)
        found = found if isinstance(other, RefusalReason) else other
    return found


def understand_condition(
    reading: Reading, question: Node, index: Index
) -> BranchCondition | RefusalReason:
    """Return the question tree for a condition that was read with the words of several packs."""
    said = reading.words_of(question) or reading.text
    if not index.reader.is_certain(reading):
        return RefusalReason("CONDITION", said)
    try:
        asked, needed = index.reader.convert_condition(question, reading)
    except NoStepsError:
        return RefusalReason("CONDITION", said)
    return index.binder.bind_condition(asked, needed=needed)
