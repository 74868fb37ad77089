"""Prompts of the analysis, of each turn, and after an invalid answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.failure import Problem
from bt_exec.planning.compiler import Request
from bt_exec_llm.client import (
    Block,
    Image,
    Question,
    Turn,
    image_block,
)
from bt_exec_llm.model_compiler.site_description import describe_skill
from bt_exec_llm.turns.conversation_state import Conversation
from bt_exec_llm.turns.turn_checks import TurnTools
from bt_exec_llm.turns.turn_parsing import native_tools

__all__ = [
    "analysis_question",
    "objection",
    "turn_question",
]


_FOLDER = Path(__file__).parents[1] / "prompts"


@lru_cache(maxsize=8)
def _read_prompt_part(name: str) -> str:
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


def analysis_question(request: Request, ways: TurnTools) -> Question:
    """Return the first question, which asks for an analysis of the request."""
    text = f"{_request(request)}\n\n{_read_prompt_part('turns_analysis')}"
    return Question(_system_blocks(ways), (Turn.user(*_picture(request), text),))


def turn_question(
    request: Request, ways: TurnTools, talk: Conversation, *, native: bool, left: int
) -> Question:
    """Return the question for the next turn.

    Args:
        request: The request.
        ways: Tools of the site.
        talk: The conversation so far.
        native: Whether tools are declared to the server; otherwise, calls are written in tags.
        left: Number of remaining turns, including the next one.
    """
    form = "turns_native" if native else "turns_tagged"
    parts = [
        _request(request),
        "[ANALYSIS LOG]\n" + "\n".join(map(_escape_tags, talk.log)),
        "[PLAN RECORD]\n" + _json(talk.record),
        "[OBSERVATIONS]\n" + _observations(talk),
        f"[TURNS LEFT] {left}",
        f"{_read_prompt_part('turns_next')}\n{_read_prompt_part(form)}",
    ]
    turns = (Turn.user(*_picture(request), "\n\n".join(parts)),)
    tools = native_tools(ways) if native else ()
    return Question(_system_blocks(ways, listed=not native), turns, tools=tools)


def objection(problems: Sequence[Problem], _known: Sequence[Problem] = ()) -> str:
    """Return the problems of an answer as the text that is sent back."""
    lines = [f"- [{one.code}] {_escape_tags(str(one))}" for one in problems[:12]]
    return "That cannot be used. Answer again, whole, without these faults:\n" + "\n".join(lines)


def _system_blocks(ways: TurnTools, *, listed: bool = True) -> tuple[Block, ...]:
    role = Block(_read_prompt_part("turns"), cache=not listed)
    if not listed:
        return (role,)
    tools = "\n".join(describe_skill(one) for one in ways.tools.values())
    return (role, Block(f"# Tools\n{tools}", cache=True))


def _picture(request: Request) -> tuple[Image, ...]:
    frame = request.situation.frame
    return () if frame is None else (image_block(frame),)


def _request(request: Request) -> str:
    facts = {key: value for key, value in request.situation.facts.items() if value}
    command = _escape_tags(request.command)
    return f"[REQUEST] ({request.language})\n{command}\n\n[KNOWN]\n{_json(facts)}"


def _observations(talk: Conversation) -> str:
    observations = [
        {"turn": turn.number, **one.to_dict()} for turn in talk.turns for one in turn.observations
    ]
    return _json(observations) if observations else "(none)"


def _json(data: Any) -> str:
    return _escape_tags(json.dumps(data, ensure_ascii=False, sort_keys=True, default=str))


def _escape_tags(text: str) -> str:
    """Return untrusted text with its angle brackets escaped, so that it contains no tags."""
    return text.replace("<", "‹").replace(">", "›")
