"""Vocabulary of the texts in a plan: explanations, subgoals, names of nodes, turn reports.

The format of an answer has text fields for the operator, which are not executed. Such text may only
describe the plan, with words of the command, of the site's catalogue and of a short list for
explanations. Other words are a problem: no list of warnings is complete ("a child's hand is in the
gap"), while the vocabulary of a site is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bt_exec.failure import Problem
from bt_exec.pack import Pack
from bt_exec.planning.compiler import Request
from bt_exec.spec.model import KINDS
from bt_exec_llm.model_compiler.catalogue import describe_site
from bt_exec_llm.model_compiler.objections import objection
from bt_exec_llm.model_compiler.plan_format import Form
from bt_exec_llm.model_compiler.site_texts import made_once
from bt_exec_llm.model_compiler.speech_check import foreign_words

__all__ = ["unknown_words"]

_PLAN_WORDS = """
then since because first second third next last after afterwards finally again before once only
already also still both each every all none any anything nothing else other another not no never
needed required requested asked wanted given done does do make makes made use uses used using with
without through into out back up down over until while must step steps plan plans task goal command
mission part way tree trees library skill skills robot touch touched change changed start started
end ends succeed fail failed retry try tried as usual one two three answer question ask reach
reached visible seen state condition reason fine ok in progress satisfied blocked closing opening
simply existing confidence evidence primary fallback init mode true false uncertain should report
뒤 후에 먼저 다음 다시 그리고 나서 명령 계획 단계 순서 때문 이미 모두 각각 사용 요청 필요 목표 작업
엽니다 열고 열어 여는 연 닫습니다 닫고 닫아 닫은 잡습니다 잡고 잡아 잡은 접습니다 접고 접어
가져옵니다 가져와 갑니다 가서 간 옵니다 와서 온 놓습니다 놓고 놓아 놓은 꺼냅니다 꺼내 꺼낸 꺼내서
봅니다 보고 봐 본 돌아옵니다 돌아와 돌아간 이동 옮깁니다 옮겨 옮긴 건넵니다 말합니다 묻습니다
않 아닙 진행 완료 동작 상태 확인 때까지 이후 마지막 첫 번째 위해 위한 대로 수행
"""
_SIGNS = re.compile(r"[^\w\s.,:;!?'’\"“”()\[\]{}<>=+*/&%°·…→≤≥_-]")
"""Signs that are neither words nor punctuation, such as warning symbols."""
_MOST = 3
_LONGEST = 4000


def unknown_words(form: Form, request: Request) -> list[Problem]:
    """Find texts of an answer with words that neither the command nor the site contains."""
    sources = (
        request.command,
        made_once(request, "vocabulary", lambda: _site_words(request)),
        *(f"{fact} {value}" for fact, value in request.situation.facts.items()),
        *(request.messages.word(label, request.language) for label in request.situation.labels),
        *(turn.command for turn in request.context.turns),
        *(() if request.failure is None else (request.failure.code, request.failure.message)),
    )
    found: list[Problem] = []
    for place, text in _texts(form):
        against = objection(text, place, explains=True)
        foreign = _SIGNS.findall(text) or foreign_words(text[:_LONGEST], sources)
        if against is not None:
            found.append(against)
        elif len(foreign) > place.endswith("/else"):  # a single word may be an unknown code
            message = (
                "these words are neither the command's nor the site's; say what the plan does or "
                "nothing, and a reason against the plan in 'cannot'"
            )
            found.append(Problem("WORDS_BESIDE_PLAN", message, place, ", ".join(foreign)[:80]))
        if len(found) >= _MOST:
            break
    return found


def _site_words(request: Request) -> str:
    said = [text for tree in request.library for text in (tree.summary, *tree.utterances)]
    words = [_lexicon(pack) for pack in request.catalogue.packs]
    return " ".join([_PLAN_WORDS, describe_site(request), *said, *words])


def _lexicon(pack: Pack) -> str:
    """Return the words of a pack as text; its own checks report an unreadable file."""
    path = pack.lexicon
    return path.read_text("utf-8", "replace") if path is not None and path.is_file() else ""


def _texts(form: Form) -> Iterator[tuple[str, str]]:
    """Yield the texts that are not executed, with their positions."""
    beside = {key: value for key, value in form.stated.items() if key not in ("cannot", "assumes")}
    yield from _leaves(beside, "")
    yield from _names(form.root, "root", 0)


def _leaves(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            where = f"{place}/{key}" if place else str(key)
            if place:
                yield where, str(key)
            yield from _leaves(inner, where)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{place}[{index}]")


def _names(node: Any, place: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the names of nodes and the codes of checks that a model chose."""
    if not isinstance(node, Mapping) or depth > 60:
        return
    for key in ("name", "else"):
        if isinstance(node.get(key), str):
            yield f"{place}/{key}", node[key]
    for kind in KINDS:
        children = node.get(kind)
        for index, child in enumerate(children if isinstance(children, list) else ()):
            yield from _names(child, f"{place}/{kind}[{index}]", depth + 1)
