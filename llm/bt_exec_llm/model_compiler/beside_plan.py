"""Contents of an answer beside its plan: a second plan, a refusal, and keys of the model's own."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from bt_exec.failure import Problem
from bt_exec.spec.model import KINDS
from bt_exec.spec.modifiers import MODIFIERS
from bt_exec_llm.model_compiler.flat_format import is_flat
from bt_exec_llm.model_compiler.objections import objection

__all__ = [
    "ACTIONS",
    "FIELDS",
    "OWN",
    "TURN",
    "WRAPPERS",
    "canonical",
    "reason",
    "two_plans",
    "unknown_keys",
]

WRAPPERS = ("plan", "answer", "mission", "behavior_tree", "behaviour_tree", "tree", "result")
ACTIONS = ("full_action_list", "actions", "plan", "steps", "tasks", "action_list")
OWN = ("root", "nodes", "explanation", "cannot", "assumes", "subgoals")
FIELDS = ("save", "else", "tell", *(one.name for one in MODIFIERS))
_NO_REASON = ("", "none", "null", "n/a", "na", "-", "false", "empty", "없음", "없습니다")
"""Values of ``cannot`` that mean no objection."""
TURN = (
    *("mode", "plan_version", "step_index", "next_action", "skip_log", "visibility_warnings"),
    *("door_state_estimation", "observations", "gate_evaluations", "goal_status", "stop_signal"),
    "arm_policy",
)
"""Keys of a turn report, which the checkers of packs read."""
_PERMITS = re.compile(
    r"\b(?:approved?|safe|ok|okay|allow\w*|execut\w*|valid|permit\w*|confirm\w*|ready|feasible|"
    r"possible|can|may|run|proceed|go)\b",
    re.IGNORECASE,
)
"""Keys of a permission, which forbids if it is false."""


def canonical(key: str) -> str:
    """Return ``cannot`` for its synonyms; other keys unchanged."""
    plain = "".join(char for char in key.casefold() if char.isalpha())
    return "cannot" if plain in ("cannot", "cant") else key


def reason(value: Any) -> str:
    """Return the reason of an answer that declines in any form, or an empty text."""
    if value is None or value is False or value == [] or value == {}:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = text.strip()
    return "" if text.casefold().strip(".") in _NO_REASON else text


def two_plans(data: Mapping[str, Any]) -> list[Problem]:
    """Find a second plan beside the first one."""
    wrapped = [
        key
        for key in WRAPPERS
        if isinstance(data.get(key), dict)
        and any(inner in data[key] for inner in (*KINDS, "root", "nodes"))
    ]
    listed = [key for key in ACTIONS if isinstance(data.get(key), list)]
    known = (*OWN, *WRAPPERS, *ACTIONS, *TURN, *KINDS)
    wrapped += [key for key, value in data.items() if key not in known and _is_plan(value)]
    root = [] if isinstance(data.get("root"), str) and is_flat(data) else ["root"]
    bare = [kind for kind in KINDS if kind in data][:1]
    holds = [key for key in (*root, "nodes") if data.get(key) is not None]
    found = list(dict.fromkeys((*holds, *listed, *wrapped, *bare)))
    if len(found) < 2:
        return []
    message = "the answer holds more than one plan; write one, under one key"
    return [Problem("SEVERAL_PLANS", message, found[1], ", ".join(found)[:60])]


def _is_plan(value: Any) -> bool:
    """Return whether a value under an unknown key could be a plan."""
    parts = value if isinstance(value, list) else [value]
    keys = (*KINDS, "root", "nodes", "kind", "action", "skill")
    return any(isinstance(part, dict) and any(key in part for key in keys) for part in parts[:40])


def unknown_keys(data: Mapping[str, Any], known: Collection[str]) -> list[Problem]:
    """Find keys outside the form of an answer."""
    return [_unknown(key, value, known) for key, value in data.items() if key not in known][:3]


def _unknown(key: str, value: Any, known: Collection[str]) -> Problem:
    words = key.replace("_", " ").replace("-", " ")
    said = value[:4000] if isinstance(value, str) else ""
    denied = value is False or str(value).strip().casefold() in ("no", "false", "아니요")
    forbids = denied and _PERMITS.search(words)
    against = objection(f"not {words}" if forbids else f"{words} {said}", key)
    if against is not None and (forbids or value not in (None, False, "", [], {})):
        return against
    message = f"an answer has no field {key!r}; write the plan alone"
    return Problem("UNKNOWN_FIELD", message, key, key[:60], tuple(known))
