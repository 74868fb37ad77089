"""Evaluation of compilers on labelled commands: rates of correct plans and refusals, and cost."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bt_exec.campaign.statistics import Difference, Rate, compare
from bt_exec.evaluation.cases import Cases, Step, plan_mistake, skills_of_plan
from bt_exec.failure import Refusal, SpecError, UsageError
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Compiler, Reply, Request
from bt_exec.planning.plan_preparation import prepare_answer
from bt_exec.site.compile_command import first_request
from bt_exec.site.site import Site

__all__ = ["Evaluation", "collect_answers", "compare_compilers", "evaluate", "read_earlier_answers"]

Line = Mapping[str, Any]
"""One command with the answer of one compiler, as plain data."""


class Evaluation(NamedTuple):
    """Results of one compiler.

    Attributes:
        compiler: Name.
        understood: Rate of commands with a correct plan, among the commands that need a plan.
        wrong: Rate of commands with an incorrect plan, among all commands.
        refused: Rate of refused commands, among those that should be refused.
        objections: Number of rejected plans and refused commands, by code.
        requests: Number of requests to a model.
        tokens: Number of tokens of these requests, prompts and answers together.
        cost: Cost of these requests [USD].
        seconds: Mean time of an answer [s].
    """

    compiler: str
    understood: Rate
    wrong: Rate
    refused: Rate
    objections: Mapping[str, int]
    requests: int
    tokens: int
    cost: float
    seconds: float


def collect_answers(
    site: Site,
    cases: Cases,
    compilers: Mapping[str, Compiler],
    known: Iterable[Line] = (),
    situation: Situation | None = None,
) -> Iterator[Line]:
    """Yield the answer of each compiler to each command; recorded answers are reused.

    Args:
        site: The site.
        cases: The labelled commands.
        compilers: The compilers, by the name in the report.
        known: Lines of an earlier run.
        situation: The observed situation; empty by default.
    """
    recorded = {(line["compiler"], line["item"], line["say"]): line for line in known}
    for name, compiler in compilers.items():
        for item, case in enumerate(cases.commands):
            if line := recorded.get((name, item, case.say)):
                yield line
                continue
            request = first_request(site, case.say, situation, case.context)
            yield {
                "compiler": name,
                "item": item,
                "say": case.say,
                **_answer_line(request, compiler),
            }


def _answer_line(request: Request, compiler: Compiler) -> Line:
    began = time.perf_counter()
    answer = compiler.compile(request)
    seconds = round(time.perf_counter() - began, 4)
    line: dict[str, Any] = {"steps": None, "seconds": seconds}
    if isinstance(answer, Reply):
        return {**line, "code": answer.code, "objections": [], "requests": 0, "usage": {}}
    line["requests"] = answer.requests
    if isinstance(answer, Refusal):
        codes = [_code_of(problem) for problem in answer.problems]
        return {**line, "code": answer.code, "objections": codes or [answer.code], "usage": {}}
    line["usage"] = dict(answer.usage)
    try:
        plan = prepare_answer(answer, request).spec
    except SpecError as error:
        codes = [problem.code for problem in error.problems]
        return {**line, "code": "PLAN_REJECTED", "objections": codes}
    steps = [[step.skill, dict(step.args), step.conditional] for step in skills_of_plan(plan.root)]
    return {**line, "code": "", "objections": [], "steps": steps}


def _code_of(problem: str) -> str:
    return problem.rpartition("[")[2].rstrip("]") or "REFUSED"


def evaluate(cases: Cases, lines: Sequence[Line]) -> list[Evaluation]:
    """Return the results of each compiler, in the order in which they answered."""
    by_compiler: dict[str, list[Line]] = {}
    for line in lines:
        by_compiler.setdefault(line["compiler"], []).append(line)
    return [_evaluate_compiler(name, cases, own) for name, own in by_compiler.items()]


def answer_mistake(cases: Cases, line: Line) -> str:
    """Return the mistake of a recorded plan; empty if the plan is correct or missing."""
    if line["steps"] is None:
        return ""
    plan = [Step(*step) for step in line["steps"]]
    return plan_mistake(cases.commands[line["item"]], plan, cases.on_the_way)


def _is_correct_answer(cases: Cases, line: Line) -> bool:
    """Return True if the answer to a command agrees with its label."""
    want = cases.commands[line["item"]].want
    return not answer_mistake(cases, line) if line["steps"] is not None else want != "act"


def _evaluate_compiler(name: str, cases: Cases, lines: Sequence[Line]) -> Evaluation:
    wants = [cases.commands[line["item"]].want for line in lines]
    right = [_is_correct_answer(cases, line) for line in lines]

    def rate_of_wanted(want: str) -> Rate:
        own = [good for good, wanted in zip(right, wants, strict=True) if wanted == want]
        return Rate(sum(own), len(own))

    usage = Counter[str]()
    for line in lines:
        usage.update({key: value for key, value in line["usage"].items() if value})
    return Evaluation(
        name,
        rate_of_wanted("act"),
        Rate(sum(bool(answer_mistake(cases, line)) for line in lines), len(lines)),
        rate_of_wanted("refuse"),
        Counter(code for line in lines for code in line["objections"]),
        sum(line["requests"] for line in lines),
        int(usage["input_tokens"] + usage["output_tokens"]),
        float(usage["cost"]),
        sum(line["seconds"] for line in lines) / len(lines) if lines else 0.0,
    )


def compare_compilers(cases: Cases, lines: Sequence[Line]) -> dict[str, Difference]:
    """Compare every other compiler with the first one, by correct answers (McNemar test)."""
    by_compiler: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        cell = {"item": line["item"], "expected": _is_correct_answer(cases, line)}
        cell |= {"command": "", "fault": "", "world": {}}
        by_compiler.setdefault(line["compiler"], []).append(cell)
    first, *others = by_compiler
    return {name: compare(by_compiler[first], by_compiler[name])["", "all"] for name in others}


def read_earlier_answers(path: Path) -> list[Line]:
    """Return the lines of an earlier run; none if there is no such file.

    Raises:
        UsageError: If the file was not written by ``bt-exec eval``.
    """
    if not path.exists():
        return []
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as JSON lines: {error}") from None
    wanted = {"compiler", "item", "say", "steps", "objections", "requests", "usage", "seconds"}
    if not all(isinstance(line, dict) and wanted <= line.keys() for line in lines):
        raise UsageError(f"{path}: is not a record of bt-exec eval; name another file")
    return lines
