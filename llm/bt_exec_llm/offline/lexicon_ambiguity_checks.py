"""Checks of the lexicons of packs for unknown names and ambiguous phrases.

Codes: ``UNKNOWN_TYPE``, ``UNKNOWN_VALUE`` and ``UNKNOWN_TREE`` for names, ``AMBIGUOUS_PHRASE`` for
a phrase that two verbs, nouns or values share and that no command can resolve.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from bt_exec.failure import Problem, nearest_first
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.planning.compiler import Request
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec.spec.yaml_source import show_place
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.lexicon_validation_errors import find_positions
from bt_exec_llm.offline.library_index import Index
from bt_exec_llm.offline.utterance_frames import Frames

__all__ = ["name_problems"]

_SHOWN = 8


def name_problems(request: Request, index: Index) -> Iterator[Problem]:
    """Yield the problems in the lexicon files of a request's packs.

    Args:
        request: Any planning request for the site.
        index: Index that was built from these files.
    """
    for pack in request.catalogue.packs:
        if pack.lexicon is not None:
            yield from _File(pack.lexicon, request, index.all_languages.frames).problems()


class _File:
    """Lexicon file of one pack."""

    def __init__(self, path: Path, request: Request, frames: Frames) -> None:
        self.file = str(path)
        self.text = path.read_text(encoding="utf-8")
        self.own = Lexicon.model_validate(parse_yaml(self.text) or {})
        self.frames = frames
        self.trees = set(request.library.names())
        params = (param for tree in request.library for param in tree.params.values())
        self.types: dict[str, Any] = {
            **{param.type: Any for param in params if param.type},
            **{name.rpartition(".")[2]: hint for name, hint in request.catalogue.types.items()},
        }

    def problems(self) -> list[Problem]:
        found = [*self._unknown_names(), *self._shared_phrases()]
        return sorted(found, key=lambda one: (one.line or 0, one.column or 0))

    def _unknown_names(self) -> Iterator[Problem]:
        own, types, trees = self.own, self.types, self.trees
        for name, values in own.values.items():
            if name not in own.past:  # types of past acts exist only in lexicons
                yield from self._check_name(("values", name), name, "type", types)
            hint = types.get(name)
            options = get_args(hint) if get_origin(hint) is Literal else ()
            for value, words in values.items():
                if options and words.plain:
                    yield from self._check_name(("values", name, value), value, "value", options)
        for name in own.lists:
            yield from self._check_name(("lists", name), name, "type", types)
        for name, slot in own.texts.items():
            yield from self._check_name(("texts", name), name, "type", types)
            for at, kind in enumerate(slot.to):
                yield from self._check_name(("texts", name, "to", at), kind, "type", types)
        for at, name in enumerate(own.past):
            yield from self._check_name(("past", at), name, "type", own.values)
        for at, name in enumerate(own.follows):
            yield from self._check_name(("follows", at), name, "tree", trees)
        for name, closing in own.closing.items():
            yield from self._check_name(("closing", name), name, "tree", trees)
            for at, tree in enumerate(closing.unless):
                yield from self._check_name(("closing", name, "unless", at), tree, "tree", trees)
        for name, included in own.includes.items():
            for tree in (name, included.act, included.without, *included.opposites):
                yield from self._check_name(("includes", name), tree, "tree", trees)
        for name, ways in own.decides.items():
            yield from self._check_name(("decides", name), name, "tree", trees)
            for value, tree in ways.items():
                yield from self._check_name(("decides", name, value), tree, "tree", trees)

    def _check_name(
        self, place: tuple[str | int, ...], name: str, kind: str, known: Iterable[str]
    ) -> Iterator[Problem]:
        names = tuple(known)
        if name not in names:
            allowed = nearest_first(name, sorted(names))[:_SHOWN]
            message = f"is not a {kind} of this site"
            yield self._make_problem(f"UNKNOWN_{kind.upper()}", message, place, name, allowed)

    def _shared_phrases(self) -> Iterator[Problem]:
        own = self.own
        yield from self._find_shared_phrases("verbs", own.verbs, self._verbs_collide)
        yield from self._find_shared_phrases("nouns", own.nouns, self._nouns_collide)
        for name, values in own.values.items():
            single = {key: one for key, one in values.items() if one.plain}
            yield from self._find_shared_phrases(f"values/{name}", single, lambda *_: True)

    def _find_shared_phrases(
        self, section: str, entries: Mapping[str, Any], collide: Any
    ) -> Iterator[Problem]:
        """Yield a problem for each phrase that two colliding entries of a section share."""
        for language in ("en", "ko"):
            owners: dict[str, list[tuple[str, int]]] = {}
            for name, words in entries.items():
                for at, phrase in enumerate(getattr(words, language)):
                    for said in expand_phrase(phrase):
                        owners.setdefault(said.casefold(), []).append((name, at))
            for said, places in owners.items():
                for (one, _), (other, at) in combinations(places, 2):
                    if one != other and collide(one, other):
                        place = (*section.split("/"), other, language, at)
                        message = f"{said!r} is also a phrase of {one!r}; no command can decide"
                        yield self._make_problem("AMBIGUOUS_PHRASE", message, place, said, ())
                        break

    def _verbs_collide(self, one: str, other: str) -> bool:
        """Return True if two verbs select different trees with the same objects."""
        first, second = (
            [(frame.keys, frame.tree) for frame in self.frames.by_verb.get(name, ())]
            for name in (one, other)
        )
        return _is_disjoint(first, second)

    def _nouns_collide(self, one: str, other: str) -> bool:
        """Return True if two nouns select different trees with the same verb."""
        first, second = (
            [
                ((verb, frame.keys - {key}), frame.tree)
                for verb, frames in self.frames.by_verb.items()
                for frame in frames
                if key in frame.keys
            ]
            for key in (f"noun:{one}", f"noun:{other}")
        )
        return _is_disjoint(first, second)

    def _make_problem(
        self,
        code: str,
        message: str,
        place: tuple[str | int, ...],
        found: str,
        allowed: tuple[str, ...],
    ) -> Problem:
        marks = find_positions(self.text)
        shown = next(place[:end] for end in range(len(place), -1, -1) if place[:end] in marks)
        line, column = marks[shown]
        return Problem(code, message, show_place(place), found, allowed, self.file, line, column)


def _is_disjoint(first: Iterable[tuple[Any, str]], second: Iterable[tuple[Any, str]]) -> bool:
    """Return True if two sets of (use, tree) select different trees for a common use."""
    trees: tuple[dict[Any, set[str]], ...] = ({}, {})
    for found, uses in zip(trees, (first, second), strict=True):
        for use, tree in uses:
            found.setdefault(use, set()).add(tree)
    return any(trees[0][use].isdisjoint(trees[1][use]) for use in trees[0].keys() & trees[1].keys())
