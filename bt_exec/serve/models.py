"""What goes into the service, and what its description shows as examples."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["EXAMPLES", "Answer", "Asked", "Command", "Given", "answers"]

Command = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        description="What to do, in Korean or English.",
        examples=["문 안의 자재를 가져와", "open the door"],
    ),
]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Asked(_In):
    """A command."""

    command: Command


class Answer(_In):
    """An answer to the question that a mission asks."""

    question: Annotated[int, Field(description="Its number, as `/live` tells it.", examples=[1])]
    yes: Annotated[bool, Field(strict=True, description="Whether the plan may run.")]


class Given(_In):
    """The token of the service."""

    token: Annotated[str, Field(max_length=1000)]


EXAMPLES: dict[str, Any] = {
    "accepted": {
        "mission_id": "2026-11-20-0007",
        "status": "waiting",
        "ahead": 0,
        "mission": "/missions/2026-11-20-0007",
        "events": "/missions/2026-11-20-0007/events",
    },
    "list": {
        "missions": [
            {
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
        ]
    },
    "mission": {
        "mission_id": "2026-11-20-0007",
        "command": "open the door",
        "status": "satisfied",
        "state": {
            "command": "open the door",
            "language": "en",
            "objects": ["door", "door-handle"],
            "skills": {"open_door": "Open the door with one arm."},
        },
        "plan": {
            "version": 1,
            "compiler": "offline",
            "model": None,
            "subgoals": ["open_door"],
            "tasks": [
                {
                    "subgoal": "open_door",
                    "tasks": [
                        {
                            "skill": "open_door",
                            "target": "right → door-handle",
                            "args": {"arm": "right", "object_label": "door-handle"},
                        }
                    ],
                }
            ],
        },
        "run": {"state": "ended", "rows": [{"kind": "node", "label": "open_door"}]},
        "results": {
            "tasks": [{"skill": "open_door", "target": "right → door-handle", "result": "Ok"}],
            "outcome": {"status": "satisfied", "reason_code": "OK"},
        },
        "why": {"cause": "It was done as asked.", "said": [["planned", "open door"]]},
    },
    "aborted": {"mission_id": "2026-11-20-0007", "result": "stopping"},
    "resumed": {"held": True, "waiting": 2},
    "compiled": {
        "ok": True,
        "plan": "mission: {command: open the door}\nroot: …\n",
        "subgoals": ["open_door"],
        "tasks": [{"subgoal": "open_door", "tasks": [{"skill": "open_door", "target": "…"}]}],
        "refusal": None,
    },
    "llm_command": {
        "status": "success",
        "user_command": "빨간 건 빨간 그릇에 담아줘",
        "generated_code": '{"task_outputs": …}',
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
    "error": {"error": {"code": "NO_MISSION", "message": "There is no mission 2026-11-20-9999; …"}},
}


def answers(example: str, status: int = 200, **others: str) -> dict[int | str, dict[str, Any]]:
    """Return how a route is described: its answer, and the errors it may give.

    Args:
        example: A key of `EXAMPLES`.
        status: The status of the answer.
        others: Further statuses and what they mean: ``e404="No such mission."``.
    """
    described: dict[int | str, dict[str, Any]] = {
        status: {
            "description": "As in the example.",
            "content": {"application/json": {"example": EXAMPLES[example]}},
        }
    }
    for name, meaning in others.items():
        described[int(name.removeprefix("e"))] = {
            "description": meaning,
            "content": {"application/json": {"example": EXAMPLES["error"]}},
        }
    return described
