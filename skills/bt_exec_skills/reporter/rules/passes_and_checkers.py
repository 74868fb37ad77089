"""Passes and checkers of the reporter pack.

=======================  ===========================================================================
pass                     result
=======================  ===========================================================================
no_professor             no step concerns the professor unless the command names the professor
talk_only                a question about earlier missions is answered without moving
places_in_order          every place that the command names is visited, in that order
professor_first          steps about the professor come first if the command names the professor
go_before_looking        the robot goes to a place before it looks at it
report_is_no_failure     ``fail_and_report`` occurs only after a failure
fix_plan                 a command that asks for a report gets a report to the user
report_last              the report is given at the base, after core work; the summary follows it
back_home                a "there and back" command without a report ends at the base
topics                   topics and queries are sentences in the language of the command
carry_on                 failed work is noted, and the mission continues to its report
=======================  ===========================================================================

The checker reports unknown names with ``UNKNOWN_LOCATION`` and ``UNKNOWN_PERSON``. Skills fail with
the same codes if a name is known only at run time.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.failure import Problem, nearest_names
from bt_exec.pack import Pass, PassContext
from bt_exec.spec.expand import is_reference
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Sequence,
    Tree,
    flattened_steps,
    rebuild,
    walk,
)
from bt_exec.spec.node_paths import locate
from bt_exec.spec.yaml_source import show_place
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.rules.place_passes import (
    answer_without_moving,
    go_before_looking,
    visit_places_in_order,
)
from bt_exec_skills.reporter.rules.plan_steps import (
    Changed,
    change_note,
    contains_core_work,
    drives_to_base,
    map_of,
    tells_user,
    with_steps,
)
from bt_exec_skills.reporter.rules.professor_passes import (
    move_professor_first,
    remove_professor_steps,
)
from bt_exec_skills.reporter.rules.report_passes import (
    add_report_step,
    end_with_drive_home,
    end_with_report,
    keep_failure_report_after_failure,
)
from bt_exec_skills.reporter.rules.topic_and_query_pass import fill_topics

__all__ = ["PASSES", "check_known_names", "continue_after_failures"]

_ATTEMPTS = 2


def continue_after_failures(spec: MissionSpec, context: PassContext) -> Changed:
    """Note failed work and continue, in a plan that ends with a report to the user.

    A failed action is tried once more first. Work at a place is skipped if the drive there failed.
    Steps that already have an alternative branch are unchanged.
    """
    steps = flattened_steps(spec.root)
    report_positions = [
        at for at, step in enumerate(steps) if any(tells_user(node) for node in walk(step))
    ]
    if not report_positions:
        return spec, ()
    done: list[NodeBase] = []
    group: list[NodeBase] = []
    changes: list[str] = []

    def close_group() -> None:
        if group:
            done.append(_with_failure_noted(group))
            changes.append(f"{_name(group)}: {change_note(context, 'carry_on')}")
            group.clear()

    for at, step in enumerate(steps):
        bare = at < report_positions[-1] and not _is_protected(step)
        bare = (
            bare
            and (contains_core_work(step) or drives_to_base(step))
            and not _reports_to_user(step)
        )
        if not bare or _is_drive(step):
            close_group()
        if bare:
            group.append(step)
        else:
            done.append(step)
    close_group()
    return with_steps(spec, done), tuple(changes)


def _with_failure_noted(group: list[NodeBase]) -> NodeBase:
    work = group[0] if len(group) == 1 else Sequence.model_validate({"sequence": tuple(group)})
    note = Check.model_validate({"check": "failure_noted"})
    return Fallback.model_validate({"fallback": (rebuild(work, _with_retry), note)})


def _with_retry(node: NodeBase) -> NodeBase:
    if isinstance(node, Do) and node.retry is None:
        return node.model_copy(update={"retry": _ATTEMPTS})
    return node


def _is_protected(step: NodeBase) -> bool:
    while isinstance(step, Tree) and step.body is not None:
        step = step.body
    return isinstance(step, Fallback)


def _reports_to_user(step: NodeBase) -> bool:
    return any(tells_user(node) for node in walk(step))


def _is_drive(step: NodeBase) -> bool:
    return not isinstance(step, Do) or step.do == "navigate"


def _name(group: list[NodeBase]) -> str:
    step = group[-1]
    return step.do if isinstance(step, Do) else step.tree if isinstance(step, Tree) else "a step"


PASSES = (
    Pass("no_professor", remove_professor_steps),
    Pass("talk_only", answer_without_moving),
    Pass("places_in_order", visit_places_in_order),
    Pass("professor_first", move_professor_first),
    Pass("go_before_looking", go_before_looking),
    Pass("report_is_no_failure", keep_failure_report_after_failure),
    Pass("fix_plan", add_report_step),
    Pass("report_last", end_with_report),
    Pass("back_home", end_with_drive_home),
    Pass("topics", fill_topics),
    Pass("carry_on", continue_after_failures),
)
"""Passes in execution order."""

_PLACE, _PERSON = ("UNKNOWN_LOCATION", "no place"), ("UNKNOWN_PERSON", "nobody")
_NAMES = {
    "navigate": (("target",), _PLACE),
    "observe_scene": (("target",), _PLACE),
    "talk_to_person": (("target",), _PERSON),
    "deliver_object": (("recipient", "giver"), _PERSON),
}
"""Arguments of each action that name a place or a person."""


def check_known_names(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Report places and people that are not on the site's map, with the nearest known names."""
    site = map_of(context)
    if site is None:
        return
    for step in locate(spec.root).walk(Do):
        node = step.node
        if node.do not in _NAMES:
            continue
        arguments, (code, nothing) = _NAMES[node.do]
        known = tuple(site.people if code == "UNKNOWN_PERSON" else site.places)
        for argument in arguments:
            name = node.args.get(argument)
            if code == "UNKNOWN_PERSON" and name in site.places:
                continue  # a place stands for any person there
            if isinstance(name, str) and not is_reference(name) and name not in known:
                where = f"{show_place(step.place)}/with/{argument}"
                allowed = _nearest_first(name, known, site)
                yield Problem(code, f"{nothing} is called {name!r}", where, name, allowed)


def _nearest_first(name: str, known: tuple[str, ...], site: SiteMap) -> tuple[str, ...]:
    """Return the known names: first the id that has `name` as a name, then the most similar ids."""
    meant = site.find_id(name)
    called = (meant,) if meant is not None and meant in known else ()
    return tuple(dict.fromkeys((*called, *nearest_names(name, known), *known)))
