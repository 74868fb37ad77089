"""Words of a site's lexicon in the form of the reading engine.

Nouns and values become things, and states become attributes. Verbs have the frame ``do``; verbs
that obtain information also have the frame ``find``, and English verbs that change a state of an
object, and so take no recipient, also have the frame ``change``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from bt_exec.language.logical_operators import operators_in
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.korean_inflection import STEM_ENDING, inflect, past_stem
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node
from bt_exec_llm.offline.lexicon import Lexicon, Value, Words

__all__ = [
    "COPULA",
    "TOOL",
    "Name",
    "done_forms",
    "parse_name",
    "to_engine_lexicon",
    "types_in",
    "verbs_in",
]

Name = tuple[str, str, str, str]
"""Kind, type, value and sense of a piece; see `bt_exec_llm.offline.step_piece.Piece`."""

_LANGUAGES = ("en", "ko")
COPULA = "be"
"""Verb "to be" in statements."""
_INSIDE = "inside"
TOOL = "use"
"""Verb that introduces an instrument ("오른손을 써서", "using the right hand")."""
_CLAUSES = ("if ", "when ", "once ", "as soon as ")
"""Beginnings of filler clauses, which are only allowed at the edge of a sentence."""
_RELATIVE = ("that ", "which ", "lying")
"""Beginnings of phrases that the grammar derives from prepositions."""
_SHORT = 3
"""Maximum length of English words without a comparative, such as "on" and "off"."""
_TAKING = {"clause": "say", "question": "ask", "noun": "carry"}
"""Frames of verbs that take a text, by its shape."""


def parse_name(text: str) -> Name:
    """Return the parts of a name made by `to_engine_lexicon`; empty strings for other texts."""
    kind, name, value, sense = text.split("/") if text.count("/") == 3 else ("",) * 4
    return kind, name, value, sense


def types_in(node: Node) -> set[str]:
    """Return the names of the types, nouns and states that a node contains."""
    things = (one.text("name") for one in node.walk() if one.kind == "thing")
    return {parse_name(thing)[1] for thing in things}


def verbs_in(name: str) -> list[str]:
    """Return the verbs in the name of an act made by `to_engine_lexicon`."""
    return name.partition("/")[0].split()


def to_engine_lexicon(lexicon: Lexicon) -> Mapping[str, Any]:
    """Return the words of a lexicon in the form of a pack's lexicon for the reading engine."""
    things: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for noun, words in lexicon.nouns.items():
        things[f"noun/{noun}//"] = {one: _noun_phrases(words, one) for one in _LANGUAGES}
    for state, words in lexicon.states.items():
        leaving = [
            verb for verb in lexicon.verbs.values() if verb.result == state and not verb.pairs
        ]
        described = _state_adjectives(words)
        described["ko"] = _korean_result_forms(words, leaving)
        for language, verbs in (("en", leaving), ("ko", [words] if leaving else [])):
            events = _phrases_in(verbs, language)
            described[language]["event"] = [one for one in events if " " not in one]
        attributes[f"state/{state}//"] = {"kind": "state", **described}
    for kind, values in lexicon.values.items():
        for value, said in values.items():
            for sense, own in _phrases_by_sense(said):
                name = f"value/{kind}/{value}/{sense}"
                things[name] = {one: _noun_phrases(own, one) for one in _LANGUAGES}
                if kind in lexicon.list_types("joined"):
                    attributes[name] = {"kind": kind, **_state_adjectives(own, compared=True)}
    places = language_data("en")["orders"]["places"]
    relations = lexicon.relations.items()
    insides = lexicon.relations.get(_INSIDE, Words()).ko
    return {
        "relations": {
            **{one: {"en": words, "ko": []} for one, words in places.items()},
            **{one: {"en": _prepositions(words, places), "ko": []} for one, words in relations},
        },
        "insides": {_INSIDE: {"en": [], "ko": insides}},
        "limits": {one: _phrases_of(lexicon.limits.get("TIME"), one) for one in _LANGUAGES},
        "things": things,
        "attributes": attributes,
        "verbs": dict(_verbs_by_frame(lexicon)),
        "leads": {
            name: [one for one in _expand_phrases(phrases) if not operators_in(one, "en")]
            for name, phrases in (
                ("ask_for", lexicon.leads.base),
                ("ask_for_ing", lexicon.leads.ing),
                ("ask_for_done", lexicon.leads.any),
            )
        },
        "vocative": {"en": _expand_phrases(lexicon.vocative.en)},
        "edge": {"en": list(_filler_words(lexicon, "en", clauses=True))},
        "fillers": {one: list(_filler_words(lexicon, one)) for one in _LANGUAGES},
    }


