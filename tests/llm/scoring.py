"""Scores the offline compiler on labelled commands, as their files in tests/data/commands say.

``understood``: of the commands that should work, how many do what was asked. ``wrong``: commands of
any kind that lead to a plan that does something else.

    python -m tests.llm.scoring door FILE …
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bt_exec.failure import Refusal, SpecError
from bt_exec.planning.compiler import Compiler, Reply, find_compiler
from bt_exec.planning.plan import prepare, with_typed_words
from bt_exec.site import load_site
from bt_exec.site.compile_command import request_of
from bt_exec.spec.dump import to_data
from bt_exec.spec.plain_yaml import parse_yaml

FOLDERS = ("sequence", "fallback", "parallel", "body")
ON_THE_WAY = {"return_home", "navigate", "summarize_mission", "talk_to_person"}


class Step(NamedTuple):
    skill: str
    args: dict[str, Any]
    conditional: bool


class Score(NamedTuple):
    understood: int
    asked: int
    wrong: int
    total: int
    faults: list[str]


def steps(node: Any, conditional: bool = False) -> Iterator[Step]:
    """Yield the skills of an expanded plan; repeats are written out."""
    if isinstance(node, list):
        checked = conditional
        for one in node:
            yield from steps(one, checked)
            checked = checked or "check" in one
    elif isinstance(node, dict):
        held = conditional or ("skip_if" in node and "do" not in node)  # a skill's own is none
        for _ in range(node.get("repeat") or 1):
            if "do" in node:
                yield Step(node["do"], node.get("with") or {}, held)
            for key in FOLDERS:
                yield from steps(node.get(key, []), held)


def planned(
    site: Any, compiler: Compiler, said: str, context: Sequence[str] = ()
) -> list[Step] | str:
    """Return what the plan of a command does; a code where the command is refused."""
    request = request_of(site, said, context=context)
    answer = compiler.compile(request)
    if isinstance(answer, Refusal | Reply):
        return f"{answer.code} {answer.message.split('.')[0]}"
    try:
        spec = prepare(with_typed_words(answer.spec, request), request, answer.meaning).spec
    except SpecError as error:
        return f"NOT_VERIFIED {error}"
    return list(steps(to_data(spec)["root"]))


def bare(value: Any) -> str:
    return re.sub(r"^(the|a|an|this|these|my)\s+|s$", "", str(value).strip().lower())


def done_in_order(plan: list[Step], wanted: list[list[Any]]) -> bool:
    todo = [(one[0], one[1] if len(one) > 1 else {}) for one in wanted]
    for step in plan:
        name, args = todo[0] if todo else ("", {})
        if step.skill == name and all(bare(step.args.get(k)) == bare(v) for k, v in args.items()):
            todo.pop(0)
    return not todo


def fault(case: dict[str, Any], plan: list[Step]) -> str:
    """Return what is wrong with a plan for a labelled command; nothing if it is right."""
    skills = {step.skill for step in plan}
    wanted = case.get("actions", [])
    if case["want"] == "refuse":
        return "" if case.get("question") and not skills else "should be refused"
    if not done_in_order(plan, wanted):
        return "not what was asked"
    if skills & set(case.get("forbid", [])):
        return "forbidden"
    if {step.args.get("target") for step in plan} & set(case.get("never", [])):
        return "goes where it should not"
    extra = skills - {one[0] for one in wanted} - ON_THE_WAY
    if (case.get("only") or not wanted) and extra:
        return f"also {sorted(extra)}"
    if case.get("condition") and not any(step.conditional for step in plan):
        return "the condition is gone"
    return ""


def score(site: Any, cases: list[dict[str, Any]]) -> Score:
    understood = asked = wrong = 0
    faults = []
    compiler = find_compiler("offline", {})
    for case in cases:
        plan = planned(site, compiler, case["say"], case.get("context", ()))
        asked += case["want"] == "act"
        if isinstance(plan, str):
            if case["want"] == "act":
                faults.append(f"refused: {case['say']} ({plan})")
            continue
        found = fault(case, plan)
        if found:
            wrong += 1
            told = "; ".join(f"{s.skill}{list(s.args.values())}" for s in plan)
            faults.append(f"WRONG ({found}): {case['say']} -> {told}")
        else:
            understood += case["want"] == "act"
    return Score(understood, asked, wrong, len(cases), faults)


def main() -> None:
    site = load_site(sys.argv[1])
    for name in sys.argv[2:]:
        found = score(site, parse_yaml(Path(name).read_text(encoding="utf-8")))
        print(*found.faults, sep="\n")
        share = f"understood {found.understood} of {found.asked}"
        print(f"{name}: {share}, wrong {found.wrong} of {found.total}")


if __name__ == "__main__":
    main()
