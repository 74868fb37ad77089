"""Prompt of the model compiler: a cacheable part, then the situation and the command.

Untrusted text (the command, names of detected objects, facts, failures) is inserted as shortened
JSON in a fence, with escaped angle brackets and without control characters, so that it cannot close
its fence. The model is asked to treat it as data; verification does not depend on that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.failure import Failure, Problem
from bt_exec.planning.compiler import Request
from bt_exec.spec.dump import to_data
from bt_exec.spec.modifier_table import MODIFIERS
from bt_exec_llm.client import Block, Image, Question, Turn, image_block
from bt_exec_llm.model_compiler.plan_schema import plan_schema, tree_list_schema
from bt_exec_llm.model_compiler.prompt_examples import fixed_examples_text, similar_commands
from bt_exec_llm.model_compiler.replan_scope import part_to_replace
from bt_exec_llm.model_compiler.site_description import (
    as_yaml,
    cached_text,
    describe_site,
    describe_trees,
)

__all__ = ["VERSION", "build_prompt", "fenced_json", "problems_text"]

VERSION = 4
"""Version of the texts in ``prompts/``, stored in records and incremented with each change."""

_FOLDER = Path(__file__).parent.parent / "prompts"
_NAME = re.compile(r"[\w-]{1,24}( [\w-]{1,24}){0,2}")
"""Pattern of object names; it excludes sentences, such as text printed on a box."""
_LONGEST_WORD = 64
_MOST_WORDS = 100
_LONGEST_COMMAND = 2000
_MOST_PROBLEMS = 25
"""Maximum number of problems that are sent back at once."""


def build_prompt(request: Request, *, image: bool = False, short: bool = False) -> Question:
    """Return the first question about a request.

    Its system prompt is the same for every command of a site.

    Args:
        request: The request.
        image: Whether to include the picture, if there is one.
        short: Whether to offer only trees, for small models; re-plans always use the full prompt.
    """
    short = short and request.failure is None
    role, about = ("short", describe_trees) if short else ("system", describe_site)
    system = (
        Block(f"bt-exec prompt {VERSION}\n\n{_text(role)}"),
        Block(cached_text(request, role, lambda: about(request)), cache=True),
    )
    parts: list[str | Image] = []
    if like := similar_commands(request):
        parts.append(f"# Commands like this one\n\n{like}")
    parts.append("# Situation\n\n" + fenced_json("situation", _situation(request)))
    if request.failure is not None and request.previous is not None:
        parts.append(_failed_part_text(request))
    if image and request.situation.frame is not None:
        parts.append(image_block(request.situation.frame))
    if request.context.turns:
        parts.append("# Said before\n\n" + fenced_json("before", _session_text(request)))
    command = {
        "command": _truncated_line(request.command, _LONGEST_COMMAND),
        "language": request.language,
    }
    parts.append("# Command\n\n" + fenced_json("command", command))
    messages = (Turn.user(*parts),)
    site = (request.catalogue, request.library)
    if short:
        plain = "Answer with JSON as described above."
        return Question(system, messages, tree_list_schema(*site), plain, "")
    plain = f"{_text('form')}\n\n# Examples\n\n{fixed_examples_text(request, 'nested')}"
    structured = f"# Examples\n\n{fixed_examples_text(request, 'flat')}"
    return Question(system, messages, plan_schema(*site), plain, structured)


def problems_text(problems: Iterable[Problem], known: Iterable[Problem] = ()) -> str:
    """Return the distinct problems of an answer as text that is sent back.

    Args:
        problems: Problems of this answer.
        known: Problems of the previous answer; problems that occur again are marked.
    """
    before = {(problem.code, problem.found) for problem in known}
    listed: dict[tuple[str, str, str], dict[str, Any]] = {}
    for problem in problems:
        entry = {
            "code": problem.code,
            "place": problem.place,
            "problem": problem.message,
            **({"found": _truncated_line(problem.found)} if problem.found else {}),
            **({"allowed": list(problem.allowed[:20])} if problem.allowed else {}),
        }
        if (problem.code, problem.found) in before:
            entry["again"] = "the same as in your answer before; change this"
        listed.setdefault((problem.code, problem.place, problem.found), entry)
    shown = list(listed.values())[:_MOST_PROBLEMS]
    more = len(listed) - len(shown)
    text = _text("repair") + "\n\n" + fenced_json("problems", shown)
    return text + (f"\n\n{more} further problems are left out." if more else "")


def fenced_json(tag: str, data: Any) -> str:
    """Return plain data as JSON between tags, escaped so that it cannot contain the end tag."""
    text = json.dumps(data, ensure_ascii=False, indent=1, default=str)
    return f"<{tag}>\n{_escape_angle_brackets(text)}\n</{tag}>"


def _escape_angle_brackets(text: str) -> str:
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def _situation(request: Request) -> dict[str, Any]:
    seen = request.situation
    names = [label for label in seen.labels[:_MOST_WORDS] if _NAME.fullmatch(label)]
    return {
        "seen": names,
        "further_things": len(seen.labels) - len(names),
        "facts": {
            _truncated_line(key): _truncated_line(value)
            for key, value in sorted(seen.facts.items())[:_MOST_WORDS]
        },
    }


def _session_text(request: Request) -> list[dict[str, str]]:
    """Return the commands of the session so far, to which "again" and "it" may refer."""
    return [
        {
            "command": _truncated_line(turn.command, _LONGEST_COMMAND),
            "ended": turn.status or "not run",
            "message": _truncated_line(turn.message, 200),
        }
        for turn in request.context.turns
    ]


def _failed_part_text(request: Request) -> str:
    found = part_to_replace(request)
    assert found is not None
    assert request.previous is not None
    facts = {
        "failed_part": found.path,
        "failure": _failure_data(request.failure),
        "tried": [_failure_data(failure) for failure in request.tried],
        "finished": [{"step": done.path, "skipped": done.skipped or None} for done in request.done],
    }
    plan = request.previous.model_copy(update={"root": found.node})
    text = _escape_angle_brackets(as_yaml({"root": to_data(plan)["root"]}))
    return "\n\n".join(
        (
            f"# What failed\n\n{_text('replan')}",
            fenced_json("failure", facts),
            f"The failed part as it was:\n<failed_part>\n{text}\n</failed_part>",
        )
    )


def _failure_data(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "code": failure.code,
        "step": failure.path,
        "skill": failure.node,
        "with": {key: _truncated_line(value) for key, value in failure.args.items()},
        "found": _truncated_line(failure.message, 200),
    }


def _truncated_line(value: Any, longest: int = _LONGEST_WORD) -> str:
    """Return untrusted text as one truncated line without control characters."""
    text = "".join(char if char.isprintable() else " " for char in str(value)[: longest * 2])
    return text if len(text) <= longest else text[: longest - 1] + "…"


@lru_cache(maxsize=8)
def _text(name: str) -> str:
    text = (_FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()
    listed = "\n".join(f"- `{one.name}`: {one.meaning}" for one in MODIFIERS)
    return text.replace("{modifiers}", listed)
