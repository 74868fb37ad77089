"""Pass that appends steps after the answer of a plan: judgement, then requested outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.pack import Pass, PassContext
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Sequence, rebuild

__all__ = ["AFTER_ANSWER"]

_ANSWERS = ("answer", "answer_value", "answer_measure", "answer_bar", "conclude")


def _append_judging(spec: MissionSpec, context: PassContext) -> tuple[MissionSpec, tuple[str, ...]]:
    """Append a judge after each answer, and the requested outputs after a model's answer.

    In the last turn of a conversation, the judge may reject the answer, and then no later step
    runs. Plans made without a model already contain the steps for the outputs.
    """
    final = spec.mission.turn != "last"
    facts = context.situation.facts
    changed: list[str] = []

    def append_to_sequence(node: NodeBase) -> NodeBase:
        if not isinstance(node, Sequence):
            return node
        children: list[NodeBase] = []
        for place, child in enumerate(node.sequence):
            children.append(child)
            following = node.sequence[place + 1 :]
            if (
                isinstance(child, Do)
                and child.do in _ANSWERS
                and not _contains_skill(following, "judge")
            ):
                children.append(_make_step("judge", final=final))
                if child.do == "conclude":
                    children += _output_steps(child, facts, spec.mission.language)
                changed.append("the answer is judged")
        return node.model_copy(update={"sequence": tuple(children)})

    root: NodeBase = spec.root
    if isinstance(root, Do) and root.do in _ANSWERS:
        root = Sequence.model_validate({"sequence": [root]})
    root = rebuild(root, append_to_sequence)
    if not changed:
        return spec, ()
    return spec.model_copy(update={"root": root}), tuple(dict.fromkeys(changed))


def _output_steps(conclude: Do, facts: Mapping[str, str], language: str) -> list[NodeBase]:
    """Return the steps for the outputs that the user requested besides a model's answer."""
    wanted: list[NodeBase] = []
    if facts.get("annotated_picture") == "wanted" and facts.get("boxes.target") == "known":
        wanted.append(_make_step("draw_overlay", of="target"))
    if facts.get("program") == "wanted":
        question = conclude.args["question"]
        wanted.append(_make_step("write_program", question=question, language=language))
    return wanted


def _contains_skill(nodes: tuple[NodeBase, ...], skill: str) -> bool:
    return any(isinstance(one, Do) and one.do == skill for one in nodes)


def _make_step(skill: str, **args: Any) -> Do:
    return Do.model_validate({"do": skill, "with": args})


AFTER_ANSWER = Pass("after_answer", _append_judging)
