"""Understanding of a cleaned command in its session: its parts, or the reason why it has none."""

from __future__ import annotations

from dataclasses import replace

from bt_exec.language.meaning import Act, Context, Meaning, Turn
from bt_exec.language.messages import language_of
from bt_exec.language.operators import operators_in
from bt_exec.language.reading.node import Node
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.acts import meaning_from_parts
from bt_exec_llm.offline.choosing import find_chosen_command
from bt_exec_llm.offline.engine_steps import (
    HAND,
    LeftAloneError,
    NoStepsError,
    condition_of_meaning,
    steps_of_meaning,
)
from bt_exec_llm.offline.index import Index
from bt_exec_llm.offline.operator_uses import find_unused_operator
from bt_exec_llm.offline.part import Held, Part
from bt_exec_llm.offline.past import (
    Past,
    Said,
    Understood,
    complete_with_number,
    replace_other_value,
    resolve_pronoun,
    vary_last_command,
)
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.text import clean_command
from bt_exec_llm.offline.trouble import Trouble

__all__ = ["TALK", "understand", "understand_condition", "understand_part", "understand_session"]

TALK = ("GREETING", "THANKS", "GOODBYE", "NEVER_MIND", "AGREED", "HELP", "WHY", "DONE", "WHERE")
"""Codes of phrases that are answered in words."""
_KIND = ("GREETING", "THANKS", "GOODBYE", "NEVER_MIND", "AGREED")
_FIRST = ("GREETING", "THANKS", "GOODBYE", "AGAIN", "NEVER_MIND", "AGREED", "CONTINUE", "HELP")
_LAST = ("DONE", "WHY", "WHERE")
"""Codes of questions that a library may answer itself; otherwise the session answers them."""
_OF_THE_LIBRARY = ("NOT_TOGETHER", "NO_OBJECT", "NO_ACTION", "CONDITION", "NEGATED")
"""Troubles of commands that were parsed and match no utterance of their language."""
_SEEN = {
    "CONDITION": {"if"},
    "COUNT": {"quantity"},
    "NEGATED": {"avoid", "not"},
}
"""Nodes of which one must be in a meaning where a trouble saw a condition, number or negation."""
_FINAL = ("CHOICE", "CONTRADICTION", "OUT_OF_RANGE", "OUT_OF_REACH", "TIME", "TOO_LONG")
"""Troubles that no other reading of a command can end."""
_SCOPES = ("ask", "avoid", "if", "ordered")
"""Nodes that may extend over more than their own words."""
_MOST_PARTS = 20
_MOST_PASTS = 64
_PLACEHOLDER = {"en": "", "ko": "그거"}
"""Replacement for a value while the words around it are compared."""


def understand_session(context: Context, index: Index) -> Past:
    """Return the session as it was understood, each command after those before it.

    Commands of another language are read with the words of this one if possible, so that references
    work in sessions of both languages.
    """
    past, known = Past(), index.pasts
    said: tuple[str, ...] = ()
    for turn in context.turns:
        said = (*said, turn.command, turn.status)
        if said not in known:
            if len(known) >= _MOST_PASTS:
                known.clear()
            known[said] = Past((*past.said, _understand_turn(turn, past, index)))
        past = known[said]
    return past


def _understand_turn(turn: Turn, past: Past, index: Index) -> Said:
    text, problem = clean_command(turn.command)
    language = language_of(text)
    if problem:
        return Said(turn, None)
    found = understand(text, language, index, past)
    if isinstance(found, Understood):
        return Said(turn, found, tuple(found.steps))
    steps = [] if isinstance(found, str) else index.reader.read(text, language)
    return Said(turn, None, () if isinstance(steps, Trouble) else tuple(steps))


def understand(text: str, language: str, index: Index, past: Past) -> Understood | Trouble | str:
    """Return the meaning of a cleaned command: parts, a trouble, or the kind of phrase it is."""
    if code := index.reader.find_phrase_code(text, language):
        return Trouble(code, text)
    text = index.reader.standardize_spelling(text, language)
    offered = past.said[-1].turn.did_you_mean if past.said else ()
    denied = _contains_negation(text, language)
    if len(offered) == 1 and not denied and index.talk.find_code(text, language, ("AGREED",)):
        return understand(offered[0], language, index, past)
    if not denied and (chosen := _find_chosen_command(offered, text, language, index)):
        return understand(chosen, language, index, past)
    talk = _understand_phrase(text, language, index, past, denied=denied)
    if talk is not None:
        return talk
    if past.said:
        text = _blank_correction(text, language, index)
        again = _understand_as_variation(text, language, index, past)
        if again is not None:
            return again
    found = _understand_command(text, language, index, past)
    if isinstance(found, Trouble) and found.code in _OF_THE_LIBRARY:
        other = _understand_command(text, language, index.whole, past)
        found = found if isinstance(other, Trouble) else other
    if isinstance(found, Trouble) and found.code != "NEGATED":  # "why don't you" is not a question
        return index.talk.find_code(text, language, _LAST) or found
    if past.said and (about := index.talk.find_code(text, language, _LAST)):  # e.g. where are you?
        alone = _understand_command(text, language, index, Past())
        return about if isinstance(alone, Trouble) else found  # else about the session
    return found


