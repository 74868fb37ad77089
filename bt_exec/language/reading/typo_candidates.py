"""Candidates for correcting a misspelt text: texts that differ from it in a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

from bt_exec.language.closed_classes import closed_classes
from bt_exec.language.reading.english_inflection import plural, singulars
from bt_exec.language.reading.korean_inflection import decompose_hangul, spelt_from_sound
from bt_exec.language.reading.lattice import lattice
from bt_exec.language.reading.lexicon import Lexicon
from bt_exec.language.reading.normalized_text import Text

__all__ = ["edit_distance", "intended_texts"]

_MOST = 8  # maximum number of texts to try
_PER_WORD = 3
_MOST_UNKNOWN = 4  # maximum number of unknown words in a short text; one with more is not corrected
_UNKNOWN_SHARE = 3  # in a long text, one word in three may be unknown
_MOST_MISSPELT = 6  # maximum number of misspelt words; all combinations are compared
_MISSED, _SAME_END = 0.25, 0.1
"""Discounts for a word that differs only by missed or repeated letters, and for one with the same
last letter."""
_SHORT = 3  # minimum length of a corrected word [letters]
_OTHER_START = 0.25  # cost of a different first letter, which is rarely mistyped
_RESPELT = 0.5  # cost of a word that was written as it sounds
_KEPT = 0.4  # cost of an unknown word that may be a correct part of a verbatim text
_ANY_WORD = ("unknown", "as_typed", "text")  # categories of words outside the lexicon
_PARTS, _PART = 3, 2
"""Maximum number of words that are written as one, and their minimum length [letters]."""


def intended_texts(text: str, lexicon: Lexicon, *, unread: bool) -> Iterator[str]:
    """Yield possible corrections of a text, the nearest first.

    Args:
        text: The text as typed.
        lexicon: The words of its language.
        unread: Whether the text could not be parsed. If so, a word of the lexicon may also be a
            longer one that was written as it sounds.
    """
    typed = text.split()
    cores = [re.sub(r"[^\w']", "", word).lower() for word in typed]
    essential = closed_classes(lexicon.language.name)["essential"]["words"]
    right = lexicon.parts_of_words | {*essential}
    known = [core in right or _is_covered(core, lexicon) for core in cores]
    share = min(len(typed) // _UNKNOWN_SHARE, _MOST_MISSPELT)
    if known.count(False) > max(_MOST_UNKNOWN, share):
        return
    tails = [word[len(word.rstrip("?!.,;:")) :] for word in typed]
    choices: list[list[tuple[float, str]]] = []
    for word, core, covered, tail in zip(typed, cores, known, tails, strict=True):
        near = [] if covered else _nearest(core, lexicon)
        near = near or _standard_form(core, lexicon)
        kept = [(_KEPT, word)] if lexicon.takes_texts and not covered else []  # e.g. "papers"
        choices.append([*((cost, found + tail) for cost, found in near), *kept] or [(0.0, word)])
    ranked = sorted(
        (sum(cost for cost, _ in chosen), [said for _, said in chosen])
        for chosen in product(*choices)
    )
    found = [words for _, words in ranked[:_MOST]]
    if unread:
        nearest, places = found[0], [place for place, one in enumerate(known) if one]
        respelt = (
            [*nearest[:place], said + tails[place], *nearest[place + 1 :]]
            for place in reversed(places)
            if cores[place] not in essential
            for said in _standard_spellings(cores[place], lexicon)
        )
        found += islice(respelt, _MOST)
    yield from (" ".join(words) for words in found if words != typed)


def _longest_word(text: str, lexicon: Lexicon) -> int:
    """Return the length of the longest word of the lexicon in a text; a noun counts as longer."""
    edges = lattice(Text.of(text, lexicon.language.contractions), lexicon, {})
    words = (edge for edge in edges if not edge.category.startswith(_ANY_WORD))
    return max((one.end - one.start + (one.category == "noun") for one in words), default=0)


def _standard_form(word: str, lexicon: Lexicon) -> list[tuple[float, str]]:
    """Return the cost and the correction of a known misspelling or abbreviation, if it is one."""
    meant = lexicon.language.contractions.get(word, "")
    single = meant.isalpha() and "'" not in word and word not in lexicon.plain_words
    return [(0.0, meant)] if single else []


def _is_covered(word: str, lexicon: Lexicon) -> bool:
    plain = Text.of(word, lexicon.language.contractions)
    return not any(edge.category == "unknown" for edge in lattice(plain, lexicon, {}))


def _nearest(word: str, lexicon: Lexicon) -> list[tuple[float, str]]:
    found = dict.fromkeys(_standard_spellings(word, lexicon), _RESPELT)
    if lexicon.language.name == "en":
        found |= _split_word(word, lexicon)
        found |= _similar_words(word, lexicon)
    else:
        found = _correct_beginning(word, lexicon) | found
    in_number = [said for said in found if word in (plural(said), *singulars(said))]
    irregular = {said for said in found if said not in in_number and said.startswith((*in_number,))}
    if in_number and irregular:  # a regular plural of an irregular noun
        found = {said: cost for said, cost in found.items() if said not in in_number}
    elif in_number:  # "papers" may belong to a verbatim text
        return [(0.0, word), *((found[said], said) for said in in_number)]
    return sorted((cost, said) for said, cost in found.items())[:_PER_WORD]


def _standard_spellings(word: str, lexicon: Lexicon) -> list[str]:
    """Return the standard spellings of a word that may have been written as it sounds."""
    usual = lexicon.language.data.get("respellings", {}).items()
    found = [word.replace(wrong, right) for wrong, right in usual if wrong in word]
    known = _longest_word(word, lexicon)
    for one in spelt_from_sound(word):
        longest = _longest_word(one, lexicon)
        whole = longest >= max(known, _PART, len(one) - 1)  # the rest is a particle
        found += [one] if longest > known or whole else []
    return [said for said in found if _is_covered(said, lexicon)]


def _split_word(word: str, lexicon: Lexicon) -> dict[str, float]:
    """Return a word split into two or three words of the lexicon, with the cost, if possible."""
    known = lexicon.entries.keys() | lexicon.language.contractions.keys()
    parts: dict[int, list[str]] = {0: []}  # words of each prefix, by its length
    for end in range(_PART, len(word) + 1):
        for start in [one for one in parts if one <= end - _PART]:
            part = word[start:end]
            if part != word and part in known and len(parts[start]) < _PARTS:
                parts.setdefault(end, [*parts[start], word[start:end]])
    found = parts.get(len(word), [])
    return {" ".join(found): 0.5} if len(found) > 1 else {}


def _similar_words(word: str, lexicon: Lexicon) -> dict[str, float]:
    limit = _most_typing_errors(len(word))
    near = {said: edit_distance(word, said, limit) for said in lexicon.plain_words}
    discounts = {said: _typing_error_discount(word, said) for said in near if near[said] <= limit}
    return {
        said: near[said] - discount + _OTHER_START * (said[0] != word[0])
        for said, discount in discounts.items()
        if len(word) > _SHORT or discount >= _MISSED  # too short for another letter: "way", "was"
    }


def _typing_error_discount(typed: str, said: str) -> float:
    """Return the amount by which a frequent typing error lowers a distance."""
    swapped = 0.5 * (sorted(said) == sorted(typed))
    short, long = sorted((typed, said), key=len)
    letters_of_long = iter(long)
    missed = len(short) < len(long) and all(one in letters_of_long for one in short)
    return swapped + _MISSED * missed + _SAME_END * (typed[-1] == said[-1])


def _correct_beginning(word: str, lexicon: Lexicon) -> dict[str, float]:
    """Return words with a corrected beginning, each with its number of typing errors."""
    found: dict[str, float] = {}
    heads = [decompose_hangul(word[:size]) for size in range(len(word) + 1)]
    for said, two in lexicon.plain_word_letters.items():
        limit = _most_typing_errors(len(two) - 1)
        for size in range(max(1, len(said) - 1), min(len(word), len(said) + 1) + 1):
            far = edit_distance(heads[size], two, limit)
            whole = said + word[size:]
            alike = far < 2 or heads[size][:1] == two[:1]  # a second error in its first letter
            if far <= limit and alike and _is_covered(whole, lexicon):
                found[whole] = min(found.get(whole, 9.0), float(far))
    return found


def _most_typing_errors(size: int) -> int:
    return 0 if size < _SHORT else 1 if size < 6 else 2


def edit_distance(one: str, two: str, limit: int) -> int:
    """Return the edit distance of two words: letters changed, added, removed or swapped.

    A distance above `limit` is returned as `limit` + 1.
    """
    if abs(len(one) - len(two)) > limit:
        return limit + 1
    before, row = list[int](), list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(two, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > limit:
            return limit + 1
    return row[-1]
