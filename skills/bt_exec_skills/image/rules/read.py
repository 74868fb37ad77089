"""Reads a question about a picture: which kind it is, and of what.

A question has one of eight kinds and noun phrases. What fits none of them needs a model that looks;
it is refused with its words, never half answered.
"""

from __future__ import annotations

import re

from bt_exec.language.messages import language_of
from bt_exec_skills.image.rules.forms import (
    ASPECTS,
    EN_ALIKE,
    EN_ALSO,
    EN_IS,
    EN_KINDS,
    EN_OUT,
    EN_PICTURE,
    EN_POLITE,
    EN_READ,
    EN_SAME,
    KO_ALIKE,
    KO_KINDS,
    KO_NOT,
    KO_OUT,
    KO_PICTURE,
    KO_PLACED,
    KO_READ,
    KO_SAME,
)
from bt_exec_skills.image.rules.question import Kind, Phrase, Question, Unread
from bt_exec_skills.image.rules.words import Words, plain, words_in

__all__ = ["read_question"]

_PLACED: tuple[tuple[Kind, str], ...] = (
    ("exists", r"(?:놓여\s*)?(?:있|보이)\S*"),
    ("count", r"몇\s*(?:개|명|마리|대|권|송이)\S*(?:\s+(?:놓여\s*)?(?:있|보이)\S*)?"),
)


def read_question(text: str) -> Question:
    """Return what a question asks, Korean or English.

    Raises:
        Unread: If it asks for what no tool can tell.
    """
    language = language_of(text)
    words, said = words_in(language), plain(text)
    if not said:
        raise Unread("QUESTION_UNCLEAR", text)
    return _korean(said, words) if language == "ko" else _english(said, words)


def _other(
    whole: str, said: str, forms: tuple[tuple[str, ...], ...], words: Words
) -> Question | None:
    """Return a question that reads or compares; None if it is none.

    Args:
        whole: The question.
        said: Without words for the picture itself.
        forms: Of reading, of comparing pictures, of comparing things.
        words: Of the language.
    """
    read, same, alike = forms
    if any(re.fullmatch(form, whole) for form in same):
        return Question("same", Phrase())
    if match := _first(alike, said):
        aspect = ASPECTS[match["by"]]
        one, two = words.phrase(match["a"]), words.phrase(match["b"])
        return Question("alike", one, other=two, aspect=aspect)
    if match := _first(read, said):
        return Question("read", words.phrase(match["a"]))
    return None


def _first(forms: tuple[str, ...], said: str) -> re.Match[str] | None:
    return next(filter(None, (re.fullmatch(form, said) for form in forms)), None)


def _english(said: str, words: Words) -> Question:
    whole = re.sub(EN_POLITE, "", said)
    said = " ".join(re.sub(EN_PICTURE, " ", whole).split())
    if (found := _other(whole, said, (EN_READ, EN_SAME, EN_ALIKE), words)) is not None:
        return found
    for kind, form in EN_KINDS:
        if match := re.fullmatch(form, said):
            other = words.phrase(match["b"]) if "b" in match.groupdict() else None
            return _english_target(kind, match["a"], other, words)
    if match := re.fullmatch(r"(?:is|are) (?P<a>.+)", said):
        first, relation, _ = _split(match["a"], words)
        if relation and first:
            return _english_target("exists", match["a"], None, words)
    match = re.fullmatch(EN_IS, said)
    if match and match["how"] in words.attributes:  # is the square blue
        return _english_target("exists", f"{match['how']} {match['a']}", None, words)
    raise Unread("NEEDS_MODEL", said)


def _english_target(kind: Kind, said: str, other: Phrase | None, words: Words) -> Question:
    if match := re.fullmatch(r"(.+?),? (?:are|is) there(.*)", said):  # how many … are there …
        said = match[1] + match[2]
    said, *out = EN_OUT.split(said)
    if len(out) > 1:
        raise Unread("QUESTION_UNCLEAR", " ".join(out))
    left_out = tuple(words.phrase(part) for text in out for part in EN_ALSO.split(text))
    target, relation, place = _split(said, words)
    question = Question(kind, words.phrase(target), left_out, other=other)
    if not relation:
        return question
    landmark = words.phrase(place)
    return Question(kind, question.target, left_out, words.relations[relation], landmark, other)


def _split(said: str, words: Words) -> tuple[str, str, str]:
    """Return the part before a relation, its words, and the part after it."""
    for relation in words.relations:
        before, found, after = f" {said} ".partition(f" {relation} ")
        if found:
            return before.strip(), relation, after.strip()
    return said, "", ""


def _korean(said: str, words: Words) -> Question:
    whole, said = said, " ".join(re.sub(KO_PICTURE, " ", said).split())
    if (found := _other(whole, said, (KO_READ, KO_SAME, KO_ALIKE), words)) is not None:
        return found
    left_out: tuple[Phrase, ...] = ()
    if match := KO_OUT.match(said):
        parts = re.split(r"(?:와|과|하고|이랑|랑)\s+", match["out"])
        left_out = tuple(words.phrase(part) for part in parts)
        said = match["rest"].removeprefix("다른 ")  # what is left is other than what is left out
    for word, relation in words.relations.items():  # 토마토가 접시 위에 있어
        match = re.fullmatch(KO_PLACED.format(word=word), said)
        kind = next(
            (one for one, how in _PLACED if match and re.fullmatch(how, match["rest"])), None
        )
        if match and kind:
            target, landmark = words.phrase(match["a"]), words.phrase(match["mark"])
            return Question(kind, target, left_out, relation, landmark)
    for kind, form in KO_KINDS:
        if match := re.fullmatch(form, said):
            other = words.phrase(match["b"]) if "b" in match.groupdict() else None
            return _korean_target(kind, match["a"], left_out, other, words)
    raise Unread("NEEDS_MODEL", said)


def _korean_target(
    kind: Kind, said: str, left_out: tuple[Phrase, ...], other: Phrase | None, words: Words
) -> Question:
    if match := KO_NOT.search(said):
        left_out = (*left_out, words.phrase(match["out"]))
        said = said[: match.start()] + said[match.end() :]
    for word, relation in words.relations.items():
        match = re.fullmatch(rf"(?P<mark>\S.*?)(?:의)?\s*{word}에(?:는)?\s+(?P<rest>.+)", said)
        if match:
            rest = re.sub(r"^(?:있는|놓인)\s+", "", match["rest"])
            target, landmark = words.phrase(rest), words.phrase(match["mark"])
            return Question(kind, target, left_out, relation, landmark, other)
    return Question(kind, words.phrase(said), left_out, other=other)
