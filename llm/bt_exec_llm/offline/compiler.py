"""Offline compiler for commands in the words of the library and the lexicon.

A command is refused unless each of its words has a use.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from bt_exec.failure import Problem, Refusal, UsageError
from bt_exec.language.meaning import Meaning, Unclear
from bt_exec.language.messages import language_of
from bt_exec.language.reading.lexicon import load_language
from bt_exec.language.reading.reader import Reading
from bt_exec.planning.command_part_planning import CommandPart
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request
from bt_exec.planning.failed_part_repair import repaired_plan
from bt_exec.spec.model import Mission, MissionSpec, Node, Sequence
from bt_exec_llm.offline.command_part import Part
from bt_exec_llm.offline.command_understanding import (
    understand,
    understand_condition,
    understand_part,
    understand_session,
)
from bt_exec_llm.offline.lexicon_ambiguity_checks import name_problems
from bt_exec_llm.offline.library_index import cached_index
from bt_exec_llm.offline.meaning_from_steps import word_uses
from bt_exec_llm.offline.nodes_from_parts import build_condition, build_nodes
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.refusals import build_refusal, example_commands
from bt_exec_llm.offline.small_talk_replies import build_reply
from bt_exec_llm.offline.text_normalization import normalize_command

__all__ = ["OfflineCompiler", "create"]


_WHENEVER = re.compile(r"\b(when|once)\s+(?=\S)", re.IGNORECASE)


class OfflineCompiler:
    """Compiler that selects trees of the library, and their alternatives after a failure."""

    name = "offline"
    reads_alone = True
    asks_back = frozenset({"AMBIGUOUS"})

    def warm_up(self, language: str) -> None:
        """Start loading the grammar of a language on a separate thread; return at once."""
        load = partial(load_language, language, True)
        threading.Thread(target=load, name=f"words of {language}", daemon=True).start()

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the trees that the command names, in order, or a refusal."""
        if request.previous is not None and request.failure is not None:
            return Plan(repaired_plan(request, self.name))
        text, problem = normalize_command(request.command)
        language = language_of(text or request.command)  # unnormalised Hangul may be decomposed
        index = cached_index(request, language)
        if problem:
            return build_refusal(RefusalReason(problem), "", request, request.language, index)
        found = understand(text, language, index, understand_session(request.context, index))
        if isinstance(found, str):
            can = example_commands(language, index) if found == "HELP" else ()
            return build_reply(found, request, language, can)
        if isinstance(found, RefusalReason):
            return build_refusal(found, text, request, language, index)
        return Plan(self._build_spec(request, language, found.parts), meaning=found.meaning)

    def plan(self, request: Request) -> Plan | None:
        """Return the plan of a command as `compile` does, or None instead of a refusal."""
        text, problem = normalize_command(request.command)
        language = language_of(text or request.command)
        index = cached_index(request, language)
        past = understand_session(request.context, index)
        found = None if problem else understand(text, language, index, past)
        if found is None or isinstance(found, str | RefusalReason):
            return None
        return Plan(self._build_spec(request, language, found.parts), meaning=found.meaning)

    # -- parts of commands: the protocol `bt_exec.planning.command_part_planning.PartCompiler`

    def words(self, request: Request) -> Mapping[str, Any]:
        """Return the words of the site's lexicons in the form that the reading engine takes."""
        return cached_index(request, request.language).reader.engine_words

    def object_words(self, request: Request) -> Mapping[str, str]:  # noqa: ARG002 - as in the protocol
        """Return an empty mapping, because the lexicons contain the names of objects."""
        return {}

    def plan_part(self, request: Request, part: CommandPart) -> Plan | Refusal:
        """Return the trees that a part of a command names."""
        language = part.reading.language
        index = cached_index(request, language)
        past = understand_session(request.context, index)
        found = understand_part(part.reading, part.meaning, index, past)
        if isinstance(found, RefusalReason):
            said = part.reading.words_of(part.meaning) or part.reading.text
            return build_refusal(found, said, request, language, index)
        return Plan(self._build_spec(request, language, found.parts), meaning=found.meaning)

    def plan_condition(
        self, request: Request, part: CommandPart
    ) -> tuple[tuple[Node, ...], Any] | Refusal:
        """Return the nodes that make the observations for a question, and its condition."""
        index = cached_index(request, part.reading.language)
        found = understand_condition(part.reading, part.meaning, index)
        if isinstance(found, RefusalReason):
            return build_refusal(found, found.words, request, part.reading.language, index)
        return build_condition(found, request.library)

    def problems(self, request: Request) -> Iterator[Problem]:
        """Yield the problems of the lexicons of a request's packs."""
        yield from name_problems(request, cached_index(request, request.language))

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        """Return the meaning of a command, or the reason why it is not understood."""
        text, problem = normalize_command(request.command)
        if problem:
            return Unclear(problem)
        language = language_of(text)
        index = cached_index(request, language)
        found = understand(text, language, index, understand_session(request.context, index))
        if isinstance(found, str):
            can = example_commands(language, index) if found == "HELP" else ()
            return build_reply(found, request, language, can)
        if isinstance(found, RefusalReason):
            reading = index.reader.read(text)
            uses = word_uses(reading) if isinstance(reading, Reading) else ()
            return Unclear(found.code, found.words, found.missing, uses)
        return found.meaning

    def intended_texts(self, request: Request) -> Iterator[str]:
        """Yield commands that a misspelt command may stand for, the nearest first.

        A condition that cannot be watched ("when the door opens") is replaced by one that is tested
        once ("if the door opens").
        """
        text, problem = normalize_command(request.command)
        if problem:
            return
        language = language_of(text)
        if language == "en" and _WHENEVER.search(text):
            yield _WHENEVER.sub("if ", text, count=1)
        reader = cached_index(request, language).reader
        yield from reader.engine.intended_texts(reader.standardize_spelling(text, language))

    def shortened_texts(self, request: Request) -> Iterator[str]:
        """Yield parts of a command that can be parsed, the longest first."""
        text, problem = normalize_command(request.command)
        language = language_of(text)
        if not problem:
            yield from cached_index(request, language).reader.engine.shortened_texts(text)

    def _build_spec(self, request: Request, language: str, parts: list[Part]) -> MissionSpec:
        nodes = build_nodes(parts, request.library)
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


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the offline compiler, which has no settings.

    Raises:
        UsageError: If settings are given.
    """
    if settings:
        raise UsageError(f"the offline compiler has no settings (found {', '.join(settings)})")
    return OfflineCompiler()
