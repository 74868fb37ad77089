"""Asks a question about a picture as the pack does, without a session: its plan, its skills."""

from __future__ import annotations

import time

from bt_exec.language.messages import language_of
from bt_exec_skills.image.bench import Bench
from bt_exec_skills.image.pack import PACK
from bt_exec_skills.image.rules.planning import plan_of
from bt_exec_skills.image.rules.read import read_question

SKILLS = {one.name: one for one in PACK.skills}


def tools_of(root: dict) -> list[tuple[str, dict]]:
    """Return the skills of a plan in order, its library trees in full."""
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
    bench.begin()
    for name, given in tools_of(plan_of(read_question(text), language_of(text), bench.facts())):
        finish(SKILLS[name](bench=bench, **given))
    return bench.answer


def finish(steps):
    """Return the result of a skill; what it does on a thread is waited for."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        time.sleep(0.0005)


def bench_of(picture) -> Bench:
    """Return a bench with a picture that is in no file."""
    bench = Bench()
    bench.__dict__["picture"] = picture
    return bench
