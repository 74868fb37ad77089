"""Request and response models of the service."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bt_exec.mission_outcome import MissionStatus
from bt_exec.serve.errors import ServiceError

__all__ = [
    "Aborted",
    "Accepted",
    "Answer",
    "Answered",
    "Asked",
    "Command",
    "Compiled",
    "ErrorAnswer",
    "Given",
    "Health",
    "LlmCommandAnswer",
    "LlmCommandRequest",
    "Maps",
    "MissionLines",
    "Moved",
    "Place",
    "PlanDocument",
    "Ready",
    "Resume",
    "Resumed",
    "SiteData",
    "SiteList",
    "Spoken",
    "SpokenText",
    "Stages",
    "Status",
    "Suggestions",
    "Transcript",
    "is_blank",
]

_WORDS = r"[^\s\x00-\x1f\x7f-\x9f\ufeff]"
"""Pattern of a character that is neither white space nor a control character.

The pattern is written out so that every regular expression engine interprets it in the same way.
"""


def is_blank(text: str) -> bool:
    """Return True if `text` contains only white space and control characters."""
    return re.search(_WORDS, text) is None


Command = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        pattern=_WORDS,
        description="What to do, in Korean or English.",
        examples=["문 안의 자재를 가져와", "open the door"],
    ),
]
Status: TypeAlias = Literal[
    "satisfied",
    "partial",
    "blocked",
    "failed",
    "refused",
    "aborted",
    "running",
    "waiting",
    "interrupted",
]
"""Status of a mission; for the last three, no end is recorded."""


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Asked(_In):
    """Body of a request to run a command."""

    command: Command


def _whole_number(value: Any) -> Any:
    """Return a whole number as an integer, because JSON does not distinguish 1.0 from 1."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Answer(_In):
    """Request body that answers the question of a mission."""

    question: Annotated[
        int,
        Field(strict=True, ge=0, lt=2**53, description="Its number, from `/live`.", examples=[1]),
        BeforeValidator(_whole_number),
    ]
    yes: Annotated[bool, Field(strict=True, description="Whether the plan may run.")]


class Resume(_In):
    """Request body that resumes the queue."""

    inspected: Annotated[
        bool,
        Field(strict=True, description="A person has looked at a robot that needed inspection."),
    ] = False


class Given(_In):
    """Request body with the token of the service."""

    token: Annotated[str, Field(max_length=1000)]


class _Out(BaseModel):
    """Base of responses. Clients must accept further fields, which may be added at any time."""


class ErrorData(_Out):
    """Reason why a request failed, with the values in its message as further fields."""

    model_config = ConfigDict(extra="allow")
    code: Annotated[str, Field(json_schema_extra={"enum": list(ServiceError.statuses)})]
    message: Annotated[str, Field(description="A sentence, in the language of Accept-Language.")]


class ErrorAnswer(_Out):
    """Response to every request that fails."""

    error: ErrorData
    status: Literal["error"]
    message: Annotated[str, Field(description="The same sentence as in `error`.")]


class Accepted(_Out):
    """Response to a command that was accepted and recorded."""

    mission_id: str
    status: Literal["waiting", "running"]
    ahead: Annotated[int, Field(description="Number of missions ahead of it in the queue.")]
    mission: Annotated[str, Field(description="Path of the mission.")]
    events: Annotated[str, Field(description="Path of its event stream.")]


class MissionLine(_Out):
    """A mission in a list."""

    mission_id: str
    command: str
    language: str
    site: str
    status: Status
    reason_code: str
    message: str
    started_at: datetime
    ended_at: datetime | None


class MissionLines(_Out):
    """A page of the list of missions, newest first."""

    missions: list[MissionLine]
    next: Annotated[str | None, Field(description="`before` of the next page; null at the end.")]


class Task(_Out):
    """A task of a subgoal."""

    skill: str
    target: str
    args: dict[str, Any]


class SubgoalTasks(_Out):
    """A subgoal and its tasks."""

    subgoal: str
    tasks: list[Task]


class PlanData(_Out):
    """A plan as subgoals and tasks."""

    version: int
    compiler: str
    model: str | None
    subgoals: list[str]
    tasks: list[SubgoalTasks]


class TaskResult(_Out):
    """A task with its result: `Ok`, `Failed: …`, `Skipped: …`, `Stopped`, `Not done`."""

    skill: str
    target: str
    result: str


class RunRow(_Out):
    """Row of the displayed tree: a node, or a remark between nodes."""

    kind: str
    depth: int
    text: str = ""
    path: str = ""
    state: str = ""
    label: str = ""
    about: str = ""
    code: str = ""
    why: str = ""
    began: Annotated[float | None, Field(description="Mission clock [s].")] = None
    ended: Annotated[float | None, Field(description="Mission clock [s].")] = None
    seconds: float | None = None
    progress: float | None = None
    doing: str = ""


class SubgoalState(_Out):
    """A subgoal and its state."""

    text: str
    state: str


class OutcomeData(_Out):
    """Outcome of a mission, as `bt-exec run --json` prints it."""

    model_config = ConfigDict(extra="allow")
    mission_id: str
    status: MissionStatus
    reason_code: str
    message: str


class Run(_Out):
    """The tree of a mission with the state of every node."""

    state: Literal["running", "ended"]
    seconds: Annotated[float, Field(description="Time since the command [s, mission clock].")]
    tick: int
    plan: Annotated[int, Field(description="Version of the plan; 0 before the first plan.")]
    rows: list[RunRow]
    subgoals: list[SubgoalState]
    outcome: OutcomeData | None


