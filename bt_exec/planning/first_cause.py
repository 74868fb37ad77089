"""First cause of a mission's end: the first failure without recovery.

Example: a door jams, and the next plan fails to find a grip on its edge. The first cause is the
jam. A grasp that slipped and succeeded at the second attempt is not a cause of later failures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bt_exec.failure import Failure
from bt_exec.pack import Catalogue
from bt_exec.verify.facts import Facts, after_success

__all__ = ["DoneAction", "first_cause", "recovers"]


class DoneAction(NamedTuple):
    """A skill that succeeded.

    Attributes:
        skill: Its name.
        args: Its arguments.
    """

    skill: str
    args: Mapping[str, Any]


def first_cause(
    failures: Sequence[tuple[Failure, Sequence[DoneAction]]], catalogue: Catalogue | None
) -> tuple[int, Failure] | None:
    """Return the first failure that was not recovered, with the number of its plan's failure.

    Args:
        failures: The failure that ended each plan, in order, with the actions that succeeded
            after it.
        catalogue: Declares the effects of skills; without it, only the same skill with the same
            arguments counts as recovery.

    Returns:
        The number of the plan's failure from 0, and the first cause in it; None without failures.
    """
    for number, (failure, after) in enumerate(failures):
        last = number == len(failures) - 1
        if last or not any(recovers(done, failure, catalogue) for done in after):
            return number, failure.chain()[-1]
    return None


def recovers(done: DoneAction, failure: Failure, catalogue: Catalogue | None) -> bool:
    """Return whether a completed skill equals the failed one, or achieves the same."""
    if done.skill == failure.node and done.args == failure.args:
        return True
    wanted = _achieves(failure.node, failure.args, catalogue)
    found = _achieves(done.skill, done.args, catalogue)
    return bool(wanted) and wanted.items() <= found.items()


def _achieves(skill: str, args: Mapping[str, Any], catalogue: Catalogue | None) -> Facts:
    if catalogue is None or skill not in catalogue.skills:
        return {}
    return after_success({}, catalogue.skills[skill], args)
