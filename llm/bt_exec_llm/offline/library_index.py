"""Index of a site's library and words, built once for each language.

A language is indexed when its first command arrives. If a command does not match the utterances of
its own language, those of the other language are tried, too.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bt_exec.language.messages import language_of
from bt_exec.planning.compiler import Request
from bt_exec.site.shipped_data import data_path
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.offline.command_reader import Reader
from bt_exec_llm.offline.earlier_commands import SessionHistory
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.lexicon_files import extend_lexicon
from bt_exec_llm.offline.number_assignment import number_parameters
from bt_exec_llm.offline.small_talk import Talk
from bt_exec_llm.offline.step_to_tree_binding import Binder
from bt_exec_llm.offline.utterance_frames import Frames

__all__ = ["Index", "cached_index"]

_MOST = 16
"""Maximum number of indices that are cached."""


@dataclass
class Index:
    """Index of the trees and words of one site in one language.

    Attributes:
        lexicon: The words of the site.
        reader: Reader of commands.
        frames: Frames of the trees.
        binder: Binder of steps to trees.
        library: The trees.
        types: Types of the site, by name.
        pasts: Cache of understood sessions, by their commands and outcomes.
        understood: Whether suggested commands are understood, by language and text.
        near: Utterances indexed by the beginnings of their words, by language; see
            `bt_exec_llm.offline.suggested_utterances`.
    """

    lexicon: Lexicon
    reader: Reader
    frames: Frames
    binder: Binder
    library: Library
    types: Mapping[str, Any] = field(default_factory=dict)
    pasts: dict[tuple[str, ...], SessionHistory] = field(default_factory=dict)
    understood: dict[tuple[str, str], bool] = field(default_factory=dict)
    near: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        lexicon: Lexicon,
        library: Library,
        language: str = "",
        types: Mapping[str, Any] = MappingProxyType({}),
    ) -> Index:
        """Build the index of `library` for `language`; an empty text stands for all languages."""
        utterances = {
            tree.tree: [t for t in tree.utterances if not language or language_of(t) == language]
            for tree in library
        }
        reader = _reader_of(lexicon)
        frames = Frames.from_utterances(library, reader, utterances)
        if frames.unread:  # each of these utterances becomes one verb
            reader = Reader(lexicon.with_utterances(frames.unread))
            frames = Frames.from_utterances(library, reader, utterances)
        numbers = number_parameters(library, types)
        binder = Binder(frames, library, reader.lexicon, numbers, types)
        return cls(lexicon, reader, frames, binder, library, types)

    @cached_property
    def small_talk(self) -> Talk:
        """Index of the phrases that are not commands."""
        return Talk(self.reader)

    @cached_property
    def all_languages(self) -> Index:
        """Index with the utterances of every language."""
        return Index.build(self.lexicon, self.library, types=self.types)


_READERS: list[Reader] = []


def _reader_of(lexicon: Lexicon) -> Reader:
    """Return the reader of a lexicon, which the indices of all languages share."""
    for reader in _READERS:
        if reader.lexicon is lexicon:
            return reader
    _READERS.append(Reader(lexicon))
    del _READERS[:-_MOST]
    return _READERS[-1]


_BY_REQUEST: OrderedDict[Any, tuple[Any, Index]] = OrderedDict()
_INDEXED: list[tuple[tuple[TreeSpec, ...], str, Index]] = []
_LOCK = threading.Lock()


def cached_index(request: Request, language: str) -> Index:
    """Return the index of a request's site in a language.

    The requests of a site share their catalogue, library and settings, so the cache is keyed by the
    identities of these objects. It keeps references to them, so that an identity is not reused.

    Raises:
        RegistrationError: If a lexicon file is invalid.
    """
    of = (request.catalogue, request.library, request.settings)
    key = (*map(id, of), len(request.library), language)
    with _LOCK:
        if key in _BY_REQUEST:
            _BY_REQUEST.move_to_end(key)
            return _BY_REQUEST[key][1]
        index = _index_for_words(request, language)
        _BY_REQUEST[key] = of, index
        if len(_BY_REQUEST) > _MOST:
            _BY_REQUEST.popitem(last=False)
        return index


def _index_for_words(request: Request, language: str) -> Index:
    """Return a cached index with equal words, trees and types, or a new one.

    A site that is loaded again has equal words, trees and types.
    """
    packs = request.catalogue.packs
    files: tuple[Path, ...] = (
        data_path("configs", "lexicon", "common.yaml"),
        *(pack.lexicon for pack in packs if pack.lexicon is not None),
    )
    own = tuple(
        (pack.name, json.dumps(pack.words(request.settings_of(pack)), sort_keys=True))
        for pack in packs
        if pack.words is not None
    )
    lexicon, types = extend_lexicon(files, own), request.catalogue.types
    trees = tuple(request.library)
    for number, (indexed, spoken, index) in enumerate(_INDEXED):
        same = index.lexicon is lexicon and spoken == language
        if same and indexed == trees and index.types == types:
            _INDEXED.append(_INDEXED.pop(number))
            return index
    index = Index.build(lexicon, request.library, language, dict(types))
    _INDEXED.append((trees, language, index))
    del _INDEXED[:-_MOST]
    return index