class StateData(_Out):
    """Command and initial situation."""

    command: str
    language: str
    objects: list[str]
    skills: dict[str, str]


class Results(_Out):
    """Results of every task and of the mission."""

    tasks: list[TaskResult]
    outcome: OutcomeData | None


class Why(_Out):
    """Explanation of a mission's end: the cause, and statements as pairs of heading and text."""

    cause: str
    said: list[list[str]]


class QuestionData(_Out):
    """Question of a mission that is not yet answered."""

    question: int
    why: str


class Stages(MissionLine):
    """Stages of a mission: state, plan, run, results, and the reason for its end."""

    state: StateData
    plan: PlanData | None
    run: Run
    results: Results
    why: Why
    question: QuestionData | None = None


class Aborted(_Out):
    """Result of a request to stop or withdraw a mission."""

    mission_id: str
    result: Literal["stopping", "withdrawn"]


class Resumed(_Out):
    """State of the queue: whether it is held (or was until now), and number of waiting missions."""

    held: bool
    waiting: int


class Answered(_Out):
    """Response to an accepted answer."""

    question: int
    yes: bool


class PlanDocument(_Out):
    """A recorded plan."""

    digest: str
    yaml: str


class RefusalData(_Out):
    """Reason why a command was refused, and commands that would be accepted."""

    code: str
    message: str
    nearest: list[str]
    did_you_mean: list[str]
    missing: list[str]
    question: str
    problems: list[str]


class Reply(_Out):
    """Reply to a text that needs no plan, such as a question about past missions."""

    code: str
    message: str


class Placed(_Out):
    """Object at `[x, y]` or area `[left, bottom, right, top]` [m], with its names by language."""

    name: str
    said: dict[str, str]
    at: list[float]


class Map(_Out):
    """Map of an observation, seen from above."""

    t: Annotated[float | None, Field(description="Mission clock [s].")] = None
    pack: str
    picture: Annotated[
        str | None, Field(description="Newest kept picture: `/missions/ID/frames/NAME`.")
    ] = None
    robot: Annotated[list[float] | None, Field(description="`[x, y, yaw]` [m, rad].")]
    areas: list[Placed]
    objects: list[Placed]


class Maps(_Out):
    """The newest map of each pack, or the maps of a mission in order."""

    maps: list[Map]


class Suggestions(_Out):
    """Commands that would be accepted in the present situation."""

    commands: list[str]


class Moved(_Out):
    """Identifiers of the waiting missions in their new order."""

    waiting: list[str]


class Place(_In):
    """Request body with a new place in the queue."""

    to: Annotated[
        int,
        Field(
            strict=True, ge=0, le=1000, description="Number of missions ahead of it in the queue."
        ),
        BeforeValidator(_whole_number),
    ]


class Compiled(_Out):
    """Result of a compile request: a plan, a refusal or a reply."""

    ok: bool
    plan: Annotated[str | None, Field(description="The verified plan, as YAML.")]
    written: Annotated[str | None, Field(description="The plan before passes, as YAML.")]
    version: int | None = None
    compiler: str | None = None
    model: str | None = None
    subgoals: list[str] | None = None
    tasks: list[SubgoalTasks] | None = None
    refusal: RefusalData | None
    reply: Reply | None = None


class DocumentTask(_Out):
    """A task in the format of other planners."""

    skill: str
    target: str


class DocumentSubgoal(_Out):
    """A subgoal with its tasks in the format of other planners."""

    subgoal: str
    tasks: list[DocumentTask]


class LlmCommandRequest(_In):
    """Request body with a command in the format of other planners; further fields are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"required": ["command"]})
    command: Annotated[
        str,
        Field(
            max_length=2000,
            examples=["open the door"],
            json_schema_extra={"minLength": 1, "pattern": _WORDS},
        ),
    ] = ""


class Transcript(_Out):
    """Transcript of an audio file."""

    status: Literal["success"]
    text: str


class SpokenText(_In):
    """Request body with a text for speech synthesis."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"required": ["text"]})
    text: Annotated[
        str, Field(max_length=4000, json_schema_extra={"minLength": 1, "pattern": _WORDS})
    ] = ""


class Spoken(_Out):
    """Text with its synthesized speech."""

    status: Literal["success"]
    text: str
    audio: Annotated[str, Field(description="Audio file in base64; empty without a plugin.")]


class LlmCommandAnswer(_Out):
    """Result of a mission in the format of other planners."""

    status: Literal["success", "error", "running"]
    user_command: str
    generated_code: Annotated[str, Field(description="The results as JSON text.")]
    plan: Annotated[str, Field(description="The plan: task outputs, or YAML.")]
    subgoals: list[str]
    task_outputs: list[DocumentSubgoal]
    results: list[TaskResult]
    mission_id: str
    outcome: MissionStatus | None = None
    reason_code: str | None = None
    message: str | None = None


class SiteData(_Out):
    """A site with the utterances of each tree."""

    site: str
    summary: str
    utterances: list[list[str]]


class SitePath(_Out):
    """A site and the path of its routes."""

    site: str
    path: str


class SiteList(_Out):
    """The sites at this address."""

    sites: list[SitePath]


class Health(_Out):
    """Response while no mission hangs."""

    status: Literal["ok"]
    version: str | None = None


class Ready(_Out):
    """Response of a service that can run commands."""

    status: Literal["ready"]
    site: str
    running: Annotated[bool, Field(description="Whether a mission runs.")]
    waiting: int
    held: Annotated[str | None, Field(description="The stopped mission that holds the queue.")]