def _phrases_of(words: Words | None, language: str) -> list[str]:
    return [] if words is None else _expand_phrases(getattr(words, language))


def _filler_words(lexicon: Lexicon, language: str, *, clauses: bool = False) -> Iterator[str]:
    """Yield the filler words (or filler clauses, if `clauses`) that contain no operator."""
    for words in (lexicon.filler, lexicon.courtesy):
        for word in _expand_phrases(getattr(words, language)):
            if word.startswith(_CLAUSES) is clauses and not operators_in(word, language):
                yield word


def _verbs_by_frame(lexicon: Lexicon) -> Iterator[tuple[str, Any]]:
    """Yield (name, entry) pairs for verbs, one for each frame.

    Verbs that share a word are joined in one entry.
    """
    said: dict[str, dict[str, list[str]]] = {one: defaultdict(list) for one in _LANGUAGES}
    for name, verb in lexicon.verbs.items():
        if name == COPULA:
            continue  # the grammar contains the forms of "to be"
        for language in _LANGUAGES:
            for word in _expand_phrases(getattr(verb, language)):
                said[language][word].append(name)
    _add_verbs_with_auxiliary(said["ko"])
    by_names: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for language, names_of in said.items():
        for word, names in names_of.items():
            entry = by_names.setdefault(tuple(dict.fromkeys(names)), {"en": [], "ko": []})
            entry[language].append(word)
    for together, words in by_names.items():
        frames: dict[str, Mapping[str, list[str]]] = {"use" if TOOL in together else "do": words}
        changes = all(lexicon.verbs[name].result or lexicon.verbs[name].usual for name in together)
        if changes:
            frames["change"] = {"en": words["en"], "ko": []}
        if any(lexicon.verbs[lexicon.general_verb(name)].finds for name in together):
            frames["find"] = words
        parted = {"do", "change", "find"} & {"do", *frames}
        for particle, heads in _separable_verbs(words["en"]).items():
            frames |= {f"{frame}_{particle}": {"en": heads, "ko": []} for frame in parted}
        for frame, said_so in frames.items():
            yield f"{' '.join(together)}/{frame}", {"frame": frame, **said_so}
        for slot in lexicon.texts.values():
            if taking := [name for name in together if name in slot.verbs]:
                frame = _TAKING[slot.shape]
                if any(lexicon.verbs[name].announces for name in taking):
                    yield (
                        f"{' '.join(taking)}/announce/{' '.join(together)}",
                        {
                            "frame": "announce",
                            "en": words["en"],
                            "ko": [],
                        },
                    )
                key = f"{' '.join(taking)}/{frame}/{' '.join(together)}"
                yield key, {"frame": frame, **words}
                for particle, heads in _separable_verbs(words["en"]).items():
                    yield key + particle, {"frame": f"{frame}_{particle}", "en": heads, "ko": []}


def _add_verbs_with_auxiliary(said: Mapping[str, list[str]]) -> None:
    """Add the meanings of a Korean verb ("열다") to its form with an auxiliary ("열어 두다")."""
    language = language_data("ko")
    opened = {
        form: names
        for word, names in said.items()
        if word.endswith(STEM_ENDING) and " " not in word
        for form in inflect(word, language["classes"])["open"]
    }
    helping = language["orders"]["auxiliaries"]["a"].values()
    helpers = {word for words in helping for word in words}
    for word, names in said.items():
        head, _, last = word.rpartition(" ")
        if last in helpers and head in opened:
            names += opened[head]


def _separable_verbs(words: Iterable[str]) -> Mapping[str, list[str]]:
    """Return English verbs by the particle that may follow their object."""
    particles = frozenset(language_data("en")["orders"]["lists"]["P"])
    found: dict[str, list[str]] = defaultdict(list)
    for word in words:
        said = word.split(" ")
        for at in range(1, len(said)):
            particle = "_".join(said[at:])
            if particle in particles:
                found[particle].append(" ".join(said[:at]))
    return found


