"""Texts for nodes: labels, arguments, modifiers, durations, results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bt_exec.spec.model import (
    Check,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
    Param,
    Sequence,
    saved_names,
)
from bt_exec.spec.node_paths import label_of
from bt_exec.tui.terminal_text import safe_line

__all__ = [
    "arguments_text",
    "describe_parameter",
    "detail_beside_label",
    "duration_text",
    "fill_saved_results",
    "is_labelled_by_first_branch",
    "is_labelled_by_first_child",
    "label_node",
    "modifiers_text",
    "pass_notes_text",
    "result_names",
]


_PASS = re.compile(r"^[a-z_]+: ")


def arguments_text(args: Mapping[str, Any]) -> str:
    """Return arguments for display, such as ``right → material`` or ``cup, speed 0.5``."""
    said = {name: value for name, value in args.items() if value not in (None, (), [])}
    words = [_argument_text(name, value) for name, value in said.items()]
    bare = sum(isinstance(value, str) for value in said.values())
    return safe_line((" → " if bare == len(words) == 2 else ", ").join(words))


def _argument_text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return name if value else f"no {name}"
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return " + ".join(value)
    return f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"


def pass_notes_text(
    notes: Iterable[str],
    translate: Callable[[str], str] = safe_line,
    leave_out: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Return a line for each distinct change that passes made, with the affected nodes.

    The name of the pass is left out: ``arm_policy: grasp: the right arm`` becomes
    ``grasp: the right arm``.

    Args:
        notes: The notes of the plan.
        translate: Translates the name of a node, or a note without a node.
        leave_out: Changes to leave out, because a row of the tree shows them.
    """
    nodes: dict[str, list[str]] = {}
    for note in notes:
        text = safe_line(_PASS.sub("", note, count=1))
        node, colon, change = text.partition(": ")
        if (change if colon else text) in leave_out:
            continue
        if colon:
            nodes.setdefault(change, []).append(translate(node))
        else:
            nodes.setdefault(translate(text), [])
    return tuple(
        ": ".join(filter(None, (", ".join(names), change))) for change, names in nodes.items()
    )


def describe_parameter(param: Param) -> str:
    """Return type, bounds and default of a parameter, such as ``integer at least 1 = 2``.

    The type of an optional parameter is followed by a question mark.
    """
    kind = "|".join(map(str, param.choices)) if param.choices else param.type
    default = [] if param.default is None else [f"= {param.default}"]
    kind = f"list of {kind}" if param.many else kind
    return " ".join((kind + "?" * param.optional, *param.bounds_text, *default))


def label_node(node: NodeBase) -> str:
    """Return the label of a node's row."""
    if node.name is None and isinstance(node, Check) and not node.callee_name:
        return safe_line(node.check)
    return safe_line(node.name or label_of(node))


def is_labelled_by_first_child(node: NodeBase) -> bool:
    """Return True if an unnamed node is labelled by its first child."""
    return is_labelled_by_first_branch(node) or (isinstance(node, Sequence) and node.name is None)


def is_labelled_by_first_branch(node: NodeBase) -> bool:
    """Return True if a node is an unnamed fallback, which is labelled by its first branch."""
    return isinstance(node, Fallback) and node.is_plain


def detail_beside_label(node: NodeBase) -> str:
    """Return the text next to the label, such as arguments or the required number of successes."""
    if node.callee_name:
        said = arguments_text(node.call_arguments)
        return (
            f"{node.callee_name} {said}".strip()
            if node.name and node.name != node.callee_name
            else said
        )
    match node:
        case Check():
            return safe_line(node.check) if node.name else ""
        case Parallel():
            return f"{node.needed} of {len(node.parallel)} must succeed"
        case Fallback():
            return "until one works"
    return ""


def modifiers_text(node: NodeBase) -> tuple[str, ...]:
    """Return the modifiers of a node as text, in the order of their evaluation."""
    found = []
    if node.for_each is not None:
        found.append(f"for each {node.for_each}")
    if node.skip_if is not None:
        found.append(f"skipped if {node.skip_if}")
    if repeat := node.open_modifiers.get("repeat", node.repeat):
        found.append(f"{repeat} times")
    if node.until is not None:
        end = f", else {node.until.code}" if node.until.code else ""
        found.append(f"until {node.until.condition}{end}")
    if node.retry:
        found.append(f"up to {node.retry} attempts")
    if timeout := node.open_modifiers.get("timeout", f"{node.timeout:g} s" if node.timeout else ""):
        found.append(f"at most {timeout}")
    if node.guard is not None:
        code = node.guarded.code if node.guarded is not None else None
        found.append(f"only while {node.guard}" + (f", else {code}" if code else ""))
    if save := getattr(node, "save", {}):
        saved = (field if field == name else f"{field} as {name}" for field, name in save.items())
        found.append(f"saves {', '.join(saved)}")
    if isinstance(node, Check) and node.code:
        found.append(f"else {node.code}")
    if isinstance(node, Check) and node.tell:
        found.append("reports the answer")
    return tuple(safe_line(text) for text in found)


def duration_text(value: float) -> str:
    """Return a duration for display, such as ``0.3 s``, ``40.0 s`` or ``3 min 05 s``."""
    value = round(value, 3)  # rounded as in outcomes, so that no step seems longer than its mission
    if value < 99.95:
        return f"{max(value, 0.0):.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


_NAME = re.compile(r"(?<!\$)\$([A-Za-z_][A-Za-z0-9_]*)")
_COUNT = re.compile(r"_\d+\Z")  # suffix that expansion adds if two subtrees save the same name
_LONGEST = 40


def result_names(spec: MissionSpec) -> frozenset[str]:
    """Return the names of the results that a plan saves."""
    return frozenset(saved_names(spec.root))


def fill_saved_results(text: str, names: frozenset[str], values: Mapping[str, Any]) -> str:
    """Return `text` with every ``$name`` of a saved result replaced by the value.

    A missing result is shown as its name in parentheses, such as ``(found)``. Other words that
    start with a dollar sign are unchanged.
    """

    def shown_value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            return match[0]
        return _value_text(values[name]) if name in values else f"({_COUNT.sub('', name)})"

    return _NAME.sub(shown_value, text) if "$" in text else text


def _value_text(value: Any) -> str:
    """Return a value as a short text that is safe to print."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return " + ".join(map(_value_text, value)) or "nothing"
    text = safe_line(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
