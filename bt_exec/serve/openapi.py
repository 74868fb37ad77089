"""OpenAPI description of the service: example responses, errors, paths, security schemes."""

from __future__ import annotations

import pathlib
from typing import Annotated, Any

from fastapi import FastAPI, Path
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from bt_exec.failure import UnknownName
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.models import (
    Aborted,
    Accepted,
    Answered,
    Compiled,
    ErrorAnswer,
    Health,
    LlmCommandAnswer,
    Maps,
    MissionLines,
    Moved,
    PlanDocument,
    Ready,
    Resumed,
    SiteData,
    SiteList,
    Spoken,
    Stages,
    Suggestions,
    Transcript,
)
from bt_exec.serve.queued_session import QueuedSession
from bt_exec.web.app_factory import page_files
from bt_exec.web.login import COOKIE

__all__ = [
    "ANY_BODY",
    "BODY",
    "EXAMPLES",
    "ID_PATTERN",
    "OPEN",
    "PAGE",
    "READ",
    "MissionId",
    "error_descriptions",
    "full_mission_id",
    "openapi_document",
    "response_descriptions",
]


_LINE = {
    "mission_id": "2026-11-20-0007",
    "command": "문 안의 자재를 가져와",
    "language": "ko",
    "site": "door",
    "status": "satisfied",
    "reason_code": "OK",
    "message": "자재를 오른손에 들고 있습니다. 문은 닫혀 있습니다.",
    "started_at": "2026-11-20T10:12:01+09:00",
    "ended_at": "2026-11-20T10:12:33+09:00",
}
_TASK = {
    "skill": "open_door",
    "target": "right → door-handle",
    "args": {"arm": "right", "object_label": "door-handle"},
}
_PLAN = {
    "version": 1,
    "compiler": "offline",
    "model": None,
    "subgoals": ["open_door"],
    "tasks": [{"subgoal": "open_door", "tasks": [_TASK]}],
}
_END = {
    "mission_id": "2026-11-20-0007",
    "status": "satisfied",
    "reason_code": "OK",
    "message": "The door is open.",
}

EXAMPLES: dict[type[BaseModel], dict[str, Any]] = {
    Accepted: {
        "mission_id": "2026-11-20-0007",
        "status": "waiting",
        "ahead": 0,
        "mission": "/missions/2026-11-20-0007",
        "events": "/missions/2026-11-20-0007/events",
    },
    MissionLines: {"missions": [_LINE], "next": "2026-11-20-0007"},
    Stages: {
        **_LINE,
        "command": "open the door",
        "language": "en",
        "message": "The door is open.",
        "state": {
            "command": "open the door",
            "language": "en",
            "objects": ["door", "door-handle"],
            "skills": {"open_door": "Open the door with one arm."},
        },
        "plan": _PLAN,
        "run": {
            "state": "ended",
            "seconds": 6.1,
            "tick": 122,
            "plan": 1,
            "rows": [{"kind": "node", "depth": 0, "label": "open the door", "state": "done"}],
            "subgoals": [],
            "outcome": _END,
        },
        "results": {
            "tasks": [{"skill": "open_door", "target": "right → door-handle", "result": "Ok"}],
            "outcome": _END,
        },
        "why": {"cause": "It was done as asked.", "said": [["planned", "open door"]]},
    },
    Aborted: {"mission_id": "2026-11-20-0007", "result": "stopping"},
    Resumed: {"held": True, "waiting": 2},
    Answered: {"question": 1, "yes": True},
    PlanDocument: {"digest": "9f" * 32, "yaml": "mission: {command: open the door}\nroot: …\n"},
    Compiled: {
        "ok": True,
        "plan": "mission: {command: open the door}\nroot: …\n",
        "written": "mission: {command: open the door}\nroot: …\n",
        **_PLAN,
        "refusal": None,
    },
    LlmCommandAnswer: {
        "status": "success",
        "user_command": "빨간 건 빨간 그릇에 담아줘",
        "generated_code": '[{"skill": "PickObject", "target": "object_red_0", "result": "Ok"}]',
        "plan": '{"task_outputs": …}',
        "subgoals": ["빨간 것을 빨간 그릇에 담기"],
        "task_outputs": [
            {
                "subgoal": "빨간 것을 빨간 그릇에 담기",
                "tasks": [{"skill": "PickObject", "target": "object_red_0"}],
            }
        ],
        "results": [{"skill": "PickObject", "target": "object_red_0", "result": "Ok"}],
        "mission_id": "2026-11-20-0007",
        "outcome": "satisfied",
        "reason_code": "OK",
        "message": "마쳤습니다.",
    },
    Transcript: {"status": "success", "text": "문 열어줘"},
    Spoken: {"status": "success", "text": "The door is open.", "audio": ""},
    SiteData: {
        "site": "door",
        "summary": "A two-armed robot at a door (simulated).",
        "utterances": [["open the door", "문 열어줘"]],
    },
    Maps: {
        "maps": [
            {
                "pack": "tabletop",
                "robot": [0.0, 0.4, 1.57],
                "areas": [{"name": "table_1", "said": {"en": "table 1"}, "at": [-2, 1, -1, 2]}],
                "objects": [{"name": "object_red_0", "said": {"en": "red thing 0"}, "at": [-1, 1]}],
            }
        ]
    },
    Suggestions: {"commands": ["sort by colour", "bring me the apple"]},
    Moved: {"waiting": ["2026-11-20-0009", "2026-11-20-0008"]},
    SiteList: {"sites": [{"site": "door", "path": "/sites/door"}]},
    Health: {"status": "ok", "version": "0.1.0"},
    Ready: {"status": "ready", "site": "door", "running": False, "waiting": 0, "held": None},
}
"""Example responses by model."""

