"""Conversion of an answer to a verified plan, or to the list of its problems.

The same checks apply to every model and tier: format, spelling, typical mistakes, checkers and
passes of the packs, and all layers of `bt_exec.verify`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bt_exec.failure import Problem, SpecError
from bt_exec.planning.compiler import Request, VerifiedPlan
from bt_exec.planning.plan_preparation import Examined, examine
from bt_exec.spec.load import parse
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.spec.node_paths import locate
from bt_exec.spec.yaml_source import MAX_DEPTH, MAX_VALUES, Place, Source, show_place
from bt_exec_llm.model_compiler import typical_mistake_checks
from bt_exec_llm.model_compiler.assumed_fact_checks import (
    needless_step_problems,
    wrong_assumption_problems,
)
from bt_exec_llm.model_compiler.intermediate_change_checks import (
    broken_guard_problems,
    needless_change_problems,
    needless_repetition_problems,
)
from bt_exec_llm.model_compiler.invented_word_checks import speech_problems, unknown_words
from bt_exec_llm.model_compiler.plan_effects import Meant
from bt_exec_llm.model_compiler.plan_normalization import AnswerContent, unpack
from bt_exec_llm.model_compiler.replan_scope import part_to_replace, with_part
from bt_exec_llm.model_compiler.spelling_correction import corrected_plan

__all__ = ["Judgement", "check_answer"]

_NAME = "the answer"


@dataclass(frozen=True)
class Judgement:
    """Result of checking an answer.

    Attributes:
        plan: The verified plan; None if there are problems.
        problems: All problems, with positions in the document that the model wrote.
        cannot: The model's reason for declining; empty if it did not decline.
    """

    plan: VerifiedPlan | None = None
    problems: tuple[Problem, ...] = ()
    cannot: str = ""


def check_answer(
    data: Any, request: Request, meant: Meant | None, model: str, notes: tuple[str, ...] = ()
) -> Judgement:
    """Check the data of an answer and return its plan or its problems.

    Args:
        data: Data of the answer, unchecked.
        request: The request.
        meant: Plan for the same command by a compiler without a model; None without one.
        model: Name of the model, for the plan's header.
        notes: Deviations that the parser tolerated.
    """
    large = _size_problem(data)
    if large is not None:
        return Judgement(problems=(large,))
    form = unpack(data)
    if form.cannot:  # a model that declines is obeyed even if it also wrote a plan
        return Judgement(cannot=form.cannot)
    if form.root is None:
        return Judgement(problems=form.problems)
    root, spelling = corrected_plan(form.root, request)
    notes = (*notes, *form.notes, *spelling)
    problems = [
        *form.problems,
        *typical_mistake_checks.endless_loop_problems(root),
        *unknown_words(form, request),
    ]
    nothing = tuple(typical_mistake_checks.no_action_problems(root))
    if nothing and not any(p.code == "ENDLESS_LOOP" for p in problems):
        return Judgement(problems=(*problems, *nothing))
    try:
        written = _load(root, form, request, model)
    except SpecError as error:
        known = {problem.place for problem in problems}
        problems += [problem for problem in error.problems if problem.place not in known]
        return Judgement(problems=_at_written_positions(problems, form, None))
    spec = _with_notes(with_part(written, request), notes)
    expanded = None if meant is None else meant.expanded
    examined = examine(spec, request, meant=expanded, stated=form.stated)
    problems += _plan_problems(examined, form, request, meant)
    if problems:
        part = part_to_replace(request)
        place = None if part is None else part.place
        return Judgement(problems=_at_written_positions(problems, form, place))
    return Judgement(examined.verified_plan())


def _plan_problems(
    examined: Examined, form: AnswerContent, request: Request, meant: Meant | None
) -> list[Problem]:
    """Return the problems of the whole plan, found by verification and by the further checks."""
    problems = typical_mistake_checks.with_label_codes(examined.problems, examined.written, request)
    expanded, passed = examined.expanded, examined.plan
    if expanded is None or passed is None:
        return problems  # these include the reason why the plan was not expanded
    part = part_to_replace(request)
    place: Place = ("root",) if part is None else part.place
    new = next(step for step in locate(expanded.root).walk() if step.place == place)
    problems += wrong_assumption_problems(form.assumes, new, request)
    problems += needless_step_problems(new, request)
    codes = {problem.code for problem in problems}
    problems += broken_guard_problems(expanded, request)
    if part is not None:
        problems += typical_mistake_checks.unchanged_part_problems(new, part.node)
    if codes & {"UNKNOWN_SKILL", "MISSING_ARGUMENT", "UNKNOWN_LABEL", "WRONG_TYPE"}:
        return problems
    problems += typical_mistake_checks.other_robot_problems(
        new.node, None if part is None else part.node, request
    )
    problems += typical_mistake_checks.other_effects_problems(expanded, meant, request)
    asked = None if meant is None else meant.plan
    problems += needless_change_problems(passed, asked, request)
    problems += needless_repetition_problems(
        expanded, None if meant is None else meant.expanded, request
    )
    problems += speech_problems(passed, asked, request)
    if meant is None and _may_forbid(request.command):
        problems += typical_mistake_checks.forbidden_skill_problems(expanded)
    return problems


def _load(root: Any, form: AnswerContent, request: Request, model: str) -> MissionSpec:
    previous = request.previous
    header = Mission(
        command=request.command[:2000],
        language="ko" if request.language == "ko" else "en",
        plan_version=request.plan_version,
        compiler="claude",
        model=model or None,
        parent=None if previous is None else previous.mission.plan_version,
        subgoals=form.subgoals if previous is None else previous.mission.subgoals,
    )
    plain = header.model_dump(mode="json", exclude_none=True)
    document = parse(Source(_NAME, {"mission": plain, "root": root})).document
    assert isinstance(document, MissionSpec)
    return document


def _with_notes(spec: MissionSpec, notes: tuple[str, ...]) -> MissionSpec:
    answer_notes = tuple(f"answer: {note}" for note in notes)
    return spec.with_header(notes=(*spec.mission.notes, *answer_notes))


def _at_written_positions(
    problems: Iterable[Problem], form: AnswerContent, part: Place | None
) -> tuple[Problem, ...]:
    """Return the distinct problems, with positions in the document that the model wrote."""
    prefix = show_place(part) if part is not None else "root"
    found: dict[tuple[str, str, str], Problem] = {}
    for problem in problems:
        place = problem.place
        if place == prefix or place.startswith((f"{prefix}/", f"{prefix}[")):
            place = "root" + place[len(prefix) :]
        place = _position_by_id(place, form.places)
        located = replace(problem, place=place, file="", line=None, column=None)
        found.setdefault((located.code, located.place, located.found), located)
    return tuple(found.values())


def _position_by_id(place: str, ids: Mapping[str, str]) -> str:
    """Convert a position in the nested plan to one in the flat plan, such as ``n3/with/arm``."""
    fitting = [known for known in ids if place == known or place.startswith(f"{known}/")]
    longest = max(fitting, key=len, default="")
    if not longest:
        return place
    rest = place[len(longest) :]
    for key, field in (("/do", "/runs"), ("/tree", "/runs"), ("/check", "/asks")):
        if "[" not in ids[longest] and (rest == key or rest.startswith(f"{key}/")):
            rest = field + rest[len(key) :]
    return ids[longest] + rest


def _size_problem(data: Any) -> Problem | None:
    """Return a problem if an answer is larger than any valid plan; computed without recursion."""
    stack, count = [(data, 0)], 0
    while stack:
        value, depth = stack.pop()
        count += 1
        if depth > MAX_DEPTH:
            return Problem("TOO_DEEP", f"is nested more than {MAX_DEPTH} levels deep")
        if count > MAX_VALUES:
            return Problem("TOO_BIG", f"holds more than {MAX_VALUES} values")
        if isinstance(value, dict):
            stack.extend((inner, depth + 1) for inner in value.values())
        elif isinstance(value, list):
            stack.extend((inner, depth + 1) for inner in value)
    return None


_WORDS = re.compile(
    r"\b(?:not|(?:do|does|did|is|are|was|wo|ca|could|should|would|must|need)n['’]?t|never|no|"
    r"nothing|nobody|without|avoid|refrain|stop|stay|keep|leave|let (?:it|him|her|them|me) be|"
    r"alone|as (?:it|they) (?:is|are)|hands off|hold off|forbidden|prohibited|instead of|"
    r"rather than|unless|except)\b"
    r"|지 ?마|지 ?말|말고|말아|말 것|말도록|그대로|놔 ?[두둬]|내버려|가만히|건드리"
    r"|금지|안 ?돼|안 ?되|않|없이|만지지|대지|하지는|멈[추춰]|두고|빼고|제외",
    re.IGNORECASE,
)


def _may_forbid(command: str) -> bool:
    """Return True if a command contains words that may forbid something.

    A model may overlook a prohibition such as "leave the door alone" or "그대로 둬". If the offline
    compiler does not understand a command with such words, every plan with a skill is rejected.
    """
    return _WORDS.search(command) is not None
