"""Claims in an answer: its sentences, parsed and related to the question.

A claim is a question with the answer that it would have if the claim were true: "There are three"
as an answer to "How many red circles are there?" claims that "are there exactly three red
circles?" has the answer yes. Therefore the tools that answer questions can check claims. A
sentence that is not parsed completely is a claim that cannot be checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from bt_exec.language.messages import language_of
from bt_exec.language.reading.meaning_node import Node, conjuncts
from bt_exec.language.reading.reference_resolution import resolve_references, subject_of
from bt_exec_skills.image.rules.lexicon import reader
from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_reader import resolve_meaning

__all__ = [
    "Claim",
    "claimed_value",
    "content_words",
    "find_amounts",
    "parse_claims",
    "parse_yes_or_no",
]

_SENTENCE = re.compile(r"(?<=[.!?;。])\s+|[\n;]+")
_NO_COUNT = re.compile(r"#\d+|\d*\.\d+|\d+ ?(?:%|px|pixels?|픽셀)")
_WORD = re.compile(r"\d{1,3}(?:,\d{3})+|[\w'-]+")
_MOST_DIGITS = 6
_LONGEST_WORD = 20
_LONGEST_AMOUNT = 4  # maximum number of words of a number with its counter
_ANYTHING = Node("any")
_ZERO = Node("quantity", (("bound", "exactly"), ("number", 0)))


class Claim(NamedTuple):
    """Claim in an answer.

    Attributes:
        text: Sentence that makes the claim.
        asks: Meaning of the question that decides the claim; None if the sentence is not parsed.
        expects: Answer to that question if the claim is true: True or False, the (row, column) of
            a place, or the sentence itself for a question about text.
        answers: Whether the claim answers the original question.
    """

    text: str
    asks: Node | None = None
    expects: Any = None
    answers: bool = False


def parse_claims(
    text: str, question: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> list[Claim]:
    """Return the claims of an answer, in order.

    Args:
        text: The answer, Korean or English.
        question: Question that was answered, as text.
        context: Earlier questions, to which the question may refer.
        names: Names of objects in addition to those of the lexicon.
    """
    names = tuple(names)
    try:
        asked: Node | None = resolve_meaning(question, context, names)[0]
    except UnanswerableQuestion:
        asked = None
    if asked is not None and asked.kind != "ask":  # several questions
        asked = None
    if asked is not None and _asked_aspect(asked) == "writing":
        return [Claim(text, asked, text, True)]
    kinds = reader().lexicon("en").kinds
    found: list[Claim] = []
    for sentence in filter(None, map(str.strip, _SENTENCE.split(text))):
        reply = reader().read_claim(sentence, names)
        if reply is not None:
            reply = resolve_references(reply, [] if asked is None else [asked], kinds)
        if reply is None or reply.kind != "reply":
            found.append(Claim(sentence))
        else:
            found += _claims_of_sentence(sentence, reply, asked)
    return found


def claimed_value(text: str, claims: Iterable[Claim]) -> int | bool | None:
    """Return the value that a model's answer claims: True or False for yes or no, or a number.

    If no claim is parsed, the only number in the text is returned. If there is no number, or
    several, a "yes" or "no" at the start of the text counts. The result is None if the claims
    contradict each other.
    """
    claims = tuple(claims)
    if all(one.asks is None for one in claims):
        numbers = find_amounts(text)
        return numbers.pop() if len(numbers) == 1 else parse_yes_or_no(text)
    counts: set[int] = set()
    signs: set[bool] = set()
    for one in claims:
        if one.asks is None or not one.answers or not isinstance(one.expects, bool):
            continue
        quantity = _find_quantity(one.asks.get("of"))
        if quantity is not None and one.expects and quantity.text("bound") == "exactly":
            counts.add(int(quantity.text("number")))
        else:
            signs.add(one.expects)
    if signs:
        return signs.pop() if len(signs) == 1 else None
    return counts.pop() if len(counts) == 1 else None


def find_amounts(text: str) -> set[int]:
    """Return the numbers that are amounts in a text, even if the text is not parsed completely."""
    found: set[int] = set()
    for sentence in _SENTENCE.split(_NO_COUNT.sub(" ", text)):
        words = [one.replace(",", "") for one in _WORD.findall(sentence)]
        start = 0
        while start < len(words):
            start += _add_amount(words, start, found)
    return found


def _add_amount(words: Sequence[str], start: int, found: set[int]) -> int:
    """Add the amount that begins at a word, and return its number of words, at least 1."""
    for length in range(min(_LONGEST_AMOUNT, len(words) - start), 0, -1):
        window = words[start : start + length]
        if sum(one.isdigit() for one in window) > 1 or len(window[0]) > _LONGEST_WORD:
            continue
        amount = reader().read_claim(" ".join(window), goal="amount")
        if amount is not None:
            quantity = _find_quantity(amount) or amount
            if quantity.text("bound") == "exactly":
                found.add(int(quantity.text("number")))
            return length
    if words[start].isdigit() and len(words[start]) <= _MOST_DIGITS:
        found.add(int(words[start]))
    return 1


def parse_yes_or_no(text: str) -> bool | None:
    """Return True if a text begins with "yes", False if with "no", and None otherwise."""
    first, *rest = text.split(maxsplit=2)[:2] or [""]
    if rest and reader().read_claim(" ".join((first, *rest)), goal="amount") is not None:
        return None
    for part in (text, first.rstrip(",.!;:")):
        reply = reader().read_claim(part)
        if reply is not None and reply.text("sign"):
            return reply.text("sign") == "yes"
    return None


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a sentence.

    These are nouns, attributes, numbers, operators such as "not", and words outside the lexicon.
    """
    lexicon = reader().lexicon(language_of(text))
    words = re.findall(r"\w+", text.lower())
    return frozenset(word for word in words if _carries_meaning(lexicon.entries.get(word, ())))


