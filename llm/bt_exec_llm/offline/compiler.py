"""The offline compiler: it understands what the library and the lexicon say, and refuses the rest.

It never guesses: a command is understood only if every word of it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec.failure import Refusal, UsageError
from bt_exec.language.meaning import Act, Meaning, Unclear
from bt_exec.language.messages import language_of
from bt_exec.planning.compiler import Compiler, Plan, Request
from bt_exec.planning.repair import repaired
from bt_exec.site.data import data_path
from bt_exec.spec.library import Library
from bt_exec.spec.model import Mission, MissionSpec, Sequence
from bt_exec_llm.offline.acts import meaning_of, words_of
from bt_exec_llm.offline.bind import Binder
from bt_exec_llm.offline.branches import nodes_of
from bt_exec_llm.offline.english_words import warm_up as warm_up_english
from bt_exec_llm.offline.frames import Frames
from bt_exec_llm.offline.kiwi import warm_up
from bt_exec_llm.offline.lexicon_files import with_words
from bt_exec_llm.offline.part import Part
from bt_exec_llm.offline.reader import Reader
from bt_exec_llm.offline.refuse import refuse
from bt_exec_llm.offline.text import clean
from bt_exec_llm.offline.trouble import Trouble

__all__ = ["Index", "OfflineCompiler", "create"]

_MOST_PARTS = 20


@dataclass
class Index:
    """What a site's library and words make possible; built once."""

    reader: Reader
    frames: Frames
    binder: Binder
    library: Library

    @classmethod
    def of(cls, reader: Reader, library: Library) -> Index:
        """Read every utterance of `library`."""
        frames = Frames.of(library, reader, reader.lexicon)
        return cls(reader, frames, Binder(frames, library, reader.lexicon), library)


class OfflineCompiler:
    """Selects trees of the library for a command, and other ways after a failure."""

    name = "offline"

    def __init__(self) -> None:
        self._indexes: dict[Any, Index] = {}

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the trees that the command names, in its order, or why it is refused."""
        if request.previous is not None and request.failure is not None:
            return Plan(repaired(request, self.name))
        index = self.index(request)
        text, problem = clean(request.command)
        if problem:
            return refuse(Trouble(problem), "", request.language, index)
        language = language_of(text)  # of the plain form: Hangul may come as single letters
        found = self.understand(text, language, index)
        if isinstance(found, Trouble):
            return refuse(found, text, language, index)
        parts, meaning = found
        return Plan(self._spec(request, language, parts), meaning=meaning)

    def read(self, request: Request) -> Meaning | Unclear:
        """Return what a command means, every word accounted for, or why it means nothing here."""
        index = self.index(request)
        text, problem = clean(request.command)
        if problem:
            return Unclear(problem)
        language = language_of(text)
        found = self.understand(text, language, index)
        if isinstance(found, Trouble):
            steps = index.reader.read(text, language)
            uses = () if isinstance(steps, Trouble) else words_of(steps, text)
            return Unclear(found.code, found.words, (), uses)
        return found[1]

    def understand(
        self, text: str, language: str, index: Index
    ) -> tuple[list[Part], Meaning] | Trouble:
        """Return the parts that a cleaned command means, or why it means none."""
        if code := index.reader.alone(text, language):
            return Trouble(code, text)
        text = index.reader.mended(text, language)
        found = self._parts(text, language, index)
        if isinstance(found, Trouble) and language == "ko" and _spaced_out(text):
            again = self._parts("".join(text.split()), language, index)
            found = found if isinstance(again, Trouble) else again
        if isinstance(found, Trouble) and index.frames.literal is not None:
            trees = index.frames.literal.find(text, language)
            if len(trees) > 1:
                return Trouble("AMBIGUOUS", text)
            for name in trees:
                if not any(param.required for param in index.library.get(name).params.values()):
                    act = Act(name, text=text)
                    return [Part(name, {}, text)], Meaning(language, (act,))
        return found

    def _parts(
        self, text: str, language: str, index: Index
    ) -> tuple[list[Part], Meaning] | Trouble:
        steps = index.reader.read(text, language)
        if isinstance(steps, Trouble):
            return steps
        if not steps:
            return Trouble("NOT_UNDERSTOOD", text)
        found = index.binder.bind(steps, text, [])
        if isinstance(found, Trouble):
            return found
        if len(found) > _MOST_PARTS:
            return Trouble("TOO_LONG", text)
        return found, meaning_of(index.binder.resolved(steps), text, language)

    def index(self, request: Request) -> Index:
        """Return what the site's library understands; read once per library."""
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
        key = (files, own, tuple((tree.tree, tree.utterances) for tree in request.library))
        if key not in self._indexes:
            self._indexes[key] = Index.of(Reader(with_words(files, own)), request.library)
        return self._indexes[key]

    def _spec(self, request: Request, language: str, parts: list[Part]) -> MissionSpec:
        nodes = nodes_of(parts, request.library)
        previous = request.previous
        mission = Mission(
            command=request.command,
            language="ko" if language == "ko" else "en",
            plan_version=request.plan_version,
            compiler=self.name,
            parent=None if previous is None else previous.mission.plan_version,
            subgoals=tuple(part.text for part in parts),
        )
        if len(nodes) == 1:
            return MissionSpec(mission=mission, root=nodes[0])
        return MissionSpec(mission=mission, root=Sequence.model_validate({"sequence": nodes}))


def _spaced_out(text: str) -> bool:
    """Whether a Korean command has spaces between most of its syllables."""
    words = text.split()
    return len(words) > 2 and sum(len(word) <= 1 for word in words) * 2 >= len(words)


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the offline compiler. It has no settings.

    Raises:
        UsageError: If it is given any.
    """
    if settings:
        raise UsageError(f"the offline compiler has no settings (found {', '.join(settings)})")
    warm_up()
    warm_up_english()
    return OfflineCompiler()
