"""Preconditions of a skill, checked again at its start against the current facts.

They are checked once per start, never while a skill runs.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from bt_exec.nodes.runtime import Runtime
from bt_exec.skill import Skill
from bt_exec.verify.facts import unmet

__all__ = ["unmet_need"]

_log = logging.getLogger("bt_exec")


def unmet_need(
    skill: Skill, args: Mapping[str, Any], runtime: Runtime
) -> tuple[str, dict[str, Any]] | None:
    """Return why a skill may not start now, with evidence; None if no known fact prevents it.

    Facts reported by robots count, and those of the newest observations if captured after the last
    action ended; older observations may be outdated.
    """
    if not skill.needs:
        return None
    found = unmet(_known(runtime), skill, args)
    if not found:
        return None
    fact, allowed, known = found[0]
    message = f"{skill.name} needs {fact} to be {' or '.join(allowed)}, but it is {known}"
    told = ", ".join(f"{fact}={known}" for fact, _, known in found)
    return message, {"facts": told, "allowed": [f"{fact}={value}" for value in allowed]}


def _known(runtime: Runtime) -> dict[str, str]:
    facts: dict[str, str] = {}
    for name, rig in runtime.rigs.items():
        try:
            own = runtime.watch.call(f"the facts of {name}", rig.facts_now)
            facts.update(runtime.catalogue.facts_in(name, own))
        except Exception as error:  # noqa: BLE001 - a robot that cannot say it contradicts nothing
            _log.error("the robot of %s could not report its facts", name, exc_info=error)
    for name, buffer in runtime.buffers.items():
        if buffer.observations and buffer.observations[-1].t >= runtime.acted:
            seen = buffer.observations[-1].facts()
            facts.update(runtime.catalogue.facts_in(name, seen))
    return facts