def _prepositions(words: Words, places: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the English prepositions in `words` that have no other use and are not operators."""
    known = {one for own in places.values() for one in own}
    return [
        one
        for one in _expand_phrases(words.en)
        if one not in known and not one.startswith(_RELATIVE) and not operators_in(one, "en")
    ]


def _phrases_by_sense(value: Value) -> Iterator[tuple[str, Words]]:
    """Yield the phrases of a value for each sense that they may have in a condition."""
    senses = {
        sense: getattr(value, sense) for sense in ("less", "more", "fails", "holds", "others")
    }
    sense_of = {phrase: sense for sense, words in senses.items() for phrase in words.expanded()}
    for sense in ("", *senses):
        english = [one for one in _expand_phrases(value.en) if sense_of.get(one, "") == sense]
        korean = [one for one in _expand_phrases(value.ko) if sense_of.get(one, "") == sense]
        yield sense, Words(en=english, ko=korean)


def _noun_phrases(words: Words, language: str) -> list[str]:
    found = _expand_phrases(getattr(words, language))
    return [one for one in found if language == "en" or not one.endswith(STEM_ENDING)]


def _phrases_in(every: Iterable[Words], language: str) -> list[str]:
    return [one for words in every for one in _expand_phrases(getattr(words, language))]


def _state_adjectives(words: Words, *, compared: bool = False) -> dict[str, Any]:
    """Return the adjectives of a state; if `compared`, with degrees as in "darker".

    Otherwise, only the degrees with "more" and "most" are accepted.
    """
    english = [
        one if compared and one.isalpha() and len(one) > _SHORT else f"{one}/more {one}/most {one}"
        for one in _expand_phrases(words.en)
        if "/" not in one
    ]
    return {"en": {"adjective": english}, "ko": {"adjective": _nouns_in_da(words)}}


def _korean_result_forms(words: Words, leaving: Iterable[Words]) -> Mapping[str, list[str]]:
    """Return Korean forms that describe a resulting state, or the act that leads to it.

    Examples are "열려 있다" ("is open"), "열린" ("open") and, for the act, "열었다" ("opened").

    Args:
        words: Intransitive verbs for entering the state.
        leaving: Verbs of acts that leave an object in the state.
    """
    language = language_data("ko")
    found: dict[str, list[str]] = {"adjective": [], "adnominal": []}
    seen = language["orders"]["verbs"]["seen"]["_"]  # their past tense is about an earlier state
    said = [(verb, "results") for verb in _nouns_in_da(words) if verb not in seen]
    said += [(verb, "done") for act in leaving for verb in _nouns_in_da(act) if " " not in verb]
    for verb, key in said:
        found["adjective"] += _korean_forms(verb, key)
        nouns = inflect(verb, language["classes"])["noun"] if key == "results" else ()
        found["adnominal"] += nouns
        found["adjective"] += [verb] if verb in language["verbs"]["wonder"]["_"] else []
    return found


def done_forms(lexicon: Lexicon) -> tuple[str, ...]:
    """Return the Korean stems of completed acts that lead to a state ("열었", "열어놨")."""
    acts = [verb for verb in lexicon.verbs.values() if verb.result and not verb.pairs]
    verbs = (verb for act in acts for verb in _nouns_in_da(act) if " " not in verb)
    said = (
        form.removesuffix(STEM_ENDING) for verb in verbs for form in _korean_forms(verb, "done")
    )
    return tuple(one.replace(" ", "") for one in said)


@cache
def _korean_forms(verb: str, key: str) -> tuple[str, ...]:
    """Return Korean forms of a verb; `key` is ``results`` ("열려 있다") or ``done`` ("열었다")."""
    language = language_data("ko")
    stems = (
        {"plain": verb[:-1], "open": opened, "past": past_stem(opened)}
        for opened in inflect(verb, language["classes"])["open"]
    )
    return tuple(form.format(**own) for own in stems for form in language["orders"][key])


def _nouns_in_da(words: Words) -> list[str]:
    return [one for one in _expand_phrases(words.ko) if one.endswith(STEM_ENDING)]


def _expand_phrases(phrases: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(one for phrase in phrases for one in expand_phrase(phrase)))
