"""Corpus of bad answers, each with the good answer that follows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bt_exec.planning.compiler import Plan
from bt_exec.spec.dump import to_data
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_llm.offline import create
from tests.llm.model_compiler.fake_door import request_for

FOLDER = Path(__file__).parents[2] / "data" / "bad_answers"
OFFLINE = create({})


@dataclass(frozen=True)
class Bad:
    """A bad answer with its command, its world and the expected codes."""

    file: str
    name: str
    command: str
    answer: str
    codes: tuple[str, ...]
    world: Mapping[str, str] = field(default_factory=dict)
    good: str = ""

    def __str__(self) -> str:
        return f"{self.file}-{self.name}".replace(" ", "_")

    def good_answer(self) -> str:
        """Return the correct answer to the command."""
        return self.good or good_answer(self.command, self.world)


def good_answer(command: str, world: Mapping[str, str] | None = None) -> str:
    """Return a plan for a command of the library, as YAML."""
    return _good_answer(command, tuple((world or {}).items()))


@cache
def _good_answer(command: str, world: tuple[tuple[str, str], ...]) -> str:
    answer = OFFLINE.compile(request_for(command, dict(world)))
    assert isinstance(answer, Plan), command
    root = to_data(answer.spec)["root"]
    return yaml.safe_dump({"explanation": "as asked", "root": root}, allow_unicode=True)


def corpus() -> Iterator[Bad]:
    """Yield every bad answer."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for entry in parse_yaml(path.read_text(encoding="utf-8")):
            answer = entry.get("answer") or _MADE[entry["answer_python"]]()
            yield Bad(
                path.stem,
                entry["name"],
                entry["command"],
                answer,
                tuple(entry["codes"]),
                entry.get("world", {}),
                entry.get("good", ""),
            )


def _deep() -> str:
    node: Any = {"tree": "open_door"}
    for _ in range(45):
        node = {"sequence": [node]}
    return json.dumps({"root": node})


def _long() -> str:
    return json.dumps({"root": {"sequence": [{"tree": "open_door"}] * 1500}})


def _branches() -> str:
    return json.dumps({"root": {"fallback": [{"tree": "open_door"}] * 80}})


def _padded() -> str:
    return "root: {tree: open_door}\n#" + "x" * 300_000


def _homes() -> str:
    return json.dumps(
        {"root": {"sequence": [{"tree": "close_door"}, *[{"do": "return_home"}] * 1500]}}
    )


def _many_keys() -> str:
    empty = {f"k{number}": None for number in range(40)}
    return json.dumps({"root": {"tree": "open_door"}, **empty, "sudo": True})


_MADE = {
    "branches": _branches,
    "deep": _deep,
    "homes": _homes,
    "long": _long,
    "many_keys": _many_keys,
    "padded": _padded,
}
