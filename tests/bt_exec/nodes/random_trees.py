"""Trees and scripts decoded from bytes. Each byte is one choice, and 0 is the simplest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bt_exec.skill import Verdict
from bt_exec.spec.condition_expression import All, Any_, Is, Not
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    Guard,
    Mission,
    MissionSpec,
    NodeBase,
    Parallel,
    Tree,
)
from bt_exec.spec.model import Sequence as SequenceNode
from bt_exec.spec.node_paths import nodes_with_paths
from tests.bt_exec.nodes.stage import CODES, CONDITIONS, SKILLS, Call, Reply, Script

__all__ = ["CHOICES", "Case", "case"]

CHOICES = 120
"""Maximum number of bytes of a case. Missing ones are 0."""


@dataclass(frozen=True)
class Case:
    """Tree with its script and the tick of its abort."""

    spec: MissionSpec
    script: Script
    faults: dict[tuple[str, int], str]
    abort_at: int | None


def case(choices: bytes) -> Case:
    """Return the case encoded by `choices`."""
    make = _Maker(choices)
    root = make.node(3)
    script = Script(
        {name: make.several(make.call) for name in SKILLS},
        {name: make.several(make.reply) for name in CONDITIONS},
    )
    kept: tuple[str, ...] = ()
    if make.one_in(8):
        every = [path for path, _ in nodes_with_paths(root)]
        kept = (every[make.pick(len(every))],)
    faults = {}
    if make.one_in(8):
        code = ("STUCK", "TIMEOUT", "SKILL_CRASHED")[make.pick(3)]
        faults = {(SKILLS[make.pick(3)], 1 + make.pick(3)): code}
    abort_at = 1 + make.pick(8) if make.one_in(6) else None
    return Case(
        MissionSpec(mission=Mission(command="", kept=kept), root=root), script, faults, abort_at
    )


class _Maker:
    def __init__(self, choices: bytes) -> None:
        self.choices = iter(choices)

    def pick(self, count: int) -> int:
        return next(self.choices, 0) % count

    def one_in(self, count: int) -> bool:
        return self.pick(count) == count - 1

    def several(self, make: Any) -> Sequence[Any]:
        return [make() for _ in range(1 + self.pick(4))]

    def call(self) -> Call:
        end = ("done", "done", "done", *CODES, "crash", "UNDECLARED")[self.pick(8)]
        more = self.pick(16)
        ticks = (0, 1, 2, 0, 1, 4, 0, 99)[more % 8]
        return Call(ticks, end, 1 + self.pick(3), self.one_in(12), more < 8)

    def reply(self) -> Reply:
        holds = (True, False, None, True, None, False, True, None, "crash")[self.pick(9)]
        if isinstance(holds, str):
            return "crash"
        more = self.pick(12)
        why = ("", "so", "thus")[more % 3]
        return Verdict(holds, why, (f"fact {more}",) if more > 2 else (), float(more // 3))

    def expression(self, depth: int) -> Any:
        kind = self.pick(6) if depth else 0
        if kind < 3:
            return Is(name=CONDITIONS[self.pick(3)])
        if kind == 3:
            return Not(of=self.expression(depth - 1))
        parts = tuple(self.expression(depth - 1) for _ in range(1 + self.pick(3)))
        return All(of=parts) if kind == 4 else Any_(of=parts)

    def modifiers(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if not self.one_in(2):
            return found
        which = self.pick(64)
        if which & 1:
            found["retry"] = 2 + self.pick(2)
        if which & 2:
            found["repeat"] = 2 + self.pick(2)
        if which & 4:
            found["timeout"] = f"{50 * (1 + self.pick(4))}ms"
        if which & 8:
            found["while"] = self.expression(2)
        if which & 16:
            found["skip_if"] = self.expression(2)
        if which & 32:
            more = self.pick(8)
            if more & 1 and "repeat" in found:
                code = {"else": "NOT_YET"} if more & 2 else {}
                found["until"] = Guard(**{"<condition>": self.expression(2), **code})
            if more & 4:
                items = [[], [1], [1, 2], [3, 4], "$r"][self.pick(5)]
                found["for_each"] = {"r": items} if more & 2 else {"i": items, "at_most": 1}
        return found

    def node(self, depth: int) -> NodeBase:
        kind = self.pick(8) if depth else self.pick(3)
        if kind < 3:
            return self.check() if kind == 1 else self.do()
        if kind == 7:
            return Tree(tree="t", body=self.node(depth - 1), **self.modifiers())
        count = (2, 2, 3, 1)[self.pick(4)]
        if kind == 5:
            count = max(count, 2)
        children = tuple(self.node(depth - 1) for _ in range(count))
        if kind == 3:
            return SequenceNode(sequence=children, **self.modifiers())
        if kind == 6 and count == 2 and self.pick(2):
            asked = self.expression(1)
            ways = zip((asked, Not(of=asked)), children, strict=True)
            return Fallback(
                fallback=tuple(
                    SequenceNode(sequence=(Check(check=question), child))
                    for question, child in ways
                ),
                **self.modifiers(),
            )
        if kind in (4, 6):
            return Fallback(fallback=children, **self.modifiers())
        needed = ("all", "any", 2)[self.pick(3)]
        return Parallel(parallel=children, succeed_when=needed, **self.modifiers())

    def do(self) -> Do:
        more = self.pick(8)
        facts: dict[str, Any] = {"with": {"value": (5, "$r")[more & 1]}} if more > 4 else {}
        if more in (3, 4, 7):
            facts["save"] = {"value": "r"}
        return Do(do=SKILLS[self.pick(3)], **facts, **self.modifiers())

    def check(self) -> Check:
        more = self.pick(4)
        code = {"else": "NOT_SO"} if more & 1 else {}
        return Check(check=self.expression(2), tell=more > 1, **code, **self.modifiers())
