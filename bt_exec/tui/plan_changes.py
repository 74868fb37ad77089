"""Description of the differences between two plans in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from bt_exec.failure import Failure
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase, Tree
from bt_exec.spec.node_paths import encloses, locate, nodes_with_paths
from bt_exec.tui.node_text import label_node
from bt_exec.tui.plan_rows import only_checks_continuation
from bt_exec.tui.terminal_text import safe_line

__all__ = ["changes_text"]

_SHOWN = 4


class _Step(NamedTuple):
    path: str
    label: str
    args: Mapping[str, Any]
    said: str = ""  # the pack's phrase for the step with its arguments; empty if there is none


def changes_text(
    old: MissionSpec,
    new: MissionSpec,
    failure: Failure | None = None,
    translate: Callable[[str], str] = safe_line,
    phrase: Callable[[NodeBase], str] = lambda _: "",
    why: str = "",
) -> str:
    """Return the differences, such as ``keeps: open_door · changes: grasp → look, grasp``.

    Args:
        old: The plan that failed.
        new: The plan that replaces it.
        failure: The failure of the old plan.
        translate: Translates names and fixed words to the command's language.
        phrase: Returns the phrase for a node with its arguments, or an empty text.
        why: Reason for the change, in the command's language.
    """
    kept = new.mission.kept
    parts = [why] if why else []
    shown = [path for path in kept if path not in _continuation_checks(new.root)]
    if shown:
        nodes = dict(nodes_with_paths(new.root))
        names = [
            (path in nodes and _phrase_of(nodes[path], phrase))
            or translate(path.rpartition("/")[2])
            for path in shown
        ]
        parts.append(f"{translate('keeps')}: {_word_list(names, translate)}")
    changed = _changes(
        _remaining_steps(old, kept, failure, phrase),
        _remaining_steps(new, kept, None, phrase),
        translate,
    )
    parts.append(
        f"{translate('changes')}: {changed}" if changed else translate("tries the same again")
    )
    return safe_line(" · ".join(parts))


def _phrase_of(node: NodeBase, phrase: Callable[[NodeBase], str]) -> str:
    """Return the phrase of a node, or of its skill if it is a tree that only runs that skill."""
    if isinstance(node, Tree) and isinstance(node.body, Do) and label_node(node) == node.body.do:
        return phrase(node.body)
    return phrase(node)


def _remaining_steps(
    spec: MissionSpec,
    kept: tuple[str, ...],
    failure: Failure | None,
    phrase: Callable[[NodeBase], str],
) -> list[_Step]:
    """Return the steps that are not kept; with a failure, only from the failed step on."""
    hidden = _continuation_checks(spec.root)
    steps = [
        _Step(path, label_node(node), _args(node), phrase(node))
        for path, node in nodes_with_paths(spec.root)
        if isinstance(node, Do | Check)
        and path not in hidden
        and not any(encloses(done, path) for done in kept)
    ]
    if failure is not None:
        for index, step in enumerate(steps):
            if encloses(failure.path, step.path):
                return steps[index:]
    return steps


def _continuation_checks(root: NodeBase) -> frozenset[str]:
    """Return the paths of checks that only decide whether a plan continues after a failure."""
    return frozenset(
        check.path
        for one in locate(root).walk(Fallback)
        if only_checks_continuation(one.node)
        for check in one.children[1:]
    )


def _args(node: Do | Check) -> Mapping[str, Any]:
    return node.args if isinstance(node, Do) else {"question": str(node.check)}


def _changes(old: list[_Step], new: list[_Step], translate: Callable[[str], str]) -> str:
    """Return the differences between the remaining steps of the two plans."""
    while len(old) > 1 and new and _is_same_step(old[-1], new[-1]):
        old, new = old[:-1], new[:-1]
    while len(old) > 1 and new and _is_same_step(old[0], new[0]):
        old, new = old[1:], new[1:]
    if len(old) == len(new) and all(map(_is_same_step, old, new)):
        return ""
    if [step.label for step in old] == [step.label for step in new]:
        pairs = zip(old, new, strict=True)
        return _word_list(
            [_differing_step_text(a, b, translate) for a, b in pairs if a != b], translate
        )
    before = _word_list(
        [step.said or translate(step.label) for step in old], translate
    ) or translate("nothing")
    after = _word_list(
        [step.said or translate(step.label) for step in new], translate
    ) or translate("nothing")
    return f"{before} → {after}"


def _is_same_step(old: _Step, new: _Step) -> bool:
    return (old.label, old.args) == (new.label, new.args)


def _differing_step_text(old: _Step, new: _Step, translate: Callable[[str], str]) -> str:
    if old.said and new.said and old.said != new.said:
        return " → ".join(_without_common_words(old.said, new.said))
    names = [name for name in {**old.args, **new.args} if old.args.get(name) != new.args.get(name)]
    if new.said:
        facts = [
            " → ".join(translate(str(one.args.get(name))) for one in (old, new)) for name in names
        ]
        return f"{new.said}, {', '.join(facts)}" if facts else ""
    facts = [f"{name} {old.args.get(name)} → {new.args.get(name)}" for name in names]
    return f"{translate(new.label)} {', '.join(facts)}" if facts else ""


def _without_common_words(old: str, new: str) -> tuple[str, str]:
    """Return two phrases; a common beginning or end is removed from one of them."""
    before, after = old.split(), new.split()
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    )
    if 0 < shared < len(after):
        return old, " ".join(after[shared:])
    ends = zip(reversed(before), reversed(after), strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    if 0 < shared < len(before):
        return " ".join(before[:-shared]), new
    return old, new


def _word_list(words: list[str], translate: Callable[[str], str]) -> str:
    words = list(dict.fromkeys(word for word in words if word))
    rest = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (" " + translate(f"and {rest} more") if rest > 0 else "")
