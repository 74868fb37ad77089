"""Checks of other content of an answer: words around the plan, a second plan, unknown keys.

A plan is invalid if the model warns against it, and no list of warnings is complete. Thus, words
around a plan, comments in it and sentences used as keys are rejected, unless they are in a short
list of openings and closings ("Here is the plan:"). Known words of prohibition, refusal or warning
get a separate error code. Texts that belong to the format (explanations, subgoals, names) may
describe the plan; `invented_word_checks` compares them with the vocabulary of the site.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from bt_exec.failure import Problem
from bt_exec.spec.model import KINDS
from bt_exec.spec.modifier_table import MODIFIERS
from bt_exec_llm.model_compiler.flat_format import is_flat

__all__ = [
    "ACTIONS",
    "FIELDS",
    "OWN",
    "TURN",
    "WRAPPERS",
    "canonical_key",
    "contradiction_problem",
    "refusal_reason",
    "second_plan_problem",
    "surrounding_words_problem",
    "unknown_key_problems",
]


_AGAINST = re.compile(
    r"\b(?:not|(?:do|does|did|is|are|was|wo|ca|could|should|would|must|has|have)n['’]?t|no|never|"
    r"cannot|unable|stop|wait|hold on|refus\w*|declin\w*|unsafe|danger\w*|warning|beware|careful|"
    r"abort|forbid\w*|prohibit\w*|sorry|impossible|veto\w*|ignore|"
    r"disregard|hold your|hurt\w*|injur\w*|risk\w*|emergency|instead of)\b"
    r"|지 ?마|지 ?말|하면 안|안 돼|안 됩|안돼|안됩|못 ?[하합해]|수 없|위험|금지|멈[추춰]|조심|주의"
    r"|거부|거절|불가|죄송|다치|다칠|중지|대신",
    re.IGNORECASE,
)
_AGAINST_RUNNING = re.compile(
    r"\b(?:do not|don['’]?t|never|must not|mustn['’]?t|should not|shouldn['’]?t|cannot|can['’]?t)"
    r"[ ]+(?:be[ ]+)?(?:run|ran|execut\w*|use[d]?|perform\w*|start\w*|carried|carry|comply|help|"
    r"assist|do (?:this|that|it|so)|done|move|act)\b"
    r"|\b(?:unsafe|not safe|dangerous|refuse|i decline|declined|somebody is|someone is|"
    r"a person is|(?:hand|finger|child)s? (?:is|are|may|might|could)(?! (?:empty|full|free)\b)"
    r"|forbidden|emergency)\b"
    r"|\bnot (?:what|requested|asked|wanted)\b|지 ?마|지 ?말"
    r"|(?:손|손가락|아이)[이가] (?!비)"
    r"|실행하지|움직이지 ?마|하면 안|해서는 안|위험|금지|거부|거절|할 수 없|불가능|다칠|멈춰",
    re.IGNORECASE,
)

_THING = (
    r"(?:behaviou?r tree|tree|plan|mission|answer|document|ya?ml|json|result|output|solution)"
    r"(?: (?:document|plan|tree|format))?"
)
_KIND = (
    r"(?:complete|full|whole|corrected|revised|updated|new|short|simple|final|requested|fixed|same)"
)
_FOR_WHAT = (
    r"(?: (?:you asked for|you requested|as requested|requested|as asked|for you|for this command"
    r"|for the command|for that|below|(?:in|as) (?:ya?ml|json)(?: format)?))?"
)
_USUAL = re.compile(
    r"sure(?: thing)?|okay|ok|certainly|of course|got it|all ?right|understood|absolutely"
    r"|great|done"
    r"|here|here you (?:go|are)|here it is|so"
    rf"|(?:(?:here(?:['’]s| is)|this is|below is) )?(?:the |your |my |an? )?(?:{_KIND} )?{_THING}"
    rf"{_FOR_WHAT}"
    rf"|(?:the |your |my )?{_THING} is (?:as follows|below)"
    r"|(?:i )?hope (?:this|that|it) helps|enjoy|it is short|that is all|that['’]s (?:it|all)"
    r"|let me know (?:how it goes|if you need anything else)"
    r"|네|예|감사합니다|여기 있습니다"
    r"|물론(?:입니다|이죠)?|알겠습니다|알겠어요|좋습니다|이상입니다|완료"
    r"|(?:(?:다음은|아래는|여기) )?(?:요청하신 |수정한 |고친 )?(?:(?:yaml|json) )?"
    r"(?:계획|(?:행동 )?트리|답|답변)(?:입니다|이에요|예요|이 있습니다)?"
    r"|(?:계획|트리|답|답변)[은는이] (?:다음과|아래와) 같습니다",
)
"""Patterns of usual openings and closings around a plan."""
_SENTENCES = re.compile(r"[.!:,\n—–]+|^[ \t]*[#>*_`-]+|[*_`~#-]{2,}", re.MULTILINE)


def surrounding_words_problem(text: str) -> Problem | None:
    """Return a problem for words around a plan; None for the usual openings and closings."""
    against = contradiction_problem(text)
    if against is not None:
        return against
    odd = next((part for part in _SENTENCES.split(text) if not _is_usual(part)), None)
    if odd is None:
        return None
    message = (
        "words beside the plan; write the plan alone, or only 'cannot' with the reason why there "
        "is not a plan"
    )
    return Problem("WORDS_BESIDE_PLAN", message, "", " ".join(odd.split())[:80])


def _is_usual(part: str) -> bool:
    plain = " ".join(part.casefold().split())
    return not plain or _USUAL.fullmatch(plain) is not None


def contradiction_problem(text: str, place: str = "", *, explains: bool = False) -> Problem | None:
    """Return a problem if a text contradicts the plan that it accompanies; None otherwise.

    Args:
        text: The text.
        place: Position of the text in the answer; empty for text around the document.
        explains: Whether the text explains the plan and may therefore mention omitted actions.
    """
    pattern = _AGAINST_RUNNING if explains else _AGAINST
    found = pattern.search(text)
    if found is None:
        return None
    around = text[max(0, found.start() - 30) : found.end() + 30]
    message = (
        "these words forbid the plan or warn of it; write the plan alone, or only 'cannot' with "
        "the reason"
    )
    return Problem("WORDS_AGAINST_PLAN", message, place, " ".join(around.split())[:80])


WRAPPERS = ("plan", "answer", "mission", "behavior_tree", "behaviour_tree", "tree", "result")
ACTIONS = ("full_action_list", "actions", "plan", "steps", "tasks", "action_list")
OWN = ("root", "nodes", "explanation", "cannot", "assumes", "subgoals")
FIELDS = ("save", "else", "tell", *(one.name for one in MODIFIERS))
_NO_REASON = ("", "none", "null", "n/a", "na", "-", "false", "empty", "없음", "없습니다")
"""Values of ``cannot`` which mean that the model does not decline."""
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
"""Keys of a permission; the value false forbids the plan."""


def canonical_key(key: str) -> str:
    """Return ``cannot`` for synonyms of that key; other keys are returned unchanged."""
    plain = "".join(char for char in key.casefold() if char.isalpha())
    return "cannot" if plain in ("cannot", "cant") else key


def refusal_reason(value: Any) -> str:
    """Return the reason in the value of ``cannot`` as text; empty if the model did not decline.

    The value may have any type.
    """
    if value is None or value is False or value == [] or value == {}:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = text.strip()
    return "" if text.casefold().strip(".") in _NO_REASON else text


def second_plan_problem(data: Mapping[str, Any]) -> list[Problem]:
    """Return a problem if an answer contains more than one plan."""
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
    """Return True if the value of an unknown key may be a plan."""
    parts = value if isinstance(value, list) else [value]
    keys = (*KINDS, "root", "nodes", "kind", "action", "skill")
    return any(isinstance(part, dict) and any(key in part for key in keys) for part in parts[:40])


def unknown_key_problems(data: Mapping[str, Any], known: Collection[str]) -> list[Problem]:
    """Return a problem for each unknown key of an answer, at most three."""
    return [
        _unknown_field_problem(key, value, known) for key, value in data.items() if key not in known
    ][:3]


def _unknown_field_problem(key: str, value: Any, known: Collection[str]) -> Problem:
    words = key.replace("_", " ").replace("-", " ")
    said = value[:4000] if isinstance(value, str) else ""
    denied = value is False or str(value).strip().casefold() in ("no", "false", "아니요")
    forbids = denied and _PERMITS.search(words)
    against = contradiction_problem(f"not {words}" if forbids else f"{words} {said}", key)
    if against is not None and (forbids or value not in (None, False, "", [], {})):
        return against
    message = f"an answer has no field {key!r}; write the plan alone"
    return Problem("UNKNOWN_FIELD", message, key, key[:60], tuple(known))