_FACTS: dict[str, dict[str, Any]] = {
    "BUSY": {"mission_id": "2026-11-20-0007"},
    "QUEUE_FULL": {"waiting": 16},
    "NOT_READY": {"why": "the robots are being made ready"},
    "HUNG": {"mission_id": "2026-11-20-0007"},
    "NO_MISSION": {"mission_id": "2026-11-20-9999"},
    "NO_PLAN": {"digest": "9f" * 32},
    "NOT_WAITING": {"mission_id": "2026-11-20-0007"},
    "NOT_RUNNING": {"mission_id": "2026-11-20-0007"},
    "WRONG_HOST": {"found": "elsewhere.example"},
    "WRONG_ORIGIN": {"found": "http://elsewhere.example"},
    "TOO_LARGE": {"limit": 65536},
    "TOO_SLOW": {"limit": 10.0},
    "TOOK_TOO_LONG": {"limit": 30.0},
    "BAD_REQUEST": {"message": "command: Field required"},
    "TOO_MANY": {"limit": 100},
    "CANNOT": {"message": "the journal cannot be written"},
}
"""Values for the placeholders in the messages of example errors, by error code."""

PAGE = page_files(pathlib.Path(__file__).with_name("page"))
"""Files of the page by path."""
OPEN = frozenset({*PAGE, "/sites", "/health", "/ready", "/login"})
"""Paths that do not require a token."""
_ALWAYS = ("NO_TOKEN", "WRONG_TOKEN", "WRONG_ORIGIN", "WRONG_HOST", "TOO_SLOW", "TOO_LARGE", "BUG")
ANY_BODY: dict[str, Any] = {
    "requestBody": {
        "description": "Not read; it must be declared as JSON.",
        "required": True,
        "content": {"application/json": {"schema": {}, "example": {}}},
    }
}
"""OpenAPI description of an ignored body, so that no stop request fails because of its body."""


def error_descriptions(*codes: str) -> dict[int | str, dict[str, Any]]:
    """Return the description of a route's error responses, including the common ones.

    Args:
        codes: Codes of the route's own errors, keys of `ServiceError.statuses`.
    """
    described: dict[int | str, dict[str, Any]] = {}
    for code in (*codes, *(one for one in _ALWAYS if one not in codes)):
        error = ServiceError(code, **_FACTS.get(code, {}))
        one = described.setdefault(
            error.status,
            {
                "model": ErrorAnswer,
                "description": "",
                "content": {"application/json": {"examples": {}}},
            },
        )
        one["description"] = f"{one['description']}, {code}".removeprefix(", ")
        one["content"]["application/json"]["examples"][code] = {"value": error.body("en")}
        if error.headers:
            one["headers"] = {name: {"schema": {"type": "string"}} for name in error.headers}
    return described


def response_descriptions(
    model: type[BaseModel], *codes: str, status: int = 200
) -> dict[int | str, dict[str, Any]]:
    """Return the description of a route's responses: the normal one with an example, and errors.

    Args:
        model: Model of the normal response, a key of `EXAMPLES`.
        codes: Codes of the route's own errors, keys of `ServiceError.statuses`.
        status: HTTP status of the normal response.
    """
    doc = (model.__doc__ or "").partition("\n")[0]
    described = {
        "model": model,
        "description": doc,
        "content": {"application/json": {"example": EXAMPLES[model]}},
    }
    return {status: described, **error_descriptions(*codes)}


def openapi_document(app: FastAPI, *, secured: bool) -> dict[str, Any]:
    """Return the OpenAPI description of an application.

    Args:
        app: The application.
        secured: Whether requests need a token.
    """
    found: dict[str, Any] = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        routes=app.routes,
    )
    found["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "The token of the service."},
        "login": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "`/login`"},
    }
    if secured:
        found["security"] = [{"token": []}, {"login": []}]
        for path in OPEN & found["paths"].keys():
            for operation in found["paths"][path].values():
                operation["security"] = []
    return found


ID_PATTERN = r"[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{4,9}"
READ = ("NO_MISSION", "BAD_REQUEST", "CANNOT")  # error codes of routes that read the journal
BODY = ("BAD_REQUEST", "NOT_JSON")  # error codes of routes that read a request body

MissionId = Annotated[
    str,
    Path(
        pattern=f"^({ID_PATTERN}|last)$",
        description="Name of a mission, or `last`: the newest of this site.",
        examples=["2026-11-20-0007"],
    ),
]


def full_mission_id(service: QueuedSession, mission_id: str) -> str:
    """Return the identifier of an existing mission; ``last`` stands for the newest of the site.

    Raises:
        ServiceError: If there is no such mission.
    """
    if service.find(mission_id) is not None:
        return mission_id
    try:
        line = (
            next(iter(service.journal.missions(1, site=service.site.name)), None)
            if mission_id == "last"
            else service.journal.mission_summary(mission_id)
        )
    except UnknownName:
        line = None
    if line is None:
        raise ServiceError("NO_MISSION", mission_id=mission_id)
    return line.id
