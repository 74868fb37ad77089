"""Crop first: known boxes are verified on crops before a model is asked about the whole picture.

A pass puts every query about the whole picture under the guard `crops_checked`, which the executive
evaluates. Therefore, the rule applies to plans of every author. A checker reports plans that would
violate it, with the code ``CROP_FIRST``.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.failure import Problem
from bt_exec.pack import Pass, PassContext
from bt_exec.spec.condition_expression import All, named_conditions
from bt_exec.spec.model import Do, MissionSpec, NodeBase, rebuild
from bt_exec.spec.node_paths import is_kept, nodes_with_paths
from bt_exec_skills.image.workbench import SETS

__all__ = ["CROP_FIRST", "check_crops_precede_picture_queries"]

_FINDS = ("read_annotation", "detect", "segment_colour", "separate_touching")
_LOOKS = ("verify_attribute", "ask_vqa")
_GUARDED = {"do": "ask_vqa", "while": {"crops_checked": {}, "else": "CROP_FIRST"}}
_GUARD = Do.model_validate(_GUARDED).guarded


def _guard_whole_picture_questions(
    spec: MissionSpec, _: PassContext
) -> tuple[MissionSpec, tuple[str, ...]]:
    """Put the questions about the whole picture under the guard `crops_checked`."""
    changed: list[str] = []

    def add_guard(node: NodeBase) -> NodeBase:
        if not _asks_about_whole_picture(node):
            return node
        own = node.guarded
        named = [one.name for one in named_conditions(own.condition)] if own is not None else []
        if "crops_checked" in named:
            return node
        changed.append("a question about the whole picture waits for crops")
        assert _GUARD is not None
        guard = _GUARD
        if own is not None:  # both conditions must hold
            both = All(of=(own.condition, _GUARD.condition))
            guard = own.model_copy(update={"condition": both})
        return node.model_copy(update={"guarded": guard})

    root = rebuild(spec.root, add_guard)
    if not changed:
        return spec, ()
    return spec.model_copy(update={"root": root}), tuple(dict.fromkeys(changed))


def _asks_about_whole_picture(node: NodeBase) -> bool:
    return (
        isinstance(node, Do)
        and node.do == "ask_vqa"
        and node.args.get("of", "picture") == "picture"
    )


CROP_FIRST = Pass("crop_first", _guard_whole_picture_questions)


def check_crops_precede_picture_queries(
    spec: MissionSpec, context: PassContext
) -> Iterator[Problem]:
    """Report queries about the whole picture that precede the verification of known boxes."""
    facts = context.situation.facts
    waiting: set[str] = {name for name in SETS if facts.get(f"looked.{name}") == "no"}
    if facts.get("annotation") == "unread":
        waiting.add("annotation")
    for path, node in nodes_with_paths(spec.root, Do):
        if is_kept(spec, path):
            continue
        args = node.args
        if node.do in _FINDS:
            waiting.add(str(args.get("into", args.get("of"))))
        if node.do == "read_annotation":
            waiting.discard("annotation")
        if _asks_about_whole_picture(node) and waiting:
            message = (
                "boxes are known, so crop them and verify the crops before the whole picture is "
                f"asked about; still to do: {', '.join(sorted(waiting))}"
            )
            yield Problem("CROP_FIRST", message, path, "ask_vqa of picture")
        elif node.do in _LOOKS:
            waiting.discard(str(args.get("of")))
