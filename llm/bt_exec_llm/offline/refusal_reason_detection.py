"""Reasons why a text has no executable reading, derived from its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bt_exec.language.closed_classes import closed_words
from bt_exec.language.logical_operators import Operator, operators_in
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.korean_inflection import STEM_ENDING
from bt_exec.language.reading.lattice import lattice
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.normalized_text import Text
from bt_exec.language.reading.reader import Reading, Unread
from bt_exec_llm.offline.command_reader import Reader
from bt_exec_llm.offline.lexicon import Lexicon, Words
from bt_exec_llm.offline.reader_lexicon import verbs_in
from bt_exec_llm.offline.refusal_codes import RefusalReason

__all__ = ["find_refusal_reason", "unknown_place"]

_OPERATORS = {"condition": "CONDITION", "negation": "NEGATED"}
"""Codes by kind of operator; other kinds have the code ``OPERATOR``."""
_NO_PLACE = "NO_PLACE"
"""Code of the names of places that a site need not have."""
_NUMBER = r"\d+(?:[.,:]\d+)*"
_STOP = re.compile(r"[,.;!?]")


def find_refusal_reason(found: Reading | Unread, language: str, reader: Reader) -> RefusalReason:
    """Return the most important reason why a text cannot be executed.

    Args:
        found: Reading that has no steps or is not certain, or a text that could not be parsed.
        language: ``en`` or ``ko``.
        reader: The words of the site.
    """
    if isinstance(found, Unread) and found.is_hazard:
        return RefusalReason("HAZARD")
    if (
        isinstance(found, Reading)
        and _names_only_objects(found.meaning)
        and not found.unknown_words
    ):
        return RefusalReason("NO_ACTION", found.text.strip(" .!"))
    if place := unknown_place(found.text, language, reader.lexicon):
        return RefusalReason("UNKNOWN_OBJECT", place)
    troubles = [*_possible_reasons(found, language, reader)]
    return min(troubles, key=lambda one: one.rank) if troubles else _not_understood(found)


def _possible_reasons(
    found: Reading | Unread, language: str, reader: Reader
) -> Iterator[RefusalReason]:
    text = found.text
    for operator in operators_in(text, language):
        code = _OPERATORS.get(operator.kind, "OPERATOR")
        if code == "NEGATED" and _states_fact(operator, text, language):
            continue
        words = text if code == "NEGATED" else operator.text
        yield RefusalReason(
            code, _condition_clause(text, operator, language) if code == "CONDITION" else words
        )
    if _negates(text, language, reader):
        yield RefusalReason("NEGATED", text)
    limits = [*_unsupported_limit_troubles(text, language, reader.lexicon)]
    yield from limits
    if not any(word in limit.words for word in found.unknown_words for limit in limits):
        yield from _unknown_word_trouble(found, language)
    if isinstance(found, Reading):
        yield from _unused_word_troubles(found, reader)
    elif number := re.search(rf"(?<!\w){_NUMBER}", text):
        yield RefusalReason("COUNT", number[0])
    if _needs_continuation(text, language):
        yield RefusalReason("UNFINISHED", text)


def _negates(text: str, language: str, reader: Reader) -> bool:
    """Return True if a text contains a phrase, or a negation before a verb, that forbids an act."""
    lexicon = reader.engine.lexicon(language)
    if any(words in text for words in closed_words(language, "forbidding")):
        return True
    for word in language_data(language)["orders"].get("denying", ()):
        for rest in re.findall(rf"(?<!\S){word}\s*([^\s.,!?]+)", text):
            plain = Text.of(rest, lexicon.language.contractions)
            edges = lattice(plain, lexicon, {})
            if any((one.start, one.end) == (0, len(rest)) for one in edges if _is_verb(one)):
                return True
    return False


def _is_verb(edge: Edge) -> bool:
    return edge.category.startswith("v.")


def _states_fact(negation: Operator, text: str, language: str) -> bool:
    """Return True for a negation in a statement, which forbids nothing: "it won't budge"."""
    words = closed_words(language, "stating_negations")
    before = text[: negation.end].casefold().replace("’", "'")
    return re.search(rf"(?<!\w)(?:{'|'.join(words)})$", before) is not None


def unknown_place(text: str, language: str, lexicon: Lexicon) -> str:
    """Return the first place in a text that other sites have and this one does not, or ""."""
    words = lexicon.limits.get(_NO_PLACE, Words())
    known = lexicon.value_phrases
    own = (said for phrase in getattr(words, language) for said in expand_phrase(phrase))
    found = (_find_typed_phrase(said, text, language) for said in own if said not in known)
    return next(filter(None, found), "")


def _unused_word_troubles(found: Reading, reader: Reader) -> Iterator[RefusalReason]:
    """Yield the reasons for a word without a use and for a missing text."""
    if word := reader.word_left_out(found):
        yield RefusalReason("MANNER", word)
    nodes = [*found.meaning.walk()]
    verbs = {verb for one in nodes if one.kind == "act" for verb in verbs_in(one.text("verb"))}
    texts = any(one.kind == "quote" for one in nodes)
    if verbs & reader.lexicon.verbs_with_text and not texts:
        yield RefusalReason("NO_OBJECT", found.text.strip(" .!?"))


def _not_understood(found: Reading | Unread) -> RefusalReason:
    asks = found.text.rstrip().endswith("?")
    return RefusalReason("NOT_A_COMMAND" if asks else "NOT_UNDERSTOOD", found.text.strip())


def _names_only_objects(meaning: Node) -> bool:
    return meaning.kind == "fragment"


def _condition_clause(text: str, operator: Operator, language: str) -> str:
    """Return the clause of a condition: from an English operator on, or up to a Korean one."""
    if language == "ko":
        stops = [match.end() for match in _STOP.finditer(text, 0, operator.start)]
        return text[max(stops, default=0) : operator.end].strip()
    stop = _STOP.search(text, operator.end)
    return text[operator.start : stop.start() if stop else len(text)].strip()


def _unsupported_limit_troubles(
    text: str, language: str, lexicon: Lexicon
) -> Iterator[RefusalReason]:
    """Yield the reasons for unsupported limits: times, amounts, manners and choices."""
    others = (one for one in lexicon.limits.items() if one[0] != _NO_PLACE)
    for code, words in others:
        for phrase in getattr(words, language):
            for said in expand_phrase(phrase):
                if match := _find_typed_phrase(said, text, language):
                    yield RefusalReason(code, match)
    units = "|".join(map(re.escape, closed_words(language, "units_of_time")))
    later = "|".join(closed_words(language, "after_a_time"))
    end = r"(?=\D|$)" if language == "ko" else r"\b"
    timed = rf"{_NUMBER}\s*(?:{units})(?:\s*(?:{later})\w*)?{end}"
    if found := re.search(timed, text, re.IGNORECASE):
        yield RefusalReason("TIME", found[0].strip())


def _find_typed_phrase(said: str, text: str, language: str) -> str:
    """Return a phrase as it is typed in a text, if it occurs as whole words; otherwise ""."""
    match = _typed_phrase_pattern(said, language).search(text)
    return match[0] if match else ""


@lru_cache(maxsize=4096)
def _typed_phrase_pattern(said: str, language: str) -> re.Pattern[str]:
    end = r"\b"
    if language == "ko":
        particles = "|".join(closed_words("ko", "particles"))
        end = rf"(?:{particles})?(?=[\s,.!?]|$)"
    phrase = re.escape(said.removesuffix(STEM_ENDING))
    return re.compile(rf"(?<!\w){phrase}{end}", re.IGNORECASE)


def _unknown_word_trouble(found: Reading | Unread, language: str) -> Iterator[RefusalReason]:
    """Yield the reason for the first unknown words: an unknown action, object or other word."""
    if not found.unknown_words:
        return
    words = "|".join(
        "".join(rf"{re.escape(char)}\s*" for char in one) for one in found.unknown_words
    )
    part = rf"(?:{words})(?:{_NUMBER}\s*)?"
    match = re.search(rf"(?<!\w)(?:{_NUMBER}\s*)?(?:{part})+", found.text, re.IGNORECASE)
    said = match[0].strip() if match else found.unknown_words[0]
    start, end = match.span() if match else (0, 0)
    first = not found.text[:start].strip()
    last = not found.text[end:].strip(" .!?~")
    if last if language == "ko" else first and not last:
        yield RefusalReason("UNKNOWN_ACTION", said)
    elif isinstance(found, Reading) or last or said[-1:].isdigit():  # e.g. "room 203"
        yield RefusalReason("UNKNOWN_OBJECT", said)
    else:
        yield RefusalReason("UNKNOWN_WORD", said)


def _needs_continuation(text: str, language: str) -> bool:
    """Return True if the last word of a text requires a continuation."""
    last = text.rstrip(" .!").rpartition(" ")[2].casefold()
    return last in language_data(language)["orders"]["unfinished"]
