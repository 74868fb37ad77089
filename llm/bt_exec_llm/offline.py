"""The offline compiler: commands of the tree library, without a model, a key or a network.

It understands what the library's utterances and the lexicon say, in Korean and English, and
refuses everything else. It never guesses: a command is understood only if every word of it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec.failure import Refusal, UsageError
from bt_exec.language.messages import language_of
from bt_exec.planning.compiler import Compiler, Plan, Request
from bt_exec.planning.repair import repaired
from bt_exec.site.data import data_path
from bt_exec.spec.model import Mission, MissionSpec, Sequence, Tree
from bt_exec_llm.fill import Part
from bt_exec_llm.frames import Index
from bt_exec_llm.lexicon_files import with_words
from bt_exec_llm.match import understand
from bt_exec_llm.normalise import clean
from bt_exec_llm.refuse import refuse
from bt_exec_llm.trouble import Trouble

__all__ = ["OfflineCompiler", "create"]


class OfflineCompiler:
    """Selects trees of the library for a command, and other ways after a failure."""

    name = "offline"

    def __init__(self) -> None:
        self._indexes: dict[Any, Index] = {}

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the trees that the command names, in its order, or why it is refused."""
        if request.previous is not None and request.failure is not None:
            return Plan(repaired(request, self.name))
        index = self._index(request)
        text, problem = clean(request.command)
        if problem:
            return refuse(Trouble(problem), "", request.language, index)
        language = language_of(text)  # of the plain form: Hangul may come as single letters
        found = understand(text, language, index, request.library)
        if isinstance(found, Trouble):
            return refuse(found, text, language, index)
        return Plan(self._spec(request, language, found))

    def _index(self, request: Request) -> Index:
        """Return what the site's library understands; read once per library."""
        packs = request.catalogue.packs
        files: tuple[Path, ...] = (
            data_path("configs", "lexicon", "common.yaml"),
            *(pack.lexicon for pack in packs if pack.lexicon is not None),
        )
        own = tuple(
            (
                pack.name,
                json.dumps(pack.words(request.settings_of(pack)), sort_keys=True),
            )
            for pack in packs
            if pack.words is not None
        )
        key = (files, own, tuple((tree.tree, tree.utterances) for tree in request.library))
        if key not in self._indexes:
            self._indexes[key] = Index.build(with_words(files, own), request.library)
        return self._indexes[key]

    def _spec(self, request: Request, language: str, parts: tuple[Part, ...]) -> MissionSpec:
        trees = tuple(Tree.model_validate({"tree": part.tree, "with": part.args}) for part in parts)
        previous = request.previous
        mission = Mission(
            command=request.command,
            language="ko" if language == "ko" else "en",
            plan_version=request.plan_version,
            compiler=self.name,
            parent=None if previous is None else previous.mission.plan_version,
            subgoals=tuple(part.text for part in parts),
        )
        if len(trees) == 1:
            return MissionSpec(mission=mission, root=trees[0])
        return MissionSpec(mission=mission, root=Sequence.model_validate({"sequence": trees}))


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the offline compiler. It has no settings.

    Raises:
        UsageError: If it is given any.
    """
    if settings:
        raise UsageError(f"the offline compiler has no settings (found {', '.join(settings)})")
    return OfflineCompiler()