def _understand_phrase(
    text: str, language: str, index: Index, past: Past, *, denied: bool
) -> Understood | Trouble | str | None:
    """Return the meaning of a phrase (thanks, "again", "go on"); None if a text is a command."""
    talk = index.talk.find_code(text, language, _FIRST)
    if denied and talk in ("AGAIN", "CONTINUE", "AGREED"):
        return Trouble("NEGATED", text)
    if talk in _KIND and language == "ko" and _contains_action(text, talk, index):
        talk = ""
    asked = _is_question(text, language, index)
    if talk == "CONTINUE" and asked and index.talk.find_code(text, language, ("DONE",)):
        return "DONE"
    orders = talk in ("AGAIN", "CONTINUE")
    if orders and (
        index.reader.asks(text, language) or _is_question_fragment(text, language, index)
    ):
        return Trouble("NOT_A_COMMAND", text)
    if talk == "AGAIN":
        return past.last or Trouble("NOTHING_SAID", text)
    if talk == "CONTINUE":
        return past.find_unfinished()
    return talk or None


def _find_chosen_command(offered: tuple[str, ...], text: str, language: str, index: Index) -> str:
    """Return the one offered command that an answer selects; "" without one."""
    if len(offered) < 2 or text in offered:
        return ""
    clauses = index.reader.parse_clauses(text, language)
    values = [p for clause in clauses for p in clause.pieces if p.kind == "value"]
    rest = _blank_pieces(text, values, _PLACEHOLDER["ko" if language == "ko" else "en"])
    if values and index.talk.contains_only(rest, language, "ELLIPSIS"):  # e.g. 오른팔로 해줘
        clauses = [Clause(pieces=values)]
    return find_chosen_command(offered, clauses, language, index.reader)


def _contains_negation(text: str, language: str) -> bool:
    """Return True if a text contains a word of negation or exclusion (다시 하지 마)."""
    return any(one.kind == "negation" for one in operators_in(text, language))


def _contains_action(text: str, talk: str, index: Index) -> bool:
    """Return True if a text contains an action of the library (이제 자재 놔도 돼)."""
    clauses = index.reader.parse_clauses(text, "ko")
    named = any(p.kind in ("noun", "value") for clause in clauses for p in clause.pieces)
    acts = [clause for clause in clauses if set(clause.verbs) - {QUESTION} and clause.positive]
    done = any(clause.mood == "do" and not clause.whys for clause in acts)
    return bool(acts) and (named or (talk == "NEVER_MIND" and done))


def _is_question(text: str, language: str, index: Index) -> bool:
    """Return True if a text is a question by its mark or first word ("did you finish")."""
    return text.rstrip().endswith("?") or index.reader.asks(text, language)


def _blank_correction(text: str, language: str, index: Index) -> str:
    """Return a command with a leading "no, wait" blanked, so that positions are kept."""
    at = index.talk.end_of_leading_phrase(text, language, "CORRECTION")
    return " " * at + text[at:] if any(char.isalnum() for char in text[at:]) else text


def _understand_as_variation(
    text: str, language: str, index: Index, past: Past
) -> Understood | Trouble | None:
    """Return the last command with other values, if a command contains nothing but values."""
    clauses = index.reader.parse_clauses(text, language)
    if not all(clause.positive for clause in clauses):  # e.g. not with the left arm
        return None
    if any(one.kind in ("condition", "order") for one in operators_in(text, language)):
        return None
    steps, values = vary_last_command(clauses, past, index.library)
    options = [steps]
    if not steps and not values:
        options, values = complete_with_number(clauses, past)
    if _asks_question(text, language, clauses, index):
        options = [steps for steps in options if all(QUESTION in step.verbs for step in steps)]
    rest = _blank_pieces(text, values, _PLACEHOLDER["ko" if language == "ko" else "en"])
    if not any(options) or not index.talk.contains_only(rest, language, "ELLIPSIS"):
        return None
    found: Understood | Trouble | None = None
    for option in options:
        steps = [replace(step, end=len(text), text=text.strip()) for step in option]
        found = _bind_steps(steps, text, language, index, past)
        if isinstance(found, Understood):
            break
    told = ("NO_REFERENT", "OUT_OF_RANGE")
    return None if isinstance(found, Trouble) and found.code not in told else found


