"""Display of plans that have not run, for operators who must confirm them."""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.events import MissionStarted, Planned
from bt_exec.language.messages import Messages
from bt_exec.spec.model import MissionSpec, NodeBase
from bt_exec.tui.node_text import modifiers_text
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.view_model import ViewModel

__all__ = ["execution_modifiers", "preview_model"]


def preview_model(
    spec: MissionSpec,
    messages: Messages,
    *,
    ascii: bool = False,  # noqa: A002
    verbose: bool = False,
) -> ViewModel:
    """Return the view model of a plan that has not run, in the language of its command."""
    model = ViewModel(messages=messages, ascii=ascii, verbose=verbose)
    model.on(MissionStarted(0.0, 0, "", spec.mission.command, spec.mission.language, ""))
    model.on(Planned(0.0, 0, spec, 0))
    return model


def execution_modifiers(model: ViewModel, node: ViewNode) -> tuple[str, ...]:
    """Return texts for the modifiers of a row that determine whether and how often it runs.

    In verbose views, which are for authors, all modifiers are returned as written in the plan.
    Otherwise the texts are phrases in the command's language.
    """
    specs = [spec for spec in (node.named, node.spec) if spec is not None]
    if model.verbose:
        return tuple(text for spec in specs for text in modifiers_text(spec))
    return tuple(text for spec in specs for text in _modifier_lines(model, spec))


def _modifier_lines(model: ViewModel, spec: NodeBase) -> Iterator[str]:
    if spec.skip_if is not None:
        yield f"{model.fixed_word('skipped if')}: {model.condition_phrase(spec.skip_if)}"
    if repeat := spec.open_modifiers.get("repeat", spec.repeat):
        yield model.fixed_word(f"{repeat} times")
    if spec.until is not None:
        yield f"{model.fixed_word('until')}: {model.condition_phrase(spec.until.condition)}"
    if spec.retry:
        yield model.fixed_word(f"up to {spec.retry} attempts")
