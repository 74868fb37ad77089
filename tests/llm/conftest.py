"""Door site without its pack: the shipped trees and words, and skills without bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import pytest

from bt_exec.failure import Refusal
from bt_exec.language.messages import language_of
from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request
from bt_exec.site.shipped_data import data_path
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.library import Library
from bt_exec.spec.model import MissionSpec, Sequence, Tree
from bt_exec_llm.offline import create

Arm: TypeAlias = Literal["left", "right"]
Ask: TypeAlias = Callable[[str], Plan | Refusal]


@skill()
def open_door(arm: Arm, object_label: str) -> Steps:
    """Open."""
    yield Running()


@skill()
def close_door(arm: Arm, object_label: str) -> Steps:
    """Close."""
    yield Running()


@skill()
def move_arm(arm: Arm, object_label: str) -> Steps:
    """Move."""
    yield Running()


@skill()
def grasp(arm: Arm, object_label: str) -> Steps:
    """Grasp."""
    yield Running()


@skill()
def return_home() -> Steps:
    """Go home."""
    yield Running()


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    pack = Pack(
        "door",
        skills=(open_door, close_door, move_arm, grasp, return_home),
        types={"Arm": Arm},
        lexicon=data_path("configs", "lexicon", "door.yaml"),
    )
    return Catalogue([pack])


@pytest.fixture(scope="session")
def library() -> Library:
    return Library.load([data_path("trees", "door")])


@pytest.fixture(scope="session")
def compiler() -> Compiler:
    return create({})


@pytest.fixture(scope="session")
def ask(compiler: Compiler, catalogue: Catalogue, library: Library) -> Ask:
    def ask(command: str) -> Plan | Refusal:
        return compiler.compile(Request(command, language_of(command), catalogue, library))

    return ask


def _meaning(spec: MissionSpec) -> str:
    """Return the trees of a plan with arguments, such as ``open_door arm=left, close_door``."""
    nodes = spec.root.sequence if isinstance(spec.root, Sequence) else (spec.root,)
    parts = []
    for node in nodes:
        assert isinstance(node, Tree)
        parts.append(" ".join([node.tree, *(f"{key}={node.args[key]}" for key in node.args)]))
    return ", ".join(parts)


@pytest.fixture(scope="session")
def meaning(ask: Ask) -> Callable[[str], str]:
    """Return the trees that a command is compiled to, or the code of its refusal."""

    def meaning(command: str) -> str:
        answer = ask(command)
        return answer.code if isinstance(answer, Refusal | Reply) else _meaning(answer.spec)

    return meaning