def _asks_question(text: str, language: str, clauses: list[Clause], index: Index) -> bool:
    """Return True if a command asks a question ("what is in your left hand", "the left one?")."""
    asked = any(clause.mood == "ask" or QUESTION in clause.verbs for clause in clauses)
    whys = {code for clause in clauses for code, _ in clause.whys}
    return asked or "NOT_A_COMMAND" in whys or _is_question_fragment(text, language, index)


def _is_question_fragment(text: str, language: str, index: Index) -> bool:
    """Return True if a command ends in a question mark and has no verb ("the left one?")."""
    return text.rstrip().endswith("?") and not index.reader.requests(text, language)


def _blank_pieces(text: str, values: list[Piece], instead: str) -> str:
    """Return a text without the words of some pieces."""
    for piece in sorted(values, key=lambda p: p.start, reverse=True):
        if piece.end > piece.start:
            text = f"{text[: piece.start]}{instead}{text[piece.end :]}"
    return text


def _understand_command(text: str, language: str, index: Index, past: Past) -> Understood | Trouble:
    found = _understand_clauses(text, language, index, past)
    if isinstance(found, Trouble):
        by_engine = _understand_with_engine(text, language, index, past, found)
        found = found if by_engine is None else by_engine
    if isinstance(found, Trouble) and language == "ko" and _has_spaced_syllables(text):
        again = _understand_clauses("".join(text.split()), language, index, past)
        found = found if isinstance(again, Trouble) else again
    if isinstance(found, Trouble):
        sounds = found.code != "NEGATED"  # who does it (내가, 네가) may be mended away
        spelled = index.reader.correct_spelling(text, language, sounds=sounds)
        again = found if spelled == text else _understand_clauses(spelled, language, index, past)
        found = found if isinstance(again, Trouble) else again
    if isinstance(found, Trouble) and index.frames.literal is not None:
        trees = index.frames.literal.find(text, language)
        if len(trees) > 1:
            return Trouble("AMBIGUOUS", text, trees=tuple(sorted(trees)))
        for name in trees:
            if not any(param.required for param in index.library.get(name).params.values()):
                act = Act(name, text=text)
                return Understood([Part(name, {}, text)], Meaning(language, (act,)), [])
    return found


def _understand_clauses(text: str, language: str, index: Index, past: Past) -> Understood | Trouble:
    steps = index.reader.read(text, language)
    if isinstance(steps, Trouble):
        return steps
    if not steps:
        return Trouble("NOT_UNDERSTOOD", text)
    found = _bind_steps(steps, text, language, index, past)
    if isinstance(found, Understood):
        clauses = index.reader.parse_clauses(text, language)
        if lost := find_unused_operator(text, language, clauses, index.reader.vocabulary):
            return Trouble("OPERATOR", lost)
    return found


def _bind_steps(
    steps: list[Step], text: str, language: str, index: Index, past: Past
) -> Understood | Trouble:
    known = replace_other_value(steps, past, index.library, index.reader.lexicon)
    if isinstance(known, Trouble):
        return known
    tool = next((step for step in steps if step.positive and _is_by_that(step)), None)
    if tool is not None:
        return Trouble("NO_REFERENT", tool.text or text.strip())
    before = past.previous_steps(known)
    for option in (*resolve_pronoun(known, before), known):
        found = index.binder.bind(option, text.strip(), before)
        if not isinstance(found, Trouble):
            break
    if isinstance(found, Trouble):
        return found
    if len(found) > _MOST_PARTS:
        return Trouble("TOO_LONG", text)
    resolved = index.binder.steps_with_objects(option)
    if _points_at_nothing(option, resolved, index):
        return Trouble("NO_REFERENT", text.strip())
    return Understood(found, meaning_from_parts(resolved, text, language), resolved)


def _is_by_that(step: Step) -> bool:
    """Return True if the only object of a step is the hand that it is done with."""
    named = [piece for piece in step.pieces if piece.kind in ("noun", "value", "text")]
    return bool(named) and all(p.name == HAND and p.mark in ("by", "with") for p in named)


