"""Queries of a picture without a session: the plan of a question, and its skills."""

from __future__ import annotations

import threading

from bt_exec.language.messages import language_of
from bt_exec_skills.image.pack import PACK
from bt_exec_skills.image.rules.question_plans import build_plan, build_plan_of_all
from bt_exec_skills.image.rules.question_reader import read_question, read_questions
from bt_exec_skills.image.skills.several_questions import answered
from bt_exec_skills.image.workbench import Bench

SKILLS = {one.name: one for one in PACK.skills}


def tools_of(root: dict) -> list[tuple[str, dict]]:
    """Return the skills of a plan in order, with library trees expanded."""
    found = []
    for node in root["sequence"]:
        given = dict(node["with"])
        if node.get("tree") == "from_colours":
            found += [("segment_colour", given), ("separate_touching", {"of": given["into"]})]
        elif "tree" in node:
            found.append(
                ({"from_annotation": "read_annotation"}.get(node["tree"], "detect"), given)
            )
        else:
            found.append((node["do"], given))
    return found


def ask(bench: Bench, text: str):
    """Return the answer to a question."""
    bench.reset()
    for name, given in tools_of(build_plan(read_question(text), language_of(text), bench.facts())):
        finish(SKILLS[name](bench=bench, **given))
    return bench.answer


def ask_all(bench: Bench, text: str) -> list:
    """Return the values of the answers to a text's questions; unmet conditions skip questions."""
    bench.reset()
    _run(build_plan_of_all(read_questions(text), language_of(text), bench.facts()), bench)
    return [*(one.answer.value for one in bench.earlier), bench.answer.value]


def _run(node: dict, bench: Bench) -> bool:
    """Run a plan; return False if a check does not hold."""
    if "check" in node:
        named = node["check"]
        return _holds(named["not"], bench) is False if "not" in named else _holds(named, bench)
    if "sequence" in node:
        return all(_run(one, bench) for one in node["sequence"])
    if "fallback" in node:
        return any(_run(one, bench) for one in node["fallback"])
    for name, given in tools_of({"sequence": [{"with": {}, **node}]}):
        finish(SKILLS[name](bench=bench, **given))
    return True


def _holds(named: dict, bench: Bench) -> bool:
    return answered(bench=bench, **named["answered"]).holds


def finish(steps):
    """Return the result of a skill, including its worker thread."""
    others = set(threading.enumerate())
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        for thread in set(threading.enumerate()) - others:
            if thread.name == "skill-call" and thread.is_alive():
                thread.join(timeout=1.0)


def bench_of(picture) -> Bench:
    """Return a bench with a picture that is not in a file."""
    bench = Bench()
    bench.__dict__["picture"] = picture
    return bench
