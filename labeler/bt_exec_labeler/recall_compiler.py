"""Compiler that reuses the plan of the recorded mission with the most similar command.

If several commands are equally similar, it selects the mission whose initial facts best match the
present ones. The missions come from the training split of a planner set, so that no model is
needed. A recalled plan is verified like any other plan. Since it may not fit the command, the
operator must confirm it, unless the site sets ``confirm: never``. Configuration in a site file::

    compiler: {name: recalled, dataset: planner_set}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from bt_exec.failure import Refusal, UsageError
from bt_exec.files import expand_home
from bt_exec.planning.compiler import Compiler, Plan, Request
from bt_exec.planning.failed_part_repair import repaired_plan
from bt_exec.spec.model import MissionSpec
from bt_exec.spec.user_data_validation import UserData, read_settings

__all__ = ["Recalled", "RecallingCompiler", "create", "load_recalled_missions"]

_NAME = "recalled"


class Settings(UserData):
    """Settings of the compiler in a site.

    Attributes:
        dataset: Planner set, written by ``bt-exec label dataset``.
        alike: Minimum similarity of two commands, from 0 to 1.
    """

    dataset: Path
    alike: Annotated[float, Field(gt=0, le=1)] = 0.6


@dataclass(frozen=True)
class Recalled:
    """Recorded mission of the training split.

    Attributes:
        episode: Name of the episode.
        command: Command of the operator.
        words: Words of the command in lower case.
        goals: Executed operations with their arguments, in order.
        facts: Known facts at the beginning.
    """

    episode: str
    command: str
    words: frozenset[str]
    goals: tuple[tuple[str, Mapping[str, Any]], ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    def fact_agreement(self, facts: Mapping[str, str]) -> int:
        """Return how many facts are equal in both states, minus how many differ."""
        both = self.facts.keys() & facts.keys()
        return sum(1 if self.facts[name] == facts[name] else -1 for name in both)


class RecallingCompiler:
    """Compiler that returns the plan of the most similar command.

    Args:
        missions: Missions to recall.
        alike: Minimum similarity of two commands, from 0 to 1.
    """

    name = _NAME

    def __init__(self, missions: tuple[Recalled, ...], alike: float = 0.6) -> None:
        self.missions = missions
        self.alike = alike

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the recalled plan, or a refusal if no command is similar enough.

        After a failure, return the failed plan with its failed part replaced or repeated.
        """
        if request.previous is not None and request.failure is not None:
            return Plan(repaired_plan(request, self.name))
        words = _words(request.command)
        facts = request.situation.facts
        scored = [(_similarity(words, one.words), one) for one in self.missions]
        score, found = max(
            scored,
            default=(0.0, None),
            key=lambda entry: (entry[0], entry[1].fact_agreement(facts), entry[1].episode),
        )
        if found is None or score < self.alike:
            korean = request.language == "ko"
            message = (
                "기억하는 임무 중에 이와 비슷한 명령이 없습니다."
                if korean
                else "I remember no mission with a similar command."
            )
            near = sorted(scored, key=lambda entry: (-entry[0], entry[1].episode))
            alike = dict.fromkeys(one.command for likeness, one in near if likeness)
            return Refusal("NOT_RECALLED", message, nearest=tuple(alike)[:3])
        spec = MissionSpec.model_validate(
            {
                "mission": {
                    "command": request.command,
                    "language": request.language,
                    "compiler": self.name,
                },
                "root": _tree(found.goals),
            }
        )
        reason = (
            f"“{found.command}” 명령을 수행했던 임무 {found.episode}의 계획입니다."
            if request.language == "ko"
            else f"This is what mission {found.episode} did for “{found.command}”."
        )
        return Plan(spec, unconfirmed=reason)


def load_recalled_missions(dataset: Path) -> tuple[Recalled, ...]:
    """Return the missions of the training split of a planner set.

    Raises:
        UsageError: If it is not a planner set.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError("recalled plans need pyarrow: pip install 'bt-exec[label]'") from None
    file = dataset / "data" / "train-00000.parquet"
    if not file.is_file():
        raise UsageError(f"{dataset} contains no planner set of bt-exec label dataset")
    columns = ["episode", "command", "t", "facts", "plan_json", "retrieved_memory"]
    try:
        rows = pyarrow.parquet.read_table(file, columns=columns).to_pylist()
    except (pyarrow.ArrowInvalid, KeyError) as error:
        raise UsageError(f"{dataset} is not a planner set: {error}") from error
    by_episode: dict[str, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["t"]):
        by_episode.setdefault(row["episode"], []).append(row)
    return tuple(
        Recalled(
            episode,
            found[0]["command"],
            _words(found[0]["command"]),
            _distinct_actions(found),
            json.loads(found[0]["facts"]),
        )
        for episode, found in sorted(by_episode.items())
        if found[0]["command"]
    )


def _distinct_actions(rows: list[Mapping[str, Any]]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the actions of an episode in order; equal successive actions count once."""
    goals: list[tuple[str, Mapping[str, Any]]] = []
    for row in rows:
        for goal in json.loads(row["plan_json"])["short_goal_dsl"]:
            if not goals or goals[-1] != (goal["op"], goal["args"]):
                goals.append((goal["op"], goal["args"]))
    return tuple(goals)


def _tree(goals: tuple[tuple[str, Mapping[str, Any]], ...]) -> dict[str, Any]:
    nodes = [{"do": op, **({"with": dict(args)} if args else {})} for op, args in goals]
    return nodes[0] if len(nodes) == 1 else {"sequence": nodes}


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets of words, from 0 to 1."""
    return len(one & other) / len(one | other) if one | other else 0.0


def _words(command: str) -> frozenset[str]:
    return frozenset("".join(c if c.isalnum() else " " for c in command.casefold()).split())


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the compiler.

    Raises:
        UsageError: If a setting is invalid, or there is no such planner set.
    """
    read = read_settings(Settings, settings, "the compiler recalled")
    return RecallingCompiler(load_recalled_missions(expand_home(read.dataset)), read.alike)
