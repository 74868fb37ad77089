"""Prompt for a program. It never contains the answer.

A program could otherwise repeat the known answer instead of checking it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.failure import Problem
from bt_exec_skills.image import tools
from bt_exec_skills.image.bench import Bench

__all__ = ["asked", "objection", "role", "shape_of"]

_SHAPES = {
    bool: "true or false; null where the picture does not settle it",
    int: "a whole number",
    list: "a list of texts",
    dict: "an object of whole numbers with the keys target and other",
}


@lru_cache(maxsize=1)
def role() -> str:
    """Return the role of the writer, the form of the program, and the functions it may call."""
    text = Path(__file__).with_name("role.md").read_text(encoding="utf-8").strip()
    return f"{text}\n\n# Functions and types of `tools`\n{_functions()}"


def asked(bench: Bench, question: str) -> str:
    """Return the task: the question, the plan of the code, and the steps of the tools."""
    assert bench.answer is not None
    steps = [{"tool": one.tool, "parameters": dict(one.args)} for one in bench.steps]
    files = {
        "picture": "image_path, as run gets it",
        "annotation": bench.annotation_file and str(bench.annotation_file.absolute()),
        "second picture": bench.second_file and str(bench.second_file.absolute()),
    }
    parts = {
        "QUESTION": question,
        "ANSWER": f"the key answer holds {shape_of(bench.answer.value)}",
        "CODE PLAN": "\n".join(f"{n}. {one}" for n, one in enumerate(bench.code_plan, 1)),
        "STEPS THAT RAN": "\n".join(map(_json, steps)),
        "FILES": _json({name: file for name, file in files.items() if file}),
    }
    said = [f"[{name}]\n{_harmless(text) or '(none)'}" for name, text in parts.items()]
    return "\n\n".join([*said, "Write the file."])


def objection(problems: Sequence[Problem]) -> str:
    """Return the message that is sent back with an invalid program."""
    lines = [f"- {_harmless(str(one))}" for one in problems[:12]]
    return "That cannot be used. Write the whole file again, without these faults:\n" + "\n".join(
        lines
    )


def shape_of(value: Any) -> str:
    """Return the form of an answer, in words."""
    return _SHAPES.get(type(value), "a short text, or a list of texts, that answers the question")


def _functions() -> str:
    lines = []
    for name in tools.__all__:
        one = getattr(tools, name)
        if inspect.isfunction(one):
            lines.append(f"## {name}{inspect.signature(one)}".replace("'", ""))
            lines.append(inspect.getdoc(one) or "")
        elif inspect.isclass(one):
            lines.append(f"## {name}\n{inspect.getdoc(one)}")
        else:
            lines.append(f"## {name}\n{str(one).replace('typing.', '')}")
    return "\n".join(lines)


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)


def _harmless(text: str) -> str:
    """Return external text that can neither open nor close a block."""
    return text.replace("```", "'''")
