"""Pass that turns placeholders for topics and queries into text in the language of the command.

A plan of the offline compiler contains aspects to observe, such as ``people, light``, and the topic
``report``; this pass replaces them. Free text that a compiler wrote is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bt_exec.language.messages import language_of
from bt_exec.pack import PassContext
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Tree, rebuild, walk
from bt_exec_skills.reporter.reporting.question_aspects import ASPECTS, aspects_of, expects_answer
from bt_exec_skills.reporter.rules.plan_steps import (
    REPORT_TOPIC,
    USER,
    Changed,
    actions,
    map_of,
)
from bt_exec_skills.reporter.rules.requests import about_past

__all__ = ["fill_topics", "report_topic"]

SITUATION = "situation"
_QUERY = {
    ("people", "ko"): "사람 수와 사람 존재 여부",
    ("light", "ko"): "조명이 켜져 있는지, 꺼진 구간이 있는지",
    ("noise", "ko"): "소란스러운지",
    ("unusual", "ko"): "이상 상황이 있는지",
    (SITUATION, "ko"): "사람 수, 조명, 소란 여부, 이상 상황",
    ("people", "en"): "how many people are there",
    ("light", "en"): "whether the light is on",
    ("noise", "en"): "how noisy it is",
    ("unusual", "en"): "anything unusual",
    (SITUATION, "en"): "people, light, noise and anything unusual",
}
_SEEN = {
    ("people", "ko"): "사람 수",
    ("light", "ko"): "조명",
    ("noise", "ko"): "소란 여부",
    ("unusual", "ko"): "이상 유무",
    ("people", "en"): "people",
    ("light", "en"): "light",
    ("noise", "en"): "noise",
    ("unusual", "en"): "anything unusual",
}
_REPORTED = ("냐고", "라고", "자고", "다고")
_PLACEHOLDERS = frozenset({"", REPORT_TOPIC})
_KNOWN = frozenset({*ASPECTS, SITUATION})


def fill_topics(spec: MissionSpec, context: PassContext) -> Changed:
    """Replace placeholders in queries, questions and reports with text."""
    language = language_of(context.command) if context.command else spec.mission.language
    wanted = {
        id(n): str(tree.args.get("person", ""))
        for tree in _trees_called(spec.root, "look_for_person")
        for n in actions(tree)
    }
    asked = {id(n) for tree in _trees_called(spec.root, "ask_person") for n in actions(tree)}
    shared_topic: str | None = None
    changes: list[str] = []

    def write_texts(node: NodeBase) -> NodeBase:
        nonlocal shared_topic
        if not isinstance(node, Do):
            return node
        args: dict[str, Any] = {}
        if node.do == "observe_scene" and _is_aspects(node.args.get("query")):
            args["query"] = _query(node, context, language, wanted.get(id(node), ""))
        elif node.do == "talk_to_person" and id(node) in asked:
            topic = str(node.args.get("topic", ""))
            args["topic"] = topic if expects_answer(topic) else _question_sentence(topic, language)
        elif node.do == "talk_to_person" and str(node.args.get("topic", "")) in _PLACEHOLDERS:
            shared_topic = shared_topic or report_topic(spec, context, language)
            args["topic"] = shared_topic
        new = {**node.args, **args}
        if new == dict(node.args):
            return node
        changes.append(f"{node.do}: " + ", ".join(map(str, args.values())))
        return node.model_copy(update={"args": new})

    root = rebuild(spec.root, write_texts)
    return (spec.model_copy(update={"root": root}), tuple(changes)) if changes else (spec, ())


def report_topic(spec: MissionSpec, context: PassContext, language: str) -> str:
    """Return the topic of the report, which lists the questions, deliveries and observations."""
    korean = language == "ko"
    seen: dict[tuple[str, ...], list[str]] = {}
    parts: list[str] = []
    for action in actions(spec.root):
        args = action.args
        if action.do == "talk_to_person" and str(args.get("topic", "")) in _PLACEHOLDERS:
            continue
        if action.do == "talk_to_person" and args.get("target") != USER:
            who = _display_name(str(args.get("target")), context, language)
            question = (
                str(args.get("topic", "")).removesuffix(" 문의").removeprefix("question about ")
            )
            parts.append(
                f"{who}의 '{question}'에 대한 답변"
                if korean
                else f"the answer of {who} to '{question}'"
            )
        elif action.do == "deliver_object":
            thing = str(args.get("object"))
            parts.append(f"{thing} 전달 결과" if korean else f"the delivery of the {thing}")
        elif action.do == "observe_scene":
            place = _display_name(str(args.get("target")), context, language)
            where = seen.setdefault(_aspects_in_report_order(str(args.get("query", ""))), [])
            where += [place] if place not in where else []
    for aspects, places in seen.items():
        parts.append(_observation_phrase(places, aspects, language))
    if not parts and (about_past(context) or not _has_core_work(spec)):
        return "오늘 한 임무의 요약" if korean else "report of the missions so far"
    joined = _joined_words(parts or (["임무 결과"] if korean else ["the mission"]), language)
    if not korean:
        return f"report on {joined}"
    return f"{joined} 보고" if joined.endswith(("답변", "결과")) else f"{joined}에 대한 보고"


def _has_core_work(spec: MissionSpec) -> bool:
    return any(
        action.do != "summarize_mission" and action.args.get("target") != USER
        for action in actions(spec.root)
    )


def _observation_phrase(places: list[str], aspects: Iterable[str], language: str) -> str:
    what = ", ".join(_SEEN[aspect, language] for aspect in aspects)
    where = ", ".join(places)
    if language == "ko":
        return f"{where}에서 관찰한 상황({what})"
    return f"the observation of {where} ({what})"


def _aspects_in_report_order(query: str) -> tuple[str, ...]:
    """Return the aspects of a query in the order in which reports name them."""
    found = aspects_of(query)
    if len(found) == len(ASPECTS):
        return ("light", "people", "noise")
    return tuple(aspect for aspect in ("light", "people", "noise", "unusual") if aspect in found)


def _is_aspects(query: Any) -> bool:
    return all(part.strip() in _KNOWN for part in str(query).split(","))


def _query(node: Do, context: PassContext, language: str, wanted: str = "") -> str:
    named = [part.strip() for part in str(node.args["query"]).split(",")]
    named = [part for part in named if part != SITUATION] or [SITUATION]
    what = ", ".join(_QUERY[aspect, language] for aspect in named)
    if wanted:
        who = _display_name(wanted, context, language)
        what = f"{who} 계신지, {what}" if language == "ko" else f"whether {who} is there, {what}"
    place = _display_name(str(node.args.get("target")), context, language)
    return f"{place}에서 {what} 확인" if language == "ko" else f"{place}: {what}"


def _question_sentence(topic: str, language: str) -> str:
    """Return the topic for a question, such as "question about the meeting".

    A request, such as "to send it" or "보내 달라고" (the same), is returned unchanged.
    """
    if language == "ko":
        return topic if topic.endswith(_REPORTED) else f"{topic} 문의"
    if topic.startswith("to "):
        return topic
    return f"whether {topic[3:]}" if topic.startswith("if ") else f"question about {topic}"


def _display_name(name: str, context: PassContext, language: str) -> str:
    site = map_of(context)
    return name if site is None else site.display_name(name, language)


def _joined_words(parts: list[str], language: str) -> str:
    if len(parts) < 2:
        return parts[0]
    return ", ".join(parts[:-1]) + (", 그리고 " if language == "ko" else " and ") + parts[-1]


def _trees_called(node: NodeBase, name: str) -> Iterable[Tree]:
    return (tree for tree in walk(node, Tree) if tree.tree == name)
