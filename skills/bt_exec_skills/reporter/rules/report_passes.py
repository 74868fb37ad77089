"""Passes for reports: a requested report is given at the base, after all core work."""

from __future__ import annotations

from bt_exec.pack import PassContext
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Parallel, flattened_steps, walk
from bt_exec_skills.reporter.rules.plan_steps import (
    BASE,
    REPORT_TOPIC,
    USER,
    Changed,
    action_node,
    actions,
    change_note,
    contains_core_work,
    drives_to_base,
    is_core_work,
    tells_user,
    with_steps,
)
from bt_exec_skills.reporter.rules.requests import about_past, is_round_trip, wants_report

__all__ = [
    "add_report_step",
    "end_with_drive_home",
    "end_with_report",
    "keep_failure_report_after_failure",
]


def add_report_step(spec: MissionSpec, context: PassContext) -> Changed:
    """Add a drive home and a report before the last summary if the command asks for a report.

    A missing summary is appended first. The interface document of the reporter defines this repair.
    """
    if not wants_report(context) or any(tells_user(node) for node in walk(spec.root)):
        return spec, ()
    steps = flattened_steps(spec.root)
    summaries = [at for at, step in enumerate(steps) if _is_action(step, "summarize_mission")]
    if not summaries:
        steps.append(action_node("summarize_mission"))
    at = summaries[-1] if summaries else len(steps) - 1
    back = context.meaning is not None and at > 0 and drives_to_base(_last_action(steps[at - 1]))
    steps[at:at] = _report()[back:]
    return with_steps(spec, steps), (
        "the command asks for a report: added going home and reporting",
    )


def end_with_report(spec: MissionSpec, context: PassContext) -> Changed:
    """End the plan with a drive home and a report to the user, if the command asks for a report.

    A report before the end of the core work moves to the end, and the last summary follows it.
    Without core work there is no drive home, unless the robot is known to be elsewhere. Questions
    about earlier missions are answered at the present place.
    """
    if not wants_report(context):
        return spec, ()
    if context.meaning is not None and any(drives_to_base(node) for node in walk(spec.root)):
        return spec, ()  # an understood command itself states when to drive home
    steps = flattened_steps(spec.root)
    last = max((at for at, step in enumerate(steps) if contains_core_work(step)), default=-1)
    away = context.situation.facts.get("at", BASE) != BASE
    needed = last >= 0 or (away and not about_past(context))
    summaries = [step for step in steps if _is_action(step, "summarize_mission")]
    work = [step for step in steps[: last + 1] if not _is_action(step, "summarize_mission")]
    after = [step for step in steps[last + 1 :] if not _is_action(step, "summarize_mission")]
    reports = [step for step in after if _reports_to_user(step)]
    early = [] if reports else _take_reports(work)
    first = (reports or early or _report()[1:])[-1 if early else 0]
    drives = [step for step in after if _only_drives_home(step)][: not _reports_at_home([first])]
    home = drives or _report()[: needed and not _reports_at_home([first])]
    rest = [step for step in after if step is not first and not _only_drives_home(step)]
    new = with_steps(spec, [*work, *home, first, *rest, *summaries[-1:]])
    if new is spec:
        return spec, ()
    return new, (change_note(context, "report_last"),)


def end_with_drive_home(spec: MissionSpec, context: PassContext) -> Changed:
    """End the plan of a "go there and back" command at the base, if no report is requested."""
    if not is_round_trip(context) or wants_report(context):
        return spec, ()
    steps = flattened_steps(spec.root)
    if not contains_core_work(spec.root) or any(
        drives_to_base(node) for node in _attempted_actions(steps[-1])
    ):
        return spec, ()
    home = action_node("navigate", target=BASE)
    return with_steps(spec, [*steps, home]), (change_note(context, "back_home"),)


def keep_failure_report_after_failure(spec: MissionSpec, context: PassContext) -> Changed:
    """Remove `fail_and_report` steps that are not in a later branch of a fallback.

    In any other place, this step would make a successful mission fail. A plan that consists of this
    step declines the command; it is unchanged unless the command asks for a report.
    """
    steps = flattened_steps(spec.root)
    hopeless = all(_is_action(step, "fail_and_report") for step in steps)
    if hopeless and not wants_report(context):
        return spec, ()
    kept = [step for step in steps if not _is_action(step, "fail_and_report")]
    if len(kept) == len(steps):
        return spec, ()
    return with_steps(spec, kept), (change_note(context, "no_failure"),)


def _last_action(step: NodeBase) -> NodeBase:
    return next(reversed(list(actions(step))), step)


def _report() -> list[NodeBase]:
    topic = REPORT_TOPIC
    return [
        action_node("navigate", target=BASE),
        action_node("talk_to_person", target=USER, topic=topic),
    ]


def _is_action(node: NodeBase, action: str) -> bool:
    return isinstance(node, Do) and node.do == action


def _reports_to_user(step: NodeBase) -> bool:
    return any(tells_user(node) for node in _attempted_actions(step))


def _reports_at_home(steps: list[NodeBase]) -> bool:
    """Return True if these steps always drive home and then report to the user."""
    home = False
    for node in (node for step in steps for node in _attempted_actions(step)):
        home = home or drives_to_base(node)
        if home and tells_user(node):
            return True
    return False


def _only_drives_home(step: NodeBase) -> bool:
    """Return True if a step only drives home."""
    return bool(found := list(actions(step))) and all(drives_to_base(node) for node in found)


def _attempted_actions(step: NodeBase) -> list[Do]:
    """Return the actions of a step that are attempted in every run without failures."""
    if step.skip_if is not None or isinstance(step, Parallel):
        return []
    own = [step] if isinstance(step, Do) else []
    return own + [node for child in step.nominal_children for node in _attempted_actions(child)]


def _take_reports(work: list[NodeBase]) -> list[NodeBase]:
    """Remove the reports from `work`, with the drive home before each, and return the reports."""
    taken: list[NodeBase] = []
    for at in reversed(range(len(work))):
        step = work[at]
        if _reports_to_user(step) and not any(is_core_work(node) for node in walk(step)):
            taken.insert(0, work.pop(at))
            if at and _only_drives_home(work[at - 1]):
                del work[at - 1]
    return taken
