"""Identifiers of missions in paths, and the errors of routes that take them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from bt_exec.failure import UnknownName
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.service import Service

__all__ = ["BODY", "ID_PATTERN", "READ", "MissionId", "known_mission"]

ID_PATTERN = r"[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{4,9}"
READ = ("NO_MISSION", "BAD_REQUEST", "CANNOT")  # errors of routes that read the journal
BODY = ("BAD_REQUEST", "NOT_JSON")  # errors of routes that read a body

MissionId = Annotated[
    str,
    Path(
        pattern=f"^({ID_PATTERN}|last)$",
        description="Name of a mission, or `last`: the newest of this site.",
        examples=["2026-11-20-0007"],
    ),
]


def known_mission(service: Service, mission_id: str) -> str:
    """Return the whole identifier of a mission.

    Raises:
        ServiceError: If there is no such mission.
    """
    if service.find(mission_id) is not None:
        return mission_id
    try:
        line = (
            next(iter(service.journal.missions(1, site=service.site.name)), None)
            if mission_id == "last"
            else service.journal.line(mission_id)
        )
    except UnknownName:
        line = None
    if line is None:
        raise ServiceError("NO_MISSION", mission_id=mission_id)
    return line.id