def _carries_meaning(entries: Sequence[Any]) -> bool:
    if any(one.category == "reserved" or isinstance(one.meaning, int) for one in entries):
        return True
    return not entries or any(
        isinstance(one.meaning, Node) and one.category != "anything" for one in entries
    )


def _claims_of_sentence(sentence: str, reply: Node, asked: Node | None) -> Iterator[Claim]:
    sign, parts = reply.text("sign"), reply.parts()
    asks_whether = asked is not None and asked.text("what") == "whether"
    if sign and asks_whether:
        assert asked is not None
        if not parts or _find_quantity(asked.get("of")) != _ZERO:  # "no" to "are there none?"
            yield Claim(sentence, asked, sign == "yes", True)
    elif sign and not parts:
        yield Claim(sentence)
    for part in parts:
        yield _make_claim(sentence, part, asked)


def _make_claim(sentence: str, part: Node, asked: Node | None) -> Claim:
    if part.kind == "ask":  # a statement in the form of a question
        if part.text("what") != "whether":
            return Claim(sentence)
        part = part.node("of")
    if part.kind == "placed":
        return _make_place_claim(sentence, part, asked)
    if part.kind == "quantity":
        part = Node("exists", (("of", Node("np", (("of", _ANYTHING), ("quantity", part)))),))
    if part.kind == "np":
        part = _proposition_of_phrase(part, asked)
    if part.kind in ("exists", "all"):
        part = part.replace(of=_complete_phrase(part.node("of"), asked))
    unsaid = part.kind == "exists" and part.node("of").get("of") == _ANYTHING
    if any(node.kind == "pronoun" for node in part.walk()) or (unsaid and asked is None):
        return Claim(sentence)
    return Claim(sentence, Node("ask", (("what", "whether"), ("of", part))), True,
                 _is_answer_to(part, asked))  # fmt: skip


def _make_place_claim(sentence: str, part: Node, asked: Node | None) -> Claim:
    of = part.get("of")
    phrase = of if isinstance(of, Node) else Node("np", (("of", _ANYTHING),))
    phrase = _complete_phrase(phrase, asked)
    if phrase.node("of") == _ANYTHING:
        return Claim(sentence)
    where = Node("ask", (("what", "where"), ("of", phrase)))
    same = asked is not None and asked.text("what") == "where" and asked.node("of") == phrase
    return Claim(sentence, where, (part.text("row"), part.text("column")), same)


def _proposition_of_phrase(phrase: Node, asked: Node | None) -> Node:
    """Return the proposition that an answer without a verb, such as "three", stands for."""
    inner = asked.get("of") if asked is not None else None
    if isinstance(inner, Node) and phrase.get("quantity") is None:
        if inner.kind == "aspect":
            of = inner.node("of")
            hold = _without_known_content(phrase.node("of"), of.node("of"))
            return Node("all", (("of", of), ("hold", hold)))
        if inner.kind == "more":
            one, other = inner.node("of"), inner.node("to")
            if phrase.node("of") == one.node("of"):
                return inner
            if phrase.node("of") == other.node("of"):
                return inner.replace(of=other, to=one)
    return Node("exists", (("of", phrase),))


def _complete_phrase(phrase: Node, asked: Node | None) -> Node:
    """Return a phrase with what it omits: "the circles" after a question about red circles."""
    subject = subject_of(asked) if asked is not None else None
    if subject is None or phrase.kind != "np":
        return phrase
    said, meant = (frozenset(conjuncts(one.node("of"))) for one in (phrase, subject))
    if phrase.node("of") == _ANYTHING or said < meant:
        return phrase.replace(of=subject.node("of"))
    return phrase


def _is_answer_to(part: Node, asked: Node | None) -> bool:
    inner = asked.get("of") if asked is not None else None
    if asked is None or not isinstance(inner, Node):
        return False
    what = asked.text("what")
    if what == "how_many" and part.kind == "exists":
        quantity = _find_quantity(part)
        exact = quantity is not None and quantity.text("bound") == "exactly"
        return exact and part.node("of").get("of") == inner.get("of")
    if what in ("whether", "which_more"):
        if part.kind == inner.kind == "exists":
            return part.node("of").get("of") == inner.node("of").get("of")
        return part.kind == inner.kind
    return (
        _asked_aspect(asked) == "colour"
        and part.kind == "all"
        and part.node("of") == inner.node("of")
    )


def _asked_aspect(asked: Node) -> str:
    inner = asked.get("of")
    return inner.text("name") if isinstance(inner, Node) and inner.kind == "aspect" else ""


def _find_quantity(part: Any) -> Node | None:
    if not isinstance(part, Node) or part.kind != "exists":
        return None
    quantity = part.node("of").get("quantity")
    return quantity if isinstance(quantity, Node) else None


def _without_known_content(said: Node, known: Node) -> Node:
    """Return the conjunct that is not known yet, such as "red" in "the red circle".

    The whole formula is returned if there is not exactly one.
    """
    rest = [one for one in conjuncts(said) if one not in conjuncts(known)]
    return rest[0] if len(rest) == 1 else said