def _points_at_nothing(steps: list[Step], resolved: list[Step], index: Index) -> bool:
    """Return True if a step has a pronoun without an antecedent ("put it down" at first)."""
    said = {verb for closing in index.reader.lexicon.closing.values() for verb in closing.said}
    if len(steps) != 1 or not resolved or set(steps[0].verbs) & (said | {QUESTION}):
        return False
    pronouns = [p for p in steps[0].pieces if p.kind == "pronoun" and p.name != "person"]
    things = [p for step in resolved for p in step.pieces]
    return bool(pronouns) and all(p.kind in ("pronoun", "filler", "speaker") for p in things)


def understand_part(
    reading: Reading, meaning: Node, index: Index, past: Past
) -> Understood | Trouble:
    """Return the parts of a part of a command that was read with the words of several packs."""
    said = reading.said(meaning) or reading.text
    own = {meaning, *meaning.parts()}
    others = (reading.edge_of(one) for one in reading.meaning.parts() if one not in own)
    if not index.reader.is_certain(reading, [edge for edge in others if edge is not None]):
        return Trouble("NOT_UNDERSTOOD", said)
    try:
        steps = steps_of_meaning(meaning, index.reader.lexicon, reading)
    except NoStepsError:
        found: Understood | Trouble = Trouble("NOT_UNDERSTOOD", said)
    else:
        found = _bind_steps(steps, said, reading.language, index, past)
    plain = {node.kind for node in reading.meaning.walk()}.isdisjoint(_SCOPES)
    if isinstance(found, Trouble) and plain and meaning.kind == "act" and reading.said(meaning):
        other = _understand_command(said, reading.language, index, past)
        found = found if isinstance(other, Trouble) else other
    return found


def understand_condition(reading: Reading, question: Node, index: Index) -> Held | Trouble:
    """Return the question tree of a condition that was read with the words of several packs."""
    said = reading.said(question) or reading.text
    if not index.reader.is_certain(reading):
        return Trouble("CONDITION", said)
    try:
        asked, needed = condition_of_meaning(question, index.reader.lexicon, reading)
    except NoStepsError:
        return Trouble("CONDITION", said)
    return index.binder.bind_condition(asked, needed=needed)


def _understand_with_engine(
    text: str, language: str, index: Index, past: Past, trouble: Trouble
) -> Understood | None:
    """Return the parts of a text as the reading engine reads it; None if it is not certain.

    Args:
        text: A cleaned command.
        language: Its language.
        index: What can be said.
        past: The session.
        trouble: Why it was not understood otherwise. Numbers and manners that were named there
            must be in the meaning.
    """
    no_order = trouble.code == "NOT_A_COMMAND" and text.rstrip(" .?!").endswith(trouble.words)
    final = no_order or trouble.code in _FINAL
    reading = None if final else index.reader.read_with_engine(text)
    if reading is None:
        return None
    found: list[list[Step]] = []
    asked = text.rstrip().endswith("?")
    for meaning in (reading.meaning, *reading.rivals):
        kinds = {one.kind for one in meaning.walk()}
        if not kinds & _SEEN.get(trouble.code, kinds):
            return None
        try:
            found.append(steps_of_meaning(meaning, index.reader.lexicon, reading))
        except LeftAloneError:
            return None
        except NoStepsError:
            continue
        if language == "en" and asked and any(QUESTION not in step.verbs for step in found[-1]):
            return None
        if language == "ko" and not asked and meaning.kind == "ask":
            return None  # 손 들어: a question or an order
    verbs = "".join(one.text for one in reading.edge.leaves() if one.category.startswith("v."))
    if trouble.code == "MANNER" and trouble.words.replace(" ", "") not in verbs:
        return None
    bound = [_bind_steps(steps, text, language, index, past) for steps in found]
    verbs_known = index.reader.lexicon.verbs
    for steps, parts in zip(found, bound, strict=True):
        idle = any(v in verbs_known and verbs_known[v].idle for step in steps for v in step.verbs)
        if idle and isinstance(parts, Trouble):
            return None  # 그냥 놔둬: leave it, or let go of it
    fit = [one for one in bound if isinstance(one, Understood)]
    effects = [[part.effect for part in one.parts] for one in fit]
    return fit[0] if fit and all(one == effects[0] for one in effects) else None


def _has_spaced_syllables(text: str) -> bool:
    """Return True if a Korean command has spaces between most of its syllables."""
    words = text.split()
    return len(words) > 2 and sum(len(word) <= 1 for word in words) * 2 >= len(words)
